/* policy_body.c - bodies: validated against a JSON Schema on the way in, or mocked in place of the
 * handler. */
#include <string.h>

#include "gateway/policies.h"

/* ---- validate ---- */

HAFT_STRUCT(validate_options, HAFT_JSON(body, "The JSON Schema of the body"));

static int validate_body(haft_call *call, void *data)
{
    const haft_request *request = haft_request_of(call);
    haft_issues issues = {0};
    int status =
        haft_schema_validate_text(data, request->body, request->body_size, call->arena, &issues);

    if (status && issues.count)
        return hf_input_refuse_issues(call->inner.req, &issues, "body");
    return status;
}

static int make_validate(haft_gateway *gateway, const void *given, haft_arena *arena,
                         haft_policy *ret_policy, haft_reason *reason)
{
    const validate_options *options = given;
    haft_schema_options schema_options = HAFT_INIT(
        haft_schema_options, .allocator = gateway->allocator, .defaults = HAFT_DEFAULTS_ANNOTATE);
    haft_schema *schema;
    int status = haft_schema_parse_json(options->body, &schema_options, &schema, reason);

    (void)arena;
    if (!status)
        *ret_policy = (haft_policy)HAFT_INIT(haft_policy, .inbound = validate_body, .data = schema);
    return status;
}

static void drop_validate(void *data)
{
    haft_schema_free(data);
}

const haft_policy_kind hf_policy_validate =
    HAFT_INIT(haft_policy_kind, .name = "validate", .options = &validate_options_type,
              .make = make_validate, .drop = drop_validate);

/* ---- mock ---- */

HAFT_STRUCT(mock_options,
            HAFT_DEFAULT(HAFT_INTEGER(status, "Status of the response", .min = 200, .max = 599), 200),
            HAFT_OPTIONAL(HAFT_MAP(headers, HAFT_STRING(value, "A value"), "Headers of the response")),
            HAFT_OPTIONAL(HAFT_JSON(json, "Body of the response, as JSON")),
            HAFT_OPTIONAL(HAFT_STRING(text, "Body of the response, as text")));

struct mock {
    const mock_options *options;
    const char *type, *body;
    size_t size;
};

static int answer_mock(haft_call *call, void *data)
{
    const struct mock *mock = data;
    const mock_options *options = mock->options;
    int status = haft_respond(call, (int)options->status, mock->type, mock->body, mock->size);

    for (size_t i = 0; options->has_headers && i < options->n_headers && !status; i++)
        status = haft_response_set_header(call, options->headers_keys[i], options->headers[i]);
    return stopped(status);
}

static int make_mock(haft_gateway *gateway, const void *given, haft_arena *arena,
                     haft_policy *ret_policy, haft_reason *reason)
{
    const mock_options *options = given;
    struct mock *mock = haft_arena_zalloc(arena, 1, sizeof *mock);
    haft_buffer body;

    if (!mock)
        return HAFT_ENOMEM;
    if (options->has_json && options->has_text)
        return hf_error_set(reason, HAFT_EINVAL, "text",
                            "the body must be either JSON or text, not both");
    *mock = (struct mock){.options = options, .type = "text/plain; charset=utf-8", .body = ""};
    if (options->has_text) {
        mock->body = options->text;
        mock->size = strlen(options->text);
    }
    if (options->has_json) {
        haft_buffer_init(&body, gateway->allocator, 1 << 20);
        haft_json_write(options->json, &body);
        mock->type = "application/json";
        mock->size = body.size;
        mock->body = body.status ? NULL : haft_arena_copy(arena, body.data, body.size);
        haft_buffer_finish(&body);
    }
    if (!mock->body)
        return HAFT_ENOMEM;
    *ret_policy = (haft_policy)HAFT_INIT(haft_policy, .inbound = answer_mock, .data = mock);
    return 0;
}

const haft_policy_kind hf_policy_mock =
    HAFT_INIT(haft_policy_kind, .name = "mock", .options = &mock_options_type, .make = make_mock);
