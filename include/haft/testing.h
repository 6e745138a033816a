/* haft/testing.h - functions of an in-process client (haft/client.h) that only tests need.
 *
 * <haft.h> does not include this header. */
#ifndef HAFT_TESTING_H
#define HAFT_TESTING_H

#include <haft/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Advances the client's own clock, and delivers what the server sends in that time. */
void haft_client_advance(haft_client *client, unsigned milliseconds);

/* Sends a message as it is, valid or not.  Only the client's `watch` sees the answers to it.
 * Returns 0 or HAFT_ENOMEM. */
int haft_client_feed(haft_client *client, const char *text, size_t size);

/* Returns the number of responses that match no request of the client: 0, unless messages were fed
 * or the server is at fault. */
size_t haft_client_strays(const haft_client *client);

#ifdef __cplusplus
}
#endif
#endif
