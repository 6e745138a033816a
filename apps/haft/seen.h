/* seen.h - what a server's tools were like the last time, so that a change is noticed. */
#ifndef HAFT_SEEN_H
#define HAFT_SEEN_H

#include "json/json.h"
#include "program.h"

/* Differences from the last time that the tools of this server were listed. */
struct seen {
    const char **marks;   /* for each tool "new", "changed" or NULL */
    const char **removed; /* names of tools that no longer exist; NULL-terminated */
};

/* Compares the tools with those of the last time, and remembers them. All is NULL the first time, and
 * if that file cannot be used. Everything lives in the arena. */
struct seen seen_compare(const struct invocation *call, yyjson_val *tools, haft_arena *arena);

#endif
