/* document_dialect.c - finds the dialect of a `$schema`: a built-in one, or that of a metaschema
 * supplied by the caller. */
#include <string.h>

#include "schema/document/document.h"
#include "schema/text/uri.h"

/* The maximum number of metaschemas between a schema and a built-in draft. */
enum { DOCUMENT_DIALECT_MAX_HOPS = 8 };

static int unknown(struct document *doc, const struct location *where, const char *uri)
{
    return hf_document_fail(doc, where, where ? "$schema" : NULL, HAFT_EDIALECT,
                            "unknown dialect \"%s\"", uri);
}

/* Follows the metaschema's own `$schema` to a built-in one, which determines the draft. */
static int find_draft(struct document *doc, const struct location *where, struct source *source,
                      const char *uri, const struct dialect **ret_draft)
{
    static const char standard[] = "https://json-schema.org/draft/2020-12/schema";

    for (int hop = 0; source && hop < DOCUMENT_DIALECT_MAX_HOPS; hop++) {
        int status = hf_source_read(doc, source);
        yyjson_val *next;
        const char *address;

        if (status)
            return status;
        next = yyjson_obj_get(source->json, "$schema");
        if (!yyjson_is_str(next))
            *ret_draft = doc->dialect ? doc->dialect : hf_dialect_named(standard, strlen(standard));
        else
            *ret_draft = hf_dialect_named(yyjson_get_str(next), yyjson_get_len(next));
        if (*ret_draft)
            return 0;
        address = hf_uri_resolve(doc->scratch, "", yyjson_get_str(next), yyjson_get_len(next));
        if (!address)
            return hf_document_no_memory(doc);
        status = hf_source_find(doc, address, &source);
        if (status)
            return status;
    }
    return unknown(doc, where, uri);
}

/* Creates the dialect of a metaschema. */
static int make_dialect(struct document *doc, const struct location *where, struct source *source,
                        const char *uri, struct dialect *dialect)
{
    const struct dialect *draft = NULL;
    const char *vocabulary = NULL;
    yyjson_val *vocabularies;
    int status = find_draft(doc, where, source, uri, &draft);

    if (status)
        return status;
    *dialect = *draft;
    dialect->uri = uri;
    vocabularies = yyjson_obj_get(source->json, "$vocabulary");
    if (!(draft->draft & DRAFTS_SINCE_2019) || !yyjson_is_obj(vocabularies))
        return 0;
    status = hf_dialect_set_vocabularies(dialect, vocabularies, &vocabulary);
    if (status)
        return hf_document_fail(doc, where, where ? "$schema" : NULL, status,
                                "the dialect \"%s\" requires the unknown vocabulary \"%s\"", uri,
                                vocabulary);
    return 0;
}

int hf_dialect_find(struct document *doc, const struct location *where, const char *text,
                    size_t size, const struct dialect **ret_dialect)
{
    const struct dialect *known = hf_dialect_named(text, size);
    struct dialect *made;
    struct source *source = NULL;
    const char *uri;
    int status;

    if (known) {
        *ret_dialect = known;
        return 0;
    }
    uri = hf_uri_resolve(doc->scratch, "", text, size);
    if (!uri)
        return hf_document_no_memory(doc);
    known = hf_name_map_get(&doc->by_dialect, uri, strlen(uri));
    if (known) {
        *ret_dialect = known;
        return 0;
    }
    status = hf_source_find(doc, uri, &source);
    if (status)
        return status;
    if (!source)
        return unknown(doc, where, text);
    made = haft_arena_alloc(doc->scratch, sizeof *made);
    if (!made)
        return hf_document_no_memory(doc);
    status = make_dialect(doc, where, source, uri, made);
    if (status)
        return status;
    if (hf_name_map_put(&doc->by_dialect, doc->scratch, uri, strlen(uri), made))
        return hf_document_no_memory(doc);
    *ret_dialect = made;
    return 0;
}
