/* test_isolate_call.c - haft/call.h in an isolated handler: one row for each of its functions, run
 * in the server and in a process of its own.  What the client is sent and what is logged must be
 * the same.  A function of the header without a row fails the test. */
#define _GNU_SOURCE
#include <haft.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "engine/call/identity.h"
#include "support/test.h"
#include "support/wire.h"

enum { ROOM = 1 << 20, HEADER = 64 << 10 };

HAFT_STRUCT(use_args, HAFT_STRING(function, "The function to use"),
            HAFT_DEFAULT(HAFT_STRING(word, "A word"), "none"));
HAFT_STRUCT(name_form, HAFT_STRING(name, "A name", .min = 2));

static int server_word = 7, tool_word = 5;

/* ---- one use of each function ---- */

static const char *or_null(const char *text)
{
    return text ? text : "(null)";
}

static int use_text(haft_call *call)
{
    haft_text(call, "first %d\n\t\"", 1);
    return haft_text(call, "second \xc3\xa9");
}

static int use_text_bytes(haft_call *call)
{
    return haft_text_bytes(call, TEXT("a\0b"));
}

static int use_image(haft_call *call)
{
    return haft_image(call, "image/png", "\0\1\2", 3);
}

static int use_audio(haft_call *call)
{
    return haft_audio(call, "audio/wav", "wav", 3);
}

static int use_resource(haft_call *call)
{
    return haft_resource_link(call, &(haft_link){.uri = "file:///a", .title = "t", .size = 7});
}

static int use_embed(haft_call *call)
{
    haft_embed(call, &(haft_contents){.uri = "file:///b", .bytes = "\0\xff", .size = 2});
    return haft_embed(call, &(haft_contents){.uri = "file:///b", .text = "b\n\"b\""});
}

static int use_annotate(haft_call *call)
{
    int too_early = haft_block_annotate(call, "user", 0.5, NULL);

    haft_text(call, "%d", too_early);
    return haft_block_annotate(call, "user assistant", 0.25, "2026-01-31T12:00:00Z");
}

static int use_block_meta(haft_call *call)
{
    haft_text(call, "noted");
    return haft_block_meta(call, "{\"acme/a\":[1]}");
}

static int use_json(haft_call *call)
{
    return haft_json(call, TEXT("{\"a\":[1.5,true,{\"b\":\"c\"}]}"));
}

static int use_error(haft_call *call)
{
    haft_text(call, "before");
    return haft_error(call, "not %s", "today");
}

static int use_protocol_error(haft_call *call)
{
    return haft_protocol_error(call, -32050, "no \"%s\"", "disk");
}

static int use_result_meta(haft_call *call)
{
    haft_text(call, "%d", haft_result_meta(call, "no key", "1"));
    haft_result_meta(call, "acme/one", "{\"a\":[1,2.5,null]}");
    return haft_result_meta(call, "acme/stage", "\"of the handler\"");
}

static void *finish_elsewhere(void *context)
{
    haft_text(context, "from another thread");
    haft_finish(context, 0);
    return NULL;
}

static int use_finish(haft_call *call)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, finish_elsewhere, call))
        return HAFT_EBUSY;
    pthread_join(thread, NULL);
    return HAFT_PENDING;
}

static int use_request_id(haft_call *call)
{
    return haft_text(call, "%s", haft_request_id(call));
}

static int use_call_name(haft_call *call)
{
    return haft_text(call, "%s", haft_call_name(call));
}

static int use_tool_data(haft_call *call)
{
    return haft_text(call, "%d", *(int *)haft_tool_data(call));
}

static int use_server_data(haft_call *call)
{
    return haft_text(call, "%d", *(int *)haft_server_data(call));
}

/* A pointer that was set in the server means nothing elsewhere, and is not there: see
 * keeps_pointers_in_the_server. */
static int use_user_data(haft_call *call)
{
    haft_call_set_user_data(call, &tool_word);
    return haft_text(call, "%d", haft_call_user_data(call) == &tool_word);
}

static int use_client_name(haft_call *call)
{
    return haft_text(call, "%s", haft_client_name(call));
}

static int use_client_version(haft_call *call)
{
    return haft_text(call, "%s", haft_client_version(call));
}

static int use_revision(haft_call *call)
{
    return haft_text(call, "%s", haft_call_revision(call));
}

static int use_identity(haft_call *call)
{
    const haft_identity *identity = haft_call_identity(call);

    return haft_text(call, "%s %s %s %d", or_null(identity ? identity->principal : NULL),
                     or_null(identity ? identity->scopes : NULL),
                     or_null(identity ? identity->claims : NULL), identity ? identity->fixed : -1);
}

static int use_scope(haft_call *call)
{
    return haft_text(call, "%d %d", haft_call_has_scope(call, "read"),
                     haft_call_has_scope(call, "other"));
}

static int use_principal(haft_call *call)
{
    return haft_text(call, "%s", or_null(haft_call_principal(call)));
}

static int use_client_can(haft_call *call)
{
    static const char *const capabilities[] = {"roots", "sampling", "elicitation",
                                               "elicitation.url", "nothing"};

    for (size_t i = 0; i < COUNT_OF(capabilities); i++)
        haft_text(call, "%s %d", capabilities[i], haft_client_can(call, capabilities[i]));
    return 0;
}

static int put_value(haft_call *call, haft_value *value)
{
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, ROOM);
    haft_buffer_puts(&text, value ? "" : "(null)");
    if (value)
        haft_json_write(value, &text);
    status = text.status ? text.status : haft_text_bytes(call, text.data, text.size);
    haft_buffer_finish(&text);
    return status;
}

static int use_request_meta(haft_call *call)
{
    return put_value(call, haft_request_meta(call));
}

static int use_arguments(haft_call *call)
{
    return put_value(call, haft_call_arguments(call));
}

/* The call's own span is made up: only that there is one can be the same. */
static int use_call_trace(haft_call *call)
{
    const haft_trace *trace = haft_call_trace(call);

    if (!trace)
        return haft_text(call, "(null)");
    return haft_text(call, "%s %s %zu %d %d %s", trace->trace_id, trace->parent_id,
                     strlen(trace->span_id), strstr(trace->traceparent, trace->span_id) != NULL,
                     trace->flags, or_null(trace->tracestate));
}

static int use_alloc(haft_call *call)
{
    char *memory = haft_call_alloc(call, 1000);

    if (!memory)
        return HAFT_ENOMEM;
    memset(memory, 'm', 1000);
    return haft_text_bytes(call, memory, 1000);
}

static int use_printf(haft_call *call)
{
    return haft_text(call, "%s", or_null(haft_call_printf(call, "%d-%s", 3, "x")));
}

static int use_call_arena(haft_call *call)
{
    return haft_text(call, "%s", or_null(haft_arena_copy(haft_call_arena(call), "copied", 6)));
}

static int use_cancelled(haft_call *call)
{
    return haft_text(call, "%d", haft_call_cancelled(call));
}

static void never_called(haft_call *call, void *context)
{
    (void)call;
    *(int *)context = 1;
}

static int use_on_cancel(haft_call *call)
{
    int called = 0;

    haft_call_on_cancel(call, never_called, &called);
    haft_call_on_cancel(call, NULL, NULL);
    return haft_text(call, "%d", called);
}

static int use_time_left(haft_call *call)
{
    int64_t left = haft_call_time_left(call);

    return haft_text(call, "%s", left > 1000 && left <= 60000 ? "in time" : "not so");
}

static int use_progress(haft_call *call)
{
    haft_progress(call, 1, 3, "first");
    haft_progress(call, 1, 3, "not forward");
    haft_progress(call, 2.5, 0, NULL);
    return haft_text(call, "done");
}

static int use_message(haft_call *call)
{
    haft_message(call, HAFT_WARNING, "logger", "careful \"%s\"", "now");
    haft_message(call, HAFT_DEBUG, NULL, "not wanted");
    return haft_text(call, "done");
}

static int use_log(haft_call *call)
{
    haft_log(call, HAFT_ERROR, "for the log: %d", 5);
    return haft_text(call, "done");
}

static int use_close_stream(haft_call *call)
{
    haft_call_close_stream(call);
    return haft_text(call, "closed");
}

static int use_elicit(haft_call *call)
{
    name_form content = {0};
    int status = haft_elicit(call, "who", "Who?", &name_form_type, &content);

    if (status < 0 || status == HAFT_AGAIN)
        return status;
    return haft_text(call, "%d %s", status, status == HAFT_ACCEPTED ? content.name : "-");
}

static int use_elicit_json(haft_call *call)
{
    haft_value *content = NULL;
    int status = haft_elicit_json(call, "what", "What?",
                                  "{\"type\":\"object\",\"properties\":{\"name\":"
                                  "{\"type\":\"string\"}}}",
                                  &content);

    return status < 0 || status == HAFT_AGAIN ? status : put_value(call, content);
}

static int use_elicit_url(haft_call *call)
{
    int status = haft_elicit_url(call, "where", "There", "https://example.org/");

    return status < 0 || status == HAFT_AGAIN ? status : haft_text(call, "%d", status);
}

static int use_sample(haft_call *call)
{
    haft_value *result = NULL;
    int status = haft_sample(call, "model", "{\"messages\":[],\"maxTokens\":5}", &result);

    return status ? status : put_value(call, result);
}

static int use_roots(haft_call *call)
{
    haft_value *roots = NULL;
    int status = haft_roots(call, "roots", &roots);

    return status ? status : put_value(call, roots);
}

/* What is set is found again when the client has answered. */
static int use_state(haft_call *call)
{
    haft_value *roots = NULL;
    const char *found = haft_call_state(call);
    int status = haft_roots(call, "roots", &roots);

    if (status == HAFT_AGAIN)
        return haft_call_set_state(call, found ? "found too early" : "set \"before\"") ? HAFT_ENOMEM
                                                                                       : HAFT_AGAIN;
    return status ? status : haft_text(call, "%s", or_null(found));
}

static const struct use {
    const char *function;
    int (*act)(haft_call *call);
} uses[] = {
    {"haft_text", use_text},
    {"haft_text_bytes", use_text_bytes},
    {"haft_image", use_image},
    {"haft_audio", use_audio},
    {"haft_resource_link", use_resource},
    {"haft_embed", use_embed},
    {"haft_block_annotate", use_annotate},
    {"haft_block_meta", use_block_meta},
    {"haft_json", use_json},
    {"haft_error", use_error},
    {"haft_protocol_error", use_protocol_error},
    {"haft_result_meta", use_result_meta},
    {"haft_finish", use_finish},
    {"haft_request_id", use_request_id},
    {"haft_call_name", use_call_name},
    {"haft_tool_data", use_tool_data},
    {"haft_server_data", use_server_data},
    {"haft_call_user_data", use_user_data},
    {"haft_call_set_user_data", use_user_data},
    {"haft_client_name", use_client_name},
    {"haft_client_version", use_client_version},
    {"haft_call_revision", use_revision},
    {"haft_call_principal", use_principal},
    {"haft_call_identity", use_identity},
    {"haft_call_has_scope", use_scope},
    {"haft_client_can", use_client_can},
    {"haft_request_meta", use_request_meta},
    {"haft_call_arguments", use_arguments},
    {"haft_call_trace", use_call_trace},
    {"haft_call_alloc", use_alloc},
    {"haft_call_printf", use_printf},
    {"haft_call_arena", use_call_arena},
    {"haft_call_cancelled", use_cancelled},
    {"haft_call_on_cancel", use_on_cancel},
    {"haft_call_time_left", use_time_left},
    {"haft_progress", use_progress},
    {"haft_message", use_message},
    {"haft_log", use_log},
    {"haft_call_close_stream", use_close_stream},
    {"haft_elicit", use_elicit},
    {"haft_elicit_json", use_elicit_json},
    {"haft_elicit_url", use_elicit_url},
    {"haft_sample", use_sample},
    {"haft_roots", use_roots},
    {"haft_call_state", use_state},
    {"haft_call_set_state", use_state},
};

static int uses_one(haft_call *call, const use_args *in)
{
    for (size_t i = 0; i < COUNT_OF(uses); i++)
        if (!strcmp(uses[i].function, in->function))
            return uses[i].act(call);
    return HAFT_ENOTFOUND;
}
HAFT_TOOL_IN(uses_one, use_args, "Uses one function", .data = &tool_word, .timeout_ms = 60000);

/* ---- what stages do around it ---- */

enum stage_deed { NOTHING, IDENTIFIES, GIVES_BLOCKS, GIVES_JSON, GIVES_ERROR };

/* What was sent and logged, one line each. */
struct record {
    haft_server *server;
    haft_buffer text;
    haft_tool tool;
    haft_stage stage;
    enum stage_deed deed; /* of the stage */
};

static int before(haft_call *call, void *data)
{
    const struct record *record = data;

    switch (record->deed) {
    case IDENTIFIES:
        call_set_principal(call, "found by a stage");
        return 0;
    case GIVES_BLOCKS:
        haft_text(call, "of the stage");
        haft_result_meta(call, "acme/stage", "\"of the stage\"");
        return haft_result_meta(call, "acme/two", "[2]");
    case GIVES_JSON:
        return haft_json(call, TEXT("{\"of\":\"the stage\"}"));
    case GIVES_ERROR:
        return haft_error(call, "of the stage");
    default:
        return 0;
    }
}

/* Adds to the latest block, and another one. */
static void after(haft_call *call, haft_outcome outcome, void *data)
{
    struct record *record = data;
    int annotated, noted;

    haft_buffer_printf(&record->text, "outcome %s\n", haft_outcome_name(outcome));
    if (record->deed == NOTHING || (outcome != HAFT_OUTCOME_OK && outcome != HAFT_OUTCOME_ERROR))
        return;
    annotated = haft_block_annotate(call, "assistant", 0.75, NULL);
    noted = haft_block_meta(call, "{\"acme/after\":true}");
    haft_text(call, "after %d %d", annotated, noted);
}

/* ---- the same twice ---- */

static void on_log(void *context, haft_level level, const char *text, size_t size)
{
    struct record *record = context;

    haft_buffer_printf(&record->text, "log %d %.*s\n", (int)level, (int)size, text);
}

static void on_message(void *context, bool sent, const char *text, size_t size)
{
    struct record *record = context;

    /* A seal is another one each time; what it goes with is seen as it is asked. */
    if (!sent && !memmem(text, size, TEXT("requestState")))
        haft_buffer_printf(&record->text, "%.*s\n", (int)size, text);
}

static int on_question(void *context, const char *method, haft_value *params, haft_buffer *ret)
{
    struct record *record = context;

    haft_buffer_printf(&record->text, "asked %s ", method);
    if (params)
        haft_json_write(params, &record->text);
    haft_buffer_puts(&record->text, "\n");
    if (!strcmp(method, "roots/list"))
        haft_buffer_puts(ret, "{\"roots\":[{\"uri\":\"file:///\"}]}");
    else if (!strcmp(method, "sampling/createMessage"))
        haft_buffer_puts(ret, "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{}}");
    else
        haft_buffer_puts(ret, "{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}");
    return 0;
}

static const char *const includes[] = {"all=read", NULL};

static void record_open(struct record *record, bool isolate)
{
    *record = (struct record){.tool = uses_one_tool};
    haft_buffer_init(&record->text, NULL, ROOM);
    record->server = haft_server_new_with(
        "twins", "1",
        HAFT_WITH(haft_server_options, .log = on_log, .log_context = record, .data = &server_word));
    record->stage = (haft_stage)HAFT_INIT(haft_stage, .name = "own", .before = before,
                                          .after = after, .data = record);
    record->tool.isolate = isolate;
    assert_int_equal(haft_stage_add(record->server, &record->stage), 0);
    assert_int_equal(haft_add(record->server, &record->tool), 0);
    assert_int_equal(
        haft_server_set_access(record->server, HAFT_WITH(haft_access, .includes = includes)), 0);
}

static void record_close(struct record *record)
{
    haft_buffer_finish(&record->text);
    haft_server_free(record->server);
}

struct way {
    const char *principal, *meta; /* of the client; members of `_meta` */
    enum stage_deed deed;
    bool answers; /* the client can be asked */
};

static const haft_identity identified = HAFT_INIT(
    haft_identity, .principal = "i\nbob", .method = "oauth", .issuer = "i", .subject = "bob",
    .client = "c", .scopes = "all x", .claims = "{\"a\":[1]}", .fixed = true);

static void talk(struct record *record, const char *revision, const struct way *way,
                 const char *function)
{
    haft_client_options options =
        HAFT_INIT(haft_client_options, .revision = revision, .name = "twin", .version = "7",
                  .principal = way->principal,
                  .identity = way->principal && *way->principal == 'b' ? &identified : NULL,
                  .answer = way->answers ? on_question : NULL, .watch = on_message,
                  .log_level = "info", .progress = true, .context = record);
    haft_client *client = haft_client_new(record->server, &options);
    char text[512];
    haft_result result;

    assert_non_null(client);
    record->deed = way->deed;
    haft_buffer_clear(&record->text);
    snprintf(text, sizeof text,
             "{\"name\":\"uses_one\",\"arguments\":{\"function\":\"%s\"},\"_meta\":{%s}}", function,
             way->meta);
    assert_int_equal(haft_client_request(client, "tools/call", text, &result), 0);
    haft_client_free(client);
    haft_buffer_add(&record->text, "", 1);
    assert_int_equal(record->text.status, 0);
}

#define TRACE                                                                                      \
    "\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\","                 \
    "\"tracestate\":\"a=b\""

static void does_the_same_as_in_the_server(void **state)
{
    static const struct way ways[] = {
        {NULL, "", NOTHING, true},        {"ann", "\"acme/own\":{\"a\":[null]}", NOTHING, false},
        {"ann", TRACE, IDENTIFIES, true}, {NULL, "", GIVES_BLOCKS, true},
        {"", "", GIVES_JSON, true},       {NULL, "", GIVES_ERROR, true},
        {"bob", "", NOTHING, true},
    };
    static const char *const revisions[] = {"2024-11-05", "2025-11-25", "2026-07-28"};
    struct record here, there;

    (void)state;
    record_open(&here, false);
    record_open(&there, true);
    for (size_t r = 0; r < COUNT_OF(revisions); r++)
        for (size_t w = 0; w < COUNT_OF(ways); w++)
            for (size_t i = 0; i < COUNT_OF(uses); i++) {
                talk(&here, revisions[r], &ways[w], uses[i].function);
                talk(&there, revisions[r], &ways[w], uses[i].function);
                if (strcmp(here.text.data, there.text.data))
                    fail_msg("%s, way %zu, %s:\n%s\nisolated:\n%s", uses[i].function, w,
                             revisions[r], here.text.data, there.text.data);
            }
    record_close(&here);
    record_close(&there);
}

/* ---- the header has no more than that ---- */

static bool has_use(const char *name, size_t size)
{
    for (size_t i = 0; i < COUNT_OF(uses); i++)
        if (strlen(uses[i].function) == size && !memcmp(uses[i].function, name, size))
            return true;
    return false;
}

/* The text without comments, in place. */
static void strip_comments(char *text)
{
    char *from = text, *end;

    while ((from = strstr(from, "/*")) && (end = strstr(from, "*/")))
        memset(from, ' ', (size_t)(end + 2 - from));
}

static void has_a_row_for_each_function(void **state)
{
    static const char type[] = "_function"; /* the end of a type's name */
    static char text[HEADER];
    FILE *file = fopen("include/haft/call.h", "r");
    size_t size, found = 0;

    (void)state;
    assert_non_null(file);
    size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof text - 1);
    strip_comments(text);
    for (const char *at = text; (at = strstr(at, "haft_"));) {
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
        bool is_type =
            length > sizeof type && !strncmp(at + length - sizeof type + 1, type, sizeof type - 1);

        if (at[length] == '(' && !is_type) {
            found++;
            if (!has_use(at, length))
                fail_msg("%.*s has no row", (int)length, at);
        }
        at += length;
    }
    /* Each row is a function of the header, for there are as many, or one of the two in access.h. */
    assert_int_equal(found + 2, COUNT_OF(uses));
}

/* ---- what only the server knows ---- */

static int looks_for_pointers(haft_call *call)
{
    return haft_text(call, "%d %d", haft_call_user_data(call) != NULL,
                     haft_call_get(call, "kept") != NULL);
}
HAFT_TOOL_BARE(looks_for_pointers, "Looks for what a stage has left", .isolate = true);

static int leaves_pointers(haft_call *call, void *data)
{
    haft_call_set_user_data(call, data);
    return haft_call_set(call, "kept", data);
}

static void keeps_pointers_in_the_server(void **state)
{
    static const haft_stage leaving =
        HAFT_INIT(haft_stage, .name = "leaving", .before = leaves_pointers, .data = &server_word);
    haft_server *server = haft_server_new("pointers", "1");
    haft_client *client;
    haft_result result;

    (void)state;
    assert_int_equal(haft_stage_add(server, &leaving), 0);
    assert_int_equal(haft_add(server, &looks_for_pointers_tool), 0);
    client = haft_client_new(server, NULL);
    assert_int_equal(haft_client_call(client, "looks_for_pointers", "{}", &result), 0);
    assert_string_equal(result.text, "0 0");
    haft_client_free(client);
    haft_server_free(server);
}

/* ---- what differs from one request of a session to the next ---- */

static unsigned let_go;

static void on_let_go(void *context, void *tag, bool over)
{
    (void)context;
    (void)tag;
    let_go += !over;
}

/* The answer of the isolated tool to a request of that principal. */
static const char *ask_as(struct wire *wire, const char *principal, const char *function)
{
    haft_headers headers = {.principal = principal};
    char text[256];
    haft_incoming *message;

    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
             "\"uses_one\",\"arguments\":{\"function\":\"%s\"}}}",
             function);
    message = haft_incoming_read(wire->session, text, strlen(text), NULL, wire->now);
    assert_non_null(message);
    assert_int_equal(haft_incoming_process(message, wire->session, &headers), 1);
    return wire_next(wire);
}

static void has_the_principal_of_the_request(void **state)
{
    static const struct {
        const char *session, *request, *expected;
    } rows[] = {
        {NULL, NULL, "\"(null)\""},
        {"of the session", NULL, "\"of the session\""},
        {NULL, "of the request", "\"of the request\""},
        {"of the session", "of the request", "\"of the request\""},
    };
    struct record record;

    (void)state;
    record_open(&record, true);
    assert_int_equal(haft_server_isolate(record.server), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wire *wire = wire_open_with(
            record.server,
            (haft_session_options)HAFT_INIT(
                haft_session_options, .transport = HAFT_WITH(haft_transport, .let_go = on_let_go),
                .principal = rows[i].session));
        const char *answer;

        wire_greet(wire, "2025-11-25");
        answer = ask_as(wire, rows[i].request, "haft_call_principal");
        if (!answer || !strstr(answer, rows[i].expected))
            fail_msg("row %zu: %s", i, answer ? answer : "no answer");
        wire_close(wire);
    }
    record_close(&record);
}

static void lets_a_connection_go(void **state)
{
    struct record record;
    struct wire *wire;

    (void)state;
    let_go = 0;
    record_open(&record, true);
    assert_int_equal(haft_server_isolate(record.server), 0);
    wire = wire_open_with(
        record.server,
        (haft_session_options)HAFT_INIT(
            haft_session_options, .transport = HAFT_WITH(haft_transport, .let_go = on_let_go)));
    wire_greet(wire, "2025-11-25");
    assert_non_null(strstr(ask_as(wire, NULL, "haft_call_close_stream"), "closed"));
    assert_int_equal(let_go, 1);
    wire_close(wire);
    record_close(&record);
}

/* The fork server knows a tool by the name that it had then. */
static void has_the_name_it_was_called_by(void **state)
{
    struct record record;
    haft_client *client;
    haft_result result;

    (void)state;
    record_open(&record, true);
    client = haft_client_new(record.server, NULL);
    assert_int_equal(haft_offer_rename(record.server, HAFT_OFFER_TOOL, "uses_one", "renamed"), 0);
    assert_int_equal(
        haft_client_call(client, "renamed", "{\"function\":\"haft_call_name\"}", &result), 0);
    assert_string_equal(result.text, "renamed");
    haft_client_free(client);
    record_close(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_the_same_as_in_the_server),
        cmocka_unit_test(has_a_row_for_each_function),
        cmocka_unit_test(keeps_pointers_in_the_server),
        cmocka_unit_test(has_the_principal_of_the_request),
        cmocka_unit_test(lets_a_connection_go),
        cmocka_unit_test(has_the_name_it_was_called_by),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
