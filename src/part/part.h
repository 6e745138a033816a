/* part/part.h - opening the optional parts of libhaft (haft/part.h). */
#ifndef HAFT_SRC_PART_H
#define HAFT_SRC_PART_H

#include <haft/part.h>

enum part_id { PART_HTTP_CLIENT, PARTS };

/* The function table of a part, which is opened if it is not yet; it stays until the process ends.
 * Returns NULL on failure, with the reason: `needed_by`, for instance an option with its value, and the
 * package that is missing, or what is wrong with the file.  To be called before a sandbox is entered.
 * May be called from any thread. */
const void *hf_part_open(enum part_id id, const char *needed_by, haft_reason *reterr_reason);

/* ---- for tests ---- */

enum { PART_PATH = 4096 };

/* Loads one file.  Returns the part; or NULL, with the reason, *ret_missing says whether there is no
 * such file. */
const haft_part *hf_part_load(const char *path, const char *name, bool *ret_missing,
                              haft_reason *reterr_reason);

/* Where libhaft is: the directory of the shared object that holds it, or, when it is part of a program,
 * the directory of libraries beside the program's own.  False when that is not known, or not to be
 * trusted. */
bool hf_part_find_home(char ret_path[PART_PATH]);

#endif
