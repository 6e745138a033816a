/* keyword.c - the table of keywords. */
#include "schema/document/keyword.h"

#include <string.h>

#include "schema/document/document.h"

const struct keyword_row hf_keyword_rows[KEYWORD_COUNT] = {
#define KEYWORD_(constant, name, drafts, vocabulary, shape, compile, argument)                     \
    {name,          sizeof(name) - 1, drafts,   VOCABULARY_##vocabulary,                           \
     SHAPE_##shape, compile,          argument, KEYWORD_##constant},
    KEYWORDS(KEYWORD_)
#undef KEYWORD_
};

const struct keyword_row *hf_keyword_named(const struct dialect *dialect, yyjson_val *name)
{
    const char *text = yyjson_get_str(name);
    size_t size = yyjson_get_len(name);

    for (size_t i = 0; i < KEYWORD_COUNT; i++) {
        const struct keyword_row *row = &hf_keyword_rows[i];

        if (row->size == size && (row->drafts & dialect->draft) &&
            (row->vocabulary & dialect->vocabularies) && memcmp(row->name, text, size) == 0)
            return row;
    }
    return NULL;
}

bool hf_keyword_ref_only(const struct dialect *dialect, yyjson_val *schema)
{
    return !(dialect->draft & DRAFTS_SINCE_2019) && yyjson_obj_get(schema, "$ref");
}
