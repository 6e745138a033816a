/* server.c - the URLs that a document gives for its API. */
#include <string.h>

#include "import/found.h"

/* Replaces {name} by the default of the variable, if it has one. */
static void server_expand(haft_buffer *out, const char *url, yyjson_val *variables)
{
    while (*url) {
        const char *open = strchr(url, '{'), *close = open ? strchr(open, '}') : NULL;
        yyjson_val *value;

        if (!close)
            break;
        haft_buffer_add(out, url, (size_t)(open - url));
        value = yyjson_obj_get(yyjson_obj_getn(variables, open + 1, (size_t)(close - open - 1)),
                               "default");
        if (yyjson_is_str(value))
            haft_buffer_puts(out, yyjson_get_str(value));
        else
            haft_buffer_add(out, open, (size_t)(close + 1 - open));
        url = close + 1;
    }
    haft_buffer_puts(out, url);
}

/* The text of a buffer, in the arena, without a "/" at its end; finishes the buffer. */
static const char *server_url_finish(haft_arena *arena, haft_buffer *text, int *ret_status)
{
    const char *copy = NULL;

    *ret_status = text->status == HAFT_ENOMEM ? HAFT_ENOMEM : 0;
    if (!text->status && text->size) {
        size_t size = text->size - (text->data[text->size - 1] == '/');

        copy = haft_arena_copy(arena, text->data, size);
        *ret_status = copy ? 0 : HAFT_ENOMEM;
    }
    haft_buffer_finish(text);
    return copy && *copy ? copy : NULL;
}

enum { SERVER_URL = 4096 };

const char *hf_import_server(const struct import_document *document, yyjson_val *servers,
                             int *ret_status)
{
    yyjson_val *first = yyjson_arr_get_first(servers);
    const char *url = yyjson_get_str(yyjson_obj_get(first, "url"));
    haft_buffer text;

    *ret_status = 0;
    if (!url)
        return NULL;
    haft_buffer_init(&text, hf_arena_allocator(document->import->arena), SERVER_URL);
    server_expand(&text, url, yyjson_obj_get(first, "variables"));
    return server_url_finish(document->import->arena, &text, ret_status);
}

const char *hf_import_base_path(const struct import_document *document)
{
    const char *path = yyjson_get_str(yyjson_obj_get(document->root, "basePath"));

    return document->version == IMPORT_2_0 && path && *path == '/' && path[1] ? path : "";
}

/* 2.0 has a host, schemes, of which https is the best, and a path that belongs to the operations. */
static const char *server_of_host(const struct import_document *document, int *ret_status)
{
    const char *host = yyjson_get_str(yyjson_obj_get(document->root, "host"));
    yyjson_val *schemes = yyjson_obj_get(document->root, "schemes");
    const char *scheme = yyjson_arr_size(schemes) ? "http" : "https";
    yyjson_arr_iter all = yyjson_arr_iter_with(schemes);
    yyjson_val *one;
    haft_buffer text;

    *ret_status = 0;
    if (!host)
        return NULL;
    while ((one = yyjson_arr_iter_next(&all)))
        if (yyjson_equals_str(one, "https"))
            scheme = "https";
    haft_buffer_init(&text, hf_arena_allocator(document->import->arena), SERVER_URL);
    haft_buffer_printf(&text, "%s://%s", scheme, host);
    return server_url_finish(document->import->arena, &text, ret_status);
}

const char *hf_import_document_server(const struct import_document *document, int *ret_status)
{
    return document->version == IMPORT_2_0
               ? server_of_host(document, ret_status)
               : hf_import_server(document, yyjson_obj_get(document->root, "servers"), ret_status);
}
