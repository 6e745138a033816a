/* gateway/inflight.h - a gateway on one loop, and its requests in progress. */
#ifndef HAFT_SRC_PASSAGE_H
#define HAFT_SRC_PASSAGE_H

#include "endpoint/authenticator.h"
#include "gateway/gateway.h"

/* An endpoint on one loop. */
struct loop_endpoint {
    struct loop_endpoint *next;
    struct mcp *mcp;
    haft_endpoint *endpoint;
    size_t n_inflight; /* current and upcoming requests */
    bool leaving;      /* no longer served */
    bool ended;        /* its sessions have ended */
};

/* A new generation for one loop, with the endpoints that it adds. */
struct turnover {
    struct turnover *next;
    struct gateway_loop *gateway_loop;
    struct generation *generation; /* held */
    struct loop_endpoint *endpoints;
};

struct gateway_loop {
    struct gateway_loop *next; /* in the gateway's list */
    haft_gateway *gateway;
    haft_http_loop loop;
    struct generation *generation;        /* for new requests; held */
    _Atomic(struct turnover *) turnovers; /* to be applied, the latest first */
    struct loop_endpoint *endpoints;      /* including those that leave */
    struct inflight *first;               /* unfinished */
    struct inflight *spare;               /* for reuse, most of them with a call */
    size_t n_spare;
    haft_time used;            /* time of the latest request */
    bool shut_down;            /* no more requests */
    char unauthenticated[200]; /* something served without authentication, once requested */
};

/* A request in progress on this loop. */
struct inflight {
    struct inflight *next, *previous;
    struct gateway_loop *gateway_loop;
    haft_gateway_request *req;       /* NULL if the endpoint has no policies */
    haft_call *call;                 /* of an earlier request, for reuse; NULL if there is none */
    const haft_responder *responder; /* NULL if the client has left */
    void *context;
    struct loop_endpoint *at; /* its MCP endpoint; NULL for a route */
    void *exchange;           /* exchange of the endpoint */
    haft_time now;
    bool inside;      /* the endpoint is receiving the request */
    bool answered;    /* the endpoint has answered completely */
    bool has_worker;  /* run by the loop's workers, not by the loop */
    bool ran;         /* a worker has run it */
    bool parked;      /* a policy or the handler waits, without a thread */
    bool waits;       /* a policy waits */
    bool half_closed; /* the client has closed its side */
};

/* Functions of haft_app; the app is a gateway_loop. */
void *hf_inflight_begin(void *app, const haft_request *request, const haft_responder *responder,
                        void *context, haft_time now);
void hf_inflight_gone(void *app, void *exchange);
bool hf_inflight_half_closed(const void *app, const void *exchange);

/* Whether a worker has it, or it waits. */
bool hf_inflight_is_at_work(const struct inflight *inflight);
/* Answers it at its deadline. */
void hf_inflight_tick(struct inflight *inflight, haft_time now);

/* Frees spare ones until `keep` are left. */
void hf_inflight_drop_spare(struct gateway_loop *gateway_loop, size_t keep);

/* ---- its steps; each returns the request, unless it is finished ---- */

/* Continues on the loop. */
struct inflight *hf_inflight_advance(struct inflight *inflight);
/* Passes it to a worker. */
void *hf_inflight_send_away(struct inflight *inflight);
/* Responds with 503: no memory, or no worker. */
void *hf_inflight_refuse(struct inflight *inflight);

/* Creates the object that policies see; NULL without memory. */
haft_gateway_request *hf_inflight_make_gateway_request(struct inflight *inflight,
                                                       const haft_request *request);
/* Replaces the request by a copy that outlives the connection's data. Returns false without
 * memory. */
bool hf_inflight_keep_request(struct inflight *inflight);

/* Responds, unless that has been done or the client has left; 500 for NULL. */
void hf_inflight_answer(struct inflight *inflight, const haft_response *response);
void hf_inflight_free(struct inflight *inflight);

/* ---- inflight_mcp.c ---- */

/* Handles a request for the endpoint. */
void *hf_inflight_handle_mcp(struct inflight *inflight, const struct served *served,
                             const haft_request *request);
/* Passes the request, as modified by policies, to the endpoint. */
struct inflight *hf_inflight_enter_endpoint(struct inflight *inflight);

/* ---- app.c: new generations ---- */

/* The generation for a new request, on the loop's thread. */
struct generation *hf_gateway_loop_generation(struct gateway_loop *gateway_loop);

/* Creates what every loop needs for a generation before it is active: endpoints that the active one
 * does not have. *ret_turnovers is NULL if there are no loops. Returns 0 or HAFT_ENOMEM. */
int hf_turnovers_make(haft_gateway *gateway, struct generation *generation,
                      struct turnover **ret_turnovers);
void hf_turnovers_free(const haft_gateway *gateway, struct turnover *turnovers);
/* Activates a generation, for the gateway and for every loop. Takes ownership of both. */
void hf_generation_use(haft_gateway *gateway, struct generation *generation,
                       struct turnover *turnovers);

/* Whether something is served without authentication, and its description. */
bool hf_generation_is_open(const struct generation *generation, char *text, size_t room);

/* ---- protected.c: protected resources ---- */

/* A function of haft_app. */
const char *hf_protected_path(void *app, const char *path, haft_server **ret_server);
/* Finds the metadata that a path names, of what a policy protects; returns false if there is
 * none. */
bool hf_protected_find(struct gateway_loop *gateway_loop, const char *path,
                       struct metadata *ret_metadata);
/* Has the endpoints of the loop's generation describe missing scopes by their authenticators. */
void hf_protected_set_authenticators(struct gateway_loop *gateway_loop);

/* ---- exposure.c: functions of haft_app ---- */

bool hf_exposure_allows_origin(const void *app, const haft_request *request, const char *origin,
                               size_t size);
const char *hf_exposure_unauthenticated(void *app);
bool hf_exposure_takes_tokens(const void *app);
/* Logs a notice of items that require scopes in endpoints that authenticate nobody. */
void hf_exposure_note_scopes(const haft_gateway *gateway);

#endif
