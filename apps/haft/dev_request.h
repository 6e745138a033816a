/* dev_request.h - the lists of requests that a session of `haft dev` keeps. */
#ifndef HAFT_DEV_REQUEST_H
#define HAFT_DEV_REQUEST_H

#include "dev_session.h"
#include "scan.h"

/* What a method of the client's means for the next server. */
enum dev_role {
    DEV_INITIALIZE, /* repeated, with a new id if it has been answered */
    DEV_LISTEN,     /* repeated as long as it is not answered */
    DEV_LEVEL,      /* the latest is repeated */
    DEV_SUBSCRIBE,  /* repeated unless it was taken back */
    DEV_UNSUBSCRIBE
};

struct dev_method {
    const char *name;
    enum dev_role role;
};

/* A message of a line: its text, and the same parsed. */
struct dev_message {
    const char *text; /* begins with the { of the message */
    size_t size;
    struct rpc_message rpc;
};

/* Makes a request of a message that is one; `shown` is the id that its receiver sees, NULL for its
 * own.  NULL without memory. */
struct dev_request *dev_request_new(const struct dev_message *message, const char *shown,
                                    uint64_t now);
void dev_request_free(struct dev_request *request);

/* Finds the request whose receiver sees that id, and takes it off the list; NULL for none. */
struct dev_request *dev_request_find(struct dev_request *list, yyjson_val *id);
struct dev_request *dev_request_take(struct dev_request **list, yyjson_val *id);

/* The id that the receiver of a request sees, as JSON. */
const char *dev_request_shown(const struct dev_request *request);

/* The id of a message as its text has it: the range of its value.  False when there is none. */
bool dev_message_id(const struct dev_message *message, struct scan_range *ret_id);

/* Sends the client an error for a request with that id, written as the client has it. */
void dev_send_error(struct dev_session *session, const char *id, size_t id_size, const char *text);

/* Answers a request of the client with an error, tells of it, and frees it. */
void dev_request_fail(struct dev_session *session, struct dev_request *request, const char *text);

/* The answer to the handshake that was repeated has come. */
void dev_session_greeted(struct dev_session *session, const struct rpc_message *rpc);
/* Whether the id is of a request that was repeated; its answer is not for the client. */
bool dev_session_is_own(yyjson_val *id, bool *ret_handshake);
/* What an answer of `initialize` says that there are lists of. */
unsigned dev_lists_of(yyjson_val *result);

#endif
