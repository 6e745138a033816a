/* test_settings.c - settings as a whole: files that are wrong, sections of the program's own,
 * memory that runs out, and what a reload changes. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/option.h"
#include "config/reload.h"
#include "support/failing.h"
#include "support/file.h"
#include "support/test.h"

/* ---- files ---- */

static const struct {
    const char *text;
    const char *complaints; /* all of them */
} files[] = {
    {"{}", ""},
    {"{\"limits\": {}}", ""},
    {"{\"limits\": {\"workers\": 2}, \"tools\": {\"disabled\": []}}", ""},
    {"", "f: the file is empty; write {} to change nothing\n"},
    {"{\n  \"limits\": {\n    \"workers\": 2,\n  }\n}\n",
     "f: line 3: trailing comma is not allowed\n"},
    {"{\"log\":", "f: line 1: unexpected end of data\n"},
    {"{\"log\": {},\n\"log\": {}}", "f: the key \"log\" occurs more than once\n"},
    {"[]", "f: expected an object\n"},
    {"{\"limits\": 5}", "f: limits: expected an object\n"},
    {"{\"limits\": {\"worker\": 5}}",
     "f: limits.worker: unknown key; did you mean limits.workers?\n"},
    {"{\"limit\": {\"workers\": 5}}", "f: limit: unknown key; did you mean limits?\n"},
    {"{\"limit.workers\": 5}", "f: limit.workers: unknown key; did you mean limits.workers?\n"},
    {"{\"quite different\": 5}", "f: quite different: unknown key\n"},
    {"{\"limits\": {\"workers\": 0, \"queue\": \"x\"}, \"log\": {\"level\": \"eror\"}}",
     "f: limits.workers: expected a whole number from 1 to 1024, not 0\n"
     "f: limits.queue: expected a whole number from 1 to 1000000, not \"x\"\n"
     "f: log.level: expected one of debug, info, notice, warning, error, critical, alert, emergency, not "
     "eror; did you mean error?\n"},
#if HAFT_HTTP
    {"{\"http\": {\"path\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}}",
     "f: http.path: expected a path that begins with /, not "
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\n"},
#else
    {"{\"http\": {\"path\": \"/mcp\"}}", "f: http: unknown key\n"},
#endif
};

struct subject {
    haft_server *server;
    struct program_settings program;
    struct settings settings;
    struct complaints complaints;
};

static void subject_init(struct subject *subject)
{
    if (!subject->server)
        subject->server = haft_server_new("test", "1");
    assert_int_equal(hf_program_settings_init(&subject->program, subject->server), 0);
    hf_complaints_init(&subject->complaints, NULL);
}

static void subject_finish(struct subject *subject)
{
    hf_settings_finish(&subject->settings);
    hf_complaints_finish(&subject->complaints);
    haft_server_free(subject->server);
}

static void files_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct subject subject = {0};

        subject_init(&subject);
        assert_int_equal(hf_settings_init(&subject.settings, &subject.program), 0);
        hf_settings_read_text(&subject.settings, "f", files[i].text, strlen(files[i].text),
                              &subject.complaints);
        haft_buffer_add(&subject.complaints.text, "", 1);
        assert_string_equal(subject.complaints.text.data, files[i].complaints);
        subject_finish(&subject);
    }
}

static void what_is_no_json_is_said_with_its_place(void **state)
{
    static const char *const texts[] = {"", "{", "{\"a\":1,\"a\":2}", "nothing",
                                        "{\"limits\":{\"workers\":3},}"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct subject subject = {0};

        subject_init(&subject);
        assert_int_equal(hf_settings_init(&subject.settings, &subject.program), 0);
        assert_int_equal(hf_settings_read_text(&subject.settings, "f", texts[i], strlen(texts[i]),
                                               &subject.complaints),
                         0);
        assert_int_equal(subject.complaints.n, 1);
        subject_finish(&subject);
    }
}

/* Many faults are counted, and the first of them told. */
static void many_complaints_have_an_end(void **state)
{
    struct subject subject = {0};
    char text[4096] = "{";
    size_t lines = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"k%d\":1", i ? "," : "", i);
    snprintf(text + strlen(text), sizeof text - strlen(text), "}");
    subject_init(&subject);
    assert_int_equal(hf_settings_init(&subject.settings, &subject.program), 0);
    hf_settings_read_text(&subject.settings, "f", text, strlen(text), &subject.complaints);
    assert_int_equal(subject.complaints.n, 100);
    for (size_t i = 0; i < subject.complaints.text.size; i++)
        lines += subject.complaints.text.data[i] == '\n';
    assert_int_equal(lines, subject.complaints.max);
    subject_finish(&subject);
}

/* ---- layers ---- */

static void a_list_on_the_command_line_replaces_and_grows(void **state)
{
    const struct option *disable = hf_option_by_flag("--disable");
    const struct given given[] = {{disable, "a"}, {disable, "b,c"}};
    struct subject subject = {0};

    (void)state;
    subject_init(&subject);
    setenv("HAFT_DISABLE", "x,y", 1);
    assert_int_equal(
        hf_settings_load(&subject.settings, &subject.program, given, 0, &subject.complaints), 0);
    assert_string_equal(subject.settings.disabled[0], "x");
    assert_string_equal(subject.settings.disabled[1], "y");
    assert_null(subject.settings.disabled[2]);
    hf_settings_finish(&subject.settings);
    assert_int_equal(
        hf_settings_load(&subject.settings, &subject.program, given, 2, &subject.complaints), 0);
    unsetenv("HAFT_DISABLE");
    assert_string_equal(subject.settings.disabled[0], "a");
    assert_string_equal(subject.settings.disabled[1], "b,c");
    assert_null(subject.settings.disabled[2]);
    subject_finish(&subject);
}

static void what_the_program_says_is_the_lowest_layer(void **state)
{
    const struct option *timeout = hf_option_by_key("limits.timeout");
    const struct given given = {timeout, "3s"};
    struct subject subject = {.server = haft_server_new_with(
                                  "test", "1", HAFT_WITH(haft_server_options, .timeout_ms = 7000))};

    (void)state;
    haft_server_set_visibility(subject.server,
                               HAFT_WITH(haft_visibility, .tools = "a*", .read_only = true));
    subject_init(&subject);
    assert_int_equal(
        hf_settings_load(&subject.settings, &subject.program, NULL, 0, &subject.complaints), 0);
    assert_int_equal(subject.settings.server.timeout_ms, 7000);
    assert_int_equal(subject.settings.from[timeout - hf_option_table], FROM_PROGRAM);
    assert_string_equal(subject.settings.tools, "a*");
    assert_true(subject.settings.read_only);
    hf_settings_finish(&subject.settings);
    assert_int_equal(
        hf_settings_load(&subject.settings, &subject.program, &given, 1, &subject.complaints), 0);
    assert_int_equal(subject.settings.server.timeout_ms, 3000);
    assert_int_equal(subject.settings.from[timeout - hf_option_table], FROM_COMMAND_LINE);
    subject_finish(&subject);
}

/* ---- sections ---- */

struct part {
    haft_section section;
    int prepared, committed, discarded; /* how often */
    int64_t value;                      /* of the latest commit; -1 when there was none */
    int64_t next;
};

static int prepare_part(void *context, haft_value *value, void **ret_prepared, haft_reason *reason)
{
    struct part *part = context;

    if (value && !yyjson_is_int(yyjson_obj_get(value, "size"))) {
        snprintf(reason->path, sizeof reason->path, "size");
        snprintf(reason->text, sizeof reason->text, "there must be one");
        return reason->code = HAFT_EINVAL;
    }
    part->next = value ? yyjson_get_sint(yyjson_obj_get(value, "size")) : -1;
    part->prepared++;
    *ret_prepared = part;
    return 0;
}

static void commit_part(void *context, void *prepared)
{
    struct part *part = context;

    assert_ptr_equal(prepared, part);
    part->value = part->next;
    part->committed++;
}

static void discard_part(void *context, void *prepared)
{
    assert_ptr_equal(prepared, context);
    ((struct part *)context)->discarded++;
}

static void part_init(struct part *part, const char *name)
{
    *part = (struct part){
        .section = {sizeof(haft_section), name, prepare_part, commit_part, discard_part, part},
        .value = -2};
}

struct bench {
    struct part one, two;
    struct subject subject;
    struct reload reload;
    struct audit_file audit;
    char path[64], log[4096];
    struct given given;
};

static void keep_line(void *context, haft_level level, const char *text, size_t size)
{
    struct bench *bench = context;

    if (level >= HAFT_NOTICE)
        snprintf(bench->log + strlen(bench->log), sizeof bench->log - strlen(bench->log), "%.*s\n",
                 (int)size, text);
}

static void write_file(struct bench *bench, const char *text)
{
    FILE *file = fopen(bench->path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void bench_begin(struct bench *bench, const char *text)
{
    struct subject *subject = &bench->subject;

    *bench = (struct bench){.path = "/tmp/haft-settings-XXXXXX", .audit = {0}};
    close(mkstemp(bench->path));
    write_file(bench, text);
    subject->server = haft_server_new("test", "1");
    part_init(&bench->one, "one");
    part_init(&bench->two, "two");
    assert_int_equal(haft_section_add(subject->server, &bench->one.section), 0);
    assert_int_equal(haft_section_add(subject->server, &bench->two.section), 0);
    subject_init(subject);
    bench->given = (struct given){hf_option_by_flag("--config"), bench->path};
    assert_int_equal(hf_settings_load(&subject->settings, &subject->program, &bench->given, 1,
                                      &subject->complaints),
                     0);
    assert_int_equal(hf_app_apply_live(NULL, subject->server, &subject->settings, NULL), 0);
    hf_settings_commit(&subject->settings);
    subject->server->options.log = keep_line;
    subject->server->options.log_context = bench;
    bench->reload = (struct reload){.server = subject->server,
                                    .given = &bench->given,
                                    .n_given = 1,
                                    .started = &subject->settings,
                                    .audit = &bench->audit};
}

static void bench_end(struct bench *bench)
{
    hf_reload_finish(&bench->reload);
    unlink(bench->path);
    subject_finish(&bench->subject);
}

static void sections_are_taken_as_a_whole(void **state)
{
    struct bench bench;

    (void)state;
    bench_begin(&bench, "{\"one\": {\"size\": 1}, \"limits\": {\"workers\": 2}}");
    assert_int_equal(bench.one.value, 1);
    assert_int_equal(bench.two.value, -1);

    /* The second is wrong: the first has prepared in vain. */
    write_file(&bench, "{\"one\": {\"size\": 5}, \"two\": {}}");
    hf_reload_now(&bench.reload);
    assert_int_equal(bench.one.value, 1);
    assert_int_equal(bench.one.discarded, 1);
    assert_int_equal(bench.two.discarded, 0);
    assert_non_null(strstr(bench.log, "keeping the old one\n"));
    assert_non_null(strstr(bench.log, ": two.size: there must be one\n"));

    /* So have both when an option is. */
    write_file(&bench, "{\"one\": {\"size\": 5}, \"limits\": {\"timeout\": \"soon\"}}");
    hf_reload_now(&bench.reload);
    assert_int_equal(bench.one.discarded, 2);
    assert_int_equal(bench.two.discarded, 1);
    assert_int_equal(bench.one.committed, 1);

    write_file(&bench, "{\"one\": {\"size\": 6}, \"two\": {\"size\": 7}}");
    hf_reload_now(&bench.reload);
    assert_int_equal(bench.one.value, 6);
    assert_int_equal(bench.two.value, 7);
    assert_int_equal(bench.one.committed, 2);
    assert_int_equal(bench.one.prepared, bench.one.committed + bench.one.discarded);
    bench_end(&bench);
}

static void sections_have_names_of_their_own(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    struct part parts[SECTIONS_MAX + 1];
    char names[SECTIONS_MAX + 1][8];

    (void)state;
    part_init(&parts[0], "limits");
    assert_int_equal(haft_section_add(server, &parts[0].section), HAFT_EINVAL);
    part_init(&parts[0], "");
    assert_int_equal(haft_section_add(server, &parts[0].section), HAFT_EINVAL);
    for (int i = 0; i <= SECTIONS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "s%d", i);
        part_init(&parts[i], names[i]);
        assert_int_equal(haft_section_add(server, &parts[i].section),
                         i < SECTIONS_MAX ? 0 : HAFT_ETOOBIG);
    }
    haft_server_free(server);
    server = haft_server_new("test", "1");
    assert_int_equal(haft_section_add(server, &parts[0].section), 0);
    assert_int_equal(haft_section_add(server, &parts[0].section), HAFT_EEXISTS);
    haft_server_free(server);
}

/* ---- again ---- */

static void what_can_change_does_and_the_rest_is_told(void **state)
{
    struct bench bench;
    haft_server *server;
    unsigned changes;

    (void)state;
    bench_begin(&bench, "{\"limits\": {\"workers\": 2, \"timeout\": \"5s\"}}");
    server = bench.subject.server;
    changes = atomic_load(&server->changes.lists[HAFT_OFFER_TOOL]);
    assert_int_equal(atomic_load(&server->limits.timeout_ms), 5000);

    write_file(&bench, "{\"limits\": {\"workers\": 3, \"timeout\": \"6s\", \"client_rate\": 9}}");
    hf_reload_now(&bench.reload);
    assert_int_equal(atomic_load(&server->limits.timeout_ms), 6000);
    assert_int_equal(atomic_load(&server->limits.client_calls), 9);
    assert_int_equal(atomic_load(&server->limits.client_per_ms), 60000);
    assert_string_equal(bench.log, "limits.timeout: now 6s (file)\n"
                                   "limits.client_rate: now 9/1m (file)\n"
                                   "limits.workers: changing this requires a restart\n"
                                   "configuration reloaded\n");
    assert_int_equal(atomic_load(&server->changes.lists[HAFT_OFFER_TOOL]), changes);

    /* What is not said any more is as the program, or the table, has it. */
    write_file(&bench, "{\"tools\": {\"offer\": \"a*\", \"disabled\": [\"ab\"]}}");
    bench.log[0] = '\0';
    hf_reload_now(&bench.reload);
    assert_int_equal(atomic_load(&server->limits.timeout_ms), 30000);
    assert_int_equal(atomic_load(&server->limits.client_calls), 0);
    assert_string_equal(server->catalogue->visibility.tools, "a*,-ab");
    assert_int_equal(atomic_load(&server->changes.lists[HAFT_OFFER_TOOL]), changes + 1);

    /* A file that is gone, or wrong, changes nothing. */
    unlink(bench.path);
    hf_reload_now(&bench.reload);
    write_file(&bench, "{\"tools\": {\"ofer\": \"b*\"}, \"limits\": {\"timeout\": \"1s\"}}");
    bench.log[0] = '\0';
    hf_reload_now(&bench.reload);
    assert_int_equal(atomic_load(&server->limits.timeout_ms), 30000);
    assert_string_equal(server->catalogue->visibility.tools, "a*,-ab");
    assert_non_null(strstr(bench.log, "tools.ofer: unknown key; did you mean tools.offer?\n"));
    bench_end(&bench);
}

/* The log is one of the things that change while a server serves. */
static void the_log_changes(void **state)
{
    struct logger logger;
    struct bench bench;

    (void)state;
    assert_int_equal(hf_logger_init(&logger, HAFT_WARNING), 0);
    bench_begin(&bench, "{}");
    bench.reload.logger = &logger;
    write_file(&bench, "{\"log\": {\"level\": \"critical\", \"format\": \"json\"}}");
    hf_reload_now(&bench.reload);
    assert_int_equal(logger.options.level, HAFT_CRITICAL);
    assert_int_equal(logger.options.format, LOG_JSON);
    bench_end(&bench);
    hf_logger_finish(&logger);
}

/* ---- what says nothing, and what says too much ---- */

static void an_empty_variable_says_nothing(void **state)
{
    struct subject subject = {0};

    (void)state;
    setenv("HAFT_WORKERS", "", 1);
    subject_init(&subject);
    assert_int_equal(
        hf_settings_load(&subject.settings, &subject.program, NULL, 0, &subject.complaints), 0);
    assert_int_equal(subject.settings.from[hf_option_by_flag("--workers") - hf_option_table],
                     FROM_DEFAULT);
    subject_finish(&subject);
    unsetenv("HAFT_WORKERS");
}

static void a_file_has_a_limit(void **state)
{
    enum { LIMIT = 1 << 20 };
    char path[FILE_PATH], *text = malloc(LIMIT + 2);

    (void)state;
    assert_non_null(text);
    for (int over = 0; over < 2; over++) {
        struct subject subject = {0};

        memset(text, ' ', LIMIT + 1);
        memcpy(text, "{}", 2);
        text[LIMIT + over] = '\0';
        file_make(path, text);
        subject_init(&subject);
        assert_int_equal(hf_settings_init(&subject.settings, &subject.program), 0);
        assert_int_equal(hf_settings_read_file(&subject.settings, path, &subject.complaints), 0);
        assert_int_equal(subject.complaints.n, over);
        if (over)
            assert_non_null(strstr(subject.complaints.text.data,
                                   ": the configuration exceeds the limit of 1048576 bytes\n"));
        subject_finish(&subject);
        unlink(path);
    }
    free(text);
}

/* ---- memory ---- */

static void memory_may_run_out_anywhere(void **state)
{
    static const char json[] =
        "{\"tools\": {\"disabled\": [\"a\", \"b\"], \"offer\": \"*\"}, \"log\": {\"file\": 5, \"nth\": 1}}";
    char text[16384]; /* so that reading it takes memory, too */
    char path[FILE_PATH];
    const struct given given[] = {{hf_option_by_flag("--config"), path},
                                  {hf_option_by_flag("--sandbox-read"), "x"},
                                  {hf_option_by_flag("--workers"), "0"}};
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    memset(text, ' ', sizeof text - 1);
    memcpy(text, json, sizeof json - 1);
    text[sizeof text - 1] = '\0';
    file_make(path, text);
    for (size_t nth = 1;; nth++) {
        struct program_settings program;
        struct settings settings;
        struct complaints complaints;
        struct failing failing;
        int status;

        failing_init(&failing, nth);
        assert_int_equal(hf_program_settings_init(&program, server), 0);
        program.allocator = &failing.allocator;
        hf_complaints_init(&complaints, &failing.allocator);
        status = hf_settings_load(&settings, &program, given, COUNT_OF(given), &complaints);
        if (status != (failing.failures ? HAFT_ENOMEM : HAFT_EINVAL))
            fail_msg("allocation %zu gives %d: %.*s", nth, status, (int)complaints.text.size,
                     complaints.text.size ? complaints.text.data : "");
        if (!failing.failures)
            assert_int_equal(complaints.n, 3);
        hf_complaints_finish(&complaints);
        hf_settings_finish(&settings);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    unlink(path);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_judged),
        cmocka_unit_test(what_is_no_json_is_said_with_its_place),
        cmocka_unit_test(many_complaints_have_an_end),
        cmocka_unit_test(a_list_on_the_command_line_replaces_and_grows),
        cmocka_unit_test(what_the_program_says_is_the_lowest_layer),
        cmocka_unit_test(sections_are_taken_as_a_whole),
        cmocka_unit_test(sections_have_names_of_their_own),
        cmocka_unit_test(what_can_change_does_and_the_rest_is_told),
        cmocka_unit_test(the_log_changes),
        cmocka_unit_test(an_empty_variable_says_nothing),
        cmocka_unit_test(a_file_has_a_limit),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
