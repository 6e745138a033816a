/* schema/document/dialect.h - the drafts of JSON Schema, their vocabularies and metaschemas.
 *
 * A dialect is a draft and the set of vocabularies that apply. The dialects of the five drafts are
 * built in; a metaschema supplied by the caller defines further ones with `$vocabulary`. */
#ifndef HAFT_SRC_DIALECT_H
#define HAFT_SRC_DIALECT_H

#include <yyjson.h>

#include "base/base.h"

/* Bits, so that a keyword can list the drafts that have it. */
enum draft { DRAFT_4 = 1, DRAFT_6 = 2, DRAFT_7 = 4, DRAFT_2019 = 8, DRAFT_2020 = 16 };

enum vocabulary {
    VOCABULARY_CORE = 1,
    VOCABULARY_APPLICATOR = 2,
    VOCABULARY_UNEVALUATED = 4,
    VOCABULARY_VALIDATION = 8,
    VOCABULARY_METADATA = 16,
    VOCABULARY_FORMAT = 32,
    VOCABULARY_CONTENT = 64,
    VOCABULARY_ALL = 127
};

struct dialect {
    const char *uri;       /* without a fragment */
    unsigned draft;        /* enum draft */
    int number;            /* 4, 6, 7, 2019 or 2020 */
    unsigned vocabularies; /* enum vocabulary bits */
    bool asserts_formats;  /* its vocabulary makes `format` an assertion */
};

/* Finds the built-in dialect of a URI, with http or https and with or without an empty fragment;
 * NULL if there is none. */
const struct dialect *hf_dialect_named(const char *uri, size_t size);

/* Applies a metaschema's `$vocabulary` to a dialect. Returns HAFT_EDIALECT with the URI in
 * *reterr_vocabulary if a required vocabulary is unknown. */
int hf_dialect_set_vocabularies(struct dialect *dialect, yyjson_val *vocabulary,
                                const char **reterr_vocabulary);

/* The text of a built-in metaschema, with ' in place of "; NULL if the URI is unknown. */
const char *hf_metaschema_named(const char *uri);

/* The rows, in two files because of their size. */
struct metaschema {
    const char *uri, *text;
};
extern const struct metaschema hf_metaschemas_draft[], hf_metaschemas_vocabulary[];

#endif
