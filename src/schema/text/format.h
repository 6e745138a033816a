/* schema/text/format.h - the named string formats: Zod's (haft/format.h) and JSON Schema's.
 *
 * The two sets share names but not definitions: Zod's email is stricter than RFC 5321, its url is
 * the WHATWG's. Declared and built schemas use Zod's; JSON Schema documents use those of the
 * RFCs. */
#ifndef HAFT_SRC_FORMAT_H
#define HAFT_SRC_FORMAT_H

#include <haft/format.h>

#include "schema/text/pattern.h"

struct format {
    const char *name;        /* name in issues */
    const char *json_name;   /* name in JSON Schema; NULL if there is none */
    const char *noun;        /* "email address"; the message is "Invalid " and this */
    const char *shown;       /* Zod's pattern, shown in issues; NULL if none is shown */
    const char *shown_flags; /* its flags, as printed by Zod */
    const char *pattern; /* equivalent pattern without look-around, for the emitted schema; NULL if
                          * there is none */
    /* Checks valid UTF-8 text; if NULL, `pattern` decides. */
    bool (*check)(const char *text, size_t size);
};

/* Returns the row of a format; NULL for HAFT_FORMAT_NONE. */
const struct format *hf_format_of(haft_format format);

/* The fixed size in bytes of the format's strings if they consist of letters, digits and dashes;
 * else 0. */
size_t hf_format_size(const struct format *format);

/* Finds the JSON Schema format of a name, as defined by the RFC that JSON Schema refers to; NULL if
 * unknown. `draft` is 4, 6, 7, 2019 or 2020, on which existence and meaning of a name depend. */
const struct format *hf_format_named(const char *name, size_t size, int draft);

/* Returns 1, 0, or an error of hf_pattern_match. `compiled` is the compiled `pattern` of a format
 * without a check function. */
int hf_format_match(const struct format *format, const struct pattern *compiled,
                    struct pattern_scratch *scratch, const char *text, size_t size);

#endif
