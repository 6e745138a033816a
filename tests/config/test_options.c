/* test_options.c - every option, right and wrong, by every way it can be given: read off the
 * table. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http/http.h"
#include "task/task.h"
#include "config/option.h"
#include "config/program_options.h"
#include "support/file.h"
#include "support/test.h"

enum { PAGE_LIMIT = 1 << 20 };
static const char page_name[] = "docs/configuration.md";
static const char page_begin[] = "<!-- options: written by the tests, from the table -->\n";
static const char page_end[] = "<!-- end of options -->\n";

/* ---- a load ---- */

/* One way through all layers: what stands where, NULL for nothing. */
struct layers {
    const char *file; /* the text of the configuration file */
    const char *variable;
    const char *flag;
};

struct load {
    haft_server *server;
    struct program_settings program;
    struct settings settings;
    struct complaints complaints;
    char path[FILE_PATH];
    int status;
};

static void load_begin(struct load *load, const struct option *option, const struct layers *layers)
{
    char variable[OPTION_VARIABLE];
    struct given given[2];
    size_t n = 0;

    load->server = haft_server_new("test", "1");
    assert_int_equal(hf_program_settings_init(&load->program, load->server), 0);
    load->path[0] = '\0';
    hf_complaints_init(&load->complaints, NULL);
    if (layers->file) {
        file_make(load->path, layers->file);
        given[n++] = (struct given){hf_option_by_flag("--config"), load->path};
    }
    hf_option_variable(option, variable);
    if (layers->variable)
        setenv(variable, layers->variable, 1);
    if (layers->flag)
        given[n++] = (struct given){option, layers->flag};
    load->status = hf_settings_load(&load->settings, &load->program, given, n, &load->complaints);
    haft_buffer_add(&load->complaints.text, "", 1);
    unsetenv(variable);
}

static void load_end(struct load *load)
{
    if (*load->path)
        unlink(load->path);
    hf_settings_finish(&load->settings);
    hf_complaints_finish(&load->complaints);
    haft_server_free(load->server);
}

static const char *text_of_value(const struct option *option, const struct settings *settings)
{
    static char text[512];
    haft_buffer buffer;

    haft_buffer_init(&buffer, NULL, PAGE_LIMIT);
    hf_option_put(option, settings, &buffer);
    assert_int_equal(buffer.status, 0);
    assert_true(buffer.size < sizeof text);
    memcpy(text, buffer.size ? buffer.data : "", buffer.size);
    text[buffer.size] = '\0';
    haft_buffer_finish(&buffer);
    return text;
}

/* ---- good values ---- */

/* Three of each type: as text, as JSON, and how they are written back. */
static const struct sample {
    const char *text, *json, *written;
} samples[OPTION_TYPES][3] = {
    [OPTION_SWITCH] = {{"true", "true", "true"}, {"0", "false", "false"}, {"1", "true", "true"}},
    [OPTION_RATE] = {{"5", "5", "5/1m"},
                     {"7/30s", "\"7/30s\"", "7/30s"},
                     {"9/h", "\"9/h\"", "9/1h"}},
    [OPTION_TEXT] = {{"a", "\"a\"", "a"},
                     {"b c", "\"b c\"", "b c"},
                     {"\xc3\xa9", "\"\\u00e9\"", "\xc3\xa9"}},
    [OPTION_FILE] = {{"a", "\"a\"", "a"}, {"b/c", "\"b/c\"", "b/c"}, {"/d", "\"/d\"", "/d"}},
    [OPTION_PATH] = {{"/a", "\"/a\"", "/a"}, {"/", "\"/\"", "/"}, {"/b/c", "\"/b/c\"", "/b/c"}},
    [OPTION_ADDRESS] = {{"127.0.0.1:0", "\"127.0.0.1:0\"", "127.0.0.1:0"},
                        {"[::1]:65535", "\"[::1]:65535\"", "[::1]:65535"},
                        {"unix:/a", "\"unix:/a\"", "unix:/a"}},
    [OPTION_LIST] = {{"a", "[\"a\"]", "a"}, {"b", "[\"b\",\"c\"]", "b,c"}, {"d", "[]", ""}},
};

/* Numbers and words are the row's own: the least, one between, the most. */
static struct sample sample_of(const struct option *option, int which, char room[3][64])
{
    uint64_t number = which == 0   ? option->min
                      : which == 1 ? (option->min + option->max) / 2
                                   : option->max;

    if (option->type == OPTION_WORD) {
        const char *word = option->words[which < 2 ? which : 0];

        snprintf(room[0], sizeof room[0], "\"%s\"", word);
        return (struct sample){word, room[0], word};
    }
    if (option->separator && which == 1)
        return (struct sample){"b,x;c", "[\"b,x\",\"c\"]", "b,x;c"};
    if (option->type > OPTION_DURATION || option->type == OPTION_SWITCH)
        return samples[option->type][which];
    snprintf(room[0], sizeof room[0], "%llu", (unsigned long long)number);
    return (struct sample){room[0], room[0], NULL};
}

static uint64_t number_of(const struct option *option, const struct settings *settings)
{
    const char *at = (const char *)settings + option->offset;
    unsigned narrow;
    uint64_t wide;

    if (option->size == sizeof narrow) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

static void is_worth(const struct option *option, const struct load *load, struct sample sample,
                     enum source source)
{
    const char *got = text_of_value(option, &load->settings);

    if (load->status)
        fail_msg("%s: refused: %s", option->key, load->complaints.text.data);
    if (sample.written ? strcmp(got, sample.written)
                       : number_of(option, &load->settings) != strtoull(sample.text, NULL, 10))
        fail_msg("%s: is %s and not %s", option->key, got,
                 sample.written ? sample.written : sample.text);
    if (load->settings.from[option - hf_option_table] != source)
        fail_msg("%s: comes from %s and not %s", option->key,
                 hf_source_name(load->settings.from[option - hf_option_table]),
                 hf_source_name(source));
}

/* {"limits": {"workers": VALUE}} */
static const char *file_with(const char *key, const char *value)
{
    static char text[512];
    const char *dot = strchr(key, '.');

    snprintf(text, sizeof text, "{\"%.*s\": {\"%s\": %s}}", (int)(dot - key), key, dot + 1, value);
    return text;
}

static void every_option_by_every_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < hf_option_count; i++) {
        const struct option *option = &hf_option_table[i];

        for (int a = 0; option->key && a < 3; a++) {
            char room[3][3][64];
            struct sample file = sample_of(option, a, room[0]);
            struct sample variable = sample_of(option, (a + 1) % 3, room[1]);
            struct sample flag = sample_of(option, (a + 2) % 3, room[2]);
            const struct sample text = {flag.text, NULL,
                                        option->type == OPTION_LIST ? flag.text : flag.written};
            const struct sample env = {variable.text, NULL,
                                       option->type == OPTION_LIST ? variable.text
                                                                   : variable.written};
            const char *json = file_with(option->key, file.json);
            const struct row {
                struct layers layers;
                struct sample expected;
                enum source source;
            } rows[] = {
                {{json, NULL, NULL}, file, FROM_FILE},
                {{NULL, variable.text, NULL}, env, FROM_ENVIRONMENT},
                {{NULL, NULL, flag.text}, text, FROM_COMMAND_LINE},
                {{json, variable.text, NULL}, env, FROM_ENVIRONMENT},
                {{json, NULL, flag.text}, text, FROM_COMMAND_LINE},
                {{json, variable.text, flag.text}, text, FROM_COMMAND_LINE},
            };

            for (size_t k = 0; k < COUNT_OF(rows); k++) {
                struct load load;

                load_begin(&load, option, &rows[k].layers);
                is_worth(option, &load, rows[k].expected, rows[k].source);
                load_end(&load);
            }
        }
    }
}

/* What is written as a value, or as a file, reads back the same. */
static void values_go_round(void **state)
{
    (void)state;
    for (size_t i = 0; i < hf_option_count; i++) {
        const struct option *option = &hf_option_table[i];

        for (int a = 0; option->key && a < 3; a++) {
            char room[3][64];
            struct sample sample = sample_of(option, a, room);
            struct load first, second;
            haft_buffer file;

            load_begin(&first, option, &(struct layers){.flag = sample.text});
            haft_buffer_init(&file, NULL, PAGE_LIMIT);
            hf_option_put_settings_json(&first.settings, &file);
            haft_buffer_add(&file, "", 1);
            load_begin(&second, option, &(struct layers){.file = file.data});
            assert_int_equal(second.status, 0);
            for (size_t k = 0; k < hf_option_count; k++)
                if (hf_option_table[k].key &&
                    !hf_option_equal(&hf_option_table[k], &first.settings, &second.settings))
                    fail_msg("%s does not come back", hf_option_table[k].key);
            haft_buffer_finish(&file);
            load_end(&first);
            load_end(&second);
        }
    }
}

/* ---- wrong ones ---- */

/* Of a list, which has at most 64. */
#define TEN "\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\","

static const struct wrong {
    const char *text, *json; /* NULL: there is no wrong one that way */
} wrongs[OPTION_TYPES][7] = {
    [OPTION_SWITCH] = {{"yes", "\"true\""}, {"TRUE", "1"}, {"truee", "null"}},
    [OPTION_NUMBER] = {{"x", "\"1\""},
                       {"-1", "-1"},
                       {"1.5", "1.5"},
                       {" 1", "[1]"},
                       {"1 ", "true"},
                       {"99999999999999999999", "1e30"},
                       /* one, if it were cut to 64 bits */
                       {"18446744073709551617", NULL}},
    [OPTION_SIZE] = {{"x", "\"\""},
                     {"4MB", "\"4MB\""},
                     {"4 KiB", "\"4 KiB\""},
                     {"-1", "-4096"},
                     {"99999999999GiB", "{}"},
                     {"KiB", "4096.5"},
                     {"17179869185GiB", "\"17179869185GiB\""}},
    [OPTION_DURATION] = {{"x", "\"\""},
                         {"4min", "\"4min\""},
                         {"4 s", "\"4 s\""},
                         {"-1", "-4"},
                         {"25h", "\"25h\""},
                         {"s", "10.5"}},
    [OPTION_RATE] = {{"x", "\"x\""},
                     {"5/", "-5"},
                     {"5/0s", "\"5/0s\""},
                     {"5/25h", "5.5"},
                     {"1000001", "1000001"},
                     {"5/1x", "[5]"}},
    [OPTION_WORD] = {{"nothing", "\"nothing\""}, {"DEBUG", "3"}, {"debug ", "null"}},
    [OPTION_TEXT] = {{NULL, "5"}, {NULL, "\"\""}, {"\xff", "[\"a\"]"}, {NULL, "\"a\\u0000b\""}},
    [OPTION_FILE] = {{NULL, "5"}, {NULL, "\"\""}, {"\xff", "{}"}, {NULL, "\"a\\u0000b\""}},
    [OPTION_PATH] = {{"mcp", "\"mcp\""}, {"http://a/mcp", "5"}},
    [OPTION_ADDRESS] = {{"127.0.0.1", "\"127.0.0.1\""},
                        {":65536", "\":x\""},
                        {"a:65536", "8080"},
                        {"unix:", "\"unix:\""},
                        {"a:", "\"a:\""},
                        {"a:b", "null"}},
    [OPTION_LIST] = {{"\xff", "\"a\""},
                     {NULL, "[5]"},
                     {NULL, "[\"\"]"},
                     {NULL, "{}"},
                     {NULL, "[" TEN TEN TEN TEN TEN TEN "\"a\",\"a\",\"a\",\"a\",\"a\"]"}},
};

static void is_refused(const struct option *option, const struct layers *layers, const char *place)
{
    struct load load;
    char expected[128];

    snprintf(expected, sizeof expected, "%s: expected ", place);
    load_begin(&load, option, layers);
    if (load.status != HAFT_EINVAL || !strstr(load.complaints.text.data, expected))
        fail_msg("%s: %s%s%s gives %d, %s", place, layers->file ? layers->file : "",
                 layers->variable ? layers->variable : "", layers->flag ? layers->flag : "",
                 load.status, load.complaints.text.data);
    assert_int_equal(load.complaints.n, 1);
    load_end(&load);
}

static void is_refused_everywhere(const struct option *option, const char *text, const char *json)
{
    char variable[OPTION_VARIABLE];

    hf_option_variable(option, variable);
    if (text) {
        is_refused(option, &(struct layers){.flag = text}, option->flag);
        is_refused(option, &(struct layers){.variable = text}, variable);
    }
    if (json)
        is_refused(option, &(struct layers){.file = file_with(option->key, json)}, option->key);
}

static void every_wrong_value_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < hf_option_count; i++) {
        const struct option *option = &hf_option_table[i];
        char beyond[32];

        if (!option->key)
            continue;
        for (size_t k = 0; k < COUNT_OF(wrongs[0]); k++)
            is_refused_everywhere(option, wrongs[option->type][k].text,
                                  wrongs[option->type][k].json);
        if (option->type < OPTION_NUMBER || option->type > OPTION_DURATION)
            continue;
        snprintf(beyond, sizeof beyond, "%llu", (unsigned long long)option->max + 1);
        is_refused_everywhere(option, beyond, beyond);
        if (!option->min)
            continue;
        snprintf(beyond, sizeof beyond, "%llu", (unsigned long long)option->min - 1);
        is_refused_everywhere(option, beyond, beyond);
    }
}

/* A slip in a key is found again: a letter left out, one too many, its section forgotten. */
static void slip(const char *key, int kind, char text[256])
{
    const char *dot = strchr(key, '.');
    char wrong[64];
    size_t size;

    snprintf(wrong, sizeof wrong, "%s", dot + 1);
    size = strlen(wrong);
    if (kind == 0)
        wrong[size - 1] = '\0';
    else if (kind == 1)
        memcpy(wrong + size, "x", 2);
    if (kind == 2)
        snprintf(text, 256, "{\"%s\": 1}", wrong);
    else
        snprintf(text, 256, "{\"%.*s\": {\"%s\": 1}}", (int)(dot - key), key, wrong);
}

static void every_wrong_key_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < hf_option_count; i++)
        for (int kind = 0; hf_option_table[i].key && kind < 3; kind++) {
            const struct option *option = &hf_option_table[i];
            char text[256], expected[128];
            struct load load;

            slip(option->key, kind, text);
            /* Without its section it may be that of another, which has the same name. */
            snprintf(expected, sizeof expected, "%s%s?\n",
                     kind == 2 ? "." : ": unknown key; did you mean ",
                     kind == 2 ? strchr(option->key, '.') + 1 : option->key);
            load_begin(&load, option, &(struct layers){.file = text});
            if (load.status != HAFT_EINVAL || !strstr(load.complaints.text.data, expected))
                fail_msg("%s gives %d, %s and not %s", text, load.status, load.complaints.text.data,
                         expected);
            load_end(&load);
        }
}

/* ---- the table itself ---- */

static void rows_are_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < hf_option_count; i++) {
        const struct option *option = &hf_option_table[i];
        char variable[OPTION_VARIABLE], section[64];

        assert_memory_equal(option->flag, "--", 2);
        assert_ptr_equal(hf_option_by_flag(option->flag), option);
        assert_true(option->help && *option->help);
        assert_true(strlen(option->flag) + sizeof "HAFT_" - 2 <= sizeof variable);
        assert_true(option->type != OPTION_WORD || option->words);
        if (!option->key)
            continue;
        assert_ptr_equal(hf_option_by_key(option->key), option);
        snprintf(section, sizeof section, "%.*s", (int)strcspn(option->key, "."), option->key);
        if (!hf_option_has_section(section))
            fail_msg("%s has no section", option->key);
    }
}

/* The defaults that are printed are those that the servers have. */
static void defaults_are_the_servers(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    struct program_settings program;
    struct settings here, there = {0};
    haft_reason reason;
    uv_loop_t loop;
    haft_http *http;
    haft_endpoint *endpoint;

    (void)state;
    assert_int_equal(hf_program_settings_init(&program, server), 0);
    assert_int_equal(hf_settings_init(&here, &program), 0);
    uv_loop_init(&loop);
    http = haft_http_new(server, HAFT_WITH(haft_http_options, .address = "127.0.0.1:0"), &loop,
                         &reason);
    assert_non_null(http);
    endpoint = haft_endpoint_new(server, NULL);
    assert_non_null(endpoint);
    there.server = server->options;
    there.http = http->options;
    there.http.session_idle_ms = endpoint->options.session_idle_ms;
    there.http.path = endpoint->options.path;
    there.http.metrics_path = "/metrics";
    there.workers = http->options.workers;
    there.max_queue = http->options.max_queue;
    there.drain_ms = http->options.drain_ms;
    assert_int_equal(haft_server_set_tasks(server, NULL), 0);
    there.tasks = server->tasks.service->options;
    for (size_t i = 0; i < hf_option_count; i++) {
        const struct option *option = &hf_option_table[i];

        if (!option->initial || option->type == OPTION_WORD || !strncmp(option->key, "stdio.", 6) ||
            !strcmp(option->key, "http.threads"))
            continue;
        if (!hf_option_equal(option, &here, &there))
            fail_msg("%s is %s, and without a word %s", option->key, option->initial,
                     text_of_value(option, &there));
    }
    haft_endpoint_free(endpoint);
    haft_http_close(http, 0, NULL, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    hf_settings_finish(&here);
    haft_server_free(server);
}

/* ---- the page ---- */

static char *read_page(void)
{
    FILE *file = fopen(page_name, "r");
    char *text = calloc(1, PAGE_LIMIT);

    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, PAGE_LIMIT - 1, file) > 0);
    fclose(file);
    return text;
}

/* HAFT_WRITE_DOCS=1 writes it. */
static void the_page_is_the_table(void **state)
{
    char *page = read_page(), *begin = strstr(page, page_begin), *end = strstr(page, page_end);
    haft_buffer rows;

    (void)state;
    assert_non_null(begin);
    assert_non_null(end);
    begin += strlen(page_begin);
    haft_buffer_init(&rows, NULL, PAGE_LIMIT);
    haft_buffer_puts(&rows, "\n");
    hf_option_put_markdown(&rows);
    haft_buffer_puts(&rows, "\n");
    if (getenv("HAFT_WRITE_DOCS")) {
        FILE *file = fopen(page_name, "w");

        assert_non_null(file);
        fwrite(page, 1, (size_t)(begin - page), file);
        fwrite(rows.data, 1, rows.size, file);
        fputs(end, file);
        fclose(file);
    } else if ((size_t)(end - begin) != rows.size || memcmp(begin, rows.data, rows.size) != 0) {
        fail_msg("%s is not what the table says; HAFT_WRITE_DOCS=1 makes it so", page_name);
    }
    haft_buffer_finish(&rows);
    free(page);
}

/* The line of an option in --help ends with its words and its default. */
static void the_help_lists_the_words(void **state)
{
    const struct program_options none = {0};
    size_t checked = 0;
    haft_buffer help;

    (void)state;
    haft_buffer_init(&help, NULL, PAGE_LIMIT);
    hf_option_put_help(&none, &help);
    haft_buffer_add(&help, "", 1);
    assert_int_equal(help.status, 0);
    for (size_t i = 0; i < hf_option_count; i++) {
        const struct option *option = &hf_option_table[i];
        char expected[512];
        int n;

        if (!option->words)
            continue;
        n = snprintf(expected, sizeof expected, "%s", option->help);
        for (size_t k = 0; option->words[k]; k++)
            n += snprintf(expected + n, sizeof expected - (size_t)n, "%s%s", k ? ", " : ": ",
                          option->words[k]);
        snprintf(expected + n, sizeof expected - (size_t)n, " (%s)\n", option->initial);
        if (!strstr(help.data, expected))
            fail_msg("--help does not contain: %s", expected);
        checked++;
    }
    assert_true(checked >= 6);
    haft_buffer_finish(&help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(every_option_by_every_way),
        cmocka_unit_test(values_go_round),
        cmocka_unit_test(every_wrong_value_is_refused),
        cmocka_unit_test(every_wrong_key_is_refused),
        cmocka_unit_test(defaults_are_the_servers),
        cmocka_unit_test(the_page_is_the_table),
        cmocka_unit_test(the_help_lists_the_words),
    };

    /* What the machine has set is not this test's. */
    for (size_t i = 0; i < hf_option_count; i++) {
        char variable[OPTION_VARIABLE];

        hf_option_variable(&hf_option_table[i], variable);
        unsetenv(variable);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
