/* everything.c - one of each: every kind of content, notification, question, resource and prompt.
 *
 * The tools, resources and prompts are those of the protocol's conformance suite, with its
 * names. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <string.h>
#include <time.h>
#include <yyjson.h>

/* A PNG of one pixel, and a WAV of one sample. */
static const unsigned char pixel[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00,
    0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78,
    0xda, 0x63, 0xfc, 0xcf, 0xc0, 0xf0, 0x1f, 0x00, 0x05, 0x05, 0x02, 0x00, 0x5f, 0xc8,
    0xf1, 0xd2, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
static const unsigned char silence[] = {
    0x52, 0x49, 0x46, 0x46, 0x26, 0x00, 0x00, 0x00, 0x57, 0x41, 0x56, 0x45, 0x66, 0x6d, 0x74,
    0x20, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x40, 0x1f, 0x00, 0x00, 0x00, 0x7d,
    0x00, 0x00, 0x02, 0x00, 0x10, 0x00, 0x64, 0x61, 0x74, 0x61, 0x02, 0x00, 0x00, 0x00};

/* Data shared by the handlers: haft_server_data. */
struct world {
    haft_server *server;
};

static void sleep_ms(long milliseconds)
{
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};

    nanosleep(&t, NULL);
}

/* ---- content ---- */

static int test_simple_text(haft_call *call)
{
    return haft_text(call, "This is a simple text response for testing.");
}
HAFT_TOOL_BARE(test_simple_text, "Returns a text", .quick = true);

static int test_image_content(haft_call *call)
{
    return haft_image(call, "image/png", pixel, sizeof pixel);
}
HAFT_TOOL_BARE(test_image_content, "Returns an image", .quick = true);

static int test_audio_content(haft_call *call)
{
    return haft_audio(call, "audio/wav", silence, sizeof silence);
}
HAFT_TOOL_BARE(test_audio_content, "Returns a sound", .quick = true);

static int test_embedded_resource(haft_call *call)
{
    return haft_embed(call, &(haft_contents){.uri = "test://embedded-resource",
                                             .mime_type = "text/plain",
                                             .text = "This is an embedded resource content."});
}
HAFT_TOOL_BARE(test_embedded_resource, "Returns a resource inside the result", .quick = true);

static int test_multiple_content_types(haft_call *call)
{
    int status = haft_text(call, "Multiple content types test:");

    if (!status)
        status = haft_image(call, "image/png", pixel, sizeof pixel);
    if (!status)
        status = haft_embed(call, &(haft_contents){.uri = "test://mixed-content-resource",
                                                   .mime_type = "application/json",
                                                   .text = "{\"test\":\"data\",\"value\":123}"});
    return status;
}
HAFT_TOOL_BARE(test_multiple_content_types, "Returns a text, an image and a resource",
               .quick = true);

static int test_resource_link(haft_call *call)
{
    int status =
        haft_resource_link(call, &(haft_link){.uri = "test://static-text",
                                              .name = "static-text",
                                              .description = "The text itself is elsewhere",
                                              .mime_type = "text/plain"});

    return status ? status : haft_block_annotate(call, "user", 0.5, "2026-07-28T00:00:00Z");
}
HAFT_TOOL_BARE(test_resource_link, "Returns a link to a resource", .quick = true);

static int test_error_handling(haft_call *call)
{
    return haft_error(call, "This tool intentionally returns an error for testing");
}
HAFT_TOOL_BARE(test_error_handling, "Always fails", .quick = true);

/* ---- notifications ---- */

/* Tools that wait are not quick: they run on a worker thread, and other calls continue. */
static int test_tool_with_logging(haft_call *call)
{
    haft_message(call, HAFT_INFO, NULL, "Tool execution started");
    sleep_ms(50);
    haft_message(call, HAFT_INFO, NULL, "Tool processing data");
    sleep_ms(50);
    haft_message(call, HAFT_INFO, NULL, "Tool execution completed");
    return haft_text(call, "Tool with logging executed successfully");
}
HAFT_TOOL_BARE(test_tool_with_logging, "Sends three log messages while it runs");

static int test_tool_with_progress(haft_call *call)
{
    for (int done = 0; done <= 100; done += 50) {
        haft_progress(call, done, 100, "%d of 100", done);
        sleep_ms(50);
    }
    return haft_text(call, "Tool with progress executed successfully");
}
HAFT_TOOL_BARE(test_tool_with_progress, "Reports its progress while it runs");

static int test_logging_tool(haft_call *call)
{
    haft_message(call, HAFT_INFO, "everything", "test_logging_tool ran");
    return haft_text(call, "A message was sent to those who asked for messages");
}
HAFT_TOOL_BARE(test_logging_tool, "Sends one log message", .quick = true);

/* Checks periodically whether the client still waits. */
static int test_cancellation(haft_call *call)
{
    haft_progress(call, 0, 0, NULL);
    for (int i = 0; i < 500 && !haft_call_cancelled(call); i++)
        sleep_ms(20);
    haft_log(call, HAFT_WARNING, "%s",
             haft_call_cancelled(call) ? "stopped: nobody waits" : "ran to its end");
    return haft_text(call, "Nobody cancelled it");
}
HAFT_TOOL_BARE(test_cancellation, "Runs for ten seconds unless it is cancelled");

/* Closes the connection while it works; the client reconnects for the result. */
static int test_reconnection(haft_call *call)
{
    haft_call_close_stream(call);
    sleep_ms(100);
    return haft_text(call, "The answer came after the connection was closed");
}
HAFT_TOOL_BARE(test_reconnection, "Closes the connection before it answers");

/* ---- changes of lists ---- */

static int test_trigger_tool_change(haft_call *call);
HAFT_TOOL_BARE(test_trigger_tool_change, "Announces that the tools have changed", .quick = true);

static int test_trigger_tool_change(haft_call *call)
{
    const struct world *world = haft_server_data(call);
    int status = haft_tool_replace(world->server, "test_trigger_tool_change",
                                   &test_trigger_tool_change_tool);

    return status ? status : haft_text(call, "The tools have changed");
}

static int test_trigger_prompt_change(haft_call *call)
{
    const struct world *world = haft_server_data(call);
    int status = haft_offer_disable(world->server, HAFT_OFFER_PROMPT, "test_simple_prompt");

    if (!status)
        status = haft_offer_enable(world->server, HAFT_OFFER_PROMPT, "test_simple_prompt");
    return status ? status : haft_text(call, "The prompts have changed");
}
HAFT_TOOL_BARE(test_trigger_prompt_change, "Announces that the prompts have changed",
               .quick = true);

static int test_trigger_resource_update(haft_call *call)
{
    const struct world *world = haft_server_data(call);

    haft_resource_updated(world->server, "test://watched-resource");
    return haft_text(call, "The watched resource has changed");
}
HAFT_TOOL_BARE(test_trigger_resource_update, "Announces that the watched resource has changed",
               .quick = true);

/* ---- questions to the client ---- */

HAFT_STRUCT(name_form,
    HAFT_STRING(name, "Your name"));

HAFT_STRUCT(confirm_form,
    HAFT_BOOLEAN(ok, "Whether to go on"));

HAFT_STRUCT(color_form,
    HAFT_STRING(color, "Your favorite color"));

static const char *action_name(int action)
{
    return action == HAFT_ACCEPTED ? "accept" : action == HAFT_DECLINED ? "decline" : "cancel";
}

static bool is_action(int status)
{
    return status == HAFT_ACCEPTED || status == HAFT_DECLINED || status == HAFT_DISMISSED;
}

/* Reports the user's answer; `status` is the return value of the question. */
static int report_action(haft_call *call, const char *title, int status, const haft_value *content)
{
    haft_buffer json;

    if (!is_action(status))
        return status;
    haft_buffer_init(&json, NULL, 1 << 16);
    if (status == HAFT_ACCEPTED)
        haft_json_write(content, &json);
    else
        haft_buffer_puts(&json, "{}");
    status = json.status ? json.status
                         : haft_text(call, "%s: action=%s, content=%.*s", title,
                                     action_name(status), (int)json.size, json.data);
    haft_buffer_finish(&json);
    return status;
}

/* The parameters of a sampling request for one message. */
static const char *sampling_request(haft_call *call, const char *text, int max_tokens)
{
    haft_buffer json;
    char *copy = NULL;

    haft_buffer_init(&json, NULL, 1 << 20);
    haft_buffer_puts(&json,
                     "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
    haft_buffer_json_string(&json, text, strlen(text));
    haft_buffer_printf(&json, "}}],\"maxTokens\":%d}", max_tokens);
    if (!json.status)
        copy = haft_arena_copy(haft_call_arena(call), json.data, json.size);
    haft_buffer_finish(&json);
    return copy;
}

static int sample(haft_call *call, const char *key, const char *text, haft_value **ret_result)
{
    const char *request = sampling_request(call, text, 100);

    return request ? haft_sample(call, key, request, ret_result) : HAFT_ENOMEM;
}

/* The text of a model's answer, which has one block or several. */
static const char *answer_text(haft_value *result)
{
    yyjson_val *content = yyjson_obj_get(result, "content");
    const char *text;

    if (yyjson_is_arr(content))
        content = yyjson_arr_get_first(content);
    text = yyjson_get_str(yyjson_obj_get(content, "text"));
    return text ? text : "";
}

HAFT_STRUCT(sampling_args,
    HAFT_STRING(prompt, "What to ask the model"));

/* The first time, haft_sample returns HAFT_AGAIN, and so does the handler. */
static int test_sampling(haft_call *call, const sampling_args *in)
{
    haft_value *result;
    int status = sample(call, "answer", in->prompt, &result);

    return status ? status : haft_text(call, "LLM response: %s", answer_text(result));
}
HAFT_TOOL_IN(test_sampling, sampling_args, "Asks the client's model");

HAFT_STRUCT(elicitation_args,
    HAFT_STRING(message, "What to ask the person"));

static int test_elicitation(haft_call *call, const elicitation_args *in)
{
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{"
        "\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
        "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}},"
        "\"required\":[\"username\",\"email\"]}";
    haft_value *content = NULL;
    int status = haft_elicit_json(call, "user", in->message, schema, &content);

    return report_action(call, "User response", status, content);
}
HAFT_TOOL_IN(test_elicitation, elicitation_args, "Asks the person for a name and an address");

HAFT_ENUMERATION(member_status, active, inactive, pending);

HAFT_STRUCT(member_form,
    HAFT_DEFAULT(HAFT_STRING(name, "Full name"), "John Doe"),
    HAFT_DEFAULT(HAFT_INTEGER(age, "In years"), 30),
    HAFT_DEFAULT(HAFT_NUMBER(score, "In points"), 95.5),
    HAFT_DEFAULT(HAFT_ENUM(status, member_status, "Of the membership"), member_status_active),
    HAFT_DEFAULT(HAFT_BOOLEAN(verified, "Whether somebody looked"), true));

/* A form is declared like arguments, and its answer is a struct. */
static int test_elicitation_sep1034_defaults(haft_call *call)
{
    member_form form;
    int status = haft_elicit(call, "member", "Please review the member", &member_form_type, &form);

    if (!is_action(status))
        return status;
    if (status != HAFT_ACCEPTED)
        return haft_text(call, "Elicitation completed: action=%s", action_name(status));
    return haft_text(call, "Elicitation completed: action=accept, name=%s, age=%lld, verified=%s",
                     form.name, (long long)form.age, form.verified ? "true" : "false");
}
HAFT_TOOL_BARE(test_elicitation_sep1034_defaults, "Asks with defaults of every kind");

static int test_elicitation_sep1330_enums(haft_call *call)
{
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{"
        "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"red\",\"green\",\"blue\"]},"
        "\"titledSingle\":{\"type\":\"string\",\"oneOf\":["
        "{\"const\":\"r\",\"title\":\"Red\"},{\"const\":\"g\",\"title\":\"Green\"}]},"
        "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"r\",\"g\"],"
        "\"enumNames\":[\"Red\",\"Green\"]},"
        "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
        "\"enum\":[\"red\",\"green\",\"blue\"]}},"
        "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":["
        "{\"const\":\"r\",\"title\":\"Red\"},{\"const\":\"g\",\"title\":\"Green\"}]}}},"
        "\"required\":[]}";
    haft_value *content = NULL;
    int status = haft_elicit_json(call, "choices", "Please choose", schema, &content);

    return report_action(call, "Elicitation completed", status, content);
}
HAFT_TOOL_BARE(test_elicitation_sep1330_enums, "Asks with every kind of choice");

static int test_missing_capability(haft_call *call)
{
    haft_value *result;
    int status = sample(call, "probe", "Are you there?", &result);

    return status ? status : haft_text(call, "The client can be asked");
}
HAFT_TOOL_BARE(test_missing_capability, "Needs a client that has a model");

static int test_streaming_elicitation(haft_call *call)
{
    return haft_text(call, "Nothing had to be asked");
}
HAFT_TOOL_BARE(test_streaming_elicitation, "Could ask, and does not", .quick = true);

static int greet_by_name(haft_call *call)
{
    name_form form;
    int status = haft_elicit(call, "user_name", "What is your name?", &name_form_type, &form);

    if (status == HAFT_ACCEPTED)
        return haft_text(call, "Hello, %s!", form.name);
    return is_action(status) ? haft_text(call, "Hello, whoever you are!") : status;
}
HAFT_TOOL_BARE(greet_by_name, "Asks for a name", .name = "test_input_required_result_elicitation");

static int ask_capital(haft_call *call)
{
    haft_value *result;
    int status = sample(call, "capital_question", "What is the capital of France?", &result);

    return status ? status : haft_text(call, "Sampling response: %s", answer_text(result));
}
HAFT_TOOL_BARE(ask_capital, "Asks a model", .name = "test_input_required_result_sampling");

static int list_roots(haft_call *call)
{
    haft_value *roots;
    int status = haft_roots(call, "client_roots", &roots);
    yyjson_val *first = status ? NULL : yyjson_arr_get_first(roots);
    const char *uri = yyjson_get_str(yyjson_obj_get(first, "uri"));

    return status
               ? status
               : haft_text(call, "%zu roots, first %s", yyjson_arr_size(roots), uri ? uri : "none");
}
HAFT_TOOL_BARE(list_roots, "Asks for the client's roots",
               .name = "test_input_required_result_list_roots");

/* The handler's state goes to the client and back, sealed. */
static int keep_state(haft_call *call)
{
    const char *state = haft_call_state(call);
    confirm_form form;
    int status;

    if (!state && (status = haft_call_set_state(call, "asked")))
        return status;
    status = haft_elicit(call, "confirm", "Please confirm", &confirm_form_type, &form);
    if (!is_action(status))
        return status;
    return haft_text(call, state && !strcmp(state, "asked") ? "state-ok" : "state-lost");
}
HAFT_TOOL_BARE(keep_state, "Keeps state while it asks",
               .name = "test_input_required_result_request_state");

/* Asks all three questions before it returns once. */
static int ask_at_once(haft_call *call)
{
    name_form form;
    haft_value *greeting, *roots;
    int name = haft_elicit(call, "user_name", "What is your name?", &name_form_type, &form);
    int said = name < 0 ? name : sample(call, "greeting", "Generate a greeting", &greeting);
    int root = said < 0 ? said : haft_roots(call, "client_roots", &roots);

    if (root < 0)
        return root;
    if (name == HAFT_AGAIN || said == HAFT_AGAIN || root == HAFT_AGAIN)
        return HAFT_AGAIN;
    return haft_text(call, "%s, %s (%zu roots)", answer_text(greeting),
                     name == HAFT_ACCEPTED ? form.name : "you", yyjson_arr_size(roots));
}
HAFT_TOOL_BARE(ask_at_once, "Asks three things at once",
               .name = "test_input_required_result_multiple_inputs");

static int ask_in_turn(haft_call *call)
{
    name_form first;
    color_form second;
    int status = haft_elicit(call, "step1", "Step 1: What is your name?", &name_form_type, &first);

    if (status != HAFT_ACCEPTED)
        return is_action(status) ? haft_text(call, "Stopped at step 1") : status;
    status = haft_elicit(call, "step2", "Step 2: What is your favorite color?", &color_form_type,
                         &second);
    if (status != HAFT_ACCEPTED)
        return is_action(status) ? haft_text(call, "Stopped at step 2") : status;
    return haft_text(call, "%s likes %s", first.name, second.color);
}
HAFT_TOOL_BARE(ask_in_turn, "Asks one thing after the other",
               .name = "test_input_required_result_multi_round");

/* Nothing to do here: a call with a modified seal never reaches a handler. */
static int check_seal(haft_call *call)
{
    confirm_form form;
    int status = haft_elicit(call, "confirm", "Please confirm", &confirm_form_type, &form);

    return is_action(status) ? haft_text(call, "integrity-ok") : status;
}
HAFT_TOOL_BARE(check_seal, "Asks, and refuses state that was changed",
               .name = "test_input_required_result_tampered_state");

static int ask_what_it_can(haft_call *call)
{
    name_form form;
    haft_value *result;
    int status = 0;

    if (haft_client_can(call, "elicitation"))
        status = haft_elicit(call, "user_name", "What is your name?", &name_form_type, &form);
    if (status >= 0 && haft_client_can(call, "sampling")) {
        int said = sample(call, "greeting", "Generate a greeting", &result);

        status = said ? said : status;
    }
    return status && !is_action(status) ? status : haft_text(call, "Asked what could be asked");
}
HAFT_TOOL_BARE(ask_what_it_can, "Asks only what the client can answer",
               .name = "test_input_required_result_capabilities");

/* ---- schemas ---- */

HAFT_STRUCT(header_args,
    HAFT_OPTIONAL(HAFT_HEADER("Region", HAFT_STRING(region, "Also sent as a header"))),
    HAFT_OPTIONAL(HAFT_INTEGER(level, "Only sent in the body")));

static int test_x_mcp_header(haft_call *call, const header_args *in)
{
    return haft_text(call, "region=%s", in->has_region ? in->region : "none");
}
HAFT_TOOL_IN(test_x_mcp_header, header_args, "Has an argument that is sent as a header too",
             .quick = true);

/* A tool can use any JSON Schema; it is listed as written. */
static const char contact_schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\","
    "\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\","
    "\"properties\":{\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"
    "\"properties\":{"
    "\"name\":{\"type\":\"string\",\"description\":\"Of the person\"},"
    "\"address\":{\"$ref\":\"#/$defs/address\",\"description\":\"Where the person lives\"},"
    "\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"],"
    "\"description\":\"How to get in touch\"},"
    "\"phone\":{\"type\":\"string\",\"description\":\"A number\"},"
    "\"email\":{\"type\":\"string\",\"description\":\"An address\"}},"
    "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"
    "\"required\":[\"contactMethod\"]},"
    "\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]},"
    "\"additionalProperties\":false}";

static int echo_contact(haft_call *call, haft_value *arguments, void *data)
{
    haft_buffer json;
    int status;

    (void)data;
    haft_buffer_init(&json, NULL, 1 << 16);
    haft_json_write(arguments, &json);
    status = json.status ? json.status : haft_text_bytes(call, json.data, json.size);
    haft_buffer_finish(&json);
    return status;
}

static int add_schema_tool(haft_server *server)
{
    haft_tool_builder *tool;
    haft_schema *schema;
    int status = haft_schema_parse(contact_schema, strlen(contact_schema), NULL, &schema, NULL);

    if (status)
        return status;
    tool = haft_tool_new("json_schema_2020_12_tool");
    haft_tool_describe(tool, "Takes what a JSON Schema of 2020-12 describes");
    haft_tool_input(tool, schema);
    haft_tool_handler(tool, echo_contact, NULL);
    haft_tool_quick(tool);
    return haft_tool_build(tool, server);
}

/* ---- resources ---- */

static int read_text(haft_call *call, const char *uri)
{
    return haft_embed(
        call,
        &(haft_contents){.uri = uri, .mime_type = "text/plain", .text = haft_tool_data(call)});
}

static int read_pixel(haft_call *call, const char *uri)
{
    return haft_embed(
        call, &(haft_contents){
                  .uri = uri, .mime_type = "image/png", .bytes = pixel, .size = sizeof pixel});
}

static char static_text[] = "This is the content of the static text resource.";
static char watched_text[] = "Watched resource content";

static const haft_resource resources[] = {
    HAFT_INIT(haft_resource, .uri = "test://static-text", .name = "static-text",
              .mime_type = "text/plain", .description = "A text that never changes",
              .read = read_text, .data = static_text, .quick = true),
    HAFT_INIT(haft_resource, .uri = "test://static-binary", .name = "static-binary",
              .mime_type = "image/png", .description = "An image that never changes",
              .read = read_pixel, .quick = true),
    HAFT_INIT(haft_resource, .uri = "test://watched-resource", .name = "watched-resource",
              .mime_type = "text/plain", .description = "Worth subscribing to", .read = read_text,
              .data = watched_text, .quick = true),
};

static int read_template(haft_call *call, const char *uri)
{
    const char *id = haft_variable(call, "id");
    haft_buffer json;
    int status;

    haft_buffer_init(&json, NULL, 1 << 16);
    haft_buffer_puts(&json, "{\"id\":");
    haft_buffer_json_string(&json, id, strlen(id));
    haft_buffer_puts(&json, ",\"templateTest\":true}");
    status = json.status ? json.status
                         : haft_embed(call, &(haft_contents){.uri = uri,
                                                             .mime_type = "application/json",
                                                             .text = json.data,
                                                             .size = json.size});
    haft_buffer_finish(&json);
    return status;
}

static int complete_id(haft_call *call, const char *argument, const char *value)
{
    (void)argument;
    for (int i = 1; i <= 120; i++) {
        const char *id = haft_call_printf(call, "%d", i);

        if (!id || (!strncmp(id, value, strlen(value)) && haft_completion_add(call, id)))
            return HAFT_ENOMEM;
    }
    return 0;
}

static const haft_resource template =
    HAFT_INIT(haft_resource, .uri = "test://template/{id}/data", .name = "template",
              .mime_type = "application/json", .description = "One for every id",
              .read = read_template, .complete = complete_id, .quick = true);

/* ---- prompts ---- */

static int simple_prompt(haft_call *call, const void *arguments)
{
    (void)arguments;
    haft_prompt_say(call, "user");
    return haft_text(call, "This is a simple prompt for testing.");
}

HAFT_STRUCT(prompt_args,
    HAFT_STRING(arg1, "First test argument"),
    HAFT_STRING(arg2, "Second test argument"));

static int prompt_with_arguments(haft_call *call, const void *arguments)
{
    const prompt_args *in = arguments;

    haft_prompt_say(call, "user");
    return haft_text(call, "Prompt with arguments: arg1='%s', arg2='%s'", in->arg1, in->arg2);
}

static int complete_arguments(haft_call *call, const char *argument, const char *value)
{
    static const char *const words[] = {"paris", "park", "party", "test"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(argument, "arg1") && !strncmp(words[i], value, strlen(value)))
            haft_completion_add(call, words[i]);
    return 0;
}

HAFT_STRUCT(embed_args,
    HAFT_STRING(resourceUri, "The resource to embed"));

static int prompt_with_resource(haft_call *call, const void *arguments)
{
    const embed_args *in = arguments;
    int status;

    haft_prompt_say(call, "user");
    status = haft_embed(call, &(haft_contents){.uri = in->resourceUri,
                                               .mime_type = "text/plain",
                                               .text = "Embedded resource content for testing."});
    haft_prompt_say(call, "user");
    return status ? status : haft_text(call, "Please process the embedded resource above.");
}

static int prompt_with_image(haft_call *call, const void *arguments)
{
    int status;

    (void)arguments;
    haft_prompt_say(call, "user");
    status = haft_image(call, "image/png", pixel, sizeof pixel);
    haft_prompt_say(call, "user");
    return status ? status : haft_text(call, "Please analyze the image above.");
}

HAFT_STRUCT(context_form,
    HAFT_STRING(context, "What it is about"));

/* A prompt can ask questions, like a tool. */
static int prompt_that_asks(haft_call *call, const void *arguments)
{
    context_form form;
    int status = haft_elicit(call, "user_context", "What context should the prompt use?",
                             &context_form_type, &form);

    (void)arguments;
    if (!is_action(status))
        return status;
    haft_prompt_say(call, "user");
    return haft_text(call, "Context: %s", status == HAFT_ACCEPTED ? form.context : "none");
}

static const haft_prompt prompts[] = {
    HAFT_INIT(haft_prompt, .name = "test_simple_prompt",
              .description = "A prompt without arguments", .get = simple_prompt, .quick = true),
    HAFT_INIT(haft_prompt, .name = "test_prompt_with_arguments",
              .description = "A prompt with two arguments", .arguments = &prompt_args_type,
              .get = prompt_with_arguments, .complete = complete_arguments, .quick = true),
    HAFT_INIT(haft_prompt, .name = "test_prompt_with_embedded_resource",
              .description = "A prompt with a resource in it", .arguments = &embed_args_type,
              .get = prompt_with_resource, .quick = true),
    HAFT_INIT(haft_prompt, .name = "test_prompt_with_image",
              .description = "A prompt with an image in it", .get = prompt_with_image,
              .quick = true),
    HAFT_INIT(haft_prompt, .name = "test_input_required_result_prompt",
              .description = "A prompt that asks for its context", .get = prompt_that_asks),
};

#include "everything-tasks.h"

/* ---- registration ---- */

/* In the order in which they are listed. */
static const haft_tool *const tools[] = {
    &test_simple_text_tool,
    &test_image_content_tool,
    &test_audio_content_tool,
    &test_embedded_resource_tool,
    &test_multiple_content_types_tool,
    &test_resource_link_tool,
    &test_error_handling_tool,
    &test_tool_with_logging_tool,
    &test_tool_with_progress_tool,
    &test_logging_tool_tool,
    &test_cancellation_tool,
    &test_reconnection_tool,
    &test_trigger_tool_change_tool,
    &test_trigger_prompt_change_tool,
    &test_trigger_resource_update_tool,
    &test_sampling_tool,
    &test_elicitation_tool,
    &test_elicitation_sep1034_defaults_tool,
    &test_elicitation_sep1330_enums_tool,
    &test_missing_capability_tool,
    &test_streaming_elicitation_tool,
    &greet_by_name_tool,
    &ask_capital_tool,
    &list_roots_tool,
    &keep_state_tool,
    &ask_at_once_tool,
    &ask_in_turn_tool,
    &check_seal_tool,
    &ask_what_it_can_tool,
    &test_x_mcp_header_tool,
    &greet_tool,
    &slow_compute_tool,
    &failing_job_tool,
    &protocol_error_job_tool,
    &confirm_delete_tool,
    &multi_input_tool,
    &test_tool_with_task_tool,
};

static int add_everything(haft_server *server)
{
    int status = 0;

    for (size_t i = 0; i < sizeof tools / sizeof *tools && !status; i++)
        status = haft_add(server, tools[i]);
    if (!status)
        status = add_schema_tool(server);
    for (size_t i = 0; i < sizeof resources / sizeof *resources && !status; i++)
        status = haft_resource_add(server, &resources[i]);
    if (!status)
        status = haft_template_add(server, &template);
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts && !status; i++)
        status = haft_prompt_add(server, &prompts[i]);
    return status;
}

int main(int argc, char **argv)
{
    struct world world = {NULL};
    haft_server_options options =
        HAFT_INIT(haft_server_options, .data = &world, .title = "Everything",
                  .instructions = "A server to test clients with.", .resource_subscriptions = true);

    world.server = haft_server_new_with("everything", "1.0.0", &options);
    if (world.server && add_everything(world.server)) {
        haft_server_free(world.server);
        return 1;
    }
    return haft_main(world.server, argc, argv);
}
