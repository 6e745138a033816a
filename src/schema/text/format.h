/* schema/text/format.h - the named string formats: Zod's (haft/format.h) and JSON Schema's.
 *
 * The two sets share names and not meanings: Zod's email is stricter than RFC 5321, its url is the
 * WHATWG's.  A declared or built schema uses Zod's; a JSON Schema document uses the RFCs'. */
#ifndef HAFT_SRC_FORMAT_H
#define HAFT_SRC_FORMAT_H

#include <haft/format.h>

#include "schema/text/pattern.h"

struct format {
    const char *name;      /* in issues */
    const char *json_name; /* as JSON Schema's `format`; NULL when there is none */
    const char *noun;      /* "email address"; the message is "Invalid " and this */
    const char *shown;     /* the pattern that an issue shows, Zod's own; NULL when it shows none */
    const char *shown_flags; /* its flags, as Zod prints them */
    const char *pattern; /* an equal one without look-around, advertised; NULL when there is none */
    /* Whether valid UTF-8 text is of the format; a NULL one is decided by `pattern`. */
    bool (*check)(const char *text, size_t size);
};

/* The row of a format; NULL for HAFT_FORMAT_NONE. */
const struct format *hf_format_of(haft_format format);

/* The size in bytes that all texts of the format have, if these are letters, digits and dashes; else
 * 0. */
size_t hf_format_size(const struct format *format);

/* The JSON Schema format of a name, by the RFC that JSON Schema names for it; NULL when it is not
 * known.  `draft` is 4, 6, 7, 2019 or 2020: what a name means, and whether it exists, depends on
 * it. */
const struct format *hf_format_named(const char *name, size_t size, int draft);

/* 1, 0, or an error of hf_pattern_match. `compiled` is the compiled `pattern` of a format without
 * check. */
int hf_format_match(const struct format *format, const struct pattern *compiled,
                    struct pattern_scratch *scratch, const char *text, size_t size);

#endif
