/* gateway/passage.h - a gateway on one loop, and the requests on their way through it. */
#ifndef HAFT_SRC_PASSAGE_H
#define HAFT_SRC_PASSAGE_H

#include "gateway/gateway.h"

struct site {
    haft_gateway *gateway;
    haft_http_loop loop;
    struct passage *first; /* not over */
    struct passage *spare; /* to be used again, most with a call */
    size_t n_spare;
    haft_time used;             /* the latest request */
    char unauthenticated[200];  /* the first of what is served so, once that was asked */
    haft_endpoint *endpoints[]; /* as the gateway has them */
};

/* A request on its way through this loop. */
struct passage {
    struct passage *next, *previous;
    struct site *site;
    haft_visit *visit;               /* NULL when there are no policies around the endpoint */
    haft_call *call;                 /* of the one before it, to be used again; NULL for none */
    const haft_responder *responder; /* NULL when there is nobody to answer any more */
    void *context;
    haft_endpoint *endpoint; /* of MCP; NULL for a route */
    void *exchange;          /* of the endpoint */
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
void *passage_begin(void *app, const haft_request *request, const haft_responder *responder,
                    void *context, haft_time now);
void passage_gone(void *app, void *exchange);
bool passage_half_closed(const void *app, const void *exchange);

/* Whether a worker has it, or it waits. */
bool passage_is_at_work(const struct passage *passage);
/* Answers it when its time is over. */
void passage_tick(struct passage *passage, haft_time now);

/* Frees spare ones until so many are left. */
void passage_drop_spare(struct site *site, size_t keep);

/* ---- its steps; each returns the passage, unless it is over ---- */

/* Goes on where the request came in. */
struct passage *passage_advance(struct passage *passage);
/* Has it run by a worker. */
void *passage_send_away(struct passage *passage);
/* Answers 503: there is no memory, or no worker. */
void *passage_refuse(struct passage *passage);

/* The request with what policies see of it; NULL without memory. */
haft_visit *passage_make_visit(struct passage *passage, const haft_request *request);
/* The request is needed for longer than it is there: a copy takes its place.  False without memory. */
bool passage_keep_request(struct passage *passage);

/* Answers, unless that has been done, or nobody is there to be answered; 500 for NULL. */
void passage_answer(struct passage *passage, const haft_response *response);
void passage_free(struct passage *passage);

/* ---- passage_mcp.c ---- */

/* Takes in a request for the endpoint. */
void *passage_handle_mcp(struct passage *passage, const struct mcp *mcp,
                         const haft_request *request);
/* Gives the request, as the policies have left it, to the endpoint. */
struct passage *passage_enter_endpoint(struct passage *passage);

/* The endpoint at a path, and its number; NULL when there is none. */
const struct mcp *endpoint_find(const haft_gateway *gateway, const char *path, size_t *ret_index);

/* ---- exposure.c, as haft_app has them ---- */

bool exposure_allows_origin(const void *app, const haft_request *request, const char *origin,
                            size_t size);
const char *exposure_unauthenticated(void *app);

#endif
