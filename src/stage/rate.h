/* stage/rate.h - how often clients call, counted in this process or in the server's store. */
#ifndef HAFT_SRC_RATE_H
#define HAFT_SRC_RATE_H

#include "stage/limiter.h"
#include "engine/offer/server.h"

/* Limits how often clients call tools. */
extern const haft_stage hf_rate_stage;

/* A request to the store that counts one under a group and an empty key, for those who count anything else than calls of
 * tools.  They set `done` and `context`; the group is valid until the request has been submitted. */
void hf_rate_request(haft_store_request *request, haft_store_op *op, const char *group, size_t size,
                     haft_rate rate, int64_t now);

#endif
