/* test_isolate.c - a handler in a process of its own: what it does by haft/call.h arrives as if it
 * had run here, and what it does to itself stays there. */
#define _GNU_SOURCE
#include <haft.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yyjson.h>

#include "process/isolate.h"
#include "support/failing.h"
#include "support/test.h"

/* What must end has longer than any machine stands still; what must not, and is waited for, has not. */
enum { ROOM = 4 << 20, LONG_MS = 60000, SHORT_MS = 1500 };

/* ---- tools that do everything ---- */

HAFT_STRUCT(word_args, HAFT_DEFAULT(HAFT_STRING(word, "A word"), "none"));
HAFT_STRUCT(numbers, HAFT_ARRAY(all, HAFT_INTEGER(one, "A number"), "Some numbers", .max = 3));
HAFT_STRUCT(name_form, HAFT_STRING(name, "A name", .min = 2));

static int blocks(haft_call *call, const word_args *in)
{
    haft_link link = {.uri = "file:///a", .name = "a", .size = 7};
    haft_contents contents = {.uri = "file:///b", .text = "b\n\"b\""};

    haft_text(call, "%s \xc3\xa9\n\t\"", in->word);
    haft_block_annotate(call, "user", 0.25, NULL);
    haft_image(call, "image/png", "\0\1\2", 3);
    haft_audio(call, "audio/wav", "wav", 3);
    haft_resource_link(call, &link);
    haft_embed(call, &contents);
    haft_result_meta(call, "acme/one", "{\"a\":[1,2.5,null]}");
    return haft_result_meta(call, "acme/two", "\"b\"");
}
HAFT_TOOL_IN(blocks, word_args, "Every kind of block");

static int looks(haft_call *call, const word_args *in)
{
    yyjson_val *own = yyjson_obj_get(haft_request_meta(call), "acme/own");
    int64_t left = haft_call_time_left(call);
    const haft_trace *trace = haft_call_trace(call);

    if (trace)
        haft_text(call, "%s %s %s %d %s", trace->trace_id, trace->parent_id, trace->traceparent,
                  trace->flags, trace->tracestate);
    return haft_text(
        call, "%s %s %s %s %s %s %d%d %s %s %s", in->word, haft_request_id(call),
        haft_call_name(call), haft_client_name(call), haft_client_version(call),
        haft_call_revision(call), haft_client_can(call, "roots"), haft_client_can(call, "nothing"),
        yyjson_is_str(own) ? yyjson_get_str(own) : "-",
        haft_call_arguments(call) ? "arguments" : "none",
        left > 1000 && left <= LONG_MS && !haft_call_cancelled(call) ? "in time" : "late");
}
HAFT_TOOL_IN(looks, word_args, "Looks around", .timeout_ms = LONG_MS);

static int data_word = 5;

static int reports(haft_call *call, const word_args *in)
{
    haft_progress(call, 1, 3, "first %s", in->word);
    haft_progress(call, 1, 3, "not forward");
    haft_progress(call, 2.5, 0, NULL);
    haft_message(call, HAFT_WARNING, "logger", "careful \"%s\"", in->word);
    haft_message(call, HAFT_DEBUG, NULL, "detail");
    haft_log(call, HAFT_ERROR, "for the log: %s", in->word);
    haft_call_close_stream(call);
    return haft_text(call, "%d", *(int *)haft_tool_data(call));
}
HAFT_TOOL_IN(reports, word_args, "Reports", .data = &data_word);

static int counts(haft_call *call, const word_args *in, numbers *out)
{
    static const int64_t values[] = {1, -2, INT64_MAX, 4};

    if (!strcmp(in->word, "error"))
        return haft_error(call, "no numbers");
    if (!strcmp(in->word, "fail"))
        return HAFT_ENOTFOUND;
    if (!strcmp(in->word, "block"))
        haft_text(call, "a block of its own");
    out->all = (void *)(uintptr_t)values;
    out->n_all = !strcmp(in->word, "misfit") ? 4 : 3;
    return 0;
}
HAFT_TOOL(counts, word_args, numbers, "Gives numbers");

HAFT_STRUCT(count_args, HAFT_INTEGER(count, "A number"));

static int mends(haft_call *call, const count_args *in)
{
    return haft_text(call, "%lld", (long long)in->count);
}
HAFT_TOOL_IN(mends, count_args, "Takes a number as it comes", .lenient = HAFT_YES);

static int document(haft_call *call, const word_args *in)
{
    return !strcmp(in->word, "broken") ? haft_json(call, "{\"a\":", 5)
                                       : haft_json(call, TEXT("{\"a\":[1.5,true,{\"b\":\"c\"}]}"));
}
HAFT_TOOL_IN(document, word_args, "Gives JSON");

static int large(haft_call *call, const word_args *in)
{
    size_t size = !strcmp(in->word, "too") ? 5 << 20 : 1 << 20;
    char *text = haft_call_alloc(call, size);

    if (!text)
        return HAFT_ENOMEM;
    memset(text, 'x', size);
    return haft_text_bytes(call, text, size);
}
HAFT_TOOL_IN(large, word_args, "Says much");

static int asks(haft_call *call, const word_args *in)
{
    name_form form = {0};
    haft_value *model = NULL, *roots = NULL, *json = NULL;
    int who = haft_elicit(call, "who", "Who?", &name_form_type, &form);
    int what =
        haft_elicit_json(call, "what", "What?", "{\"type\":\"object\",\"properties\":{}}", &json);
    int where, status;

    if (who < 0 || what < 0)
        return who < 0 ? who : what;
    if (who == HAFT_AGAIN || what == HAFT_AGAIN)
        return haft_call_set_state(call, in->word) ? HAFT_ENOMEM : HAFT_AGAIN;
    where = haft_elicit_url(call, "where", "There", "https://example.org/");
    status = haft_sample(call, "model", "{\"messages\":[],\"maxTokens\":5}", &model);
    if (!status)
        status = haft_roots(call, "roots", &roots);
    if (where == HAFT_AGAIN || status)
        return where == HAFT_AGAIN ? HAFT_AGAIN : status;
    return haft_text(call, "%d %s %d %d %zu %s", who, form.name, what, where,
                     yyjson_arr_size(roots), haft_call_state(call) ? haft_call_state(call) : "-");
}
HAFT_TOOL_IN(asks, word_args, "Asks everything");

static void *finish_later(void *context)
{
    haft_call *call = context;

    usleep(20000);
    haft_progress(call, 1, 2, "from another thread");
    haft_text(call, "later");
    haft_finish(call, 0);
    return NULL;
}

static int later(haft_call *call, const word_args *in)
{
    pthread_t thread;

    (void)in;
    if (pthread_create(&thread, NULL, finish_later, call))
        return HAFT_EBUSY;
    pthread_detach(thread);
    return HAFT_PENDING;
}
HAFT_TOOL_IN(later, word_args, "Answers later");

static const haft_tool *const tools[] = {&blocks_tool,   &looks_tool, &reports_tool, &counts_tool,
                                         &document_tool, &large_tool, &mends_tool,   &asks_tool};

/* Runs in the server's own process, before a handler that says one of these too. */
static int says_first(haft_call *call, void *data)
{
    int status = haft_result_meta(call, "acme/two", "\"of a stage\"");

    (void)data;
    return status ? status : haft_result_meta(call, "acme/three", "[3]");
}

static const haft_stage first =
    HAFT_INIT(haft_stage, .name = "first", .tools = "blocks", .before = says_first);

/* ---- the same twice ---- */

/* What was said and logged, one line each. */
struct record {
    haft_server *server;
    haft_buffer text;
    haft_tool twins[COUNT_OF(tools)];
};

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

static void record_open(struct record *record, bool isolate)
{
    memset(record, 0, sizeof *record);
    haft_buffer_init(&record->text, NULL, ROOM);
    record->server = haft_server_new_with(
        "twins", "1", HAFT_WITH(haft_server_options, .log = on_log, .log_context = record));
    assert_int_equal(haft_stage_add(record->server, &first), 0);
    for (size_t i = 0; i < COUNT_OF(tools); i++) {
        record->twins[i] = *tools[i];
        record->twins[i].isolate = isolate;
        assert_int_equal(haft_add(record->server, &record->twins[i]), 0);
    }
}

static void record_close(struct record *record)
{
    haft_buffer_finish(&record->text);
    haft_server_free(record->server);
}

static void talk(struct record *record, const char *revision, bool answers, const char *tool,
                 const char *params)
{
    haft_client *client = haft_client_new(
        record->server,
        HAFT_WITH(haft_client_options, .revision = revision, .name = "twin", .version = "7",
                  .answer = answers ? on_question : NULL, .watch = on_message, .log_level = "info",
                  .progress = true, .context = record));
    char text[256];
    haft_result result;

    assert_non_null(client);
    haft_buffer_clear(&record->text);
    snprintf(text, sizeof text, "{\"name\":\"%s\",%s}", tool, params);
    assert_int_equal(haft_client_request(client, "tools/call", text, &result), 0);
    haft_client_free(client);
}

static void is_as_if_it_ran_here(void **state)
{
    static const struct {
        const char *tool, *params;
        bool answers;
    } rows[] = {
        {"blocks", "\"arguments\":{\"word\":\"w\"}", false},
        {"blocks", "\"_meta\":{}", false},
        {"looks", "\"arguments\":{\"word\":\"w\"},\"_meta\":{\"acme/own\":\"mine\"}", true},
        {"looks", "\"arguments\":null", false},
        {"looks",
         "\"_meta\":{\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\","
         "\"tracestate\":\"a=b\"}",
         false},
        {"reports", "\"arguments\":{\"word\":\"w\"}", false},
        {"counts", "\"arguments\":{}", false},
        {"counts", "\"arguments\":{\"word\":\"block\"}", false},
        {"counts", "\"arguments\":{\"word\":\"error\"}", false},
        {"counts", "\"arguments\":{\"word\":\"fail\"}", false},
        {"counts", "\"arguments\":{\"word\":\"misfit\"}", false},
        {"counts", "\"arguments\":{\"word\":5}", false},
        {"document", "\"arguments\":{}", false},
        {"document", "\"arguments\":{\"word\":\"broken\"}", false},
        {"large", "\"arguments\":{}", false},
        {"large", "\"arguments\":{\"word\":\"too\"}", false},
        {"mends", "\"arguments\":{\"count\":\"5\"}", false},
        {"asks", "\"arguments\":{\"word\":\"w\"}", true},
        {"asks", "\"arguments\":{\"word\":\"w\"}", false},
    };
    static const char *const revisions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25",
                                            "2026-07-28"};
    struct record here, there;

    (void)state;
    record_open(&here, false);
    record_open(&there, true);
    for (size_t r = 0; r < COUNT_OF(revisions); r++)
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            talk(&here, revisions[r], rows[i].answers, rows[i].tool, rows[i].params);
            talk(&there, revisions[r], rows[i].answers, rows[i].tool, rows[i].params);
            assert_int_equal(here.text.status, 0);
            assert_true(here.text.size > 0);
            haft_buffer_add(&here.text, "", 1);
            haft_buffer_add(&there.text, "", 1);
            assert_string_equal(here.text.data, there.text.data);
        }
    record_close(&here);
    record_close(&there);
}

static void waits_for_a_handler_that_is_pending(void **state)
{
    haft_tool tool = later_tool;
    struct record record;

    (void)state;
    record_open(&record, true);
    tool.isolate = true;
    assert_int_equal(haft_add(record.server, &tool), 0);
    talk(&record, "2025-11-25", false, "later", "\"arguments\":{}");
    haft_buffer_add(&record.text, "", 1);
    assert_string_equal(
        record.text.data,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":3,"
        "\"progress\":1,\"total\":2,\"message\":\"from another thread\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
        "\"later\"}]}}\n");
    record_close(&record);
}

/* ---- what it does to itself ---- */

static int harms(haft_call *call, const word_args *in)
{
    static volatile bool never;

    if (!strcmp(in->word, "crash"))
        raise(SIGSEGV);
    if (!strcmp(in->word, "kill"))
        raise(SIGKILL);
    if (!strcmp(in->word, "exit"))
        _exit(3);
    if (!strcmp(in->word, "talk"))
        while (!never)
            haft_log(call, HAFT_INFO, "and on");
    if (!strcmp(in->word, "loop"))
        while (!never)
            continue;
    if (!strcmp(in->word, "stop"))
        raise(SIGSTOP);
    if (!strcmp(in->word, "print") && printf("stray\n") > 0)
        return haft_text(call, "printed");
    if (!strcmp(in->word, "garbage")) {
        static const char packet[] = "\5\0{\"status\":0,\"content\":[5]}";

        return write(3, packet, sizeof packet - 1) > 0 ? 0 : HAFT_EINVAL;
    }
    if (!strcmp(in->word, "forge")) {
        static const char packet[] =
            "\5\0{\"status\":0,\"meta\":{\"io.modelcontextprotocol/serverInfo\":1}}";

        return write(3, packet, sizeof packet - 1) > 0 ? 0 : HAFT_EINVAL;
    }
    if (!strcmp(in->word, "open"))
        return haft_text(call, "%d%d%d%d", fcntl(0, F_GETFD) >= 0, fcntl(1, F_GETFD) >= 0,
                         fcntl(2, F_GETFD) >= 0,
                         fcntl(*(int *)haft_server_data(call), F_GETFD) >= 0);
    if (!strcmp(in->word, "state"))
        return haft_text(call, "%d", ++data_word);
    return haft_text(call, "fine");
}
HAFT_TOOL_IN(harms, word_args, "Does harm", .isolate = true, .timeout_ms = LONG_MS);

static char last_outcome[32];

static void on_after(haft_call *call, haft_outcome outcome, void *data)
{
    (void)call;
    (void)data;
    snprintf(last_outcome, sizeof last_outcome, "%s", haft_outcome_name(outcome));
}
static const haft_stage watch = HAFT_INIT(haft_stage, .name = "watch", .after = on_after);

static void harms_only_itself(void **state)
{
    static const struct {
        const char *word, *text, *outcome, *log;
    } rows[] = {
        {"none", "fine", "ok", ""},
        {"crash", "The tool crashed.", "failed", "crashed (signal 11)"},
        {"kill", "The tool crashed.", "failed", "crashed (signal 9)"},
        {"exit", "The tool crashed.", "failed",
         "its process exited with status 3 before it answered"},
        {"garbage", "The tool crashed.", "failed", "its process sent an invalid result"},
        {"forge", "The tool crashed.", "failed", "its process sent an invalid result"},
        {"loop", "timed out after 1500 ms", "timed_out", "timed out after 1500 ms"},
        {"talk", "timed out after 1500 ms", "timed_out", "and on"},
        {"stop", "timed out after 1500 ms", "timed_out", "timed out after 1500 ms"},
        {"print", "printed", "ok", ""},
        {"open", "1110", "ok", ""},
        {"state", "6", "ok", ""},
        {"state", "6", "ok", ""},
        {"none", "fine", "ok", ""},
    };
    struct record record = {0};
    int open_here = fcntl(0, F_DUPFD, 100);
    haft_tool brief = harms_tool;
    haft_client *client;

    (void)state;
    haft_buffer_init(&record.text, NULL, ROOM);
    record.server = haft_server_new_with(
        "harm", "1",
        HAFT_WITH(haft_server_options, .log = on_log, .log_context = &record, .data = &open_here));
    brief.name = "harms_briefly";
    brief.timeout_ms = SHORT_MS;
    assert_int_equal(haft_add(record.server, &harms_tool), 0);
    assert_int_equal(haft_add(record.server, &brief), 0);
    assert_int_equal(haft_stage_add(record.server, &watch), 0);
    client = haft_client_new(record.server, NULL);
    assert_non_null(client);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char arguments[64];
        haft_result result;

        haft_buffer_clear(&record.text);
        snprintf(arguments, sizeof arguments, "{\"word\":\"%s\"}", rows[i].word);
        assert_int_equal(
            haft_client_call(client,
                             strcmp(rows[i].outcome, "timed_out") ? "harms" : "harms_briefly",
                             arguments, &result),
            0);
        assert_string_equal(result.text, rows[i].text);
        assert_int_equal(result.is_error, !!strcmp(rows[i].outcome, "ok"));
        assert_string_equal(last_outcome, rows[i].outcome);
        haft_buffer_add(&record.text, "", 1);
        assert_non_null(strstr(record.text.data, rows[i].log));
    }
    assert_int_equal(data_word, 5);
    haft_client_free(client);
    close(open_here);
    haft_buffer_finish(&record.text);
    haft_server_free(record.server);
    /* Everything that was started has ended, and has been taken notice of. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void tools_that_come_later_are_isolated_too(void **state)
{
    haft_server *server = haft_server_new("later", "1");
    haft_client *client = haft_client_new(server, NULL);
    haft_tool other = harms_tool;
    haft_result result;

    (void)state;
    assert_int_equal(haft_add(server, &harms_tool), 0);
    assert_int_equal(haft_client_call(client, "harms", "{\"word\":\"crash\"}", &result), 0);
    assert_string_equal(result.text, "The tool crashed.");
    other.name = "other";
    assert_int_equal(haft_add(server, &other), 0);
    assert_int_equal(haft_offer_rename(server, HAFT_OFFER_TOOL, "harms", "renamed"), 0);
    assert_int_equal(haft_client_call(client, "other", "{}", &result), 0);
    assert_string_equal(result.text, "fine");
    assert_int_equal(haft_client_call(client, "renamed", "{}", &result), 0);
    assert_string_equal(result.text, "fine");
    other.quick = true;
    assert_int_equal(haft_tool_replace(server, "other", &other), HAFT_EINVAL);
    assert_string_equal(haft_server_error(server)->text,
                        "a tool cannot be both quick and isolated");
    haft_client_free(client);
    haft_server_free(server);
}

static pid_t look_for_child(pid_t parent)
{
    char path[64], text[64] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    file = fopen(path, "r");
    if (!file)
        return 0;
    if (!fgets(text, sizeof text, file))
        text[0] = '\0';
    fclose(file);
    return (pid_t)strtol(text, NULL, 10);
}

/* The process whose parent is `parent`, which may be about to make it; 0 when there is none. */
static pid_t child_of(pid_t parent)
{
    pid_t pid = 0;

    for (int i = 0; !pid && i < 1000; i++) {
        pid = look_for_child(parent);
        if (!pid)
            usleep(5000);
    }
    return pid;
}

static void processes_that_die_are_replaced(void **state)
{
    haft_server *server = haft_server_new("mortal", "1");
    haft_client *client;
    haft_result result;

    (void)state;
    assert_int_equal(haft_add(server, &harms_tool), 0);
    client = haft_client_new(server, NULL);
    for (int i = 0; i < 4; i++) {
        pid_t supervisor = child_of(getpid()), fork_server = child_of(supervisor);

        assert_true(supervisor > 0 && fork_server > 0);
        /* The supervisor makes another fork server; without a supervisor there is a new one of both. */
        kill(fork_server, SIGKILL);
        if (i % 2) {
            siginfo_t info;

            kill(supervisor, SIGKILL);
            waitid(P_PID, (id_t)supervisor, &info, WEXITED | WNOWAIT);
        }
        assert_int_equal(haft_client_call(client, "harms", "{}", &result), 0);
        /* What the one that was killed had taken in is lost with it. */
        if (strcmp(result.text, "fine"))
            assert_int_equal(haft_client_call(client, "harms", "{}", &result), 0);
        assert_string_equal(result.text, "fine");
    }
    haft_client_free(client);
    haft_server_free(server);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* A sanitizer's own memory is far over any limit. */
#if !SANITIZED
#define LIMITS_MEMORY

static int fills(haft_call *call)
{
    char *memory = malloc((size_t)512 << 20);

    if (!memory)
        return haft_text(call, "no memory");
    memset(memory, 1, 4096);
    free(memory);
    return haft_text(call, "memory");
}
HAFT_TOOL_BARE(fills, "Wants memory", .isolate = true, .isolate_memory = (size_t)256 << 20);

static void has_only_the_memory_it_may_have(void **state)
{
    haft_server *server = haft_server_new("memory", "1");
    haft_client *client;
    haft_result result;

    (void)state;
    assert_int_equal(haft_add(server, &fills_tool), 0);
    client = haft_client_new(server, NULL);
    assert_int_equal(haft_client_call(client, "fills", "{}", &result), 0);
    assert_string_equal(result.text, "no memory");
    haft_client_free(client);
    haft_server_free(server);
}

#endif

/* ---- without the one or the other ---- */

static void is_refused_where_nothing_was_started(void **state)
{
    haft_server *server = haft_server_new("bare", "1");
    haft_client *client = haft_client_new(server, NULL);
    struct isolation *isolation = atomic_exchange(&server->isolation.runner, NULL);
    haft_result result;

    (void)state;
    assert_int_equal(haft_add(server, &harms_tool), 0);
    assert_int_equal(haft_client_call(client, "harms", "{}", &result), 0);
    assert_string_equal(result.text, "The tool failed.");
    atomic_store(&server->isolation.runner, isolation);
    assert_int_equal(haft_server_isolate(server), 0);
    assert_int_equal(haft_client_call(client, "harms", "{}", &result), 0);
    assert_string_equal(result.text, "fine");
    haft_client_free(client);
    haft_server_free(server);
}

static void survives_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;
        haft_client *client = NULL;
        haft_result result;

        failing_init(&failing, nth);
        server = haft_server_new_with(
            "failing", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        if (server && !haft_add(server, &harms_tool))
            client = haft_client_new(server, NULL);
        if (client && !haft_client_call(client, "harms", "{}", &result))
            assert_true(result.is_error || !strcmp(result.text, "fine"));
        haft_client_free(client);
        haft_server_free(server);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_as_if_it_ran_here),
        cmocka_unit_test(waits_for_a_handler_that_is_pending),
        cmocka_unit_test(harms_only_itself),
        cmocka_unit_test(tools_that_come_later_are_isolated_too),
        cmocka_unit_test(processes_that_die_are_replaced),
#if defined LIMITS_MEMORY
        cmocka_unit_test(has_only_the_memory_it_may_have),
#endif
        cmocka_unit_test(is_refused_where_nothing_was_started),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
