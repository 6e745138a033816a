/* remote.h - a client of a server at the other end of a wire.
 *
 *     struct remote *remote;
 *
 *     status = remote_open(&remote, &options);
 *     if (!status)
 *         status = remote_ask(remote, &(struct remote_request){.method = "tools/list"}, &result);
 *     if (status)
 *         complain(status, "%s", remote_why(remote));
 *     remote_close(remote);
 *
 * One request is asked at a time, and every wait has an end.  Functions return an exit code; what
 * went wrong is said by remote_why.  Of revisions a caller sees nothing: the first thing that is
 * asked finds out what the server speaks. */
#ifndef HAFT_REMOTE_H
#define HAFT_REMOTE_H

#include <uv.h>

#include "json/json.h"
#include "program.h"
#include "shape.h"

struct remote;

/* Answers a question of the server: writes an ElicitResult, and returns an exit code that ends the
 * request when it is not 0. */
typedef int remote_elicit(void *context, struct remote *remote, yyjson_val *params,
                          haft_buffer *ret_result);

typedef void remote_notified(void *context, const char *method, yyjson_val *params);

struct remote_options {
    const char *url; /* this, or */
    char **child;    /* a command, ending with NULL */
    const char *const *headers;
    size_t n_headers;
    const char *authority;  /* a file of certificates, or NULL */
    enum revision revision; /* REVISIONS: the newest that the server knows */
    uint64_t timeout;       /* milliseconds for an answer */
    size_t limit;           /* bytes of a message */
    bool logs;              /* the server's log messages are wanted */
    bool streams;           /* listen for what an old server says outside of an answer, too */
    remote_elicit *elicit;
    remote_notified *notified;
    void *context;
};

struct remote_request {
    const char *method;
    const struct shape *shape;     /* of the result; NULL for any object */
    const char *params;            /* the members of an object, as JSON; NULL for none */
    const char *name;              /* what the request is about, for proxies; NULL for nothing */
    const char *const *parameters; /* of parameters_of, or NULL */
    bool with_progress;
};

/* *ret_remote is set whenever there is memory for it, and then to be closed. */
int remote_open(struct remote **ret_remote, const struct remote_options *options);

/* Asks, and answers what the server asks meanwhile.  The result lives as long as the remote. */
int remote_ask(struct remote *remote, const struct remote_request *request,
               yyjson_val **ret_result);

/* Says goodbye, for a short time, and frees it. */
void remote_close(struct remote *remote);

const char *remote_why(const struct remote *remote);

/* Says what is wrong with an answer to the method, of which `whole` is looked at ("the result").
 * Returns EXIT_PROTOCOL. */
int remote_malformed(struct remote *remote, const char *method, const char *whole,
                     const haft_reason *reason);

/* The code of the JSON-RPC error that was answered last; 0 when it was something else. */
int remote_error_code(const struct remote *remote);

enum revision remote_revision(const struct remote *remote);
bool remote_has_headers(const struct remote *remote);        /* arguments may be repeated in them */
yyjson_val *remote_server_info(const struct remote *remote); /* or NULL */
yyjson_val *remote_capabilities(const struct remote *remote);

/* A line from the terminal, while the server is listened to: 1, 0 at the end of input, or a
 * negative exit code.  Without the line's end. */
int remote_read_line(struct remote *remote, haft_buffer *ret_line);

#endif
