/* fuzz_writer.c - any operations of the JSON writer, right and wrong ones: what is right is read back
 * as the same values, what is wrong fails the buffer. */
#include "json/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Deeper than CHECKED levels the writer does not notice mistakes. */
enum { LEVELS = 256, CHECKED = 64, LIMIT = 1 << 20 };

/* The same document, made by yyjson. */
struct model {
    const uint8_t *at, *end;
    yyjson_mut_doc *doc;
    yyjson_mut_val *open[LEVELS], *key, *root;
    size_t depth, n_keys;
    int status; /* what the buffer's must be */
};

static uint8_t next_byte(struct model *model)
{
    return model->at < model->end ? *model->at++ : 0;
}

static uint64_t next_word(struct model *model)
{
    uint64_t word = 0;

    for (size_t i = 0; i < sizeof word; i++)
        word = word << 8 | next_byte(model);
    return word;
}

/* Up to 32 bytes, whatever they are. */
static const char *next_text(struct model *model, size_t *ret_size)
{
    size_t size = next_byte(model) % 33, left = (size_t)(model->end - model->at);
    const char *text = (const char *)model->at;

    *ret_size = size < left ? size : left;
    model->at += *ret_size;
    return text;
}

/* The first failure stays. */
static void fail(struct model *model, int status)
{
    if (!model->status)
        model->status = status;
}

static bool in_object(const struct model *model)
{
    return model->depth && yyjson_mut_is_obj(model->open[model->depth - 1]);
}

/* Where the value belongs; the model fails when it belongs nowhere. */
static void place(struct model *model, yyjson_mut_val *value)
{
    if (model->key)
        yyjson_mut_obj_add(model->open[model->depth - 1], model->key, value);
    else if (in_object(model) || (!model->depth && model->root))
        fail(model, HAFT_EINVAL);
    else if (model->depth)
        yyjson_mut_arr_append(model->open[model->depth - 1], value);
    else
        model->root = value;
    model->key = NULL;
}

/* An object has a key once: each is made another by its number. */
static void write_key(struct model *model, struct json_writer *w)
{
    size_t size;
    const char *text = next_text(model, &size);
    char key[64];
    int n = snprintf(key, sizeof key, "%zu:", model->n_keys++);

    memcpy(key + n, text, size);
    size += (size_t)n;
    if (!in_object(model) || model->key)
        fail(model, HAFT_EINVAL);
    else if (haft_utf8_valid(key, size) != size)
        fail(model, HAFT_EUTF8);
    hf_json_name(w, key, size);
    model->key = yyjson_mut_strncpy(model->doc, key, size);
}

static void write_text(struct model *model, struct json_writer *w)
{
    size_t size;
    const char *text = next_text(model, &size);

    place(model, yyjson_mut_strncpy(model->doc, text, size));
    if (haft_utf8_valid(text, size) != size)
        fail(model, HAFT_EUTF8);
    hf_json_string(w, text, size);
}

/* A double as it is read again: above 2^53 its digits are those that only a reader of doubles takes
 * for the same. */
static yyjson_mut_val *number_value(yyjson_mut_doc *doc, double number)
{
    char text[NUMBER_TEXT];
    yyjson_doc *read;
    yyjson_mut_val *value;

    if (number - number != 0)
        return yyjson_mut_null(doc);
    read = yyjson_read(text, hf_number_to_text(number, text), 0);
    require(read && strtod(text, NULL) == number);
    value = yyjson_val_mut_copy(doc, yyjson_doc_get_root(read));
    yyjson_doc_free(read);
    return value;
}

static void write_number(struct model *model, struct json_writer *w, uint8_t op)
{
    uint64_t word = next_word(model);
    double number;

    switch (op) {
    case 0:
        place(model, yyjson_mut_sint(model->doc, (int64_t)word));
        hf_json_integer(w, (int64_t)word);
        break;
    case 1:
        place(model, yyjson_mut_uint(model->doc, word));
        hf_json_unsigned(w, word);
        break;
    default:
        memcpy(&number, &word, sizeof number);
        place(model, number_value(model->doc, number));
        hf_json_number(w, number);
    }
}

static void begin(struct model *model, struct json_writer *w, bool object)
{
    yyjson_mut_val *value = object ? yyjson_mut_obj(model->doc) : yyjson_mut_arr(model->doc);

    if (model->depth == LEVELS)
        return;
    place(model, value);
    model->open[model->depth++] = value;
    if (object)
        hf_json_begin_object(w);
    else
        hf_json_begin_array(w);
}

static void end(struct model *model, struct json_writer *w, bool object)
{
    if (!model->depth || model->key || in_object(model) != object)
        fail(model, HAFT_EINVAL);
    else
        model->depth--;
    if (object)
        hf_json_end_object(w);
    else
        hf_json_end_array(w);
}

static void write_other(struct model *model, struct json_writer *w, uint8_t op)
{
    switch (op) {
    case 0:
        place(model, yyjson_mut_true(model->doc));
        hf_json_bool(w, true);
        break;
    case 1:
        place(model, yyjson_mut_false(model->doc));
        hf_json_bool(w, false);
        break;
    case 2:
        place(model, yyjson_mut_null(model->doc));
        hf_json_null(w);
        break;
    case 3:
        place(model, yyjson_mut_arr(model->doc));
        hf_json_raw(w, "[]", 2);
        break;
    default:
        place(model, yyjson_mut_str(model->doc, "50%"));
        haft_buffer_puts(hf_json_begin_string(w), "50%");
        hf_json_end_string(w);
    }
}

/* A key where one is needed, mostly: else few inputs would come far. */
static void step(struct model *model, struct json_writer *w)
{
    uint8_t op = next_byte(model);
    bool right = op < 240 || model->depth > CHECKED;

    if (right && in_object(model) && !model->key && op % 16 < 14)
        write_key(model, w);
    if (right && op % 16 >= 14 && model->key)
        return;
    switch (op % 16) {
    case 0:
    case 1:
        begin(model, w, true);
        break;
    case 2:
    case 3:
        begin(model, w, false);
        break;
    case 4:
    case 5:
        write_text(model, w);
        break;
    case 6:
    case 7:
    case 8:
        write_number(model, w, op % 16 - 6);
        break;
    case 14:
        if (!right || model->depth)
            end(model, w, right == in_object(model));
        break;
    case 15:
        if (!right || in_object(model))
            write_key(model, w);
        break;
    default:
        write_other(model, w, op % 16 - 9);
    }
}

static void check(struct model *model, const haft_buffer *buffer)
{
    haft_arena *arena = haft_arena_new(NULL, 64 << 20);
    yyjson_mut_doc_set_root(model->doc, model->root);
    yyjson_doc *expected = yyjson_mut_doc_imut_copy(model->doc, NULL);
    haft_value *value = haft_json_read(buffer->data, buffer->size, JSON_MAX_DEPTH, arena, NULL);

    require(arena && expected && value);
    require(hf_json_equal(value, yyjson_doc_get_root(expected), arena) == 1);
    require(hf_json_size(value) == buffer->size);
    yyjson_doc_free(expected);
    haft_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model model = {.at = data, .end = data + size, .doc = yyjson_mut_doc_new(NULL)};
    haft_buffer buffer;
    struct json_writer w = {.out = &buffer};

    require(model.doc);
    haft_buffer_init(&buffer, NULL, LIMIT);
    while (model.at < model.end && !model.status) {
        step(&model, &w);
        require(buffer.status == model.status);
    }
    if (!model.status && model.key) {
        place(&model, yyjson_mut_null(model.doc));
        hf_json_null(&w);
    }
    while (!model.status && model.depth)
        end(&model, &w, in_object(&model));
    require(buffer.status == model.status);
    if (!model.status && model.root)
        check(&model, &buffer);
    haft_buffer_finish(&buffer);
    yyjson_mut_doc_free(model.doc);
    return 0;
}
