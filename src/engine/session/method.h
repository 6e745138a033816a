/* engine/session/method.h - methods, and those who bring one (method.c). */
#ifndef HAFT_SRC_ENGINE_SESSION_METHOD_H
#define HAFT_SRC_ENGINE_SESSION_METHOD_H

#include "engine/session/session.h"

struct method {
    const char *name;
    size_t name_size;
    unsigned revisions; /* bits */
    unsigned offers;    /* bits: lists of which one has ever held something, for a modern client */
    void (*handle)(haft_call *call);
    bool remembers;    /* something for later messages: nothing for clients without a session */
    const char *named; /* the member of its params that Mcp-Name repeats; NULL for none */
};

/* Whether the server itself handles that method, in any revision. */
bool hf_method_is_reserved(const char *name);
/* The method of that name in that revision; NULL when there is none. */
const struct method *hf_method_find(const char *name, size_t size, enum revision revision);

/* Handles a request that nobody has looked at, or answers it with an error (request.c). */
void hf_request_admit(haft_session *session, haft_call *call);

void hf_handle_initialize(haft_call *call);
void hf_handle_discover(haft_call *call);
void hf_handle_ping(haft_call *call);
void hf_handle_set_level(haft_call *call);
void hf_handle_list(haft_call *call);
void hf_handle_subscribe(haft_call *call);
void hf_handle_unsubscribe(haft_call *call);
void hf_handle_listen(haft_call *call);

/* A method of the program's own. */
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
