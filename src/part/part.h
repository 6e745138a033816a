/* part/part.h - opens the optional parts of libhaft (haft/part.h). */
#ifndef HAFT_SRC_PART_H
#define HAFT_SRC_PART_H

#include <haft/part.h>

enum part_id { PART_HTTP_CLIENT, PART_CRYPTO, PART_YAML, PART_SQLITE, PART_REDIS, PARTS };

/* Returns the function table of a part, and opens it if necessary; it stays open until the process
 * ends. Returns NULL on failure, with the reason: `needed_by`, for example an option with its
 * value, and the missing package, or what is wrong with the file. Must be called before a sandbox
 * is entered. Callable on any thread. */
const void *hf_part_open(enum part_id id, const char *needed_by, haft_reason *reterr_reason);

/* ---- for tests ---- */

enum { PART_PATH = 4096 };

/* Loads a file. Returns the part, or NULL with the reason; *ret_missing says whether the file does
 * not exist. */
const haft_part *hf_part_load(const char *path, const char *name, bool *ret_missing,
                              haft_reason *reterr_reason);

/* The location of libhaft: the directory of its shared object or, if it is linked statically, the
 * library directory relative to the program. Returns false if it is unknown or not trusted. */
bool hf_part_find_home(char ret_path[PART_PATH]);

#endif
