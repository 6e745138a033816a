/* gateway/shape_entry.h - an entry of "shaping" in the section "gateway". */
#ifndef HAFT_SRC_GATEWAY_SHAPE_ENTRY_H
#define HAFT_SRC_GATEWAY_SHAPE_ENTRY_H

#include <haft/declare.h>

/* clang-format off */
HAFT_STRUCT(shape_cache_entry,
    HAFT_INTEGER(seconds, "How long a result is used again", .min = 1, .max = 86400),
    HAFT_DEFAULT(HAFT_INTEGER(entries, "Maximum number of results", .min = 1, .max = 1000000), 1000),
    HAFT_DEFAULT(HAFT_STRING(bytes, "Maximum size of the results together: 64KiB, 8MiB", .pattern = "^[0-9]+(B|KiB|MiB|GiB)?$"), "8MiB"),
    HAFT_DEFAULT(HAFT_BOOLEAN(shared, "Whether callers get results of other callers' calls"), false));
HAFT_STRUCT(shape_entry,
    HAFT_STRING(tools, "Tools that it applies to: get_*,-*_secret", .min = 1),
    HAFT_OPTIONAL(HAFT_ARRAY(keep, HAFT_STRING(path, "A JSON Pointer; * is every member or item", .starts = "/"), "What remains of JSON; without it, everything", .min = 1, .max = 64)),
    HAFT_OPTIONAL(HAFT_ARRAY(drop, HAFT_STRING(path, "A JSON Pointer; * is every member or item", .starts = "/"), "What is removed from JSON", .min = 1, .max = 64)),
    HAFT_OPTIONAL(HAFT_INTEGER(max_items, "Maximum number of items of an array", .min = 1)),
    HAFT_OPTIONAL(HAFT_INTEGER(max_bytes, "Maximum size of the text of a result, and of its structured content, in bytes", .min = 1)),
    HAFT_OPTIONAL(HAFT_OBJECT(cache, shape_cache_entry, "Use results of read-only tools again")),
    HAFT_DEFAULT(HAFT_BOOLEAN(coalesce, "Whether equal concurrent calls of a read-only tool run once"), false));
/* clang-format on */

#endif
