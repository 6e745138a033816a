/* ref.c - resolves references: a URI, then an anchor or a JSON pointer.
 *
 * Nothing is fetched. A URI identifies a resource that has been scanned, a document supplied by the
 * caller or a metaschema; otherwise it is searched as an `$id` in documents that have not been
 * scanned yet. */
#include <string.h>

#include "schema/document/document.h"
#include "schema/text/uri.h"

static struct base *scanned(const struct document *doc, const char *uri)
{
    return hf_name_map_get(&doc->by_uri, uri, strlen(uri));
}

/* Scans the remaining documents supplied by the caller. Documents that cannot be scanned are
 * skipped: they do not concern this reference. */
static int look_inside(struct document *doc, const char *uri, struct base **ret_base)
{
    haft_reason *error = doc->error, ignored;
    int status = 0;

    doc->error = &ignored;
    for (struct source *source = doc->sources; source && !*ret_base; source = source->next) {
        if (source->base)
            continue;
        status = hf_scan_source(doc, source);
        if (status == HAFT_ENOMEM)
            break;
        *ret_base = scanned(doc, uri);
    }
    doc->error = error;
    return status == HAFT_ENOMEM ? hf_document_no_memory(doc) : 0;
}

static int find_base(struct document *doc, const char *uri, struct base **ret_base)
{
    struct source *source = NULL;
    int status;

    *ret_base = scanned(doc, uri);
    if (*ret_base)
        return 0;
    status = hf_source_find(doc, uri, &source);
    if (status)
        return status;
    if (!source)
        return look_inside(doc, uri, ret_base);
    if (!source->base)
        status = hf_scan_source(doc, source);
    *ret_base = source->base;
    return status;
}

/* ---- JSON pointers (RFC 6901) ---- */

/* Decodes the escapes of a token in place. */
static size_t unescape(char *token, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < size; i++) {
        char c = token[i];

        if (c == '~' && i + 1 < size && (token[i + 1] == '0' || token[i + 1] == '1'))
            c = token[++i] == '0' ? '~' : '/';
        token[n++] = c;
    }
    return n;
}

static yyjson_val *item_at(yyjson_val *array, const char *token, size_t size)
{
    size_t at = 0;

    if (!size || size > 9 || (size > 1 && token[0] == '0'))
        return NULL;
    for (size_t i = 0; i < size; i++) {
        if (token[i] < '0' || token[i] > '9')
            return NULL;
        at = at * 10 + (size_t)(token[i] - '0');
    }
    return yyjson_arr_get(array, at);
}

/* Follows the pointer from the root of the base. *ret_near is the last schema on the way, *ret_rest
 * the offset in the pointer at which it was reached. Returns NULL if the pointer leads nowhere. */
static yyjson_val *follow(const struct document *doc, const struct base *base, const char *pointer,
                          size_t size, char *token, struct location **ret_near, size_t *ret_rest)
{
    yyjson_val *value = base->root->value;
    size_t at = 0;

    *ret_near = base->root;
    *ret_rest = 0;
    while (value && at < size) {
        size_t end = ++at, n;
        struct location *found;

        while (end < size && pointer[end] != '/')
            end++;
        if (end > at)
            memcpy(token, pointer + at, end - at);
        n = unescape(token, end - at);
        at = end;
        value = yyjson_is_arr(value) ? item_at(value, token, n) : yyjson_obj_getn(value, token, n);
        found = value ? hf_location_of(doc, value) : NULL;
        if (found) {
            *ret_near = found;
            *ret_rest = at;
        }
    }
    return value;
}

static int find_pointer(struct document *doc, const struct base *base, const char *pointer,
                        size_t size, struct location **ret_to)
{
    char *token = haft_arena_alloc(doc->scratch, size + 1);
    struct location *near;
    yyjson_val *value;
    size_t rest;

    *ret_to = NULL;
    if (!token)
        return hf_document_no_memory(doc);
    value = follow(doc, base, pointer, size, token, &near, &rest);
    if (!value)
        return 0;
    if (near->value == value) {
        *ret_to = near;
        return 0;
    }
    if (!yyjson_is_obj(value) && !(yyjson_is_bool(value) && base->dialect->draft != DRAFT_4))
        return 0;
    return hf_scan_location(doc, near, pointer + rest, value, ret_to);
}

int hf_reference_resolve(struct document *doc, const struct location *from, const char *keyword,
                         yyjson_val *reference, struct location **ret_to, struct mark **ret_mark)
{
    const char *text = yyjson_get_str(reference);
    size_t size = yyjson_get_len(reference), n = 0;
    const char *uri = hf_uri_resolve(doc->scratch, from->base->uri, text, size);
    const char *fragment = hf_uri_fragment(doc->scratch, text, size, &n);
    struct base *base = NULL;
    int status;

    *ret_to = NULL;
    *ret_mark = NULL;
    if (!uri || !fragment)
        return hf_document_no_memory(doc);
    /* A resource without a URI is reached by references that consist of a fragment only. */
    if (strcmp(uri, from->base->uri) == 0) {
        base = from->base;
    } else {
        status = find_base(doc, uri, &base);
        if (status)
            return status;
    }
    if (base && !n) {
        *ret_to = base->root;
    } else if (base && fragment[0] == '/') {
        status = find_pointer(doc, base, fragment, n, ret_to);
        if (status)
            return status;
    } else if (base) {
        *ret_mark = hf_name_map_get(&base->names, fragment, n);
        *ret_to = *ret_mark ? (*ret_mark)->location : NULL;
    }
    if (*ret_to)
        return 0;
    if (!base)
        return hf_document_fail(
            doc, from, keyword, HAFT_EREF,
            "\"%s\" refers to \"%s\", which is neither in the document nor among the given documents",
            text, uri);
    return hf_document_fail(doc, from, keyword, HAFT_EREF, "\"%s\" does not refer to a schema",
                            text);
}
