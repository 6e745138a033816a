/* ask.h - what the commands that use a server have in common. */
#ifndef HAFT_ASK_H
#define HAFT_ASK_H

#include "peer.h"

/* The operand that names the server, if there is no --; reports the error and returns NULL if it is
 * missing. */
const char *ask_url(const struct invocation *call);

/* Connects; `url` is NULL for a command. Returns an exit code. */
int ask_open(struct invocation *call, const char *url, struct peer **ret_peer);

/* Whether a word is the URL of a server. */
bool ask_is_url(const char *text);

/* Prints the result of a tool, and returns the status for ask_end. */
int ask_show(const struct invocation *call, struct peer *peer, yyjson_val *result);

/* Reports the error, unless the status is negative: then that was done. Closes the connection and
 * returns the exit code. */
int ask_end(struct peer *peer, int status);

#endif
