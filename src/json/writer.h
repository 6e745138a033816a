/* json/writer.h - writes JSON text token by token into a buffer.
 *
 * Callers open, name, write and close; the writer adds commas and colons. It is a small value on
 * the caller's stack, initialized as `{.out = buffer}`, and allocates nothing. Failures are those
 * of the buffer, which keeps the first one (haft_buffer.status) and ignores later writes.
 *
 * A mistake of the caller fails the buffer with HAFT_EINVAL, so that tests detect invalid JSON: a
 * value without a key in an object, a key elsewhere, a second top-level value, a close without an
 * open. Opening more than JSON_WRITER_DEPTH levels fails it with HAFT_EDEPTH. */
#ifndef HAFT_SRC_JSON_WRITER_H
#define HAFT_SRC_JSON_WRITER_H

#include "json/json.h"

/* A schema can nest 512 levels, and its JSON needs several levels for each. */
enum { JSON_WRITER_DEPTH = 2048 };

struct json_writer {
    haft_buffer *out;
    uint64_t objects; /* bit set: which of the first 64 open levels are objects */
    unsigned depth;   /* number of open levels */
    bool comma;       /* a value precedes, so a comma is due */
    bool named;       /* a key precedes */
};

/* A writer for part of an object that is opened or closed elsewhere; `comma` says whether members
 * precede. */
static inline struct json_writer json_members(haft_buffer *out, bool comma)
{
    return (struct json_writer){.out = out, .objects = 1, .depth = 1, .comma = comma};
}

void hf_json_begin_object(struct json_writer *w);
void hf_json_end_object(struct json_writer *w);
void hf_json_empty_object(struct json_writer *w);
void hf_json_begin_array(struct json_writer *w);
void hf_json_end_array(struct json_writer *w);

/* Writes a key that is a literal without escapes; returns the writer, for the value:
 *     hf_json_text(json_key(&w, "name"), name); */
#define JSON_KEY(name) "," JSON_FIRST_KEY(name)
#define JSON_FIRST_KEY(name) "\"" name "\":"
#define json_key(w, name) hf_json_key(w, JSON_KEY(name), sizeof JSON_KEY(name) - 1)
/* Opens an object as an item of an array and writes its first key, with the preceding comma. */
#define JSON_ITEM(name) ",{" JSON_FIRST_KEY(name)
struct json_writer *hf_json_key(struct json_writer *w, const char *key, size_t size);
/* Writes any other key. */
struct json_writer *hf_json_name(struct json_writer *w, const char *text, size_t size);

/* Scalars. Invalid UTF-8 fails the buffer with HAFT_EUTF8; infinite numbers and NaN become null. */
void hf_json_string(struct json_writer *w, const char *text, size_t size);
void hf_json_text(struct json_writer *w, const char *text);
void hf_json_integer(struct json_writer *w, int64_t value);
void hf_json_unsigned(struct json_writer *w, uint64_t value);
void hf_json_number(struct json_writer *w, double value);
void hf_json_bool(struct json_writer *w, bool value);
void hf_json_null(struct json_writer *w);

/* Writes a string member; nothing if the text is NULL. */
#define json_text_member(w, name, text)                                                            \
    hf_json_text_member(w, JSON_KEY(name), sizeof JSON_KEY(name) - 1, text)
void hf_json_text_member(struct json_writer *w, const char *key, size_t size, const char *text);

/* Writes a parsed value; NULL fails the buffer with HAFT_EINVAL. */
void hf_json_value(struct json_writer *w, const yyjson_val *value);
/* Writes a value that is already JSON, unchecked. */
void hf_json_raw(struct json_writer *w, const char *json, size_t size);
/* Writes members that are already JSON (`"a":1,"b":2`), unchecked; may be empty. */
void hf_json_raw_members(struct json_writer *w, const char *json, size_t size);

/* Returns the buffer, for a caller that writes the next value itself. */
haft_buffer *hf_json_slot(struct json_writer *w);
/* The same for the inside of a string that needs no escapes. */
haft_buffer *hf_json_begin_string(struct json_writer *w);
void hf_json_end_string(struct json_writer *w);

#endif
