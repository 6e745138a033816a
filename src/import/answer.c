/* answer.c - what an operation answers, as its document says: the schema of the output, and what to ask for. */
#include <string.h>

#include "import/plan.h"

enum { ANSWER_MAX_DEPTH = 16, ANSWER_MAX_SCHEMAS = 8 };

/* Successful responses of an operation. */
struct answer_reader {
    const struct import_document *document;
    yyjson_val *operation;
    yyjson_val *schemas[ANSWER_MAX_SCHEMAS]; /* of JSON, each once */
    size_t n_schemas;
    size_t n_others; /* without JSON, or with too many schemas */
    haft_buffer *accept;
    bool json; /* a JSON type is accepted */
    int status;
};

static bool answer_is_success(yyjson_val *key)
{
    const char *status = yyjson_get_str(key);

    return status && status[0] == '2' && strlen(status) == 3;
}

/* ---- media types ---- */

static bool answer_accepts(const struct answer_reader *reader, const char *type)
{
    const char *at = reader->accept->data, *end = at ? at + reader->accept->size : at;
    size_t size = strlen(type);

    for (; at && (size_t)(end - at) >= size; at += 2) {
        const char *comma = memchr(at, ',', (size_t)(end - at));

        if ((size_t)((comma ? comma : end) - at) == size && !memcmp(at, type, size))
            return true;
        if (!comma)
            break;
        at = comma;
    }
    return false;
}

static void answer_accept(struct answer_reader *reader, const char *type, bool json)
{
    for (const char *at = type; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F || *at == ',')
            return;
    if (!strchr(type, '/') || !strcmp(type, "*/*") || reader->accept->size > 256)
        return;
    if (json && !reader->json)
        haft_buffer_clear(reader->accept); /* of several kinds, JSON */
    if ((reader->json && !json) || answer_accepts(reader, type))
        return;
    reader->json = json;
    if (reader->accept->size)
        haft_buffer_puts(reader->accept, ", ");
    haft_buffer_puts(reader->accept, type);
}

static void answer_add_schema(struct answer_reader *reader, yyjson_val *schema)
{
    for (size_t i = 0; i < reader->n_schemas; i++)
        if (yyjson_equals(reader->schemas[i], schema))
            return;
    if (schema && reader->n_schemas < ANSWER_MAX_SCHEMAS)
        reader->schemas[reader->n_schemas++] = schema;
    else
        reader->n_others++;
}

/* A response of 3.x: its media types. */
static void answer_add_content(struct answer_reader *reader, yyjson_val *content)
{
    yyjson_val *key, *media, *schema = NULL;
    bool json = false;
    size_t i, max;

    yyjson_obj_foreach(import_object(content), i, max, key, media) {
        const char *type = hf_import_string(key);
        bool is_json = type && hf_import_type_is_json(type, strlen(type));

        if (type)
            answer_accept(reader, type, is_json);
        if (is_json && !json) {
            json = true;
            schema = yyjson_obj_get(media, "schema");
        }
    }
    answer_add_schema(reader, schema);
}

/* A response of 2.0, which has one schema for what the operation produces. */
static void answer_add_produced(struct answer_reader *reader, yyjson_val *response)
{
    yyjson_val *produces = yyjson_obj_get(reader->operation, "produces"), *value;
    bool json;
    size_t i, max;

    if (!produces)
        produces = yyjson_obj_get(reader->document->root, "produces");
    json = !yyjson_arr_size(produces);
    yyjson_arr_foreach(produces, i, max, value) {
        const char *type = hf_import_string(value);
        bool is_json = type && hf_import_type_is_json(type, strlen(type));

        if (type)
            answer_accept(reader, type, is_json);
        json = json || is_json;
    }
    value = yyjson_obj_get(response, "schema");
    if (yyjson_equals_str(yyjson_obj_get(value, "type"), "file"))
        json = false;
    answer_add_schema(reader, json ? value : NULL);
}

static int answer_add_response(struct answer_reader *reader, yyjson_val *response,
                               haft_reason *reason)
{
    response = hf_import_resolve(reader->document, response, reason);
    if (!response)
        return reason->code;
    if (reader->document->version == IMPORT_2_0)
        answer_add_produced(reader, response);
    else
        answer_add_content(reader, yyjson_obj_get(response, "content"));
    return 0;
}

/* ---- the schema ---- */

/* Whether a schema allows objects only. */
static bool answer_is_object(struct answer_reader *reader, yyjson_val *schema, unsigned depth)
{
    yyjson_val *type, *all, *part;
    size_t i, max;

    schema = hf_import_peek(reader->document, schema, &reader->status);
    type = yyjson_obj_get(schema, "type");
    if (!schema || depth > ANSWER_MAX_DEPTH ||
        yyjson_get_bool(yyjson_obj_get(schema, "nullable")) ||
        yyjson_get_bool(yyjson_obj_get(schema, "x-nullable")))
        return false;
    if (yyjson_is_arr(type))
        return yyjson_arr_size(type) == 1 &&
               yyjson_equals_str(yyjson_arr_get_first(type), "object");
    if (type)
        return yyjson_equals_str(type, "object");
    if (yyjson_is_obj(yyjson_obj_get(schema, "properties")))
        return true;
    all = yyjson_obj_get(schema, "allOf");
    yyjson_arr_foreach(all, i, max, part) {
        if (answer_is_object(reader, part, depth + 1))
            return true;
    }
    return false;
}

/* Several schemas as one; NULL without memory. */
static yyjson_val *answer_join(haft_arena *arena, const struct answer_reader *reader)
{
    const yyjson_alc alc = hf_json_arena(arena);
    yyjson_mut_doc *doc = yyjson_mut_doc_new(&alc);
    yyjson_mut_val *any = doc ? yyjson_mut_obj(doc) : NULL;
    yyjson_mut_val *list = any ? yyjson_mut_obj_add_arr(doc, any, "anyOf") : NULL;
    bool whole = list;

    for (size_t i = 0; i < reader->n_schemas && whole; i++)
        whole = yyjson_mut_arr_add_val(list, yyjson_val_mut_copy(doc, reader->schemas[i]));
    return whole ? yyjson_doc_get_root(yyjson_mut_val_imut_copy(any, &alc)) : NULL;
}

static bool answer_wraps(struct answer_reader *reader)
{
    for (size_t i = 0; i < reader->n_schemas; i++)
        if (!answer_is_object(reader, reader->schemas[i], 0))
            return true;
    return false;
}

/* ---- all ---- */

static int answer_read(struct answer_reader *reader, haft_reason *reason)
{
    yyjson_val *responses = yyjson_obj_get(reader->operation, "responses"), *key, *response;
    bool any = false;
    size_t i, max;
    int status = 0;

    yyjson_obj_foreach(import_object(responses), i, max, key, response) {
        if (!status && answer_is_success(key)) {
            any = true;
            status = answer_add_response(reader, response, reason);
        }
    }
    response = yyjson_obj_get(responses, "default");
    if (!status && !any && response)
        status = answer_add_response(reader, response, reason);
    return status;
}

int hf_import_make_answer(const struct import_document *document, struct import_operation *target,
                          yyjson_val *operation, yyjson_val **ret_schema,
                          haft_reason *reterr_reason)
{
    haft_arena *arena = document->import->arena;
    struct import_answer *answer = haft_arena_zalloc(arena, 1, sizeof *answer);
    struct import_text text;
    struct answer_reader reader = {
        .document = document, .operation = operation, .accept = hf_import_text_init(&text, arena)};
    yyjson_val *schema = NULL;
    bool wrapped;
    int status = answer ? answer_read(&reader, reterr_reason) : HAFT_ENOMEM;

    if (status && answer)
        return status;
    /* A client refuses a result without structured content if there is a schema: all responses must have it. */
    if (!status && reader.n_schemas && !reader.n_others) {
        schema = reader.n_schemas == 1 ? reader.schemas[0] : answer_join(arena, &reader);
        status = schema ? 0 : HAFT_ENOMEM;
    }
    wrapped = !status && schema && answer_wraps(&reader);
    if (!status)
        status = reader.status;
    haft_buffer_puts(reader.accept, reader.accept->size ? ", */*;q=0.1" : "*/*");
    if (!status) {
        answer->accept = hf_import_text_end(reader.accept);
        status = reader.accept->status;
    }
    if (status)
        return hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status));
    target->answer = answer;
    target->wrapped = wrapped;
    *ret_schema = schema;
    return 0;
}
