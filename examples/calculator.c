/* calculator.c - a parser behind a tool: bounds, an enum, and an object of options.
 *
 * The schema has validated everything that a schema can; the expression is parsed here, and errors
 * include their position. */
#include <haft.h>
#include <math.h>
#include <string.h>
#include <yyjson.h>

enum { DEEPEST = 64 };

HAFT_ENUMERATION(mode, exact, approximate);

HAFT_STRUCT(calculate_options,
    HAFT_OPTIONAL(HAFT_BOOLEAN(caseSensitive, "PI is not pi")),
    HAFT_OPTIONAL(HAFT_BOOLEAN(trim, "Ignore spaces around the expression: true")));

HAFT_STRUCT(calculate_args,
    HAFT_STRING(expression, "Math expression to evaluate"),
    HAFT_DEFAULT(HAFT_NUMBER(precision, "Decimals when approximate", .min = 0, .max = 10), 2),
    HAFT_ENUM(mode, mode, "Calculation mode"),
    HAFT_OPTIONAL(HAFT_OBJECT(options, calculate_options, "How to read it")));

struct reader {
    haft_call *call;
    const char *start, *at;
    const char *error; /* first error */
    bool exact_case;
    int depth;
};

static double fail(struct reader *reader, const char *error)
{
    if (!reader->error)
        reader->error = error;
    return 0;
}

/* Consumes and returns the next character if it is one of these. */
static char take(struct reader *reader, const char *any)
{
    while (*reader->at == ' ')
        reader->at++;
    return *reader->at && strchr(any, *reader->at) ? *reader->at++ : '\0';
}

static bool is_pi(const struct reader *reader)
{
    const char *at = reader->at;

    return !strncmp(at, "pi", 2) ||
           (!reader->exact_case && (!strncmp(at, "PI", 2) || !strncmp(at, "Pi", 2)));
}

/* Reads a JSON number, which does not depend on the locale. */
static double number(struct reader *reader)
{
    size_t n = strspn(reader->at, "0123456789.eE");
    haft_value *value;

    if (is_pi(reader)) {
        reader->at += 2;
        return 3.14159265358979323846;
    }
    value = haft_json_read(reader->at, n, 0, haft_call_arena(reader->call), NULL);
    if (!value)
        return fail(reader, *reader->at ? "expected a number" : "it ends too early");
    reader->at += n;
    return yyjson_get_num(value);
}

static double sum(struct reader *reader);

static double factor(struct reader *reader)
{
    double value, sign = 1;

    while (take(reader, "-"))
        sign = -sign;
    if (!take(reader, "("))
        return sign * number(reader);
    if (++reader->depth > DEEPEST)
        return fail(reader, "too many parentheses");
    value = sum(reader);
    reader->depth--;
    return take(reader, ")") ? sign * value : fail(reader, "expected )");
}

static double product(struct reader *reader)
{
    double value = factor(reader);
    char sign;

    while (!reader->error && (sign = take(reader, "*/"))) {
        double next = factor(reader);

        if (sign == '/' && next == 0)
            fail(reader, "division by zero");
        value = sign == '*' ? value * next : value / (next != 0 ? next : 1);
    }
    return value;
}

static double sum(struct reader *reader)
{
    double value = product(reader);
    char sign;

    while (!reader->error && (sign = take(reader, "+-")))
        value += (sign == '+' ? 1 : -1) * product(reader);
    return value;
}

static int calculate(haft_call *call, const calculate_args *in)
{
    struct reader reader = {.call = call, .start = in->expression, .at = in->expression};
    double value, scale = pow(10, trunc(in->precision));
    size_t size = strlen(in->expression);
    haft_buffer text;
    int status;

    reader.exact_case =
        in->has_options && in->options.has_caseSensitive && in->options.caseSensitive;
    if (in->has_options && in->options.has_trim && !in->options.trim && size &&
        (in->expression[0] == ' ' || in->expression[size - 1] == ' '))
        return haft_error(call, "Error: there are spaces around the expression");
    value = sum(&reader);
    if (!reader.error && (take(&reader, "") || *reader.at))
        fail(&reader, "expected an operator");
    if (!reader.error && !isfinite(value))
        fail(&reader, "the result is too large");
    if (reader.error)
        return haft_error(call, "Error: %s at position %td", reader.error,
                          reader.at - reader.start);
    if (in->mode == mode_approximate && fabs(value) < 1e15)
        value = round(value * scale) / scale;
    haft_buffer_init(&text, NULL, 64);
    haft_buffer_json_number(&text, value);
    status = text.status ? text.status : haft_text_bytes(call, text.data, text.size);
    haft_buffer_finish(&text);
    return status;
}
HAFT_TOOL_IN(calculate, calculate_args, "Evaluates + - * / and parentheses",
             .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO});

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("calculator", "1.0.0");

    if (server)
        haft_add(server, &calculate_tool);
    return haft_main(server, argc, argv);
}
