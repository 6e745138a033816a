/* dialect.c - the built-in dialects and vocabularies, as two tables. */
#include "schema/document/dialect.h"

#include <string.h>

static const struct dialect dialects[] = {
    {"https://json-schema.org/draft/2020-12/schema", DRAFT_2020, 2020, VOCABULARY_ALL, false},
    {"https://json-schema.org/draft/2019-09/schema", DRAFT_2019, 2019, VOCABULARY_ALL, false},
    {"http://json-schema.org/draft-07/schema", DRAFT_7, 7, VOCABULARY_ALL, false},
    {"http://json-schema.org/draft-06/schema", DRAFT_6, 6, VOCABULARY_ALL, false},
    {"http://json-schema.org/draft-04/schema", DRAFT_4, 4, VOCABULARY_ALL, false},
};

/* When a vocabulary makes `format` an assertion. */
enum asserts { DIALECT_NEVER, WHEN_REQUIRED, ALWAYS };

static const struct {
    const char *uri;
    unsigned bits;
    enum asserts asserts;
} vocabularies[] = {
#define V2020 "https://json-schema.org/draft/2020-12/vocab/"
#define V2019 "https://json-schema.org/draft/2019-09/vocab/"
    {V2020 "core", VOCABULARY_CORE, DIALECT_NEVER},
    {V2020 "applicator", VOCABULARY_APPLICATOR, DIALECT_NEVER},
    {V2020 "unevaluated", VOCABULARY_UNEVALUATED, DIALECT_NEVER},
    {V2020 "validation", VOCABULARY_VALIDATION, DIALECT_NEVER},
    {V2020 "meta-data", VOCABULARY_METADATA, DIALECT_NEVER},
    {V2020 "format-annotation", VOCABULARY_FORMAT, DIALECT_NEVER},
    {V2020 "format-assertion", VOCABULARY_FORMAT, ALWAYS},
    {V2020 "content", VOCABULARY_CONTENT, DIALECT_NEVER},
    {V2019 "core", VOCABULARY_CORE, DIALECT_NEVER},
    {V2019 "applicator", VOCABULARY_APPLICATOR | VOCABULARY_UNEVALUATED, DIALECT_NEVER},
    {V2019 "validation", VOCABULARY_VALIDATION, DIALECT_NEVER},
    {V2019 "meta-data", VOCABULARY_METADATA, DIALECT_NEVER},
    {V2019 "format", VOCABULARY_FORMAT, WHEN_REQUIRED},
    {V2019 "content", VOCABULARY_CONTENT, DIALECT_NEVER},
#undef V2020
#undef V2019
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The URI without "http:" or "https:", since schemas in use mix the two up. */
static const char *after_scheme(const char *uri, size_t size)
{
    if (size >= 5 && memcmp(uri, "http:", 5) == 0)
        return uri + 5;
    return size >= 6 && memcmp(uri, "https:", 6) == 0 ? uri + 6 : uri;
}

const struct dialect *hf_dialect_named(const char *uri, size_t size)
{
    const char *tail;

    if (size && uri[size - 1] == '#')
        size--;
    tail = after_scheme(uri, size);
    if (tail == uri)
        return NULL;
    size -= (size_t)(tail - uri);
    for (size_t i = 0; i < COUNT(dialects); i++) {
        const char *own = after_scheme(dialects[i].uri, strlen(dialects[i].uri));

        if (strlen(own) == size && memcmp(own, tail, size) == 0)
            return &dialects[i];
    }
    return NULL;
}

static int add_vocabulary(struct dialect *dialect, const char *uri, bool required)
{
    for (size_t i = 0; i < COUNT(vocabularies); i++) {
        if (strcmp(vocabularies[i].uri, uri) != 0)
            continue;
        dialect->vocabularies |= vocabularies[i].bits;
        if (vocabularies[i].asserts == ALWAYS ||
            (vocabularies[i].asserts == WHEN_REQUIRED && required))
            dialect->asserts_formats = true;
        return 0;
    }
    return required ? HAFT_EDIALECT : 0;
}

int hf_dialect_set_vocabularies(struct dialect *dialect, yyjson_val *vocabulary,
                                const char **reterr_vocabulary)
{
    yyjson_val *key, *value;
    size_t i, n;

    dialect->vocabularies = VOCABULARY_CORE;
    dialect->asserts_formats = false;
    yyjson_obj_foreach(vocabulary, i, n, key, value) {
        int status = add_vocabulary(dialect, yyjson_get_str(key), yyjson_is_true(value));

        if (status < 0) {
            *reterr_vocabulary = yyjson_get_str(key);
            return status;
        }
    }
    return 0;
}

const char *hf_metaschema_named(const char *uri)
{
    static const struct metaschema *const tables[] = {hf_metaschemas_draft,
                                                      hf_metaschemas_vocabulary};

    for (size_t t = 0; t < COUNT(tables); t++)
        for (const struct metaschema *row = tables[t]; row->uri; row++)
            if (strcmp(row->uri, uri) == 0)
                return row->text;
    return NULL;
}
