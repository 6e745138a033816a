/* test_tools_speech.c - runs the table rows_speech.h, and asks before somebody is let in. */
#include <string.h>

#include "home/rows_speech.h"
#include "support/test.h"

static int person_says(void *context, const char *method, haft_value *params,
                       haft_buffer *ret_result)
{
    (void)params;
    assert_string_equal(method, "elicitation/create");
    haft_buffer_puts(ret_result, context);
    return 0;
}

static void expect_command(const char *answer, const char *arguments, const char *expect,
                           const char *asked)
{
    struct house *house = house_open(
        &(struct house_options){.answer = person_says, .context = (void *)(uintptr_t)answer});
    haft_result result = house_call(house, "voice_command_executor", arguments);

    house_expect(&result, expect);
    assert_true(!strstr(house_asked(house), "call_service") == !asked);
    if (asked)
        assert_non_null(strstr(house_asked(house), asked));
    house_close(house);
}

static void unlocking_and_disarming_ask_first(void **state)
{
    static const char no[] = "{\"action\":\"decline\"}";
    static const char yes[] = "{\"action\":\"accept\",\"content\":{\"confirm\":true}}";
    static const char unlock[] = "{'intent':{'intent':'lock','action':'unlock','target':'back "
                                 "door','parameters':{},'confidence':1}}";
    static const char disarm[] =
        "{'intent':{'intent':'alarm_control_panel','action':'disarm','target':'','parameters':{},"
        "'confidence':1}}";

    (void)state;
    expect_command(no, unlock, "!declined: the user did not agree to \"unlock\"*", NULL);
    expect_command(yes, unlock, "changed.0.state='unlocked'", "\"service\":\"unlock\"");
    expect_command(no, disarm, "!declined: the user did not agree to \"disarm\"*", NULL);
    expect_command(yes, disarm, "!*code*", "\"service\":\"alarm_disarm\"");
}

static int model_answers(void *context, const char *method, haft_value *params,
                         haft_buffer *ret_result)
{
    static const char text[] =
        "{\"intent\":\"fan\",\"action\":\"stop\",\"target\":\"\",\"parameters\":{},"
        "\"confidence\":1}";

    (void)params;
    assert_string_equal(method, "sampling/createMessage");
    ++*(unsigned *)context;
    haft_buffer_puts(ret_result, "{\"role\":\"assistant\",\"model\":\"test\",\"content\":[{"
                                 "\"type\":\"text\",\"text\":");
    haft_buffer_json_string(ret_result, text, sizeof text - 1);
    haft_buffer_puts(ret_result, "}]}");
    return 0;
}

static void the_model_is_not_asked_at_will(void **state)
{
    /* A client of 2026-07-28 sends a request again with the answer, which is another one. */
    static const struct {
        const char *revision;
        unsigned complete, asked;
    } rows[] = {{"2025-11-25", 5, 5}, {"2026-07-28", 2, 3}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned asked = 0;
        struct house *house = house_open(&(struct house_options){
            .revision = rows[i].revision, .answer = model_answers, .context = &asked});
        haft_result result;

        for (unsigned k = 0; k < rows[i].complete; k++) {
            result = house_call(house, "voice_command_ai_parser", "{'command':'stop the fan'}");
            house_expect(&result, "intent='fan'; action='stop'");
        }
        result = house_call(house, "voice_command_ai_parser", "{'command':'stop the fan'}");
        house_expect(&result,
                     "!Rate limited: voice_command_ai_parser may be called 5 times in 60 s.*");
        assert_int_equal(asked, rows[i].asked);
        house_close(house);
    }
}

/* What the parser says is what the executor takes. */
static void what_is_said_is_done(void **state)
{
    static const struct {
        const char *command, *expect;
    } rows[] = {
        {"{'command':'turn on the hallway light'}", "changed.0.entity_id='light.hallway'"},
        {"{'command':'set the office desk light to 30%'}", "changed.0.attributes.brightness=77"},
        {"{'command':'turn off all the lights'}", "changed.8.state='off'"},
        {"{'command':'close the kitchen shade'}", "changed.0.entity_id='cover.kitchen_shade'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
        haft_result result = house_call(house, "voice_command_parser", rows[i].command);
        haft_buffer intent;

        assert_false(result.is_error);
        haft_buffer_init(&intent, NULL, 1 << 16);
        haft_buffer_puts(&intent, "{\"intent\":");
        haft_buffer_puts(&intent, result.text);
        haft_buffer_puts(&intent, "}");
        haft_buffer_add(&intent, "", 1);
        result = house_call(house, "voice_command_executor", intent.data);
        house_expect(&result, rows[i].expect);
        haft_buffer_finish(&intent);
        house_close(house);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unlocking_and_disarming_ask_first),
        cmocka_unit_test(the_model_is_not_asked_at_will),
        cmocka_unit_test(what_is_said_is_done),
    };
    int failed = tools_run("home/tools_speech", rows_speech, COUNT_OF(rows_speech));

    return cmocka_run_group_tests(tests, NULL, NULL) + failed;
}
