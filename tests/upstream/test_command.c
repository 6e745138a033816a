/* test_command.c - programs as tools, called by a client. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yyjson.h>

#include "programs.h"
#include "support/child.h"
#include "support/failing.h"
#include "support/test.h"
#include "upstream/command.h"

enum { WAIT_MS = 30000, CONFIG = 4096 };

static char self[1024];

/* ---- a server with an upstream ----
 *
 * The client in this process has no thread, so the outbound loop runs on the thread of the test. */

struct place {
    haft_server *server;
    struct upstream_set set;
    struct upstream *upstream;
    haft_client *client;
    int n_progress;
    char progress[2048]; /* "done/total message;" of each */
};

static haft_time real_time(void *context)
{
    (void)context;
    return (haft_time)milliseconds();
}

/* Replaces SELF by the name of this program. */
static const char *with_self(const char *text, char *room)
{
    const char *at = strstr(text, "SELF");

    if (!at)
        return text;
    snprintf(room, CONFIG, "%.*s%s%s", (int)(at - text), text, self, at + 4);
    return room;
}

static int place_open(struct place *place, const char *name, const char *command,
                      const haft_allocator *allocator, haft_reason *reason)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    char room[CONFIG];
    const char *text = with_self(command, room);
    struct upstream_definition definition = {
        .name = name, .prefix = name, .text = text, .kind = &hf_upstream_command};
    struct upstream_items items = {.arena = arena};
    int status;

    memset(place, 0, sizeof *place);
    place->server = haft_server_new("commands", "1");
    assert_int_equal(hf_upstream_set_init(&place->set, place->server), 0);
    if (allocator)
        place->set.allocator = allocator;
    assert_int_equal(uv_loop_init(&place->set.outbound.loop), 0);
    place->set.outbound.thread = uv_thread_self();
    place->set.outbound.state = OUTBOUND_OWN;
    definition.options = haft_json_read(text, strlen(text), 0, arena, reason);
    if (!definition.options)
        fail_msg("%s: %s", text, reason->text);
    status = hf_upstream_new(&place->set, &definition, &place->upstream, reason);
    if (!status)
        status = hf_upstream_start(place->upstream, reason);
    if (!status)
        status = hf_upstream_command.items(place->upstream, place->server, &items, reason);
    for (size_t i = 0; i < items.n; i++)
        assert_int_equal(hf_offer_list_put(place->server, HAFT_OFFER_TOOL, items.list[i], NULL), 0);
    haft_arena_free(arena);
    if (!status)
        place->client = haft_client_new(
            place->server, HAFT_WITH(haft_client_options, .clock = real_time, .progress = true));
    return status;
}

static void place_close(struct place *place)
{
    if (place->upstream) {
        hf_upstream_stop(place->upstream);
        hf_module_drop(&place->upstream->module);
    }
    hf_supervisor_close(place->set.supervisor, WAIT_MS, NULL, NULL);
    uv_run(&place->set.outbound.loop, UV_RUN_DEFAULT);
    if (place->client)
        haft_client_free(place->client);
    assert_int_equal(uv_loop_close(&place->set.outbound.loop), 0);
    place->set.outbound.state = OUTBOUND_NEW;
    haft_server_free(place->server);
    hf_upstream_set_finish(&place->set);
}

static void on_time(uv_timer_t *timer)
{
    (void)timer; /* the loop has turned */
}

/* Waits for the answer to a request, while the loop runs. */
static void place_wait(struct place *place, int64_t id, haft_result *result)
{
    int64_t end = milliseconds() + WAIT_MS;
    uv_timer_t timer;
    int status;

    uv_timer_init(&place->set.outbound.loop, &timer);
    uv_timer_start(&timer, on_time, 5, 5);
    while ((status = haft_client_wait(place->client, id, 1, result)) == HAFT_PENDING &&
           milliseconds() < end)
        uv_run(&place->set.outbound.loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&place->set.outbound.loop, UV_RUN_NOWAIT);
    if (status)
        fail_msg("%s", haft_strerror(status));
}

static void place_call(struct place *place, const char *tool, const char *arguments,
                       haft_result *result)
{
    int status = haft_client_call(place->client, tool, arguments, result);

    if (status == HAFT_PENDING)
        place_wait(place, haft_client_latest(place->client), result);
    else if (status)
        fail_msg("%s: %s", arguments, haft_strerror(status));
}

/* ---- results ---- */

#define TEXT_INPUT "\"input\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}"

/* clang-format off */
static const struct row {
    const char *command, *arguments;
    bool is_error;
    const char *text, *structured; /* the latter may be NULL */
} rows[] = {
    /* Arguments. */
    {"{\"run\":[\"SELF\",\"program-words\",\"{a}\",\"--x={a}\"]}", "{\"a\":\"a b\\\"\"}", false, "[\"a b\\u0022\",\"--x=a b\\u0022\"]\n", NULL},
    {"{\"run\":[\"SELF\",\"program-words\",[\"-l\",\"{l}\"]],\"input\":{\"type\":\"object\",\"properties\":{\"l\":{\"type\":\"array\"}}}}", "{\"l\":[\"$HOME\",\"`id`\"]}", false, "[\"-l\",\"$HOME\",\"`id`\"]\n", NULL},
    {"{\"run\":[\"SELF\",\"program-words\",\"{d}\"],\"input\":{\"type\":\"object\",\"properties\":{\"d\":{\"type\":\"integer\",\"default\":7}}}}", "{}", false, "[\"7\"]\n", NULL},
    {"{\"run\":[\"echo\",\"{a}\"]}", "{\"a\":\"-n\"}", true, "a: must not begin with \"-\", which would make it an option", NULL},
    {"{\"run\":[\"echo\",\"{a}\"],\"allow_dash\":[\"a\"]}", "{\"a\":\"-n\"}", false, "", NULL},
    /* Standard input. */
    {"{\"run\":[\"cat\"],\"stdin\":\"<{a}>\"," TEXT_INPUT "}", "{\"a\":\"x\"}", false, "<x>", NULL},
    {"{\"run\":[\"cat\"],\"stdin\":\"{*}\"," TEXT_INPUT "}", "{\"a\":\"x\"}", false, "{\"a\":\"x\"}", NULL},
    {"{\"run\":[\"cat\"],\"stdin\":\"{a}\"," TEXT_INPUT "}", "{}", false, "", NULL},
    {"{\"run\":[\"cat\"]}", "{}", false, "", NULL},
    {"{\"run\":[\"true\"],\"stdin\":\"{a}\"}", "{\"a\":\"not read\"}", false, "", NULL},
    /* Environment and directory. */
    {"{\"run\":[\"sh\",\"-c\",\"echo $A $HAFT_TEST_TOKEN.$HAFT_TEST_PLAIN\"],\"env\":{\"A\":\"1\"}}", "{}", false, "1 .plain\n", NULL},
    {"{\"run\":[\"sh\",\"-c\",\"echo $HAFT_TEST_PLAIN\"],\"env\":{\"HAFT_TEST_PLAIN\":\"2\"}}", "{}", false, "2\n", NULL},
    {"{\"run\":[\"pwd\"],\"directory\":\"/usr\"}", "{}", false, "/usr\n", NULL},
    /* Exit codes. */
    {"{\"run\":[\"sh\",\"-c\",\"echo out; echo why >&2; exit 3\"]}", "{}", true, "The program exited with status 3.\nwhy", NULL},
    {"{\"run\":[\"sh\",\"-c\",\"echo out; exit 3\"]}", "{}", true, "The program exited with status 3.\nout\n", NULL},
    {"{\"run\":[\"sh\",\"-c\",\"exit 1\"],\"exit_codes\":{\"1\":{\"ok\":true,\"text\":\"no matches\"}}}", "{}", false, "no matches", NULL},
    {"{\"run\":[\"sh\",\"-c\",\"echo two; exit 1\"],\"exit_codes\":{\"1\":{\"ok\":true,\"text\":\"no matches\"}}}", "{}", false, "two\n", NULL},
    {"{\"run\":[\"sh\",\"-c\",\"echo e >&2; exit 4\"],\"exit_codes\":{\"4\":{\"text\":\"the disk is full\"}}}", "{}", true, "the disk is full\ne", NULL},
    {"{\"run\":[\"true\"],\"exit_codes\":{\"0\":{\"text\":\"too good\"}}}", "{}", true, "too good", NULL},
    {"{\"run\":[\"sh\",\"-c\",\"kill -9 $$\"]}", "{}", true, "The program was terminated by signal 9 (Killed).", NULL},
    {"{\"run\":[\"no-such-program\"]}", "{}", true, "no-such-program: cannot execute it: No such file or directory", NULL},
    {"{\"run\":[\"true\"],\"directory\":\"/no/such\"}", "{}", true, "true: cannot enter its directory: No such file or directory", NULL},
    /* JSON. */
    {"{\"run\":[\"echo\",\"{{\\\"n\\\":5}}\"],\"output\":\"json\"}", "{}", false, "{\"n\":5}", "{\"n\":5}"},
    {"{\"run\":[\"echo\",\"{{\\\"n\\\":5}}\"],\"output\":\"json\",\"output_schema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}}", "{}", false, "{\"n\":5}", "{\"n\":5}"},
    {"{\"run\":[\"echo\",\"oops\"],\"output\":\"json\"}", "{}", true, "Its output is not valid JSON: ", NULL},
    /* Output that is not UTF-8, and too much of it. */
    {"{\"run\":[\"printf\",\"a\\\\377b\"]}", "{}", false, "a\xef\xbf\xbd" "b", NULL},
    {"{\"run\":[\"SELF\",\"program-flood\"],\"max_output\":1000}", "{}", true, "The program wrote more than 1000 bytes, and was terminated.", NULL},
    {"{\"run\":[\"SELF\",\"program-silent\"],\"limits\":{\"cpu_seconds\":1},\"timeout_ms\":200}", "{}", true, "timed out", NULL},
    /* Files. */
    {"{\"run\":[\"sh\",\"-c\",\"echo text >$1\",\"sh\",\"{output}\"],\"output\":\"file\"}", "{}", false, "text\n", NULL},
    {"{\"run\":[\"true\",\"{output}\"],\"output\":\"file\"}", "{}", true, "It did not write its output file.", NULL},
    {"{\"run\":[\"ln\",\"-s\",\"/etc/passwd\",\"{output}\"],\"output\":\"file\"}", "{}", true, "It did not write its output file.", NULL},
    {"{\"run\":[\"sh\",\"-c\",\"trap '' XFSZ; head -c 3000 /dev/zero >$1; exit 0\",\"sh\",\"{output}\"],\"output\":\"file\",\"max_output\":1000,\"limits\":{\"file_mb\":1}}", "{}", true, "The file that it wrote is over 1000 bytes.", NULL},
    /* The sandbox. */
    {"{\"run\":[\"sh\",\"-c\",\"cat /etc/shadow 2>/dev/null || echo no\"],\"sandbox\":{}}", "{}", false, "no\n", NULL},
    {"{\"run\":[\"sh\",\"-c\",\"echo text >$1\",\"sh\",\"{output}\"],\"output\":\"file\",\"sandbox\":{}}", "{}", false, "text\n", NULL},
    /* Limits. */
    {"{\"run\":[\"sh\",\"-c\",\"ulimit -v; ulimit -n\"],\"limits\":{\"memory_mb\":512,\"open_files\":20}}", "{}", false, "524288\n20\n", NULL},
};
/* clang-format on */

static void answers_calls(void **state)
{
    (void)state;
    setenv("HAFT_TEST_TOKEN", "secret", 1);
    setenv("HAFT_TEST_PLAIN", "plain", 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct row *row = &rows[i];
        struct place place;
        haft_reason reason;
        haft_result result;
        char *structured;

        if (place_open(&place, "tool", row->command, NULL, &reason)) {
            if (strstr(row->command, "sandbox") && strstr(reason.text, "kernel")) {
                place_close(&place);
                continue; /* what the kernel does not support */
            }
            fail_msg("%s: %s: %s", row->command, reason.path, reason.text);
        }
        place_call(&place, "tool", row->arguments, &result);
        structured = yyjson_val_write(result.structured, 0, NULL);
        if (result.is_error != row->is_error ||
            strncmp(result.text, row->text, strlen(row->text)) ||
            (!strstr(row->text, "JSON") && !strstr(row->text, "wrote more") &&
             !strstr(row->text, "timed out") && strlen(result.text) != strlen(row->text)) ||
            (row->structured && (!structured || strcmp(structured, row->structured))))
            fail_msg("%s with %s: %s\"%s\" %s", row->command, row->arguments,
                     result.is_error ? "error " : "", result.text, structured ? structured : "");
        free(structured);
        place_close(&place);
    }
}

/* ---- entries that are refused ---- */

/* clang-format off */
static const struct refusal {
    const char *command, *path, *text;
} refusals[] = {
    {"{}", "", "expected either \"run\" or \"tools\""},
    {"{\"run\":[\"a\"],\"tools\":{\"x\":{\"run\":[\"a\"]}}}", "", "expected either \"run\" or \"tools\""},
    {"{\"tools\":{\"x\":{}}}", "tools.x", "expected \"run\""},
    {"{\"tools\":{\"x\":{\"run\":[\"a\",\"{b\"]}}}", "tools.x.run.1", "\"{b\" has no }; write {{ for a brace"},
    {"{\"run\":[\"a\",\"{b}\"],\"input\":{\"type\":\"object\",\"properties\":{\"c\":{}}}}", "run.1", "\"{b}\" is not a property of \"input\""},
    {"{\"run\":[\"a\"],\"stdin\":\"{b\"}", "stdin", "\"{b\" has no }; write {{ for a brace"},
    {"{\"run\":[\"a\"],\"input\":{\"type\":5}}", "input.#/type", NULL},
    {"{\"run\":[\"a\"],\"output_schema\":{}}", "output_schema", "only for output \"json\""},
    {"{\"run\":[\"a\"],\"output\":\"file\"}", "run", "no word has {output}, the file that the result is read from"},
    {"{\"run\":[\"a\"],\"env\":{\"A=B\":\"x\"}}", "env", "\"A=B\" is not the name of a variable"},
    {"{\"run\":[\"a\"],\"env\":{\"A\":\"@/no/such\"}}", "env", "cannot read /no/such: No such file or directory"},
    {"{\"run\":[\"a\"],\"progress\":{\"pattern\":\"(\"}}", "progress.pattern", NULL},
    {"{\"run\":[\"a\"],\"progress\":{\"pattern\":\"x\"}}", "progress.pattern", "expected a group (?<done>...) or (?<message>...)"},
    {"{\"run\":[\"a\"],\"sandbox\":{\"read\":[\"/no/such\"]}}", "sandbox./no/such", NULL},
    {"{\"run\":[\"a\",\"{x}\"],\"allow_dash\":[\"y\"],\"input\":{\"type\":\"object\",\"properties\":{\"x\":{}}}}", "allow_dash", "\"y\" is not a property of \"input\""},
    {"{\"run\":[\"a\"],\"exit_codes\":{\"x\":{}}}", NULL, NULL},
    {"{\"run\":[\"a\"],\"colour\":1}", NULL, NULL},
};
/* clang-format on */

static void refuses_wrong_entries(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        struct place place;
        haft_reason reason = {.code = 0};
        int status = place_open(&place, "tool", refusals[i].command, NULL, &reason);

        if (!status || (refusals[i].path && strcmp(reason.path, refusals[i].path)) ||
            (refusals[i].text && strcmp(reason.text, refusals[i].text)))
            fail_msg("%s: %s: %s", refusals[i].command, reason.path, reason.text);
        place_close(&place);
    }
}

/* ---- several tools, and their names ---- */

static void offers_several_tools(void **state)
{
    static const char command[] =
        "{\"env\":{\"A\":\"1\"},\"directory\":\"/usr\",\"tools\":{"
        "\"where\":{\"run\":[\"pwd\"]},\"which\":{\"run\":[\"sh\",\"-c\",\"echo $A\"]},"
        "\"own\":{\"run\":[\"sh\",\"-c\",\"echo $A$B; pwd\"],\"env\":{\"B\":\"2\"},\"directory\":\"/\"}}}";
    static const char *const calls[][2] = {
        {"kit__where", "/usr\n"}, {"kit__which", "1\n"}, {"kit__own", "2\n/\n"}};
    struct place place;
    haft_reason reason;
    haft_result result;

    (void)state;
    assert_int_equal(place_open(&place, "kit", command, NULL, &reason), 0);
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        place_call(&place, calls[i][0], "{}", &result);
        assert_string_equal(result.text, calls[i][1]);
        assert_false(result.is_error);
    }
    place_close(&place);
}

/* ---- blocks of files ---- */

static void returns_files_by_type(void **state)
{
    static const struct file_row {
        const char *bytes, *type, *kind, *mime;
    } files[] = {
        {"\\211PNG....", NULL, "image", "image/png"},
        {"\\377\\330\\377....", NULL, "image", "image/jpeg"},
        {"RIFF....WAVE", NULL, "audio", "audio/wav"},
        {"%%PDF-1.7", NULL, "resource", "application/pdf"},
        {"\\001\\377", NULL, "resource", "application/octet-stream"},
        {"<svg/>", "image/svg+xml", "image", "image/svg+xml"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        char command[CONFIG];
        struct place place;
        haft_reason reason;
        haft_result result;
        yyjson_val *block, *at;

        snprintf(command, sizeof command,
                 "{\"run\":[\"sh\",\"-c\",\"printf '%s' >$1\",\"sh\",\"{output}\"],"
                 "\"output\":\"file\"%s%s%s}",
                 files[i].bytes, files[i].type ? ",\"output_type\":\"" : "",
                 files[i].type ? files[i].type : "", files[i].type ? "\"" : "");
        for (char *c = command; (c = strchr(c, '\\')); c += 2) /* for JSON */
            if (c[1] != '"')
                memmove(c + 1, c, strlen(c) + 1);
        assert_int_equal(place_open(&place, "tool", command, NULL, &reason), 0);
        place_call(&place, "tool", "{}", &result);
        block = yyjson_arr_get_first(result.content);
        at = yyjson_obj_get(block, "resource") ? yyjson_obj_get(block, "resource") : block;
        assert_string_equal(yyjson_get_str(yyjson_obj_get(block, "type")), files[i].kind);
        assert_string_equal(yyjson_get_str(yyjson_obj_get(at, "mimeType")), files[i].mime);
        place_close(&place);
    }
}

/* Nothing is left of the directories of output files. */
static int count_directories(void)
{
    DIR *directory = opendir("/tmp");
    const struct dirent *entry;
    int n = 0;

    while (directory && (entry = readdir(directory))) {
        struct stat about;
        char path[300];

        snprintf(path, sizeof path, "/tmp/%s/output", entry->d_name);
        n += !strncmp(entry->d_name, "haft-", 5) && !lstat(path, &about);
    }
    if (directory)
        closedir(directory);
    return n;
}

static void removes_output_files(void **state)
{
    static const char command[] =
        "{\"run\":[\"sh\",\"-c\",\"d=$(dirname $1); mkdir -p $d/x/y; echo a "
        ">$d/x/y/z; echo a >$1\",\"sh\",\"{output}\"],\"output\":\"file\"}";
    struct place place;
    haft_reason reason;
    haft_result result;
    int before = count_directories();

    (void)state;
    unsetenv("TMPDIR");
    assert_int_equal(place_open(&place, "tool", command, NULL, &reason), 0);
    place_call(&place, "tool", "{}", &result);
    assert_string_equal(result.text, "a\n");
    place_close(&place);
    assert_int_equal(count_directories(), before);
}

/* ---- progress ---- */

static void on_notified(void *context, const char *method, haft_value *params)
{
    struct place *place = context;
    size_t used = strlen(place->progress);

    if (strcmp(method, "notifications/progress") != 0)
        return;
    place->n_progress++;
    snprintf(place->progress + used, sizeof place->progress - used, "%g/%g %s;",
             yyjson_get_num(yyjson_obj_get(params, "progress")),
             yyjson_get_num(yyjson_obj_get(params, "total")),
             yyjson_get_str(yyjson_obj_get(params, "message"))
                 ? yyjson_get_str(yyjson_obj_get(params, "message"))
                 : "-");
}

static void reports_progress(void **state)
{
    static const struct progress_row {
        const char *progress, *script, *seen;
    } tries[] = {
        {"{}", "echo one >&2; printf 'two\\\\rthree\\\\n' >&2; echo out",
         "1/0 one;2/0 two;3/0 three;"},
        {"{\"pattern\":\"(?<done>\\\\d+) of (?<total>\\\\d+)(: (?<message>.*))?\"}",
         "echo 1 of 4 >&2; echo noise >&2; echo 3 of 4: files >&2", "1/4 -;3/4 files;"},
        {"{\"pattern\":\"^step (?<message>.*)\"}", "echo step a >&2; echo x >&2; echo step b >&2",
         "1/0 a;2/0 b;"},
        {"{\"pattern\":\"(?<done>.*) of (?<total>.*)\"}",
         "echo 0.5 of 4 >&2; echo ' 1.5e1 of 0x20' >&2; echo 0x30 of 4 >&2; echo 16 of >&2",
         "0.5/4 -;15/0 -;"},
        /* more lines than the memory of a call could hold */
        {"{\"pattern\":\"^step (?<message>.*)\"}",
         "yes $(printf '\\\\377%.0s' $(seq 500)) | head -n 60000 >&2; echo step a >&2; seq 50000",
         "1/0 a;"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        char command[CONFIG];
        struct place place;
        haft_reason reason;
        haft_result result;

        snprintf(command, sizeof command, "{\"run\":[\"sh\",\"-c\",\"%s\"],\"progress\":%s}",
                 tries[i].script, tries[i].progress);
        assert_int_equal(place_open(&place, "tool", command, NULL, &reason), 0);
        haft_client_free(place.client);
        place.client = haft_client_new(
            place.server, HAFT_WITH(haft_client_options, .clock = real_time, .progress = true,
                                    .notify = on_notified, .context = &place));
        place_call(&place, "tool", "{}", &result);
        assert_false(result.is_error);
        assert_string_equal(place.progress, tries[i].seen);
        place_close(&place);
    }
}

/* ---- cancellation and the end ---- */

static void await_processes(struct place *place, const char *word, int n)
{
    int64_t end = milliseconds() + WAIT_MS;

    while (programs_count(word) != n) {
        if (milliseconds() > end)
            fail_msg("%d processes, not %d", programs_count(word), n);
        uv_run(&place->set.outbound.loop, UV_RUN_NOWAIT);
        sleep_ms(5);
    }
}

enum { TREE = 7 /* processes of program-tree */ };

/* What ignores SIGTERM, and what has left the group, ends as well. */
static void kills_what_is_cancelled(void **state)
{
    struct place place;
    haft_reason reason;
    haft_result result;
    int64_t id;

    (void)state;
    assert_int_equal(
        place_open(&place, "tool",
                   "{\"run\":[\"SELF\",\"program-tree\",\"haft-cancel\"],\"grace_ms\":50}", NULL,
                   &reason),
        0);
    assert_int_equal(haft_client_call(place.client, "tool", "{}", &result), HAFT_PENDING);
    id = haft_client_latest(place.client);
    await_processes(&place, "haft-cancel", TREE);
    haft_client_cancel(place.client, id);
    await_processes(&place, "haft-cancel", 0);
    place_close(&place);
}

static void kills_what_is_late(void **state)
{
    struct place place;
    haft_reason reason;
    haft_result result;

    (void)state;
    assert_int_equal(
        place_open(&place, "tool",
                   "{\"run\":[\"SELF\",\"program-tree\",\"haft-late\"],\"grace_ms\":50,"
                   "\"timeout_ms\":300}",
                   NULL, &reason),
        0);
    place_call(&place, "tool", "{}", &result);
    assert_true(result.is_error);
    await_processes(&place, "haft-late", 0);
    place_close(&place);
}

/* Calls in flight are answered when all upstreams stop. */
static void answers_when_it_stops(void **state)
{
    struct place place;
    haft_reason reason;
    haft_result result;

    (void)state;
    assert_int_equal(place_open(&place, "tool", "{\"run\":[\"sleep\",\"654321\"],\"grace_ms\":50}",
                                NULL, &reason),
                     0);
    assert_int_equal(haft_client_call(place.client, "tool", "{}", &result), HAFT_PENDING);
    await_processes(&place, "654321", 1);
    place.set.ending = true;
    hf_upstream_stop(place.upstream);
    place_wait(&place, haft_client_latest(place.client), &result);
    assert_true(result.is_error);
    assert_string_equal(result.text, "The program was terminated, because the server ends it.");
    /* A later call is refused. */
    place_call(&place, "tool", "{}", &result);
    assert_string_equal(result.text, "the program is no longer offered");
    hf_module_drop(&place.upstream->module);
    place.upstream = NULL;
    place_close(&place);
}

/* The error says why, and the next call works. */
static void reports_a_lack_of_descriptors(void **state)
{
    struct rlimit before, none;
    struct place place;
    haft_reason reason;
    haft_result result;

    (void)state;
    assert_int_equal(place_open(&place, "tool", "{\"run\":[\"echo\",\"x\"]}", NULL, &reason), 0);
    place_call(&place, "tool", "{}", &result); /* the supervisor has been started */
    assert_string_equal(result.text, "x\n");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    place_call(&place, "tool", "{}", &result);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(result.is_error);
    assert_non_null(strstr(result.text, "too many open files"));
    place_call(&place, "tool", "{}", &result);
    assert_string_equal(result.text, "x\n");
    place_close(&place);
}

static void runs_many_at_once(void **state)
{
    enum { MANY = 60 };
    struct place place;
    haft_reason reason;
    haft_result result;
    int64_t ids[MANY];

    (void)state;
    assert_int_equal(place_open(&place, "tool", "{\"run\":[\"echo\",\"{a}\"]}", NULL, &reason), 0);
    for (int i = 0; i < MANY; i++) {
        char arguments[64];

        snprintf(arguments, sizeof arguments, "{\"a\":\"%d\"}", i);
        assert_int_equal(haft_client_call(place.client, "tool", arguments, &result), HAFT_PENDING);
        ids[i] = haft_client_latest(place.client);
    }
    for (int i = 0; i < MANY; i++) {
        place_wait(&place, ids[i], &result);
        assert_int_equal(strtol(result.text, NULL, 10), i);
    }
    place_close(&place);
}

/* ---- allocations fail ---- */

static void comes_through_failing_allocations(void **state)
{
    static const char command[] =
        "{\"run\":[\"cat\"],\"stdin\":\"{a}\",\"output\":\"json\",\"env\":{\"A\":\"1\"},"
        "\"input\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}}";

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        struct place place;
        haft_reason reason;
        haft_result result;

        failing_init(&failing, nth);
        if (!place_open(&place, "tool", command, &failing.allocator, &reason)) {
            place_call(&place, "tool", "{\"a\":\"{}\"}", &result);
            if (!failing.failures)
                assert_string_equal(result.text, "{}");
        }
        place_close(&place);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_calls),
        cmocka_unit_test(refuses_wrong_entries),
        cmocka_unit_test(offers_several_tools),
        cmocka_unit_test(returns_files_by_type),
        cmocka_unit_test(removes_output_files),
        cmocka_unit_test(reports_progress),
        cmocka_unit_test(kills_what_is_cancelled),
        cmocka_unit_test(kills_what_is_late),
        cmocka_unit_test(answers_when_it_stops),
        cmocka_unit_test(reports_a_lack_of_descriptors),
        cmocka_unit_test(runs_many_at_once),
        cmocka_unit_test(comes_through_failing_allocations),
    };

    programs_run(argc, argv);
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
