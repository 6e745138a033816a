/* jinja_eval.c - expressions of templates, by precedence from the lowest: if, or, and, not, comparisons, ~, + and -,
 * the products, signs, powers, and what follows a value. */
#include <math.h>

#include "demo/jinja_value.h"

/* ---- signs and names ---- */

void demo_jinja_skip_space(struct jinja_run *run)
{
    while (run->at < run->end && strchr(" \t\r\n", *run->at))
        run->at++;
}

static bool eval_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool demo_jinja_take(struct jinja_run *run, const char *sign)
{
    size_t size = strlen(sign);

    demo_jinja_skip_space(run);
    if ((size_t)(run->end - run->at) < size || strncmp(run->at, sign, size) != 0)
        return false;
    if (eval_is_word(*sign) && run->at + size < run->end && eval_is_word(run->at[size]))
        return false;
    run->at += size;
    return true;
}

/* A sign that is not the beginning of a longer one. */
static bool eval_take_alone(struct jinja_run *run, const char *sign, const char *unlike)
{
    demo_jinja_skip_space(run);
    if (!strncmp(run->at, unlike, strlen(unlike)) && (size_t)(run->end - run->at) >= strlen(unlike))
        return false;
    return demo_jinja_take(run, sign);
}

const char *demo_jinja_name(struct jinja_run *run)
{
    const char *from;
    char *name;

    demo_jinja_skip_space(run);
    from = run->at;
    while (run->at < run->end && eval_is_word(*run->at))
        run->at++;
    name = haft_arena_copy(run->demo->scratch, from, (size_t)(run->at - from));
    if (!name)
        demo_jinja_fail(run, "out of memory");
    return name ? name : "";
}

/* ---- literals ---- */

static struct jinja_value eval_text(struct jinja_run *run)
{
    char quote = *run->at++;
    haft_buffer out = demo_buffer(run->demo);

    while (run->at < run->end && *run->at != quote) {
        if (*run->at == '\\' && run->at + 1 < run->end) {
            run->at++;
            haft_buffer_add(&out, *run->at == 'n' ? "\n" : *run->at == 't' ? "\t" : run->at, 1);
        } else {
            haft_buffer_add(&out, run->at, 1);
        }
        run->at++;
    }
    if (run->at == run->end)
        demo_jinja_fail(run, "TemplateSyntaxError: unexpected char '%c'", quote);
    else
        run->at++;
    return jinja_text(demo_take(run->demo, &out));
}

static struct jinja_value eval_number(struct jinja_run *run)
{
    char text[64];
    size_t size = strspn(run->at, "0123456789._eE"), left = (size_t)(run->end - run->at);

    size = size < left ? size : left;
    if (size >= sizeof text)
        demo_jinja_fail(run, "TemplateSyntaxError: number is too long");
    size = size < sizeof text ? size : sizeof text - 1;
    memcpy(text, run->at, size);
    text[size] = '\0';
    run->at += size;
    return strpbrk(text, ".eE") ? jinja_float(strtod(text, NULL)) : jinja_int(strtod(text, NULL));
}

/* [a, b] and (a, b), as JSON. */
static struct jinja_value eval_list(struct jinja_run *run, const char *close)
{
    haft_buffer out = demo_buffer(run->demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_array(&w);
    while (!jinja_has_failed(run) && !demo_jinja_take(run, close)) {
        struct jinja_value value = demo_jinja_expression(run);

        if (value.kind == JINJA_JSON)
            hf_json_value(&w, value.json);
        else if (value.kind == JINJA_TEXT)
            hf_json_text(&w, value.text);
        else if (value.kind == JINJA_BOOL)
            hf_json_bool(&w, value.number > 0);
        else if (demo_jinja_is_number(value))
            hf_json_number(&w, value.number);
        else
            hf_json_null(&w);
        if (!demo_jinja_take(run, ",") && *run->at != *close)
            demo_jinja_fail(run, "TemplateSyntaxError: expected token ',', got '%c'",
                            run->at < run->end ? *run->at : ' ');
    }
    hf_json_end_array(&w);
    return demo_jinja_of_json(demo_parse(run->demo, demo_take(run->demo, &out)));
}

static struct jinja_value eval_primary(struct jinja_run *run)
{
    const char *name;

    demo_jinja_skip_space(run);
    if (run->at >= run->end) {
        demo_jinja_fail(
            run, "TemplateSyntaxError: Expected an expression, got 'end of print statement'");
        return jinja_none();
    }
    if (*run->at == '\'' || *run->at == '"')
        return eval_text(run);
    if (*run->at >= '0' && *run->at <= '9')
        return eval_number(run);
    if (demo_jinja_take(run, "["))
        return eval_list(run, "]");
    if (demo_jinja_take(run, "(")) {
        struct jinja_value value = demo_jinja_expression(run);

        if (!demo_jinja_take(run, ")"))
            demo_jinja_fail(run, "TemplateSyntaxError: unexpected end of expression, expected ')'");
        return value;
    }
    name = demo_jinja_name(run);
    if (!*name) {
        demo_jinja_fail(run, "TemplateSyntaxError: unexpected '%c'", *run->at);
        return jinja_none();
    }
    if (!strcmp(name, "true") || !strcmp(name, "True"))
        return jinja_bool(true);
    if (!strcmp(name, "false") || !strcmp(name, "False"))
        return jinja_bool(false);
    if (!strcmp(name, "none") || !strcmp(name, "None"))
        return jinja_none();
    return demo_jinja_variable(run, name);
}

/* ---- what follows a value ---- */

static void eval_arguments(struct jinja_run *run, struct jinja_arguments *arguments)
{
    *arguments = (struct jinja_arguments){.n = 0};
    while (!jinja_has_failed(run) && !demo_jinja_take(run, ")")) {
        const char *before = run->at, *name = demo_jinja_name(run);

        if (arguments->n == JINJA_ARGUMENTS) {
            demo_jinja_fail(run, "TypeError: too many arguments");
            return;
        }
        if (*name && eval_take_alone(run, "=", "==")) {
            arguments->names[arguments->n] = name;
        } else {
            run->at = before;
            arguments->names[arguments->n] = NULL;
        }
        arguments->at[arguments->n++] = demo_jinja_expression(run);
        if (!demo_jinja_take(run, ",") && (run->at >= run->end || *run->at != ')'))
            demo_jinja_fail(run, "TemplateSyntaxError: unexpected end of arguments, expected ')'");
    }
}

static struct jinja_value eval_item(struct jinja_run *run, struct jinja_value of)
{
    struct jinja_value key = demo_jinja_expression(run);
    haft_value *json = of.json;

    if (!demo_jinja_take(run, "]"))
        demo_jinja_fail(run, "TemplateSyntaxError: unexpected end of subscript, expected ']'");
    if (of.kind == JINJA_JSON && yyjson_is_arr(json) && demo_jinja_is_number(key)) {
        double at = key.number < 0 ? key.number + (double)yyjson_arr_size(json) : key.number;

        return at < 0 || at >= (double)yyjson_arr_size(json)
                   ? jinja_undefined("item")
                   : demo_jinja_of_json(yyjson_arr_get(json, (size_t)at));
    }
    return key.kind == JINJA_TEXT ? demo_jinja_member(run, of, key.text) : jinja_undefined("item");
}

static struct jinja_value eval_test(struct jinja_run *run, struct jinja_value value)
{
    bool negated = demo_jinja_take(run, "not"), holds = false;
    const char *name = demo_jinja_name(run);
    double number;

    if (!strcmp(name, "defined"))
        holds = value.kind != JINJA_UNDEFINED;
    else if (!strcmp(name, "undefined"))
        holds = value.kind == JINJA_UNDEFINED;
    else if (!strcmp(name, "none"))
        holds = value.kind == JINJA_NONE;
    else if (!strcmp(name, "string"))
        holds = value.kind == JINJA_TEXT;
    else if (!strcmp(name, "number"))
        holds = demo_jinja_is_number(value);
    else if (!strcmp(name, "true"))
        holds = value.kind == JINJA_BOOL && value.number > 0;
    else if (!strcmp(name, "false"))
        holds = value.kind == JINJA_BOOL && !(value.number > 0);
    else if (!strcmp(name, "even") || !strcmp(name, "odd"))
        holds = demo_jinja_read_number(value, &number) && (fmod(number, 2) != 0) == (*name == 'o');
    else
        demo_jinja_fail(run, "TemplateSyntaxError: No test named '%s'.", name);
    return jinja_bool(holds != negated);
}

/* A function that is called: a name, or `states`. */
static struct jinja_value eval_call(struct jinja_run *run, struct jinja_value value)
{
    struct jinja_arguments arguments;

    eval_arguments(run, &arguments);
    if (value.kind == JINJA_STATES && !value.text)
        return demo_jinja_call(run, "states", &arguments);
    if (value.kind == JINJA_UNDEFINED)
        return demo_jinja_call(run, value.text, &arguments);
    demo_jinja_fail(run, "TypeError: object is not callable");
    return jinja_none();
}

/* Calls, items and members. */
static struct jinja_value eval_postfix(struct jinja_run *run)
{
    struct jinja_value value = eval_primary(run);

    while (!jinja_has_failed(run)) {
        if (demo_jinja_take(run, "(")) {
            value = eval_call(run, value);
        } else if (demo_jinja_take(run, "[")) {
            value = eval_item(run, value);
        } else if (demo_jinja_take(run, ".")) {
            value = demo_jinja_member(run, value, demo_jinja_name(run));
        } else {
            break;
        }
    }
    return value;
}

/* Filters and tests. */
static struct jinja_value eval_filters(struct jinja_run *run, struct jinja_value value)
{
    struct jinja_arguments arguments;

    while (!jinja_has_failed(run)) {
        if (demo_jinja_take(run, "is")) {
            value = eval_test(run, value);
        } else if (demo_jinja_take(run, "|")) {
            const char *name = demo_jinja_name(run);

            arguments = (struct jinja_arguments){.n = 0};
            if (demo_jinja_take(run, "("))
                eval_arguments(run, &arguments);
            value = demo_jinja_filter(run, name, value, &arguments);
        } else {
            break;
        }
    }
    return value;
}

/* ---- operators ---- */

static struct jinja_value eval_arithmetic(struct jinja_run *run, const char *sign,
                                          struct jinja_value left, struct jinja_value right)
{
    bool whole = left.kind != JINJA_FLOAT && right.kind != JINJA_FLOAT;
    double a = left.number, b = right.number, value;

    if (*sign == '+' && left.kind == JINJA_TEXT && right.kind == JINJA_TEXT)
        return jinja_text(demo_format(run->demo, "%s%s", left.text, right.text));
    if (!demo_jinja_is_number(left) || !demo_jinja_is_number(right)) {
        demo_jinja_fail(run, "TypeError: unsupported operand type(s) for %s", sign);
        return jinja_none();
    }
    if ((*sign == '/' || *sign == '%') && !(b < 0 || b > 0)) {
        demo_jinja_fail(run, "ZeroDivisionError: division by zero");
        return jinja_none();
    }
    value = *sign == '+'          ? a + b
            : *sign == '-'        ? a - b
            : !strcmp(sign, "**") ? pow(a, b)
            : *sign == '*'        ? a * b
            : !strcmp(sign, "//") ? floor(a / b)
            : *sign == '%'        ? a - floor(a / b) * b
                                  : a / b;
    return whole && strcmp(sign, "/") != 0 ? jinja_int(value) : jinja_float(value);
}

/* A sign belongs to the value that filters get. */
static struct jinja_value eval_unary(struct jinja_run *run)
{
    bool minus = false;
    struct jinja_value value;

    while (demo_jinja_take(run, "-"))
        minus = !minus;
    value = eval_postfix(run);
    if (minus)
        value = eval_arithmetic(run, "-", jinja_int(0), value);
    return eval_filters(run, value);
}

static struct jinja_value eval_power(struct jinja_run *run)
{
    struct jinja_value value = eval_unary(run);

    while (!jinja_has_failed(run) && demo_jinja_take(run, "**"))
        value = eval_arithmetic(run, "**", value, eval_unary(run));
    return value;
}

static struct jinja_value eval_product(struct jinja_run *run)
{
    struct jinja_value value = eval_power(run);

    while (!jinja_has_failed(run)) {
        const char *sign = demo_jinja_take(run, "//")  ? "//"
                           : demo_jinja_take(run, "*") ? "*"
                           : demo_jinja_take(run, "/") ? "/"
                           : demo_jinja_take(run, "%") ? "%"
                                                       : NULL;

        if (!sign)
            break;
        value = eval_arithmetic(run, sign, value, eval_power(run));
    }
    return value;
}

static struct jinja_value eval_sum(struct jinja_run *run)
{
    struct jinja_value value = eval_product(run);

    while (!jinja_has_failed(run)) {
        const char *sign = demo_jinja_take(run, "+")   ? "+"
                           : demo_jinja_take(run, "-") ? "-"
                           : demo_jinja_take(run, "~") ? "~"
                                                       : NULL;
        struct jinja_value right;

        if (!sign)
            break;
        right = eval_product(run);
        value = *sign == '~'
                    ? jinja_text(demo_format(run->demo, "%s%s", demo_jinja_text(run, value),
                                             demo_jinja_text(run, right)))
                    : eval_arithmetic(run, sign, value, right);
    }
    return value;
}

static bool eval_in(struct jinja_run *run, struct jinja_value left, struct jinja_value right)
{
    haft_value *list;
    bool comparable;

    if (right.kind == JINJA_TEXT)
        return left.kind == JINJA_TEXT && strstr(right.text, left.text);
    if (right.kind == JINJA_JSON && yyjson_is_obj(right.json))
        return left.kind == JINJA_TEXT && yyjson_obj_get(right.json, left.text);
    list = demo_jinja_list(run, right);
    for (size_t i = 0; i < yyjson_arr_size(list); i++)
        if (!demo_jinja_compare(run, left, demo_jinja_of_json(yyjson_arr_get(list, i)),
                                &comparable))
            return true;
    return false;
}

static struct jinja_value eval_comparison(struct jinja_run *run)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    struct jinja_value left = eval_sum(run), right;
    const char *sign = NULL;
    bool comparable;
    int order;

    if (demo_jinja_take(run, "in"))
        return jinja_bool(eval_in(run, left, eval_sum(run)));
    if (demo_jinja_take(run, "not")) {
        if (!demo_jinja_take(run, "in"))
            demo_jinja_fail(run, "TemplateSyntaxError: expected token 'in'");
        return jinja_bool(!eval_in(run, left, eval_sum(run)));
    }
    for (size_t i = 0; !sign && i < 6; i++)
        sign = demo_jinja_take(run, signs[i]) ? signs[i] : NULL;
    if (!sign)
        return left;
    right = eval_sum(run);
    order = demo_jinja_compare(run, left, right, &comparable);
    if (sign[1] == '=' && (*sign == '=' || *sign == '!'))
        return jinja_bool((order == 0) == (*sign == '='));
    if (!comparable)
        demo_jinja_fail(run, "TypeError: '%s' not supported between these instances", sign);
    return jinja_bool(*sign == '<' ? order < (sign[1] == '=') : order > -(sign[1] == '='));
}

static struct jinja_value eval_not(struct jinja_run *run)
{
    bool negated = false, any = false;
    struct jinja_value value;

    while (demo_jinja_take(run, "not")) {
        negated = !negated;
        any = true;
    }
    value = eval_comparison(run);
    return any ? jinja_bool(demo_jinja_is_true(value) != negated) : value;
}

static struct jinja_value eval_and(struct jinja_run *run)
{
    struct jinja_value value = eval_not(run);

    while (!jinja_has_failed(run) && demo_jinja_take(run, "and")) {
        bool quiet = run->quiet;
        struct jinja_value right;

        run->quiet = quiet || !demo_jinja_is_true(value);
        right = eval_not(run);
        run->quiet = quiet;
        value = demo_jinja_is_true(value) ? right : value;
    }
    return value;
}

static struct jinja_value eval_or(struct jinja_run *run)
{
    struct jinja_value value = eval_and(run);

    while (!jinja_has_failed(run) && demo_jinja_take(run, "or")) {
        bool quiet = run->quiet;
        struct jinja_value right;

        run->quiet = quiet || demo_jinja_is_true(value);
        right = eval_and(run);
        run->quiet = quiet;
        value = demo_jinja_is_true(value) ? value : right;
    }
    return value;
}

struct jinja_value demo_jinja_expression(struct jinja_run *run)
{
    struct jinja_value value, other = jinja_undefined("");
    bool quiet = run->quiet, holds;

    if (run->depth++ >= JINJA_DEPTH)
        demo_jinja_fail(run, "RecursionError: maximum recursion depth exceeded");
    value = jinja_has_failed(run) || run->depth > JINJA_DEPTH ? jinja_none() : eval_or(run);
    if (!jinja_has_failed(run) && demo_jinja_take(run, "if")) {
        holds = demo_jinja_is_true(eval_or(run));
        if (demo_jinja_take(run, "else")) {
            run->quiet = quiet || holds;
            other = demo_jinja_expression(run);
            run->quiet = quiet;
        }
        value = holds ? value : other;
    }
    run->depth--;
    return value;
}

struct jinja_value demo_jinja_evaluate(struct jinja_run *run)
{
    struct jinja_value value = demo_jinja_expression(run);

    demo_jinja_skip_space(run);
    if (run->at < run->end)
        demo_jinja_fail(run,
                        "TemplateSyntaxError: expected token 'end of print statement', got '%.*s'",
                        (int)strcspn(run->at, " \t\n}%"), run->at);
    return value;
}
