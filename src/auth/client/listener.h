/* auth/client/listener.h - receives the redirect of a browser at the end of a login, on a loopback
 * address (RFC 8252, section 7.3). */
#ifndef HAFT_SRC_LISTENER_H
#define HAFT_SRC_LISTENER_H

#include <uv.h>

#include "auth/web_url.h"

struct login_listener;

/* Listens on the host of a redirect URI, for its path; "localhost" is both loopback addresses. A port
 * of 0 is any, `preferred` if that is free. `on_query` gets the query of a request, without "?", and
 * returns whether it was the one that is waited for; it may close the listener. Returns NULL with the
 * reason. */
struct login_listener *hf_listener_new(uv_loop_t *loop, const haft_allocator *allocator,
                                       const char *redirect_uri, unsigned preferred,
                                       bool (*on_query)(void *context, const char *query,
                                                        size_t size),
                                       void *context, haft_reason *reterr_reason);
unsigned hf_listener_port(const struct login_listener *listener);

/* Stops listening; the memory is freed when the loop runs next. NULL is ignored. */
void hf_listener_close(struct login_listener *listener);

#endif
