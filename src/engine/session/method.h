/* engine/session/method.h - protocol methods and methods of the program (method.c). */
#ifndef HAFT_SRC_ENGINE_SESSION_METHOD_H
#define HAFT_SRC_ENGINE_SESSION_METHOD_H

#include "engine/session/session.h"

struct method {
    const char *name;
    size_t name_size;
    unsigned revisions; /* bits */
    unsigned offers;    /* bits: modern clients can call it if one of these lists has ever been
                         * non-empty */
    void (*handle)(haft_call *call);
    bool remembers;    /* it stores something for later messages, so clients without a session
                        * cannot use it */
    const char *named; /* the member of its params that Mcp-Name repeats; NULL if there is none */
};

/* Whether the server itself handles the method, in any revision. */
bool hf_method_is_reserved(const char *name);
/* Finds a method by name in a revision; NULL if there is none. */
const struct method *hf_method_find(const char *name, size_t size, enum revision revision);

/* Sets the client of a request or notification; what HTTP says about it lasts only while the message
 * is being received. Returns false without memory (request.c). */
bool hf_request_set_caller(const haft_session *session, haft_call *call);
/* Handles a new request, or answers it with an error (request.c). */
void hf_request_admit(haft_session *session, haft_call *call);

void hf_handle_initialize(haft_call *call);
void hf_handle_discover(haft_call *call);
void hf_handle_ping(haft_call *call);
void hf_handle_set_level(haft_call *call);
void hf_handle_list(haft_call *call);
void hf_handle_subscribe(haft_call *call);
void hf_handle_unsubscribe(haft_call *call);
void hf_handle_listen(haft_call *call);
/* Handles a method of tasks, if the server has them (request.c). */
void hf_handle_task(haft_call *call);

/* A method added by the program. */
struct custom_method {
    struct custom_method *next;
    const char *name;
    size_t name_size;
    haft_json_handler *handler;
    void *data;
};

/* The method of that name; NULL when there is none. */
const struct custom_method *hf_custom_method_find(haft_server *server, const char *name,
                                                  size_t size);
/* Starts a call of it; one that is answered already is a notification. */
void hf_custom_method_handle(haft_call *call, const struct custom_method *custom);
/* Answers a call of such a method (lifecycle.c). */
void hf_complete_custom(haft_call *call);

#endif
