/* store/group.h - applies the operations of one request to a table, atomically.
 *
 * There are two passes. The first checks conditions, reads, and allocates everything that writing
 * needs; only this pass can fail, and then it leaves no changes. The second pass writes. The caller
 * must hold the lock. */
#ifndef HAFT_SRC_GROUP_H
#define HAFT_SRC_GROUP_H

#include "store/table.h"

/* Returns 1 if the request was applied, 0 if a condition was not met, or an error. PUBLISH is left
 * to the caller. */
int hf_group_apply(struct table *table, haft_store_request *request);

#endif
