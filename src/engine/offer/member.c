/* member.c - writes and checks JSON members that all offered items have. */
#include <string.h>

#include "engine/offer/log.h"
#include "engine/offer/member.h"
#include "protocol/meta.h"
#include "schema/text/format_check.h"

struct text hf_text_of(haft_arena *arena, haft_buffer *buffer)
{
    struct text text = {NULL, buffer->size};

    if (!buffer->status)
        text.data = haft_arena_copy(arena, buffer->data, buffer->size);
    haft_buffer_finish(buffer);
    return text;
}

void hf_put_json_member(struct json_writer *w, const char *key, const char *json)
{
    if (json)
        hf_put_json_line(hf_json_slot(hf_json_name(w, key, strlen(key))), json);
}

/* Copies a string to its closing quote. */
static const char *put_line_string(haft_buffer *buffer, const char *json)
{
    const char *start = json++, *escape;
    size_t size;

    for (; *json != '"'; json++) {
        json += *json == '\\';
        size = line_end_size(json, &escape);
        if (!size)
            continue;
        haft_buffer_add(buffer, start, (size_t)(json - start));
        haft_buffer_puts(buffer, escape);
        json += size - 1;
        start = json + 1;
    }
    haft_buffer_add(buffer, start, (size_t)(json + 1 - start));
    return json + 1;
}

void hf_put_json_line(haft_buffer *buffer, const char *json)
{
    while (*json) {
        size_t size = strcspn(json, "\" \t\r\n");

        haft_buffer_add(buffer, json, size);
        json += size;
        json = *json == '"' ? put_line_string(buffer, json) : json + strspn(json, " \t\r\n");
    }
}

int hf_check_json_object(haft_server *server, const char *name, const char *what, const char *json,
                         haft_arena *arena)
{
    haft_reason error;
    haft_value *value, *key, *member;
    size_t i, n;

    if (!json)
        return 0;
    value = haft_json_read(json, strlen(json), 0, arena, &error);
    if (!value)
        return hf_server_refuse(server, error.code, name, "%s: %s", what, error.text);
    if (!yyjson_is_obj(value))
        return hf_server_refuse(server, HAFT_EINVAL, name, "%s must be a JSON object", what);
    yyjson_obj_foreach(value, i, n, key, member)
        if (!hf_meta_key_is_right(yyjson_get_str(key), yyjson_get_len(key), false))
            return hf_server_refuse(server, HAFT_EINVAL, name, "%s: \"%s\" is not a valid key",
                                    what, yyjson_get_str(key));
    return 0;
}

/* An invalid icon makes some clients drop the whole list. */
int hf_check_icons(haft_server *server, const char *name, const haft_icon *icons, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *src = icons[i].src, *theme = icons[i].theme;

        if (!src || !hf_rfc_uri(src, strlen(src)))
            return hf_server_refuse(server, HAFT_EINVAL, name,
                                    "icons.%zu: src is not an absolute URI", i);
        if (theme && strcmp(theme, "light") && strcmp(theme, "dark"))
            return hf_server_refuse(server, HAFT_EINVAL, name,
                                    "icons.%zu: the theme must be \"light\" or \"dark\"", i);
    }
    return 0;
}
