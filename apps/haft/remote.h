/* remote.h - a client of a remote server.
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
 * There is one request at a time, and every wait has a timeout. Functions return an exit code;
 * remote_why describes the error. Revisions are hidden from the caller: the first request
 * determines which the server supports. */
#ifndef HAFT_REMOTE_H
#define HAFT_REMOTE_H

#include <uv.h>

#include "json/json.h"
#include "program.h"
#include "client/shape.h"

struct remote;

/* Answers a question of the server: writes an ElicitResult, and returns an exit code; other than 0,
 * it ends the request. */
typedef int remote_elicit(void *context, struct remote *remote, yyjson_val *params,
                          haft_buffer *ret_result);

typedef void remote_notified(void *context, const char *method, yyjson_val *params);

struct remote_options {
    const char *url; /* either this, */
    char **child;    /* or a command, NULL-terminated */
    const char *const *headers;
    size_t n_headers;
    const char *authority;  /* a file of CA certificates, or NULL */
    enum revision revision; /* REVISIONS: the latest that the server supports */
    uint64_t timeout;       /* milliseconds to wait for a response */
    size_t limit;           /* maximum size of a message */
    bool logs;              /* request log messages of the server */
    bool streams;           /* also receive messages of a legacy server outside of responses */
    remote_elicit *elicit;
    remote_notified *notified;
    void *context;
};

struct remote_request {
    const char *method;
    const struct shape *shape;     /* expected shape of the result; NULL for any object */
    const char *params;            /* members of an object, as JSON; NULL if there are none */
    const char *name;              /* subject of the request, for proxies; NULL if there is none */
    const char *const *parameters; /* result of hf_mirror_of, or NULL */
    bool with_progress;
};

/* *ret_remote is set, and must be closed, unless memory ran out. */
int remote_open(struct remote **ret_remote, const struct remote_options *options);

/* Sends a request, and answers questions of the server meanwhile. The result lives as long as the
 * remote. */
int remote_ask(struct remote *remote, const struct remote_request *request,
               yyjson_val **ret_result);

/* Disconnects, within a short time, and frees it. */
void remote_close(struct remote *remote);

const char *remote_why(const struct remote *remote);

/* Reports an invalid response to the method; `whole` names the part ("the result"). Returns
 * EXIT_PROTOCOL. */
int remote_malformed(struct remote *remote, const char *method, const char *whole,
                     const haft_reason *reason);

/* The code of the latest JSON-RPC error; 0 if it was another error. */
int remote_error_code(const struct remote *remote);

enum revision remote_revision(const struct remote *remote);
bool remote_has_headers(const struct remote *remote);        /* arguments may be repeated in them */
yyjson_val *remote_server_info(const struct remote *remote); /* may be NULL */
yyjson_val *remote_capabilities(const struct remote *remote);

/* Reads a line from the terminal, while messages of the server are processed. Returns 1, 0 at the
 * end of input, or a negative exit code. The line end is removed. */
int remote_read_line(struct remote *remote, haft_buffer *ret_line);

#endif
