/* Spoken commands and what they mean. */
#include <math.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"
#include "voice/voice.h"

static void understands(void **state)
{
    static const struct {
        const char *command, *intent, *action, *target;
        int percent; /* -1 for none */
        double temperature;
        const char *color;
    } rows[] = {
        {"Turn on the kitchen light", "light", "turn_on", "kitchen", -1, 0, NULL},
        {"turn the kitchen lights off, please!", "light", "turn_off", "kitchen", -1, 0, NULL},
        {"switch off all lights", "light", "turn_off", "all", -1, 0, NULL},
        {"toggle the desk lamp", "light", "toggle", "desk lamp", -1, 0, NULL},
        {"dim the bedroom light to 30%", "light", "decrease", "bedroom", 30, 0, NULL},
        {"set the bedroom light to 30 percent", "light", "set", "bedroom", 30, 0, NULL},
        {"make the living room red", "light", "set", "living room", -1, 0, "red"},
        {"set the hall light to warm white", "light", "set", "hall", -1, 0, "warm white"},
        {"set the temperature in the office to 21.5 degrees", "climate", "set", "office", -1, 21.5,
         NULL},
        {"set the bathroom thermostat to 22", "climate", "set", "bathroom thermostat", -1, 22,
         NULL},
        {"open the garage door", "cover", "open", "garage door", -1, 0, NULL},
        {"close the blinds in the office", "cover", "close", "blinds office", -1, 0, NULL},
        {"lock the front door", "lock", "lock", "front door", -1, 0, NULL},
        {"unlock the front door", "lock", "unlock", "front door", -1, 0, NULL},
        {"pause the music in the living room", "media_player", "pause", "living room", -1, 0, NULL},
        {"set the volume of the kitchen speaker to 40%", "media_player", "set", "kitchen speaker",
         40, 0, NULL},
        {"start the vacuum", "vacuum", "start", "", -1, 0, NULL},
        {"activate movie night", "scene", "turn_on", "movie night", -1, 0, NULL},
        {"activate the scene movie night", "scene", "turn_on", "movie night", -1, 0, NULL},
        {"arm the alarm", "alarm_control_panel", "arm_away", "", -1, 0, NULL},
        {"turn on the ceiling fan", "fan", "turn_on", "ceiling fan", -1, 0, NULL},
        {"what is the weather like", "unknown", "unknown", "what weather like", -1, 0, NULL},
        {"", "unknown", "unknown", "", -1, 0, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        voice_intent got;

        assert_non_null(arena);
        assert_int_equal(voice_parse(rows[i].command, arena, &got), 0);
        if (strcmp(got.intent, rows[i].intent) || strcmp(got.action, rows[i].action) ||
            strcmp(got.target, rows[i].target))
            fail_msg("%s: %s %s \"%s\"", rows[i].command, got.intent, got.action, got.target);
        assert_int_equal(got.parameters.has_percent ? got.parameters.percent : -1, rows[i].percent);
        assert_true(fabs((got.parameters.has_temperature ? got.parameters.temperature : 0) -
                         rows[i].temperature) < 1e-9);
        assert_int_equal(got.parameters.has_color, rows[i].color != NULL);
        if (rows[i].color)
            assert_string_equal(got.parameters.color, rows[i].color);
        assert_true(got.confidence >= 0 && got.confidence <= 1);
        haft_arena_free(arena);
    }
}

static void trusts_what_it_understands(void **state)
{
    static const struct {
        const char *command;
        double low, high;
    } rows[] = {
        {"turn on the kitchen light", 0.9, 1},
        {"turn on the kitchen thing", 0.6, 0.75},
        {"set the kitchen light", 0.5, 0.7},
        {"hello", 0, 0.3},
        {"", 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        voice_intent got;

        assert_non_null(arena);
        assert_int_equal(voice_parse(rows[i].command, arena, &got), 0);
        assert_true(got.confidence >= rows[i].low && got.confidence <= rows[i].high);
        haft_arena_free(arena);
    }
}

static void survives_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_arena *arena;
        voice_intent got;

        failing_init(&failing, nth);
        arena = haft_arena_new(&failing.allocator, 1 << 20);
        if (arena) {
            int status = voice_parse("turn on the kitchen light", arena, &got);

            assert_true(!status || status == HAFT_ENOMEM);
        }
        haft_arena_free(arena);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(understands),
        cmocka_unit_test(trusts_what_it_understands),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
