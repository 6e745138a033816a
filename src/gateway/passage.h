/* gateway/passage.h - a gateway on one loop, and the requests on their way through it. */
#ifndef HAFT_SRC_PASSAGE_H
#define HAFT_SRC_PASSAGE_H

#include "gateway/gateway.h"

struct site {
    haft_gateway *gateway;
    haft_http_loop loop;
    struct passage *first;      /* not over */
    char unauthenticated[200];  /* the first of what is served so, once that was asked */
    haft_endpoint *endpoints[]; /* as the gateway has them */
};

/* A request on its way through this loop. */
struct passage {
    struct passage *next, *previous;
    struct site *site;
    haft_visit *visit;
    const haft_responder *responder; /* NULL when there is nobody to answer any more */
    void *context;
    haft_endpoint *endpoint; /* of MCP; NULL for a route */
    haft_http_request request;
    void *exchange; /* of the endpoint */
    haft_time now;
    bool inside;      /* the endpoint is being given the request */
    bool answered;    /* by it, to the end */
    bool has_worker;  /* it is run by the loop's workers, not by the loop */
    bool ran;         /* by the worker that has it back */
    bool parked;      /* a policy or the handler waits, and no thread runs for it */
    bool waits;       /* a policy does */
    bool half_closed; /* the client sends nothing any more */
};

/* As haft_app has them; the app is a site. */
void *passage_begin(void *app, const haft_http_request *request, const haft_responder *responder,
                    void *context, haft_time now);
void passage_gone(void *app, void *exchange);
bool passage_half_closed(const void *app, const void *exchange);

/* The request that an endpoint was given these headers for, past the policies; NULL when they came
 * another way. */
const haft_visit *passage_of_headers(const haft_headers *headers);

/* The endpoint at a path, and its number; NULL when there is none. */
const struct mcp *endpoint_find(const haft_gateway *gateway, const char *path, size_t *ret_index);

/* ---- exposure.c, as haft_app has them ---- */

bool exposure_allows_origin(const void *app, const haft_http_request *request, const char *origin,
                            size_t size);
const char *exposure_unauthenticated(void *app);

/* Answers, unless that has been done, or nobody is there to be answered. */
void passage_answer(struct passage *passage, int status, const char *headers, const char *body,
                    size_t size);

#endif
