/* http/reach.h - what other machines may reach: everything that authenticates its clients, if
 * nobody on the way can read their credentials. */
#ifndef HAFT_SRC_HTTP_REACH_H
#define HAFT_SRC_HTTP_REACH_H

#include <haft/http.h>

/* Whether the server may listen on an address that is not loopback's; `where` names it in the refusal,
 * whose path is `path`.  Returns 0, or HAFT_EINVAL with the reason. */
int hf_reach_check(const haft_http *http, const char *path, const char *where, size_t size,
                   haft_reason *reterr_reason);

/* Logs a notice if an endpoint offers something that requires scopes, and does not authenticate its
 * clients. */
void hf_reach_note(const haft_http *http);
/* The same for a server whose clients are not authenticated; `log` logs it. */
void hf_reach_note_scopes(haft_server *log, haft_server *server);

#endif
