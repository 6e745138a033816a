/* What went wrong, as it goes out: the table of faults against the answers of every revision, and
 * against the page that prints it. */
#include "engine/call/fault.h"

#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"
#include "support/wire.h"

HAFT_STRUCT(end_args, HAFT_STRING(how, "How it ends"));

static haft_call *pending;

static int end(haft_call *call, const end_args *in)
{
    if (!strcmp(in->how, "wait")) {
        pending = call;
        return HAFT_PENDING;
    }
    return !strcmp(in->how, "fail") ? HAFT_EINVAL : haft_error(call, "no");
}
HAFT_TOOL_IN(end, end_args, "Ends badly", .timeout_ms = 30000);

static const haft_tool limited =
    HAFT_INIT(haft_tool, .name = "limited", .description = "Once an hour", .call = end_call_,
              .input = &end_args_type, .rate = {.calls = 1, .per_ms = 3600000});
static const haft_tool hidden =
    HAFT_INIT(haft_tool, .name = "hidden", .description = "Hidden", .call = end_call_);

static const haft_tool guarded = HAFT_INIT(haft_tool, .name = "guarded", .description = "Guarded",
                                           .call = end_call_, .scopes = "a b");

/* A stage that has no memory left for the arguments. */
static int starve(haft_call *call, void *data)
{
    (void)data;
    if (yyjson_equals_str(yyjson_obj_get(haft_call_arguments(call), "how"), "starve"))
        while (haft_call_alloc(call, 64))
            ;
    return 0;
}
static const haft_stage starving = HAFT_INIT(haft_stage, .name = "starving", .before = starve);

static const struct {
    haft_outcome outcome;
    const char *params, *about, *detail;
} provocations[] = {
    {HAFT_OUTCOME_ERROR, "'name':'end','arguments':{'how':'error'}", "", "no"},
    {HAFT_OUTCOME_INVALID, "'name':'end','arguments':{'how':1}", "end",
     "how: Invalid input: expected string, received number"},
    {HAFT_OUTCOME_NOT_FOUND, "'name':'nope'", "nope", ""},
    {HAFT_OUTCOME_DISABLED, "'name':'hidden'", "hidden", ""},
    {HAFT_OUTCOME_RATE_LIMITED, "'name':'limited','arguments':{'how':'error'}", "limited",
     "1 time in 3600 s. Try again in 3600 s."},
    {HAFT_OUTCOME_FORBIDDEN, "'name':'guarded'", "guarded", "scopes a b"},
    {HAFT_OUTCOME_TIMED_OUT, "'name':'end','arguments':{'how':'wait'}", "30 s", ""},
    {HAFT_OUTCOME_FAILED, "'name':'end','arguments':{'how':'fail'}", "", "The tool failed."},
    {HAFT_OUTCOME_INTERNAL, "'name':'end','arguments':{'how':'starve'}", "", ""},
};

static const char *quoted(char *room, size_t size, const char *text)
{
    snprintf(room, size, "%s", text);
    for (char *at = room; (at = strchr(at, '\'')); at++)
        *at = '"';
    return room;
}

static haft_outcome ended;

static void remember(haft_call *call, haft_outcome outcome, void *data)
{
    (void)call;
    (void)data;
    ended = outcome;
}
static const haft_stage remembering = HAFT_INIT(haft_stage, .name = "remember", .after = remember);

/* The answer must say what the row says, in the way it says. */
static void check_answer(const char *answer, const struct fault *fault, const char *text)
{
    yyjson_doc *doc = yyjson_read(answer, strlen(answer), 0);
    yyjson_val *root = yyjson_doc_get_root(doc), *error = yyjson_obj_get(root, "error");
    yyjson_val *result = yyjson_obj_get(root, "result");

    assert_non_null(doc);
    if (fault->code) {
        assert_null(result);
        assert_int_equal(yyjson_get_int(yyjson_obj_get(error, "code")), fault->code);
        assert_string_equal(yyjson_get_str(yyjson_obj_get(error, "message")), text);
    } else {
        assert_null(error);
        assert_true(yyjson_is_true(yyjson_obj_get(result, "isError")));
        assert_string_equal(yyjson_get_str(yyjson_obj_get(
                                yyjson_arr_get_first(yyjson_obj_get(result, "content")), "text")),
                            text);
    }
    yyjson_doc_free(doc);
}

static void the_table_is_what_goes_out(void **state)
{
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    assert_int_equal(haft_add(server, &end_tool), 0);
    assert_int_equal(haft_add(server, &limited), 0);
    assert_int_equal(haft_add(server, &hidden), 0);
    assert_int_equal(haft_add(server, &guarded), 0);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TOOL, "hidden"), 0);
    assert_int_equal(haft_stage_add(server, &starving), 0);
    assert_int_equal(haft_stage_add(server, &remembering), 0);
    for (enum revision revision = 0; revision < REVISIONS; revision++) {
        struct wire *wire = wire_open_with(
            server, (haft_session_options)HAFT_INIT(haft_session_options, .principal = "p"));
        char room[512], text[512];

        wire_greet(wire, hf_revision_rows[revision].name);
        wire_call(wire, "tools/call", quoted(room, sizeof room, provocations[4].params));
        for (size_t i = 0; i < COUNT_OF(provocations); i++) {
            const struct fault *fault = hf_fault_of(provocations[i].outcome, revision);
            const char *answer;

            assert_non_null(fault);
            answer =
                wire_call(wire, "tools/call", quoted(room, sizeof room, provocations[i].params));
            if (provocations[i].outcome == HAFT_OUTCOME_TIMED_OUT) {
                wire->now += 30000;
                haft_session_tick(wire->session, wire->now);
                answer = wire_next(wire);
                haft_finish(pending, 0);
                wire->now -= 30000;
            }
            assert_int_equal(ended, provocations[i].outcome);
            snprintf(text, sizeof text, "%s%s%s%s", fault->before, provocations[i].about,
                     fault->after, provocations[i].detail);
            check_answer(answer, fault, text);
        }
        wire_close(wire);
    }
    haft_server_free(server);
}

/* Every outcome that the table has was provoked, and has no second row in a revision. */
static void every_row_is_provoked(void **state)
{
    static const struct {
        haft_outcome outcome;
        unsigned revisions;
    } rows[] = {
#define ROW(outcome, revisions, code, before, after) {outcome, revisions},
        FAULTS(ROW)
#undef ROW
    };
    unsigned seen[HAFT_OUTCOME_COUNT_] = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool provoked = false;

        assert_int_equal(seen[rows[i].outcome] & rows[i].revisions, 0);
        seen[rows[i].outcome] |= rows[i].revisions;
        for (size_t k = 0; k < COUNT_OF(provocations); k++)
            provoked |= provocations[k].outcome == rows[i].outcome;
        assert_true(provoked);
    }
}

static void the_page_prints_the_table(void **state)
{
    static const struct fault rows[] = {
#define ROW(outcome, revisions, code, before, after) {outcome, revisions, code, before, after},
        FAULTS(ROW)
#undef ROW
    };
    FILE *file = fopen("docs/pipeline.md", "r");
    static char page[65536];
    size_t size;

    (void)state;
    assert_non_null(file);
    size = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    page[size] = '\0';
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char line[256], as[32] = "`isError`", text[128] = "";

        assert_int_equal(rows[i].revisions, REVS_ALL);
        if (rows[i].code)
            snprintf(as, sizeof as, "error %d", rows[i].code);
        if (*rows[i].before)
            snprintf(text, sizeof text, "`%s…%s` ", rows[i].before, rows[i].after);
        snprintf(line, sizeof line, "\n| `%s` | all | %s | %s|", haft_outcome_name(rows[i].outcome),
                 as, text);
        if (!strstr(page, line))
            fail_msg("docs/pipeline.md has no line%s", line);
    }
    for (int i = 0; i < HAFT_OUTCOME_COUNT_; i++) {
        char line[64];

        snprintf(line, sizeof line, "\n| `%s` |", haft_outcome_name((haft_outcome)i));
        if (!strstr(page, line))
            fail_msg("docs/pipeline.md has no line%s", line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_what_goes_out),
        cmocka_unit_test(every_row_is_provoked),
        cmocka_unit_test(the_page_prints_the_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
