/* haft/testing.h - what tests do to a client in the same process (haft/client.h), and programs do not.
 *
 * <haft.h> does not include it. */
#ifndef HAFT_TESTING_H
#define HAFT_TESTING_H

#include <haft/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Advances the client's own time, and delivers what the server sends meanwhile. */
void haft_client_advance(haft_client *client, unsigned milliseconds);

/* Sends a message as it is, valid or not.  Only `watch` sees the answers to it.  Returns 0 or
 * HAFT_ENOMEM. */
int haft_client_feed(haft_client *client, const char *text, size_t size);

/* Responses that no request was waiting for: 0, unless messages were fed or the server is at fault. */
size_t haft_client_strays(const haft_client *client);

#ifdef __cplusplus
}
#endif
#endif
