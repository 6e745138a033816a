/* peer.h - the server that a command uses: a client (haft/connect.h) on the program's loop.
 *
 *     struct peer *peer;
 *
 *     status = peer_open(&peer, call, url);
 *     if (!status)
 *         status = peer_ask(peer, &(struct peer_request){.method = "tools/list"}, &result);
 *     if (status)
 *         complain(status, "%s", peer_why(peer));
 *     peer_close(peer);
 *
 * There is one request at a time. Functions return an exit code; peer_why describes the error. An
 * interrupt cancels the request; a second one ends the connection at once. A call that has become a task is
 * not cancelled by the first interrupt, but by a second one that follows at once. */
#ifndef HAFT_PEER_H
#define HAFT_PEER_H

#include <haft/connect.h>
#include <uv.h>

#include "json/json.h"
#include "program.h"

struct peer;

struct peer_request {
    const char *method, *params;  /* any method, and its parameters: a JSON object or NULL; */
    const char *tool, *arguments; /* or a tool; */
    const char *task;             /* or the id of a task whose end is awaited */
    bool with_progress;
    bool as_task; /* ask an older server for a task */
    /* Report that the call has become a task, and that the user leaves it by an interrupt; may be NULL. */
    void (*begun)(void *context, const char *task, yyjson_val *value);
    void (*left)(void *context, const char *task);
    void *context;
};

/* *ret_peer is set, and must be closed, unless memory ran out. `url` is NULL for a command. */
int peer_open(struct peer **ret_peer, const struct invocation *call, const char *url);

/* Sends a request, and prompts for what the server asks meanwhile. The result lives as long as the
 * peer. Returns -EXIT_DETACHED if the user has left a task, and EXIT_CANCELLED if a task was cancelled. */
int peer_ask(struct peer *peer, const struct peer_request *request, yyjson_val **ret_result);

/* Runs the loop until an interrupt, peer_stop, or until the connection is lost. Returns an exit code,
 * negative if the reason needs no text or has been printed. */
int peer_run(struct peer *peer);
/* Ends peer_run with an exit code. */
void peer_stop(struct peer *peer, int code);
uv_loop_t *peer_loop(struct peer *peer);

/* Disconnects, within a short time, and frees it; NULL is ignored. */
void peer_close(struct peer *peer);

const char *peer_why(const struct peer *peer);

/* Sets what peer_why returns, and returns the code. */
int peer_fail(struct peer *peer, int code, const char *format, ...) HAFT_PRINTF_(3, 4);

/* The code of the latest JSON-RPC error; 0 if it was another error. */
int peer_error_code(const struct peer *peer);

haft_client *peer_client(const struct peer *peer);
haft_authorizer *peer_access(const struct peer *peer);
bool peer_is_modern(const struct peer *peer);

/* Keeps a question of a task that the user leaves by an interrupt: a later command may answer it. Returns false
 * if it must be answered. */
bool peer_keep_question(struct peer *peer, haft_question *question);

/* Reads a line from the terminal, while messages of the server are processed. Returns 1, 0 at the
 * end of input, or a negative exit code. The line end is removed. */
int peer_read_line(struct peer *peer, haft_buffer *ret_line);

/* ---- login.c ---- */

/* Creates the authorizer for a URL; with `interactive`, a person may be asked to log in. Returns
 * NULL with the reason. */
haft_authorizer *peer_authorizer(const struct invocation *call, bool interactive,
                                 haft_reason *reterr_reason);

/* What a person can do about a server that denies access; follows the reason. */
const char *peer_access_hint(const struct invocation *call);

#endif
