/* gateway/inflight.h - a gateway on one loop, and the requests on their way through it. */
#ifndef HAFT_SRC_PASSAGE_H
#define HAFT_SRC_PASSAGE_H

#include "gateway/gateway.h"

/* An endpoint on one loop. */
struct loop_endpoint {
    struct loop_endpoint *next;
    struct mcp *mcp;
    haft_endpoint *endpoint;
    size_t n_inflight; /* requests that it has, or will have */
    bool leaving;      /* it is not served any more */
    bool ended;        /* and neither are its sessions */
};

/* Another generation for one loop, with the endpoints that it adds. */
struct turnover {
    struct turnover *next;
    struct gateway_loop *gateway_loop;
    struct generation *generation; /* held */
    struct loop_endpoint *endpoints;
};

struct gateway_loop {
    struct gateway_loop *next; /* of the gateway's */
    haft_gateway *gateway;
    haft_http_loop loop;
    struct generation *generation;        /* of the requests that come in; held */
    _Atomic(struct turnover *) turnovers; /* to be gone through, the latest first */
    struct loop_endpoint *endpoints;      /* those that leave, too */
    struct inflight *first;               /* not over */
    struct inflight *spare;               /* to be used again, most with a call */
    size_t n_spare;
    haft_time used;            /* the latest request */
    bool shut_down;            /* no request comes any more */
    char unauthenticated[200]; /* the first of what is served so, once that was asked */
};

/* A request on its way through this loop. */
struct inflight {
    struct inflight *next, *previous;
    struct gateway_loop *gateway_loop;
    haft_gateway_request *req;       /* NULL when there are no policies around the endpoint */
    haft_call *call;                 /* of the one before it, to be used again; NULL for none */
    const haft_responder *responder; /* NULL when there is nobody to answer any more */
    void *context;
    struct loop_endpoint *at; /* of MCP; NULL for a route */
    void *exchange;           /* of the endpoint */
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
void *hf_inflight_begin(void *app, const haft_request *request, const haft_responder *responder,
                        void *context, haft_time now);
void hf_inflight_gone(void *app, void *exchange);
bool hf_inflight_half_closed(const void *app, const void *exchange);

/* Whether a worker has it, or it waits. */
bool hf_inflight_is_at_work(const struct inflight *inflight);
/* Answers it when its time is over. */
void hf_inflight_tick(struct inflight *inflight, haft_time now);

/* Frees spare ones until so many are left. */
void hf_inflight_drop_spare(struct gateway_loop *gateway_loop, size_t keep);

/* ---- its steps; each returns the passage, unless it is over ---- */

/* Goes on where the request came in. */
struct inflight *hf_inflight_advance(struct inflight *inflight);
/* Has it run by a worker. */
void *hf_inflight_send_away(struct inflight *inflight);
/* Answers 503: there is no memory, or no worker. */
void *hf_inflight_refuse(struct inflight *inflight);

/* The request with what policies see of it; NULL without memory. */
haft_gateway_request *hf_inflight_make_gateway_request(struct inflight *inflight,
                                                       const haft_request *request);
/* The request is needed for longer than it is there: a copy takes its place.  False without memory. */
bool hf_inflight_keep_request(struct inflight *inflight);

/* Answers, unless that has been done, or nobody is there to be answered; 500 for NULL. */
void hf_inflight_answer(struct inflight *inflight, const haft_response *response);
void hf_inflight_free(struct inflight *inflight);

/* ---- inflight_mcp.c ---- */

/* Takes in a request for the endpoint. */
void *hf_inflight_handle_mcp(struct inflight *inflight, const struct served *served,
                             const haft_request *request);
/* Gives the request, as the policies have left it, to the endpoint. */
struct inflight *hf_inflight_enter_endpoint(struct inflight *inflight);

/* ---- app.c: other generations ---- */

/* The one that a request gets that comes in now, on the loop's thread. */
struct generation *hf_gateway_loop_generation(struct gateway_loop *gateway_loop);

/* What every loop needs for a generation, made before it is in force: endpoints that the one in force does
 * not have.  NULL in *ret_turnovers when there are no loops.  0, or HAFT_ENOMEM. */
int hf_turnovers_make(haft_gateway *gateway, struct generation *generation,
                      struct turnover **ret_turnovers);
void hf_turnovers_free(const haft_gateway *gateway, struct turnover *turnovers);
/* Puts a generation in force, for the gateway and for every loop.  Takes over both. */
void hf_generation_use(haft_gateway *gateway, struct generation *generation,
                       struct turnover *turnovers);

/* Whether it serves something without authentication, and what. */
bool hf_generation_is_open(const struct generation *generation, char *text, size_t room);

/* ---- exposure.c, as haft_app has them ---- */

bool hf_exposure_allows_origin(const void *app, const haft_request *request, const char *origin,
                               size_t size);
const char *hf_exposure_unauthenticated(void *app);

#endif
