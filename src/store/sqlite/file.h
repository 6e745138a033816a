/* store/sqlite/file.h - opens a file: checks it, creates or checks its schema, prepares statements. */
#ifndef HAFT_SRC_SQLITE_FILE_H
#define HAFT_SRC_SQLITE_FILE_H

#include "store/sqlite/db.h"

/* Opens db->handle; host, allocator and limits are set. Returns 0, or an error with the reason, and the
 * caller calls hf_file_close. *ret_checked is false if the file is too large to be checked in time. */
int hf_file_open(struct db *db, const char *file, unsigned busy_timeout_ms, bool *ret_checked,
                 haft_reason *reterr_reason);
void hf_file_close(struct db *db);

/* ---- also for tests ---- */

/* Returns the name of a network file system by its number in statfs; NULL if it is not one. */
const char *hf_file_network(unsigned long type);

#endif
