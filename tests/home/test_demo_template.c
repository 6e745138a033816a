/* Templates of the demo home: what they render to, and the errors of what is wrong or not known. */
#include "demo_test.h"

struct template_row {
    const char *template, *result; /* NULL: the row is an error */
    const char *error;
};

static const struct template_row template_rows[] = {
    {"plain", "plain", NULL},
    {"  spaced  ", "spaced", NULL},
    {"{{ 1 + 2 * 3 }}", "7", NULL},
    {"{{ (1 + 2) * 3 }}", "9", NULL},
    {"{{ 7 / 2 }}", "3.5", NULL},
    {"{{ 6 / 2 }}", "3.0", NULL},
    {"{{ 7 // 2 }} {{ 7 % 3 }} {{ -7 // 2 }} {{ 2 ** 10 }}", "3 1 -4 1024", NULL},
    {"{{ 1.5 + 1 }}", "2.5", NULL},
    {"{{ `a` ~ 1 ~ true }}", "a1True", NULL},
    {"{{ `a` + `b` }}", "ab", NULL},
    {"{{ 1 < 2 }} {{ 2 <= 1 }} {{ 1 == 1.0 }} {{ `a` != `b` }} {{ `a` < `b` }}",
     "True False True True True", NULL},
    {"{{ 1 in [1, 2] }} {{ `x` not in `abc` }} {{ 3 in [1] }}", "True True False", NULL},
    {"{{ true and not false }} {{ false or `x` }} {{ none }}", "True x None", NULL},
    {"{{ `yes` if 1 > 0 else `no` }}", "yes", NULL},
    {"{{ [1, `a`, true] }}", "[1, `a`, True]", NULL},
    {"{{ [1,2,3][0] }} {{ [1,2,3][-1] }}", "1 3", NULL},
    {"{{ states(`light.hallway`) }}", "off", NULL},
    {"{{ states(`light.nope`) }}", "unknown", NULL},
    {"{{ states.light.hallway.state }} {{ states.light.hallway.name }}", "off Hallway", NULL},
    {"{{ states.light.hallway.attributes.supported_features }}", "32", NULL},
    {"{{ is_state(`light.hallway`, `off`) }} {{ is_state(`light.hallway`, [`on`]) }}", "True False",
     NULL},
    {"{{ state_attr(`climate.living_room`, `temperature`) }}", "21.5", NULL},
    {"{{ state_attr(`climate.living_room`, `nope`) }}", "None", NULL},
    {"{{ is_state_attr(`climate.living_room`, `preset_mode`, `comfort`) }}", "True", NULL},
    {"{{ has_value(`light.bathroom_mirror`) }} {{ has_value(`light.hallway`) }}", "False True",
     NULL},
    {"{{ states(`lock.front_door`)|upper }} {{ `ABC`|lower }} {{ `a b`|title }} {{ `aBC`|capitalize }}",
     "LOCKED abc A B Abc", NULL},
    {"{{ 3.14159|round(2) }} {{ 2.5|round }} {{ 2.7|round(0, `floor`) }}", "3.14 3 2", NULL},
    {"{{ `12`|int + 1 }} {{ `1.5`|float }} {{ `x`|int(0) }} {{ `x`|float(default=2) }}",
     "13 1.5 0 2", NULL},
    {"{{ nope|default(`d`) }} {{ ``|default(`e`, true) }}", "d e", NULL},
    {"{{ nope }}", "", NULL},
    {"{{ `a-b`|replace(`-`, `+`) }} {{ `  x `|trim }} {{ `abc`|length }}", "a+b x 3", NULL},
    {"{{ [3,1,2]|max }} {{ min(4, 2) }} {{ [1,2]|sum }} {{ -3|abs }}", "3 2 3 3", NULL},
    {"{{ [1,2]|join(`, `) }} {{ [1,2]|first }} {{ [1,2]|last }}", "1, 2 1 2", NULL},
    {"{{ states.lock|map(attribute=`state`)|list }}", "[`unlocked`, `locked`]", NULL},
    {"{{ states.light|selectattr(`state`,`eq`,`on`)|list|length }}", "4", NULL},
    {"{{ states.light|rejectattr(`state`,`eq`,`on`)|list|count }}", "6", NULL},
    {"{{ true|iif(`a`,`b`) }} {{ {} }}", NULL, "TemplateSyntaxError: *"},
    {"{% if is_state(`light.hallway`,`on`) %}on{% elif 1 > 0 %}else{% else %}never{% endif %}",
     "else", NULL},
    {"{% if false %}{{ nope() }}{% else %}ok{% endif %}", "ok", NULL},
    {"{% for x in [1,2,3] %}{{ x }}{% if not loop.last %},{% endif %}{% endfor %}", "1,2,3", NULL},
    {"{% for x in [] %}a{% else %}none{% endfor %}", "none", NULL},
    {"{% for x in range(3) %}{% for y in [`a`,`b`] %}{{ x }}{{ y }} {% endfor %}{% endfor %}",
     "0a 0b 1a 1b 2a 2b", NULL},
    {"{% set x = 4 %}{{ x * x }}", "16", NULL},
    {"a  {%- if true -%}  b  {%- endif -%}  c", "abc", NULL},
    {"{# a comment #}x", "x", NULL},
    {"{{ now() }}", "2026-11-16 08:00:00.000000+00:00", NULL},
    {"{{ as_timestamp(`2026-11-16T08:00:00Z`) }}", "1794816000.0", NULL},
    {"{{ area_id(`light.hallway`) }} {{ area_name(`light.hallway`) }} {{ area_entities(`office`)|length }}",
     "hallway Hallway 3", NULL},
    {"{{ `5` is number }} {{ 5 is number }} {{ nope is defined }} {{ 4 is even }}",
     "False True False True", NULL},
    {"{{ [1,2]|to_json }}", "[1,2]", NULL},
    {"{{ who }} {{ n + 1 }}", "you 4", NULL},

    {"{{ nope() }}", NULL, "UndefinedError: `nope` is undefined"},
    {"{{ nope.x }}", NULL, "UndefinedError: `nope` is undefined"},
    {"{{ 1|nope }}", NULL, "TemplateSyntaxError: No filter named `nope`."},
    {"{{ 1 is nope }}", NULL, "TemplateSyntaxError: No test named `nope`."},
    {"{% nope %}", NULL, "TemplateSyntaxError: Encountered unknown tag `nope`."},
    {"{% macro x() %}{% endmacro %}", NULL,
     "TemplateSyntaxError: Encountered unknown tag `macro`."},
    {"{{ 1", NULL, "TemplateSyntaxError: unexpected end of template*"},
    {"{{ }}", NULL, "TemplateSyntaxError: Expected an expression, got `end of print statement`"},
    {"{{ 1 2 }}", NULL, "TemplateSyntaxError: expected token `end of print statement`, got `2`"},
    {"{{ (1 }}", NULL, "TemplateSyntaxError: *"},
    {"{{ `abc }}", NULL, "TemplateSyntaxError: *"},
    {"{% if true %}x", NULL, "TemplateSyntaxError: Unexpected end of template."},
    {"{{ 1 / 0 }}", NULL, "ZeroDivisionError: division by zero"},
    {"{{ `a` + 1 }}", NULL, "TypeError: unsupported operand type(s) for +"},
    {"{{ `a` < 1 }}", NULL, "TypeError: `<` not supported*"},
    {"{{ `abc`|int }}", NULL,
     "ValueError: Template error: int got invalid input `abc`*no default was specified"},
    {"{{ range(99999)|length }}", NULL, "OverflowError: *"},
    {"{% for a in range(999) %}{% for b in range(999) %}x{% endfor %}{% endfor %}", NULL,
     "TimeoutError: *"},
};

static void test_each(void **state)
{
    struct demo_test test;

    (void)state;
    demo_test_init(&test, NULL);
    for (size_t i = 0; i < COUNT_OF(template_rows); i++) {
        const struct template_row *row = &template_rows[i];
        char body[1024], answer[1024];

        snprintf(body, sizeof body, "{'template':'%s','variables':{'who':'you','n':3}}",
                 row->template);
        snprintf(answer, sizeof answer,
                 row->result ? "%s" : "{'message':'Error rendering template: %s'}",
                 row->result ? row->result : row->error);
        demo_test_rest(&test, &(struct demo_rest_row){"POST", "/api/template", body,
                                                      row->result ? 200 : 400, answer});
    }
    demo_test_finish(&test);
}

/* Nesting that no one writes ends with an error, and not with the stack. */
static void test_deep(void **state)
{
    struct demo_test test;
    char body[8192];
    size_t n = (size_t)snprintf(body, sizeof body, "{'template':'{{ ");

    (void)state;
    memset(body + n, '(', 3000);
    snprintf(body + n + 3000, sizeof body - n - 3000, "1 }}'}");
    demo_test_init(&test, NULL);
    demo_test_rest(&test, &(struct demo_rest_row){
                              "POST", "/api/template", body, 400,
                              "{'message':'Error rendering template: RecursionError: *'}"});
    demo_test_rest(&test, &(struct demo_rest_row){"POST", "/api/template", "{}", 400,
                                                  "{'message':'Error rendering*'}"});
    demo_test_finish(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
