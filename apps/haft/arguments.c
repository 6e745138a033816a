/* arguments.c - converts key=value arguments to a JSON object.
 *
 * A value is parsed as JSON if the schema accepts the resulting type, and is a string if the schema
 * accepts a string: "5" is a number for a number and a string for a string. */
#include "arguments.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments_schema.h"

enum { ARGUMENTS_TEXT_LIMIT = 64 << 20, LONGEST_LIST = 200 };

/* ---- files ---- */

int file_read(const char *path, haft_buffer *ret_text)
{
    bool own = strcmp(path, "-") != 0;
    FILE *file = own ? fopen(path, "rb") : stdin;
    char bytes[1 << 14];
    size_t n;
    bool bad;

    if (!file)
        return HAFT_ENOTFOUND;
    errno = 0;
    while (!ret_text->status && (n = fread(bytes, 1, sizeof bytes, file)) > 0)
        haft_buffer_add(ret_text, bytes, n);
    bad = ferror(file);
    if (own)
        fclose(file);
    return bad ? HAFT_ENOTFOUND : ret_text->status;
}

/* ---- one value ---- */

struct arguments_search {
    const char *text;
    size_t size;
    yyjson_val *found;
    struct nearest near;
    haft_buffer names;
};

static void look_at_choice(void *context, yyjson_val *value)
{
    struct arguments_search *search = context;
    haft_buffer text;

    haft_buffer_init(&text, NULL, ARGUMENTS_TEXT_LIMIT);
    if (yyjson_is_str(value))
        haft_buffer_add(&text, yyjson_get_str(value), yyjson_get_len(value));
    else
        haft_json_write(value, &text);
    if (!search->found && text.size == search->size &&
        (!text.size || !memcmp(text.data, search->text, text.size)))
        search->found = value;
    if (yyjson_is_str(value))
        hf_nearest_offer(&search->near, yyjson_get_str(value));
    if (search->names.size + text.size + 2 < search->names.limit) {
        haft_buffer_puts(&search->names, search->names.size ? ", " : "");
        haft_buffer_add(&search->names, text.data, text.size);
    }
    haft_buffer_finish(&text);
}

/* Returns 1 with the choice, 0 if it is not an enumeration, HAFT_EINVAL if there is no such
 * choice. */
static int choose(yyjson_mut_doc *doc, yyjson_val *root, yyjson_val *schema, const char *text,
                  size_t size, yyjson_mut_val **ret_value, haft_reason *reason)
{
    struct arguments_search search = {.text = text, .size = size, .near = hf_nearest_begin(text)};
    int status = 0;

    haft_buffer_init(&search.names, NULL, LONGEST_LIST);
    if (schema_choices(root, schema, look_at_choice, &search)) {
        status = search.found ? 1 : HAFT_EINVAL;
        if (search.found)
            *ret_value = yyjson_val_mut_copy(doc, search.found);
        else
            hf_error_set(reason, status, NULL, "%.40s is not one of %.*s%s%.40s%s", text,
                         (int)search.names.size, search.names.size ? search.names.data : "",
                         search.near.name ? "; did you mean " : "",
                         search.near.name ? search.near.name : "", search.near.name ? "?" : "");
    } else if (search.found && yyjson_is_str(search.found)) {
        *ret_value = yyjson_val_mut_copy(doc, search.found);
        status = 1;
    }
    haft_buffer_finish(&search.names);
    return status;
}

static bool is_whole(yyjson_val *number)
{
    if (yyjson_is_raw(number))
        return !strpbrk(yyjson_get_raw(number), ".eE");
    return yyjson_is_int(number) || yyjson_get_num(number) == floor(yyjson_get_num(number));
}

static unsigned type_of_json(yyjson_val *value)
{
    if (yyjson_is_num(value) || yyjson_is_raw(value))
        return is_whole(value) ? TAKES_INTEGER : TAKES_FRACTION;
    return yyjson_is_bool(value)   ? TAKES_BOOLEAN
           : yyjson_is_null(value) ? TAKES_NULL
           : yyjson_is_arr(value)  ? TAKES_ARRAY
           : yyjson_is_obj(value)  ? TAKES_OBJECT
                                   : 0;
}

/* Parses the text as JSON, if the types accept the result. */
static yyjson_mut_val *as_json(yyjson_mut_doc *doc, unsigned types, const char *text, size_t size)
{
    yyjson_doc *read = yyjson_read(text, size, YYJSON_READ_BIGNUM_AS_RAW);
    yyjson_val *value = yyjson_doc_get_root(read);
    yyjson_mut_val *copy = NULL;

    /* A quoted JSON string is unquoted only if any type is accepted. */
    if (value && (type_of_json(value) & types || (yyjson_is_str(value) && types == TAKES_ALL)))
        copy = yyjson_val_mut_copy(doc, value);
    yyjson_doc_free(read);
    return copy;
}

yyjson_mut_val *argument_value(yyjson_mut_doc *doc, yyjson_val *root, yyjson_val *schema,
                               const char *text, size_t size, haft_reason *reterr_reason)
{
    unsigned types = schema_types(root, schema);
    yyjson_mut_val *value = NULL;
    haft_buffer name;
    int chosen = choose(doc, root, schema, text, size, &value, reterr_reason);

    if (chosen)
        return chosen > 0 ? value : NULL;
    value = as_json(doc, types, text, size);
    if (value)
        return value;
    if (types & TAKES_STRING) {
        if (haft_utf8_valid(text, size) == size)
            return yyjson_mut_strncpy(doc, text, size);
        hf_error_set(reterr_reason, HAFT_EINVAL, NULL, "is not UTF-8");
        return NULL;
    }
    if (types & TAKES_ARRAY) {
        yyjson_val *items = yyjson_obj_get(schema_resolve(root, schema), "items");
        unsigned item = schema_types(root, items);
        yyjson_mut_val *array = yyjson_mut_arr(doc);

        /* Items that are arrays themselves are written as JSON. */
        value = item & TAKES_ARRAY && !(item & TAKES_STRING)
                    ? NULL
                    : argument_value(doc, root, items, text, size, reterr_reason);
        if (!value || !yyjson_mut_arr_append(array, value)) {
            if (!reterr_reason->code)
                hf_error_set(reterr_reason, HAFT_EINVAL, NULL, "expected JSON: key:=[...]");
            return NULL;
        }
        return array;
    }
    haft_buffer_init(&name, NULL, LONGEST_LIST);
    argument_type(root, schema, &name);
    hf_error_set(reterr_reason, HAFT_EINVAL, NULL, "expected %.*s, not %.40s", (int)name.size,
                 name.size ? name.data : "", text);
    haft_buffer_finish(&name);
    return NULL;
}

/* ---- the destination ---- */

struct build {
    yyjson_mut_doc *doc;
    yyjson_val *root;
    haft_reason *reason;
};

struct arguments_place {
    yyjson_mut_val *object;
    yyjson_val *schema; /* schema of the value; NULL if there is none */
    const char *key;
    size_t size;
};

static int refuse_key(struct build *build, yyjson_val *schema, const char *key)
{
    struct nearest search = hf_nearest_begin(key);
    yyjson_val *name;
    yyjson_obj_iter iter =
        yyjson_obj_iter_with(yyjson_obj_get(schema_resolve(build->root, schema), "properties"));

    while ((name = yyjson_obj_iter_next(&iter)))
        hf_nearest_offer(&search, yyjson_get_str(name));
    return hf_error_set(build->reason, HAFT_EINVAL, NULL, "unknown argument %.60s%s%.60s%s", key,
                        search.name ? "; did you mean " : "", search.name ? search.name : "",
                        search.name ? "?" : "");
}

/* A dot selects a member of an object, unless the schema has a property whose name contains the
 * dot. */
static int find_place(struct build *build, yyjson_mut_val *object, char *key,
                      struct arguments_place *ret_place)
{
    yyjson_val *schema = build->root;

    for (;;) {
        size_t size = strlen(key), dot = strcspn(key, ".");
        yyjson_val *whole = schema_property(build->root, schema, key, size);
        yyjson_val *named =
            yyjson_obj_get(yyjson_obj_get(schema_resolve(build->root, schema), "properties"), key);
        yyjson_mut_val *inner;

        if (!*key || (!named && dot == 0))
            return hf_error_set(build->reason, HAFT_EINVAL, NULL, "empty argument name");
        if (named || dot == size) {
            if (!whole && schema && schema_is_closed(build->root, schema))
                return refuse_key(build, schema, key);
            *ret_place = (struct arguments_place){object, whole, key, size};
            return 0;
        }
        key[dot] = '\0';
        whole = schema_property(build->root, schema, key, dot);
        if (!whole && schema && schema_is_closed(build->root, schema))
            return refuse_key(build, schema, key);
        inner = yyjson_mut_obj_getn(object, key, dot);
        if (inner && !yyjson_mut_is_obj(inner))
            return hf_error_set(build->reason, HAFT_EINVAL, NULL, "%.60s is not an object", key);
        if (!inner) {
            inner = yyjson_mut_obj(build->doc);
            if (!yyjson_mut_obj_add(object, yyjson_mut_strncpy(build->doc, key, dot), inner))
                return hf_error_set(build->reason, HAFT_ENOMEM, NULL, "out of memory");
        }
        object = inner;
        schema = whole;
        key += dot + 1;
    }
}

/* A second value for a key creates or extends an array. */
static int arguments_put_value(struct build *build, const struct arguments_place *place,
                               yyjson_mut_val *value)
{
    yyjson_mut_val *there = yyjson_mut_obj_getn(place->object, place->key, place->size);
    unsigned types = schema_types(build->root, place->schema);
    yyjson_mut_val *array;

    if (!there) {
        if (yyjson_mut_obj_add(place->object,
                               yyjson_mut_strncpy(build->doc, place->key, place->size), value))
            return 0;
        return hf_error_set(build->reason, HAFT_ENOMEM, NULL, "out of memory");
    }
    if (!(types & TAKES_ARRAY))
        return hf_error_set(build->reason, HAFT_EINVAL, NULL, "%.60s occurs more than once",
                            place->key);
    array = there;
    if (!yyjson_mut_is_arr(there)) {
        array = yyjson_mut_arr(build->doc);
        yyjson_mut_obj_remove_keyn(place->object, place->key, place->size);
        yyjson_mut_arr_append(array, there);
        yyjson_mut_obj_add(place->object, yyjson_mut_strncpy(build->doc, place->key, place->size),
                           array);
    }
    if (!yyjson_mut_is_arr(value))
        return yyjson_mut_arr_append(array, value)
                   ? 0
                   : hf_error_set(build->reason, HAFT_ENOMEM, NULL, "out of memory");
    while (yyjson_mut_arr_size(value))
        yyjson_mut_arr_append(array, yyjson_mut_arr_remove_first(value));
    return 0;
}

/* ---- one argument ---- */

static yyjson_mut_val *raw_value(struct build *build, const char *text, size_t size)
{
    yyjson_read_err error = {0};
    yyjson_doc *doc =
        yyjson_read_opts((char *)(uintptr_t)text, size, YYJSON_READ_BIGNUM_AS_RAW, NULL, &error);
    yyjson_mut_val *value = doc ? yyjson_val_mut_copy(build->doc, yyjson_doc_get_root(doc)) : NULL;

    if (!value)
        hf_error_set(build->reason, HAFT_EINVAL, NULL, "is not JSON: %s at byte %zu",
                     error.msg ? error.msg : "out of memory", error.pos);
    yyjson_doc_free(doc);
    return value;
}

static bool is_bytes(const struct build *build, yyjson_val *schema)
{
    return yyjson_equals_str(yyjson_obj_get(schema_resolve(build->root, schema), "contentEncoding"),
                             "base64");
}

/* A file for a field of bytes is encoded as base64. */
static yyjson_mut_val *bytes_value(struct build *build, const haft_buffer *text)
{
    char *encoded = malloc(HAFT_BASE64_SIZE(text->size) + 1);
    yyjson_mut_val *value = NULL;

    if (encoded)
        value = yyjson_mut_strncpy(build->doc, encoded,
                                   haft_base64_encode(text->data, text->size, encoded));
    free(encoded);
    return value;
}

static yyjson_mut_val *arguments_value_of(struct build *build, yyjson_val *schema, const char *text,
                                          bool raw)
{
    yyjson_mut_val *value;
    haft_buffer file;

    if (*text != '@' || text[1] == '@') {
        text += *text == '@';
        return raw ? raw_value(build, text, strlen(text))
                   : argument_value(build->doc, build->root, schema, text, strlen(text),
                                    build->reason);
    }
    haft_buffer_init(&file, NULL, ARGUMENTS_TEXT_LIMIT);
    if (file_read(text + 1, &file)) {
        hf_error_set(build->reason, HAFT_ENOTFOUND, NULL, "cannot read %s: %s", text + 1,
                     file.status ? haft_strerror(file.status) : strerror(errno));
        haft_buffer_finish(&file);
        return NULL;
    }
    if (!raw && is_bytes(build, schema)) {
        value = bytes_value(build, &file);
    } else {
        /* Adds a NUL, for the messages. */
        haft_buffer_add(&file, "", 1);
        value = file.status ? NULL
                : raw       ? raw_value(build, file.data, file.size - 1)
                      : argument_value(build->doc, build->root, schema, file.data, file.size - 1,
                                       build->reason);
    }
    haft_buffer_finish(&file);
    return value;
}

static int take_word(struct build *build, yyjson_mut_val *object, const char *word)
{
    size_t size = strcspn(word, "=");
    bool raw = size && word[size] && word[size - 1] == ':';
    struct arguments_place place = {0};
    yyjson_mut_val *value;
    char *key;
    int status;

    if (!word[size])
        return hf_error_set(build->reason, HAFT_EINVAL, NULL, "%.60s is not KEY=VALUE", word);
    key = calloc(1, size + 1);
    if (!key)
        return hf_error_set(build->reason, HAFT_ENOMEM, NULL, "out of memory");
    memcpy(key, word, size - raw);
    status = find_place(build, object, key, &place);
    if (!status) {
        value = arguments_value_of(build, place.schema, word + size + 1, raw);
        if (!value && !build->reason->code)
            hf_error_set(build->reason, HAFT_ENOMEM, NULL, "out of memory");
        if (!value)
            snprintf(build->reason->path, sizeof build->reason->path, "%.*s", (int)(size - raw),
                     word);
        status = value ? arguments_put_value(build, &place, value) : build->reason->code;
    }
    free(key);
    return status;
}

static int take_input(haft_buffer *ret_json, haft_reason *reason)
{
    haft_arena *arena = haft_arena_new(NULL, (size_t)ARGUMENTS_TEXT_LIMIT * 8);
    int status = arena ? file_read("-", ret_json) : HAFT_ENOMEM;

    if (status) {
        hf_error_set(reason, status, NULL, "cannot read standard input");
    } else if (!yyjson_is_obj(haft_json_read(ret_json->data, ret_json->size, 0, arena, reason))) {
        char why[sizeof reason->text];

        snprintf(why, sizeof why, "%s", reason->code ? reason->text : "it is another type");
        status = hf_error_set(reason, HAFT_EINVAL, NULL,
                              "standard input is not a JSON object: %.180s", why);
    }
    /* Line ends outside strings, the only place where JSON allows them, are replaced by spaces,
     * because a message must not contain any. */
    for (char *c = ret_json->data; c && c < ret_json->data + ret_json->size; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    haft_arena_free(arena);
    return status;
}

int arguments_build(yyjson_val *schema, char *const *words, size_t n, haft_buffer *ret_json,
                    haft_reason *reterr_reason)
{
    struct build build = {.root = schema, .reason = reterr_reason};
    yyjson_mut_val *object;
    int status = 0;
    char *text;

    *reterr_reason = (haft_reason){0};
    if (n == 1 && !strcmp(words[0], "-"))
        return take_input(ret_json, reterr_reason);
    build.doc = yyjson_mut_doc_new(NULL);
    object = build.doc ? yyjson_mut_obj(build.doc) : NULL;
    if (!object)
        status = hf_error_set(reterr_reason, HAFT_ENOMEM, NULL, "out of memory");
    for (size_t i = 0; i < n && !status; i++)
        status = take_word(&build, object, words[i]);
    text = status ? NULL : yyjson_mut_val_write(object, 0, NULL);
    if (text)
        haft_buffer_puts(ret_json, text);
    else if (!status)
        status = hf_error_set(reterr_reason, HAFT_ENOMEM, NULL, "out of memory");
    free(text);
    yyjson_mut_doc_free(build.doc);
    return status ? status : ret_json->status;
}
