/* member_rows.c - checks, copies, measures and writes JSON members described by table rows. */
#include <string.h>

#include "engine/offer/member_rows.h"
#include "schema/text/format_check.h"

static const struct member_row icon_members[] = {
    MEMBER_ROW(MEMBER_STRING, "src", haft_icon, src),
    MEMBER_ROW(MEMBER_STRING, "mimeType", haft_icon, mime_type),
    MEMBER_ROW(MEMBER_WORDS, "sizes", haft_icon, sizes),
    MEMBER_ROW(MEMBER_STRING, "theme", haft_icon, theme),
    {.key = NULL}};

static const struct member_row annotation_members[] = {
    MEMBER_ROW(MEMBER_WORDS, "audience", struct annotations, audience),
    MEMBER_ROW(MEMBER_SHARE, "priority", struct annotations, priority),
    MEMBER_ROW(MEMBER_STRING, "lastModified", struct annotations, last_modified),
    {.key = NULL}};

static const void *member_value(const struct member_row *member, const void *of)
{
    return (const char *)of + member->at;
}

static const char *member_string(const struct member_row *member, const void *of)
{
    return *(const char *const *)member_value(member, of);
}

bool hf_member_is_there(const struct member_row *member, const void *of)
{
    const void *value = member_value(member, of);

    switch (member->kind) {
    case MEMBER_STRING:
    case MEMBER_WORDS:
        return *(const char *const *)value;
    case MEMBER_INTEGER:
        return *(const int64_t *)value > 0;
    case MEMBER_SHARE:
        return *(const double *)value >= 0;
    case MEMBER_ICONS:
        return ((const struct icons *)value)->n;
    default:
        return true;
    }
}

/* Returns the next word of a list and advances past it. */
static struct text word_next(const char **words)
{
    struct text word = {*words, strcspn(*words, " ")};

    *words += word.size + strspn(*words + word.size, " ");
    return word;
}

/* ---- writing ---- */

/* Writes base64 directly into the buffer. */
static void base64_write(const struct text *bytes, haft_buffer *out)
{
    const unsigned char *from = (const unsigned char *)bytes->data;
    char text[4096];

    buffer_literal(out, "\"");
    for (size_t left = bytes->size, n; left; left -= n, from += n) {
        n = left < sizeof text / 4 * 3 ? left : sizeof text / 4 * 3;
        buffer_add(out, text, haft_base64_encode(from, n, text));
    }
    buffer_literal(out, "\"");
}

static void words_write(const char *words, haft_buffer *out)
{
    struct json_writer w = {.out = out};

    hf_json_begin_array(&w);
    while (*words) {
        struct text word = word_next(&words);

        hf_json_string(&w, word.data, word.size);
    }
    hf_json_end_array(&w);
}

static void icons_write(const struct icons *icons, struct json_writer *w)
{
    hf_json_begin_array(w);
    for (size_t i = 0; i < icons->n; i++) {
        hf_json_begin_object(w);
        hf_members_write(icon_members, &icons->list[i], true, w->out);
        hf_json_end_object(w);
    }
    hf_json_end_array(w);
}

static void member_write(const struct member_row *member, const void *of, haft_buffer *out)
{
    const void *value = member_value(member, of);
    const struct text *text = value;

    switch (member->kind) {
    case MEMBER_TEXT:
        haft_buffer_json_string(out, text->data, text->size);
        break;
    case MEMBER_BYTES:
        base64_write(text, out);
        break;
    case MEMBER_STRING:
        haft_buffer_json_string(out, member_string(member, of), strlen(member_string(member, of)));
        break;
    case MEMBER_WORDS:
        words_write(member_string(member, of), out);
        break;
    case MEMBER_INTEGER:
        haft_buffer_json_integer(out, *(const int64_t *)value);
        break;
    case MEMBER_SHARE:
        haft_buffer_json_number(out, *(const double *)value);
        break;
    case MEMBER_ICONS:
        icons_write(value, &(struct json_writer){.out = out});
        break;
    }
}

/* Icons are lists of members and contain no icons, so the recursion is bounded. */
void hf_members_write(const struct member_row *member, const void *of, bool first, haft_buffer *out)
{
    for (; member->key; member++) {
        if (!hf_member_is_there(member, of))
            continue;
        buffer_add(out, member->key + first, (size_t)member->key_size - first);
        first = false;
        member_write(member, of, out);
    }
}

void hf_put_icons(struct json_writer *w, const haft_icon *icons, size_t n)
{
    if (n)
        icons_write(&(struct icons){icons, n}, json_key(w, "icons"));
}

void hf_annotations_write(const struct annotations *annotations, haft_buffer *out)
{
    struct json_writer w = json_members(out, true);

    hf_json_begin_object(json_key(&w, "annotations"));
    hf_members_write(annotation_members, annotations, true, out);
    hf_json_end_object(&w);
}

/* ---- measuring ---- */

static size_t words_size(const char *words)
{
    size_t size = 2;

    for (bool first = true; *words; first = false) {
        struct text word = word_next(&words);

        size += hf_json_string_size(word.data, word.size) + !first;
    }
    return size;
}

static size_t icons_size(const struct icons *icons)
{
    size_t size = 2 + icons->n - 1;

    for (size_t i = 0; i < icons->n; i++)
        size += 2 + hf_members_size(icon_members, &icons->list[i], true);
    return size;
}

size_t hf_member_size(const struct member_row *member, const void *of)
{
    const void *value = member_value(member, of);
    const struct text *text = value;
    char number[NUMBER_TEXT];

    switch (member->kind) {
    case MEMBER_TEXT:
        return hf_json_string_size(text->data, text->size);
    case MEMBER_BYTES:
        return 2 + (text->size / 3 + (text->size % 3 > 0)) * 4;
    case MEMBER_STRING:
        return hf_json_string_size(member_string(member, of), strlen(member_string(member, of)));
    case MEMBER_WORDS:
        return words_size(member_string(member, of));
    case MEMBER_INTEGER:
        return hf_integer_to_text(*(const int64_t *)value, number);
    case MEMBER_SHARE:
        return hf_number_to_text(*(const double *)value, number);
    case MEMBER_ICONS:
        return icons_size(value);
    }
    return 0;
}

size_t hf_members_size(const struct member_row *member, const void *of, bool first)
{
    size_t size = 0;

    for (; member->key; member++) {
        if (!hf_member_is_there(member, of))
            continue;
        size += member->key_size - first + hf_member_size(member, of);
        first = false;
    }
    return size;
}

size_t hf_annotations_size(const struct annotations *annotations)
{
    return sizeof JSON_KEY("annotations") "{}" - 1 +
           hf_members_size(annotation_members, annotations, true);
}

/* ---- checking ---- */

static bool string_is_utf8(const char *string)
{
    return !string || haft_utf8_valid(string, strlen(string)) == strlen(string);
}

bool hf_members_are_utf8(const struct member_row *member, const void *of, bool text_fits)
{
    bool valid = true;

    for (; member->key && valid; member++) {
        const struct icons *icons = member_value(member, of);
        const struct text *text = member_value(member, of);

        if (member->kind == MEMBER_TEXT)
            valid = text_fits || haft_utf8_valid(text->data, text->size) == text->size;
        else if (member->kind == MEMBER_STRING || member->kind == MEMBER_WORDS)
            valid = string_is_utf8(member_string(member, of));
        else if (member->kind == MEMBER_ICONS)
            for (size_t i = 0; i < icons->n && valid; i++)
                valid = hf_members_are_utf8(icon_members, &icons->list[i], true);
    }
    return valid;
}

static bool audience_is_valid(const char *audience)
{
    while (*audience) {
        struct text word = word_next(&audience);

        if (!(word.size == 4 && !memcmp(word.data, "user", 4)) &&
            !(word.size == 9 && !memcmp(word.data, "assistant", 9)))
            return false;
    }
    return true;
}

bool hf_annotations_are_valid(const struct annotations *annotations)
{
    const char *time = annotations->last_modified;

    return (!annotations->audience || audience_is_valid(annotations->audience)) &&
           !(annotations->priority > 1) && (!time || hf_zod_date_time_offset(time, strlen(time)));
}

/* ---- copying ---- */

static bool icons_copy(struct icons *icons, haft_arena *arena)
{
    haft_icon *list = haft_arena_alloc(arena, icons->n * sizeof *list);
    bool copied = list;

    for (size_t i = 0; i < icons->n && copied; i++) {
        list[i] = icons->list[i];
        copied = hf_members_copy(icon_members, &list[i], false, arena);
    }
    icons->list = list;
    return copied;
}

static bool string_copy(const char **data, size_t size, haft_arena *arena)
{
    *data = haft_arena_copy(arena, *data, size);
    return *data;
}

bool hf_members_copy(const struct member_row *member, void *of, bool in_arena, haft_arena *arena)
{
    bool copied = true;

    for (; member->key && copied; member++) {
        void *value = (char *)of + member->at;
        struct text *text = value;
        const char **string = value;

        if (!hf_member_is_there(member, of))
            continue;
        if (member->kind == MEMBER_TEXT || member->kind == MEMBER_BYTES)
            copied = in_arena || string_copy(&text->data, text->size, arena);
        else if (member->kind == MEMBER_STRING || member->kind == MEMBER_WORDS)
            copied = string_copy(string, strlen(*string), arena);
        else if (member->kind == MEMBER_ICONS)
            copied = icons_copy(value, arena);
    }
    return copied;
}

int hf_annotations_copy(struct annotations *annotations, haft_arena *arena)
{
    return hf_members_copy(annotation_members, annotations, false, arena) ? 0 : HAFT_ENOMEM;
}
