/* store/sqlite/apply.h - requests and scans within a transaction. */
#ifndef HAFT_SRC_SQLITE_APPLY_H
#define HAFT_SRC_SQLITE_APPLY_H

#include "store/sqlite/db.h"

/* Copies of the names and values that a request points to. */
struct apply_names {
    const char *space;
    haft_slice group;         /* or the prefix of a scan */
    const haft_slice *keys;   /* of the operations */
    const haft_slice *values; /* of the operations */
};

/* Whether a request may change the file. */
bool hf_apply_writes(const struct db *db, const haft_store_request *request);

/* Applies a request as a whole or not at all. Returns 1, 0 if a condition was not met, an error of this
 * request, or any number if db->error is set: then the transaction has failed. */
int hf_apply(struct db *db, haft_store_request *request, const struct apply_names *names);

/* Makes a step of a scan; returns 0 or as hf_apply. */
int hf_apply_scan(struct db *db, haft_store_scan *scan, const struct apply_names *names);

#endif
