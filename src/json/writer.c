/* writer.c - writes JSON text token by token.
 *
 * Commas need no stack: a comma is due after a value and not after an opening bracket, at every
 * level. The kinds of the open levels are kept in one word, only to detect mistakes of the
 * caller. */
#include "json/writer.h"

#include <string.h>

enum { WRITER_CHECKED = 64 };

static void writer_fail(struct json_writer *w, int status)
{
    if (!w->out->status)
        w->out->status = status;
}

/* Whether the innermost level may be of this kind; levels beyond 64 are not tracked. */
static bool writer_is_in(const struct json_writer *w, bool object)
{
    return w->depth > WRITER_CHECKED ||
           (w->depth && (w->objects >> (w->depth - 1) & 1) == (uint64_t)object);
}

haft_buffer *hf_json_slot(struct json_writer *w)
{
    if (!w->named) {
        if (w->depth ? !writer_is_in(w, false) : w->comma)
            writer_fail(w, HAFT_EINVAL);
        else if (w->comma)
            buffer_literal(w->out, ",");
    }
    w->named = false;
    w->comma = true;
    return w->out;
}

/* ---- objects and arrays ---- */

static void writer_begin(struct json_writer *w, bool object)
{
    buffer_add(hf_json_slot(w), object ? "{" : "[", 1);
    if (w->depth == JSON_WRITER_DEPTH) {
        writer_fail(w, HAFT_EDEPTH);
        return;
    }
    if (w->depth < WRITER_CHECKED) {
        w->objects &= ~(UINT64_C(1) << w->depth);
        w->objects |= (uint64_t)object << w->depth;
    }
    w->depth++;
    w->comma = false;
}

static void writer_end(struct json_writer *w, bool object)
{
    if (w->named || !writer_is_in(w, object)) {
        writer_fail(w, HAFT_EINVAL);
        return;
    }
    buffer_add(w->out, object ? "}" : "]", 1);
    w->depth--;
    w->comma = true;
}

void hf_json_begin_object(struct json_writer *w)
{
    writer_begin(w, true);
}

void hf_json_end_object(struct json_writer *w)
{
    writer_end(w, true);
}

void hf_json_empty_object(struct json_writer *w)
{
    hf_json_raw(w, "{}", 2);
}

void hf_json_begin_array(struct json_writer *w)
{
    writer_begin(w, false);
}

void hf_json_end_array(struct json_writer *w)
{
    writer_end(w, false);
}

/* ---- keys ---- */

static void writer_check_key(struct json_writer *w)
{
    if (w->named || !writer_is_in(w, true))
        writer_fail(w, HAFT_EINVAL);
}

struct json_writer *hf_json_key(struct json_writer *w, const char *key, size_t size)
{
    writer_check_key(w);
    /* The literal starts with the comma. */
    buffer_add(w->out, key + !w->comma, size - !w->comma);
    w->named = true;
    return w;
}

struct json_writer *hf_json_name(struct json_writer *w, const char *text, size_t size)
{
    writer_check_key(w);
    if (w->comma)
        buffer_literal(w->out, ",");
    haft_buffer_json_string(w->out, text, size);
    buffer_literal(w->out, ":");
    w->named = true;
    return w;
}

/* ---- scalars ---- */

void hf_json_string(struct json_writer *w, const char *text, size_t size)
{
    haft_buffer_json_string(hf_json_slot(w), text, size);
}

void hf_json_text(struct json_writer *w, const char *text)
{
    haft_buffer_json_string(hf_json_slot(w), text, strlen(text));
}

void hf_json_text_member(struct json_writer *w, const char *key, size_t size, const char *text)
{
    if (text)
        hf_json_text(hf_json_key(w, key, size), text);
}

void hf_json_integer(struct json_writer *w, int64_t value)
{
    haft_buffer_json_integer(hf_json_slot(w), value);
}

void hf_json_unsigned(struct json_writer *w, uint64_t value)
{
    if (value > INT64_MAX)
        haft_buffer_printf(hf_json_slot(w), "%llu", (unsigned long long)value);
    else
        haft_buffer_json_integer(hf_json_slot(w), (int64_t)value);
}

void hf_json_number(struct json_writer *w, double value)
{
    haft_buffer_json_number(hf_json_slot(w), value);
}

void hf_json_bool(struct json_writer *w, bool value)
{
    if (value)
        hf_json_raw(w, "true", 4);
    else
        hf_json_raw(w, "false", 5);
}

void hf_json_null(struct json_writer *w)
{
    hf_json_raw(w, "null", 4);
}

/* ---- JSON from elsewhere ---- */

void hf_json_value(struct json_writer *w, const yyjson_val *value)
{
    haft_json_write(value, hf_json_slot(w));
}

void hf_json_raw(struct json_writer *w, const char *json, size_t size)
{
    buffer_add(hf_json_slot(w), json, size);
}

void hf_json_raw_members(struct json_writer *w, const char *json, size_t size)
{
    if (!size)
        return;
    writer_check_key(w);
    if (w->comma)
        buffer_literal(w->out, ",");
    buffer_add(w->out, json, size);
    w->comma = true;
}

haft_buffer *hf_json_begin_string(struct json_writer *w)
{
    buffer_literal(hf_json_slot(w), "\"");
    return w->out;
}

void hf_json_end_string(struct json_writer *w)
{
    buffer_literal(w->out, "\"");
}
