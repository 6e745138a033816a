/* stage/rate.h - rate limits, counted in this process or in the server's store. */
#ifndef HAFT_SRC_RATE_H
#define HAFT_SRC_RATE_H

#include "stage/limiter.h"
#include "engine/offer/server.h"

/* The stage that limits tool calls. */
extern const haft_stage hf_rate_stage;

/* Writes a text that is longer than its room in a key: its beginning, and a digest instead of its end,
 * so that two of them are not one key. The room is at least 64. Returns the size. */
size_t hf_rate_put_long(char *at, size_t room, const char *text, size_t size);

/* Prepares a store request that counts one event under a group and an empty key, for limits other
 * than tool calls. The caller sets `done` and `context`; the group must be valid until the request
 * is submitted. */
void hf_rate_request(haft_store_request *request, haft_store_op *op, const char *group, size_t size,
                     haft_rate rate, int64_t now);

#endif
