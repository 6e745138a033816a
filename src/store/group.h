/* store/group.h - the operations of one request on a table, together or not at all.
 *
 * Two passes.  The first looks at conditions, reads, and makes everything that writing needs; it is the only
 * one that can fail, and leaves no trace if it does.  The second writes.  The caller has the lock. */
#ifndef HAFT_SRC_GROUP_H
#define HAFT_SRC_GROUP_H

#include "store/table.h"

/* 1 if the request was applied, 0 if a condition did not hold, or an error.  PUBLISH is the caller's. */
int hf_group_apply(struct table *table, haft_store_request *request);

#endif
