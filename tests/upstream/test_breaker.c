/* test_breaker.c - the circuit breaker, with a clock of the test's own. */
#include "support/test.h"
#include "upstream/breaker.h"

static const struct breaker_rules rules = {
    .failures = 5, .percent = 50, .minimum = 10, .window_ms = 60000, .open_ms = 30000};

/* A letter is an event: 's' a call that succeeds, 'f' one that fails, 'u' one that is cancelled; 'b' one
 * that begins and ends later, with 'S', 'F' or 'U'; 'r' one that follows a redirect, whether calls pass or
 * not, and succeeds; '.' a second, '_' ten, '=' half a minute.  A call that does not pass is written '!'. */
static const struct {
    const char *name, *events;
    enum breaker_state state;
} rows[] = {
    {"new", "", BREAKER_CLOSED},
    {"four in a row", "ffff", BREAKER_CLOSED},
    {"five in a row", "fffff", BREAKER_OPEN},
    {"a success begins again", "ffffsffff", BREAKER_CLOSED},
    {"a cancelled call does not", "ffffuf", BREAKER_OPEN},
    {"open refuses", "fffff!!", BREAKER_OPEN},
    {"still open after 29 s", "fffff__.........!", BREAKER_OPEN},
    {"the probe succeeds", "fffff=s", BREAKER_CLOSED},
    {"and failures begin again", "fffff=sffff", BREAKER_CLOSED},
    {"the probe fails", "fffff=f!", BREAKER_OPEN},
    {"open as long again", "fffff=f__.........!", BREAKER_OPEN},
    {"one probe at a time", "fffff=b!!", BREAKER_HALF_OPEN},
    {"whose success closes it", "fffff=b!Sss", BREAKER_CLOSED},
    {"whose failure opens it", "fffff=b!F!", BREAKER_OPEN},
    {"a cancelled probe makes room for another", "fffff=b!Ub!", BREAKER_HALF_OPEN},
    {"a call from before says nothing while it is open", "bfffffS!", BREAKER_OPEN},
    {"nor while it is half-open", "bfffff=b!", BREAKER_HALF_OPEN},
    {"a redirect is not a second probe", "fffff=br!", BREAKER_HALF_OPEN},
    {"and leaves the decision to the first", "fffff=brF!", BREAKER_OPEN},
    {"it may be the only one", "fffff=r", BREAKER_CLOSED},
    {"half of ten", "sfsfsfsfsf", BREAKER_OPEN},
    {"half of nine are too few", "fsfsfsfsf", BREAKER_CLOSED},
    {"four of ten", "ssssssfsffsf", BREAKER_CLOSED},
    {"a success never opens it", "ffffsfffsss", BREAKER_CLOSED},
    {"old calls are forgotten", "fsfsfsfs======f", BREAKER_CLOSED},
    {"young ones are not", "fsfsfsfs___sf", BREAKER_OPEN},
};

static void state_machine(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct breaker breaker = {.state = BREAKER_CLOSED};
        int64_t now = 1000000;
        bool probe = false;

        for (const char *event = rows[i].events; *event; event++) {
            bool allowed = hf_breaker_allows(&breaker, now), one;

            switch (*event) {
            case '.':
                now += 1000;
                break;
            case '_':
                now += 10000;
                break;
            case '=':
                now += 30000;
                break;
            case '!':
                if (allowed)
                    fail_msg("%s: a call passes at '%s'", rows[i].name, event);
                break;
            case 'S':
            case 'F':
            case 'U':
                hf_breaker_end(&breaker, &rules, probe,
                               *event == 'S'   ? BREAKER_SUCCESS
                               : *event == 'F' ? BREAKER_FAILURE
                                               : BREAKER_UNKNOWN,
                               now);
                break;
            default:
                if (!allowed && *event != 'r')
                    fail_msg("%s: no call passes at '%s'", rows[i].name, event);
                one = hf_breaker_begin(&breaker, now);
                if (*event == 'b')
                    probe = one;
                else
                    hf_breaker_end(&breaker, &rules, one,
                                   *event == 'f'   ? BREAKER_FAILURE
                                   : *event == 'u' ? BREAKER_UNKNOWN
                                                   : BREAKER_SUCCESS,
                                   now);
            }
        }
        if (breaker.state != rows[i].state)
            fail_msg("%s: state %d", rows[i].name, (int)breaker.state);
    }
}

static void reports_changes(void **state)
{
    struct breaker breaker = {.state = BREAKER_CLOSED};
    int changes = 0;

    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_false(hf_breaker_begin(&breaker, 0));
        changes += hf_breaker_end(&breaker, &rules, false, BREAKER_FAILURE, 0);
    }
    assert_int_equal(changes, 1);
    assert_int_equal(hf_breaker_wait(&breaker, 0), 30000);
    assert_int_equal(hf_breaker_wait(&breaker, 29999), 1);
    assert_int_equal(hf_breaker_wait(&breaker, 30000), 0);
    assert_true(hf_breaker_begin(&breaker, 30000));
    assert_false(hf_breaker_end(&breaker, &rules, true, BREAKER_FAILURE, 30000));
    assert_true(hf_breaker_begin(&breaker, 60000));
    assert_true(hf_breaker_end(&breaker, &rules, true, BREAKER_SUCCESS, 60000));
}

static void can_be_switched_off(void **state)
{
    const struct breaker_rules none = {.minimum = 1, .window_ms = 60000, .open_ms = 1};
    struct breaker breaker = {.state = BREAKER_CLOSED};

    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_false(hf_breaker_end(&breaker, &none, false, BREAKER_FAILURE, i));
    assert_int_equal(breaker.state, BREAKER_CLOSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(state_machine),
                                       cmocka_unit_test(reports_changes),
                                       cmocka_unit_test(can_be_switched_off)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
