/* protocol/message.h - a message as a value: its kind, sender and subject.
 *
 * It is parsed once, when it arrives, and does not change afterwards; later decisions use its
 * members.  The JSON that they point to lives as long as the arena that it was read into. */
#ifndef HAFT_SRC_MESSAGE_H
#define HAFT_SRC_MESSAGE_H

#include <haft/engine.h>

#include "protocol/rpc.h"

/* Members of params._meta as they came, of whatever type; NULL when absent. */
struct envelope {
    yyjson_val *version; /* only a modern request has one */
    yyjson_val *client_info, *client_capabilities;
    yyjson_val *log_level;
    yyjson_val *progress_token;
    yyjson_val *traceparent;
};

struct message {
    haft_incoming_kind kind; /* 0 as long as nothing was read */
    yyjson_val *root;        /* NULL: the text is not JSON */
    struct rpc_message rpc;  /* the same taken apart, unless it is an array */
    yyjson_val *meta;        /* params._meta; NULL unless it is an object */
    struct envelope envelope;
    yyjson_val *name, *arguments;                /* of params, as they came; NULL when absent */
    yyjson_val *request_state, *input_responses; /* likewise */
};

/* Reads a message from its JSON, which is not an array, into one that is all zero.  One that would be read one way here and another
 * way elsewhere, or that nests deeper than `max_depth` below its params, is invalid.  Returns 0 or
 * HAFT_ENOMEM; the arena is only used meanwhile. */
int hf_message_read(struct message *ret_message, yyjson_val *root, size_t max_depth,
                    haft_arena *arena);

/* Whether it is a request or a notification of that method. */
bool hf_message_is(const struct message *message, const char *method);

#endif
