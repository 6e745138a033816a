/* answer_respond.c - responses of an API as results of calls.
 *
 * The media type decides what a body becomes, and the schema of the document only whether it is checked: an API that
 * does not keep its own description costs a warning, not the call. */
#include <string.h>

#include "base/percent.h"
#include "engine/call/call.h"
#include "engine/call/content.h"
#include "import/answer.h"
#include "import/plan.h"
#include "protocol/http_status.h"
#include "protocol/meta.h"

enum { ANSWER_ERROR_MAX = 4096, ANSWER_NAME_MAX = 100, ANSWER_URL_MAX = 2000 };

/* A response that is being read. */
struct answer_source {
    const struct import_operation *operation;
    const struct import_response *response;
    haft_call *call;
    haft_arena *arena;
    struct answer_type type;
    struct text text; /* the body as UTF-8; no data if it is not text */
};

static const char *answer_header(const struct answer_source *source, const char *name)
{
    return haft_header_find(source->response->headers, source->response->n_headers, name);
}

static bool answer_is_json(const struct answer_source *source)
{
    return hf_import_type_is_json(source->type.name, strlen(source->type.name));
}

/* ---- errors ---- */

/* The part of a text that fits, which ends with a whole character. */
static size_t answer_cut(struct text text, size_t room)
{
    if (text.size <= room)
        return text.size;
    while (room && ((unsigned char)text.data[room] & 0xC0) == 0x80)
        room--;
    return room;
}

/* What an API says about an error in its title and detail (RFC 9457), or in other words for them. */
static void answer_put_problem(const struct answer_source *source, haft_buffer *out)
{
    static const char *const names[] = {"title", "detail", "message", "error_description"};
    yyjson_val *body = answer_is_json(source) ? haft_json_read(source->text.data, source->text.size,
                                                               0, source->arena, NULL)
                                              : NULL;
    bool first = true;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        yyjson_val *value = yyjson_obj_get(body, names[i]);
        struct text text = {yyjson_get_str(value), yyjson_get_len(value)};

        if (!text.data || !text.size || (i > 1 && !first))
            continue;
        haft_buffer_puts(out, ": ");
        haft_buffer_add(out, text.data, answer_cut(text, ANSWER_ERROR_MAX / 4));
        first = false;
    }
}

/* Adds the beginning of the body, as long as the whole is within the limit. */
static void answer_put_body(const struct answer_source *source, haft_buffer *out)
{
    size_t room = ANSWER_ERROR_MAX, size = answer_cut(source->text, room);

    if (!source->response->size)
        return;
    if (!source->text.data) {
        haft_buffer_printf(out, "\n(%zu bytes of %s)", source->response->size,
                           *source->type.name ? source->type.name : "unknown type");
        return;
    }
    haft_buffer_puts(out, "\n");
    haft_buffer_add(out, source->text.data, size);
    if (size < source->text.size)
        haft_buffer_printf(out, "\n(%zu more bytes)", source->text.size - size);
}

/* "HTTP 404 Not Found" */
static void answer_put_status(const struct answer_source *source, haft_buffer *out)
{
    const char *reason = hf_http_status_reason(source->response->status);

    haft_buffer_printf(out, "HTTP %d%s%s", source->response->status, *reason ? " " : "", reason);
}

/* Adds a header on its own line if it is UTF-8. */
static void answer_put_header(const struct answer_source *source, haft_buffer *out,
                              const char *name)
{
    const char *value = answer_header(source, name);

    if (value && strlen(value) <= ANSWER_URL_MAX &&
        haft_utf8_valid(value, strlen(value)) == strlen(value))
        haft_buffer_printf(out, "\n%s: %s", name, value);
}

static int answer_error(const struct answer_source *source)
{
    struct import_text text;
    haft_buffer *out = hf_import_text_init(&text, source->arena);
    char number[NUMBER_TEXT];
    int status;

    answer_put_status(source, out);
    answer_put_problem(source, out);
    answer_put_header(source, out, "Retry-After");
    answer_put_body(source, out);
    if (!hf_import_text_end(out))
        return out->status;
    hf_integer_to_text(source->response->status, number);
    status = haft_result_meta(source->call, META_HTTP_STATUS, number);
    return status ? status : haft_error(source->call, "%s", out->data);
}

/* ---- bodies ---- */

/* A file name from Content-Disposition, or a constant. */
static struct text answer_file_name(const struct answer_source *source)
{
    const char *header = answer_header(source, "Content-Disposition");
    const char *at = header ? strstr(header, "filename=") : NULL;
    struct text name;

    if (!at)
        return (struct text){"body", 4};
    at += sizeof "filename=" - 1;
    name =
        *at == '"' ? (struct text){at + 1, strcspn(at + 1, "\"")} : text_trim(at, strcspn(at, ";"));
    return name.size && name.size <= ANSWER_NAME_MAX ? name : (struct text){"body", 4};
}

static int answer_blob(const struct answer_source *source)
{
    struct import_text text;
    haft_buffer *uri = hf_import_text_init(&text, source->arena);
    struct text name = answer_file_name(source);

    haft_buffer_puts(uri, "response:");
    hf_percent_encode(uri, source->operation->name, strlen(source->operation->name));
    haft_buffer_add(uri, "/", 1);
    hf_percent_encode(uri, name.data, name.size);
    if (!hf_import_text_end(uri))
        return uri->status;
    return haft_embed(source->call,
                      &(haft_contents){.uri = uri->data,
                                       .mime_type = *source->type.name ? source->type.name
                                                                       : "application/octet-stream",
                                       .bytes = source->response->body,
                                       .size = source->response->size});
}

/* Returns 1 if the body is JSON and has become structured content, 0 if it is not, or an error. */
static int answer_json(const struct answer_source *source)
{
    const struct import_operation *operation = source->operation;
    haft_reason reason;
    yyjson_val *value =
        haft_json_read(source->text.data, source->text.size,
                       source->call->server->options.max_depth, source->arena, &reason);
    int status;

    if (!value && reason.code == HAFT_ENOMEM)
        return HAFT_ENOMEM;
    if (!value) {
        haft_log(source->call, HAFT_WARNING, "the API's response is not valid JSON: %s",
                 reason.text);
        return 0;
    }
    status =
        hf_content_set_structured(source->call, value, operation->wrapped || !yyjson_is_obj(value));
    return status ? status : 1;
}

static bool answer_begins(const struct answer_source *source, const char *beginning)
{
    return !strncmp(source->type.name, beginning, strlen(beginning));
}

static int answer_body(const struct answer_source *source)
{
    const struct import_response *response = source->response;
    const char *type = source->type.name;
    bool json = answer_is_json(source) || (!*type && source->operation->output);
    int status = json && source->text.data ? answer_json(source) : 0;

    if (status)
        return status < 0 ? status : 0;
    if (source->text.data && strstr(type, "+xml"))
        return haft_text_bytes(source->call, source->text.data, source->text.size);
    if (answer_begins(source, "image/"))
        return haft_image(source->call, type, response->body, response->size);
    if (answer_begins(source, "audio/"))
        return haft_audio(source->call, type, response->body, response->size);
    if (source->text.data && (json || !*type || hf_import_type_is_text(type)))
        return haft_text_bytes(source->call, source->text.data, source->text.size);
    return answer_blob(source);
}

static int answer_empty(const struct answer_source *source)
{
    struct import_text text;
    haft_buffer *out = hf_import_text_init(&text, source->arena);

    answer_put_status(source, out);
    answer_put_header(source, out, "Location");
    return out->status ? out->status : haft_text_bytes(source->call, out->data, out->size);
}

/* Says that there is another page, which is not fetched. */
static int answer_note_page(const struct answer_source *source)
{
    struct text next = hf_answer_next_page(source->response->headers, source->response->n_headers);

    if (!next.data || next.size > ANSWER_URL_MAX ||
        haft_utf8_valid(next.data, next.size) != next.size)
        return 0;
    return haft_text(source->call, "There are more results. The next page is %.*s", (int)next.size,
                     next.data);
}

int hf_import_respond(const struct import_operation *operation, haft_call *call,
                      const struct import_response *response)
{
    struct answer_source source = {
        .operation = operation, .response = response, .call = call, .arena = haft_call_arena(call)};
    int status =
        hf_answer_read_type(source.arena, answer_header(&source, "Content-Type"), &source.type);

    if (!status)
        status = hf_answer_decode(source.arena, source.type.charset, response->body, response->size,
                                  &source.text);
    if (status)
        return status;
    if (response->status < 200 || response->status > 299)
        return answer_error(&source);
    call->result.lenient = true;
    status = response->size ? answer_body(&source) : answer_empty(&source);
    return status ? status : answer_note_page(&source);
}
