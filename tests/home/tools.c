/* tools.c - runs tables of calls of the home's tools. */
#include "home/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yyjson.h>

#include "home/fault_link.h"
#include "json/json.h"
#include "support/test.h"

enum { SHORT_MS = 300, PATIENCE_MS = 20000 };

const char *const situation_names[SITUATIONS] = {"NORMAL",      "BAD_ARGUMENT", "UNKNOWN_ENTITY",
                                                 "UNAVAILABLE", "WRONG_DOMAIN", "HASS_ERROR",
                                                 "LOST",        "DEADLINE",     "CANCELLED"};

/* ---- expectations ---- */

bool house_matches(const char *text, const char *pattern)
{
    const char *star = NULL, *back = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            back = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++back;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

haft_value *house_at(haft_value *value, const char *path)
{
    while (value && *path) {
        size_t size = strcspn(path, ".");

        value = yyjson_is_arr(value) ? yyjson_arr_get(value, (size_t)strtoul(path, NULL, 10))
                                     : yyjson_obj_getn(value, path, size);
        path += size + (path[size] == '.');
    }
    return value;
}

static char *tools_quoted(const char *text, size_t size)
{
    char *copy = strndup(text, size);

    assert_non_null(copy);
    for (char *at = copy; *at; at++)
        if (*at == '\'')
            *at = '"';
    return copy;
}

static void expect_fails(const char *path, haft_value *found, const char *wanted)
{
    haft_buffer text;

    haft_buffer_init(&text, NULL, 1 << 20);
    if (found)
        haft_json_write(found, &text);
    print_error("%s is %.*s\n", path, found ? (int)text.size : 6, found ? text.data : "absent");
    haft_buffer_finish(&text);
    fail_msg("%s must be %s", path, *wanted ? wanted : "absent");
}

/* One "PATH=JSON", "PATH=" or "PATH~PATTERN".  A path whose keys have dots, light.x, does not occur. */
static void expect_one(haft_value *structured, char *line)
{
    size_t size = strcspn(line, "=~");
    char kind = line[size], *wanted = line + size + 1;
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_value *found, *json;

    assert_non_null(arena);
    assert_true(kind);
    line[size] = '\0';
    found = house_at(structured, line);
    if (!*wanted) {
        if (found)
            expect_fails(line, found, wanted);
    } else if (kind == '~') {
        if (!yyjson_is_str(found) || !house_matches(yyjson_get_str(found), wanted))
            expect_fails(line, found, wanted);
    } else {
        json = haft_json_read(wanted, strlen(wanted), 0, arena, NULL);
        if (!json)
            fail_msg("not JSON: %s", wanted);
        if (!found || hf_json_equal(found, json, arena) != 1)
            expect_fails(line, found, wanted);
    }
    haft_arena_free(arena);
}

void house_expect(const haft_result *result, const char *expect)
{
    const char *at = expect;

    if (*expect == '!') {
        if (!result->is_error || !house_matches(result->text, expect + 1))
            fail_msg("expected the error %s, got %s: %s", expect + 1,
                     result->is_error ? "the error" : "the result", result->text);
        return;
    }
    if (result->is_error)
        fail_msg("an error: %s", result->text);
    while (*at) {
        const char *end = strstr(at, "; ");
        size_t size = end ? (size_t)(end - at) : strlen(at);
        char *line = tools_quoted(at, size);

        expect_one(result->structured, line);
        free(line);
        at += size + (end ? 2 : 0);
    }
}

/* ---- running a row ---- */

static void tools_check_asked(struct house *house, const char *asked)
{
    char *text;
    bool found;

    if (!asked)
        return;
    text = tools_quoted(asked, strlen(asked));
    found = strstr(house_asked(house), *text == '!' ? text + 1 : text);
    if (found == (*text == '!'))
        fail_msg("Home Assistant was asked:\n%s", house_asked(house));
    free(text);
}

/* A call that nobody waits for any more is not answered, and its handler ends. */
static void tools_cancel(struct house *house, const struct tool_case *row)
{
    char *arguments = tools_quoted(row->arguments ? row->arguments : "{}",
                                   row->arguments ? strlen(row->arguments) : 2);
    size_t size = strlen(arguments) + strlen(row->tool) + 64;
    char *params = malloc(size);
    haft_client *client = house_client(house);
    haft_result result;
    int64_t id;

    assert_non_null(params);
    snprintf(params, size, "{\"name\":\"%s\",\"arguments\":%s}", row->tool, arguments);
    id = haft_client_send(client, "tools/call", params);
    assert_true(id > 0);
    house_wait_swallowed(house, 1);
    assert_int_equal(house_running(house), 1);
    assert_int_equal(haft_client_cancel(client, id), 0);
    for (int i = 0; i < PATIENCE_MS / 5 && house_running(house); i++)
        ;
    assert_int_equal(house_running(house), 0);
    assert_int_equal(haft_client_wait(client, id, 1, &result), HAFT_ENOTFOUND);
    assert_int_equal(haft_client_strays(client), 0);
    free(params);
    free(arguments);
}

static void tools_do_before(struct house *house, const char *before)
{
    const char *space = before ? strchr(before, ' ') : NULL;
    char *tool = space ? strndup(before, (size_t)(space - before)) : NULL;
    haft_result result;

    if (!space)
        return;
    result = house_call(house, tool, space + 1);
    if (result.is_error)
        fail_msg("before: %s", result.text);
    free(tool);
}

/* The entity that the arguments name is made unavailable. */
static void tools_unavail(struct house *house, const struct tool_case *row)
{
    static const char key[] = "'entity_id':'";
    const char *at = row->arguments ? strstr(row->arguments, key) : NULL;
    char id[256] = "";

    if (row->unavailable)
        snprintf(id, sizeof id, "%s", row->unavailable);
    else if (at)
        sscanf(at + sizeof key - 1, "%255[^']", id);
    assert_true(*id);
    house_post_state(house, id, "{'state':'unavailable'}");
}

/* Has the client connect and fill its cache, which takes as long as it takes, before time is short. */
static void tools_warm_up(struct house *house, const struct tool_case *row)
{
    haft_result result;

    if (row->situation != DEADLINE || !row->at || strstr(row->at, "get_states"))
        return;
    do
        result = house_call(house, "dashboard", NULL);
    while (result.is_error);
}

/* The model of the client: it says what the row wants. */
static int tools_sample(void *context, const char *method, haft_value *params,
                        haft_buffer *ret_result)
{
    const struct tool_case *row = context;
    char *text = tools_quoted(row->model, strlen(row->model));

    assert_string_equal(method, "sampling/createMessage");
    assert_non_null(house_at(params, "messages.0.content.text"));
    haft_buffer_puts(ret_result, "{\"role\":\"assistant\",\"model\":\"test\",\"content\":{"
                                 "\"type\":\"text\",\"text\":");
    haft_buffer_json_string(ret_result, text, strlen(text));
    haft_buffer_puts(ret_result, "}}");
    free(text);
    return 0;
}

static void tools_run_row(const struct tool_case *row)
{
    struct house *house;
    haft_result result;

    fault_answers = row->answers;
    house = house_open(
        &(struct house_options){.situation = row->situation,
                                .at = row->at,
                                .answer = row->model ? tools_sample : NULL,
                                .context = (void *)(uintptr_t)row,
                                .timeout_ms = row->situation == DEADLINE ? SHORT_MS : 0});
    fault_answers = NULL;
    if (row->situation == UNAVAILABLE)
        tools_unavail(house, row);
    tools_warm_up(house, row);
    tools_do_before(house, row->before);
    if (row->situation == CANCELLED) {
        tools_cancel(house, row);
    } else {
        result = house_call(house, row->tool, row->arguments);
        house_expect(&result, row->expect ? row->expect : "!*did not answer within*");
    }
    tools_check_asked(house, row->asked);
    house_close(house);
}

static void tools_test(void **state)
{
    const struct tool_case *row = *state;

    assert_true(row->expect || row->situation >= DEADLINE);
    tools_run_row(row);
}

int tools_run(const char *group, const struct tool_case *rows, size_t n)
{
    struct CMUnitTest *tests = calloc(n, sizeof *tests);
    char(*names)[200] = calloc(n, sizeof *names);
    size_t n_tests = 0;
    int failed;

    assert_true(tests && names);
    for (size_t i = 0; i < n; i++) {
        if (rows[i].why_not)
            continue;
        snprintf(names[i], sizeof *names, "%s %s %s", rows[i].tool,
                 situation_names[rows[i].situation], rows[i].arguments ? rows[i].arguments : "");
        tests[n_tests++] = (struct CMUnitTest){.name = names[i],
                                               .test_func = tools_test,
                                               .initial_state = (void *)(uintptr_t)&rows[i]};
    }
    failed = _cmocka_run_group_tests(group, tests, n_tests, NULL, NULL);
    free(names);
    free(tests);
    return failed;
}
