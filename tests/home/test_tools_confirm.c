/* test_tools_confirm.c - dangerous actions ask first, once for each kind, and do nothing when declined. */
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "hass/client.h"
#include "home/person.h"
#include "home/tools.h"
#include "support/test.h"

#define UNLOCK "{'entity_id':'lock.front_door','action':'unlock','code':'1234'}"
#define LOCK "{'entity_id':'lock.front_door','action':'lock','code':'1234'}"
#define DISARM "{'entity_id':'alarm_control_panel.home','mode':'disarmed','code':'1234'}"

static const char yes[] = "{\"action\":\"accept\",\"content\":{\"confirm\":true}}";

static struct house *open_for(struct person *person, const char *revision, const char *principal)
{
    return house_open(&(struct house_options){.revision = revision,
                                              .principal = principal,
                                              .answer = person ? person_answers : NULL,
                                              .context = person});
}

static void calls(struct house *house, const char *tool, const char *arguments, const char *expect)
{
    haft_result result = house_call(house, tool, arguments);

    house_expect(&result, expect);
}

static const char *const revisions[] = {"2025-06-18", "2025-11-25", "2026-07-28"};

static void who_agrees_is_asked_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        struct person person = {.says = yes};
        struct house *house = open_for(&person, revisions[i], NULL);

        calls(house, "lock_control", UNLOCK, "state='unlocked'");
        assert_int_equal(person.asked, 1);
        assert_string_equal(person.question,
                            "Unlock Front door (lock.front_door)? If you agree, you are not asked "
                            "about actions of this kind (unlock) for five minutes.");
        calls(house, "lock_control", LOCK, "state='locked'");
        calls(house, "lock_control", UNLOCK, "state='unlocked'");
        assert_int_equal(person.asked, 1);
        /* Another kind is another question. */
        calls(house, "set_alarm_mode", DISARM, "state='disarmed'");
        assert_int_equal(person.asked, 2);
        house_close(house);
    }
}

static void who_declines_changes_nothing(void **state)
{
    static const char *const answers[] = {
        "{\"action\":\"decline\"}",
        "{\"action\":\"cancel\"}",
        "{\"action\":\"accept\",\"content\":{\"confirm\":false}}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions) * COUNT_OF(answers); i++) {
        struct person person = {.says = answers[i / COUNT_OF(revisions)]};
        struct house *house = open_for(&person, revisions[i % COUNT_OF(revisions)], NULL);

        calls(house, "lock_control", UNLOCK,
              "!declined: the user did not agree to \"unlock\". Nothing was changed.");
        assert_null(strstr(house_asked(house), "call_service"));
        /* It is asked again the next time. */
        person.says = yes;
        calls(house, "lock_control", UNLOCK, "state='unlocked'");
        assert_int_equal(person.asked, 2);
        house_close(house);
    }
}

static void a_garage_door_is_a_door(void **state)
{
    static const struct {
        const char *tool, *arguments, *expect;
        unsigned asked;
    } rows[] = {
        {"control_cover", "{'entity_id':'cover.kitchen_shade','action':'toggle'}",
         "state='closing'", 0},
        {"control_cover", "{'entity_id':'cover.garage_door','action':'close'}", "state='closed'",
         0},
        {"control_cover", "{'entity_id':'cover.garage_door','action':'toggle'}", "!declined: *", 1},
        {"control_cover", "{'entity_id':'cover.garage_door','action':'open'}", "!declined: *", 2},
        {"control", "{'entity_id':'cover.garage_door','action':'turn_on'}", "!declined: *", 3},
    };
    struct person person = {.says = "{\"action\":\"decline\"}"};
    struct house *house = open_for(&person, NULL, NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        calls(house, rows[i].tool, rows[i].arguments, rows[i].expect);
        assert_int_equal(person.asked, rows[i].asked);
    }
    house_close(house);
}

static void checks_come_before_the_question(void **state)
{
    struct person person = {.says = yes};
    struct house *house = open_for(&person, NULL, NULL);

    (void)state;
    calls(house, "lock_control", "{'entity_id':'lock.back_door','action':'open'}",
          "!lock.back_door cannot be opened, only unlocked.");
    calls(house, "lock_control", "{'entity_id':'lock.nope','action':'unlock'}",
          "!Entity not found: lock.nope.*");
    assert_int_equal(person.asked, 0);
    house_close(house);
}

static void a_client_that_cannot_be_asked_is_not(void **state)
{
    static const char *const all[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2026-07-28"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        struct house *house = open_for(NULL, all[i], NULL);

        calls(house, "lock_control", UNLOCK, "state='unlocked'");
        calls(house, "set_alarm_mode", DISARM, "state='disarmed'");
        house_close(house);
    }
}

/* ---- for how long, and for whom ---- */

static uint64_t now;

static uint64_t tell_now(void)
{
    return now;
}

static void an_agreement_ends(void **state)
{
    struct person person = {.says = yes};
    struct house *house = open_for(&person, NULL, NULL);
    const uint64_t minute = UINT64_C(60000000000);

    (void)state;
    now = minute;
    house_hass(house)->consents.now = tell_now;
    calls(house, "lock_control", UNLOCK, "state='unlocked'");
    now += 5 * minute - 1;
    calls(house, "lock_control", UNLOCK, "state='unlocked'");
    assert_int_equal(person.asked, 1);
    now += 1;
    calls(house, "lock_control", UNLOCK, "state='unlocked'");
    assert_int_equal(person.asked, 2);
    house_close(house);
}

static void one_does_not_agree_for_another(void **state)
{
    struct person anna = {.says = yes}, ben = {.says = "{\"action\":\"decline\"}"};
    struct house *house = open_for(&anna, NULL, "anna");
    haft_client *other = house_join(
        house,
        &(struct house_options){.principal = "ben", .answer = person_answers, .context = &ben});
    haft_result result;

    (void)state;
    calls(house, "lock_control", UNLOCK, "state='unlocked'");
    assert_int_equal(haft_client_call(other, "lock_control",
                                      "{\"entity_id\":\"lock.back_door\",\"action\":\"unlock\"}",
                                      &result),
                     0);
    house_expect(&result, "!declined:*");
    assert_int_equal(anna.asked, 1);
    assert_int_equal(ben.asked, 1);
    house_close(house);
}

/* More agreements than there is room for: the oldest is forgotten, never more is allowed. */
static void the_table_is_bounded(void **state)
{
    struct person person = {.says = yes};
    struct house *house = open_for(&person, NULL, NULL);
    struct consents *consents = &house_hass(house)->consents;

    (void)state;
    now = 1000;
    consents->now = tell_now;
    calls(house, "lock_control", UNLOCK, "state='unlocked'");
    for (size_t i = 0; i < CONSENT_MOST; i++) {
        assert_true(!*consents->list[i].text == (i > 0));
        snprintf(consents->list[i].text, CONSENT_TEXT, "unlock c %zu", i);
        consents->list[i].until = 1000 + i;
    }
    calls(house, "lock_control", UNLOCK, "state='unlocked'");
    assert_int_equal(person.asked, 2);
    assert_string_equal(consents->list[0].text, "unlock c client 1.0.0");
    assert_string_equal(consents->list[1].text, "unlock c 1");
    house_close(house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_agrees_is_asked_once),
        cmocka_unit_test(who_declines_changes_nothing),
        cmocka_unit_test(a_garage_door_is_a_door),
        cmocka_unit_test(checks_come_before_the_question),
        cmocka_unit_test(a_client_that_cannot_be_asked_is_not),
        cmocka_unit_test(an_agreement_ends),
        cmocka_unit_test(one_does_not_agree_for_another),
        cmocka_unit_test(the_table_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
