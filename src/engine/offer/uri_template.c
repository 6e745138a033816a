/* uri_template.c - decodes URIs into characters, and compiles templates into parts.
 *
 * A template becomes a list of parts: literals, values with their prefixes, and groups of named
 * values. Templates and URIs are decoded first, each character once, so that the matching does not
 * deal with encodings. */
#include "engine/offer/uri_template.h"

#include <string.h>

#include "base/percent.h"

enum { LONGEST_TEMPLATE = 4096, MAX_PREFIX = 9999 };

/* The operators after the brace. */
static const struct expression expressions[] = {
    {0, 0, ',', false, "/?#"},     {'+', 0, ',', false, ""},      {'#', '#', ',', false, ""},
    {'.', '.', '.', false, "/?#"}, {'/', '/', '/', false, "/?#"}, {';', ';', ';', true, "/?#"},
    {'?', '?', '&', true, "#"},    {'&', '&', '&', true, "#"},
};

/* ---- characters ---- */

/* Decodes the byte at text[*at] and advances; -1 for an invalid escape. */
static int next_byte(const char *text, size_t size, size_t *at)
{
    int byte;

    if (text[*at] != '%')
        return (unsigned char)text[(*at)++];
    byte = percent_byte(text + *at, size - *at);
    *at += PERCENT_ESCAPE;
    return byte;
}

static int read_units(haft_arena *arena, const char *text, size_t size, struct address *ret)
{
    uint32_t *units = haft_arena_alloc(arena, (size + 1) * sizeof *units);
    char *bytes = haft_arena_alloc(arena, size + 1);
    size_t n = 0, n_units = 0;
    const char *p;

    if (!units || !bytes)
        return HAFT_ENOMEM;
    /* At first `units` holds for each byte whether it was encoded; it is converted to characters
     * below. */
    for (size_t at = 0; at < size; n++) {
        size_t before = at;
        int byte = next_byte(text, size, &at);

        if (byte <= 0)
            return HAFT_EINVAL;
        bytes[n] = (char)byte;
        units[n] = at - before == 3 ? ADDRESS_ENCODED : 0;
    }
    if (haft_utf8_valid(bytes, n) != n)
        return HAFT_EINVAL;
    for (p = bytes; p < bytes + n; n_units++) {
        uint32_t encoded = units[p - bytes], c = hf_utf8_next(&p);

        units[n_units] = c < 0x80 && !percent_is_unreserved(c) ? c | encoded : c;
    }
    *ret = (struct address){units, n_units};
    return 0;
}

int hf_address_read(haft_arena *arena, const char *text, size_t size, struct address *ret_address)
{
    return size > ADDRESS_LIMIT ? HAFT_ETOOBIG : read_units(arena, text, size, ret_address);
}

/* ---- compiling ---- */

struct compiler {
    haft_arena *arena;
    const char *text;
    size_t size, at;
    struct uri_template *made;
    haft_reason *error;
};

static int uri_template_refuse(struct compiler *compiler, size_t at, const char *sentence)
{
    return hf_error_set(compiler->error, HAFT_EINVAL, "", "%s at offset %zu", sentence, at);
}

static int out_of_memory(struct compiler *compiler)
{
    return hf_error_set(compiler->error, HAFT_ENOMEM, "", "out of memory");
}

static struct part *uri_template_add_part(struct compiler *compiler)
{
    struct uri_template *made = compiler->made;

    return made->n_parts < MAX_PARTS ? &made->parts[made->n_parts++] : NULL;
}

static int compile_literal(struct compiler *compiler)
{
    const char *text = compiler->text + compiler->at;
    size_t n = 0, left = compiler->size - compiler->at;
    struct part *part = uri_template_add_part(compiler);
    int status;

    if (!part)
        return uri_template_refuse(compiler, compiler->at, "too many parts");
    for (; n < left && text[n] != '{'; n++) {
        unsigned char c = (unsigned char)text[n];

        if (c == '}')
            return uri_template_refuse(compiler, compiler->at + n, "unmatched }");
        if (c <= ' ' || c == 0x7F || strchr("\"<>\\^`|", c))
            return uri_template_refuse(compiler, compiler->at + n, "invalid character in a URI");
    }
    status = read_units(compiler->arena, text, n, &part->literal);
    if (status == HAFT_ENOMEM)
        return out_of_memory(compiler);
    if (status)
        return uri_template_refuse(compiler, compiler->at, "percent-encoding of invalid UTF-8");
    compiler->at += n;
    return 0;
}

static bool uri_template_is_name_character(char c)
{
    return c != '-' && c != '~' && c != '.' && percent_is_unreserved((unsigned char)c);
}

/* The size of the name at the start; 0 if there is none. */
static size_t name_size(const char *text, size_t size)
{
    size_t n = 0;

    for (bool dot = true; n < size; n++) {
        if (text[n] == '.' ? dot : !(uri_template_is_name_character(text[n]) || text[n] == '%'))
            break;
        dot = text[n] == '.';
    }
    return n && text[n - 1] == '.' ? 0 : n;
}

bool hf_uri_template_has(const struct uri_template *uri_template, const char *name)
{
    for (size_t i = 0; i < uri_template->n_variables; i++)
        if (!strcmp(uri_template->variables[i].name.data, name))
            return true;
    return false;
}

static int compile_modifier(struct compiler *compiler, struct variable *variable)
{
    const char *text = compiler->text;
    size_t at = compiler->at;

    if (text[at] == '*') {
        variable->exploded = true;
        compiler->at++;
    } else if (text[at] == ':') {
        for (at++; text[at] >= '0' && text[at] <= '9' && variable->longest <= MAX_PREFIX; at++)
            variable->longest = variable->longest * 10 + (size_t)(text[at] - '0');
        if (!variable->longest || variable->longest > MAX_PREFIX || text[compiler->at + 1] == '0')
            return uri_template_refuse(compiler, compiler->at,
                                       "a prefix length must be from 1 to 9999");
        compiler->at = at;
    }
    return 0;
}

static int compile_variable(struct compiler *compiler)
{
    struct uri_template *made = compiler->made;
    struct variable *variable = &made->variables[made->n_variables];
    const char *text = compiler->text + compiler->at;
    size_t n = name_size(text, compiler->size - compiler->at);
    int status;

    if (!n)
        return uri_template_refuse(compiler, compiler->at,
                                   "expected a variable name of letters, digits, _ and .");
    if (made->n_variables == MAX_PARTS)
        return uri_template_refuse(compiler, compiler->at, "too many variables");
    variable->name = (struct text){haft_arena_copy(compiler->arena, text, n), n};
    if (!variable->name.data)
        return out_of_memory(compiler);
    if (hf_uri_template_has(made, variable->name.data))
        return uri_template_refuse(compiler, compiler->at, "duplicate variable");
    status = read_units(compiler->arena, text, n, &variable->units);
    if (status == HAFT_ENOMEM)
        return out_of_memory(compiler);
    if (status)
        return uri_template_refuse(compiler, compiler->at, "percent-encoding of invalid UTF-8");
    compiler->at += n;
    made->n_variables++;
    return compile_modifier(compiler, variable);
}

static const struct expression *expression_of(char sign)
{
    for (size_t i = 1; i < sizeof expressions / sizeof *expressions; i++)
        if (expressions[i].sign == sign)
            return &expressions[i];
    return &expressions[0];
}

/* Assigns the latest variable to a new part or to the preceding named group. A {&...} directly
 * after a {?...} belongs to the same query. */
static int place_variable(struct compiler *compiler, const struct expression *expression,
                          bool is_first)
{
    struct uri_template *made = compiler->made;
    struct part *last = made->n_parts ? &made->parts[made->n_parts - 1] : NULL;
    size_t index = made->n_variables - 1;

    if (expression->named && last && last->expression && last->expression->named &&
        (!is_first || (expression->sign == '&' && last->expression->next == '&'))) {
        last->n++;
        return 0;
    }
    last = uri_template_add_part(compiler);
    if (!last)
        return uri_template_refuse(compiler, compiler->at, "too many parts");
    last->expression = expression;
    last->before = is_first ? expression->first : expression->next;
    last->segments = made->variables[index].exploded && expression->next == '/';
    last->first = index;
    last->n = 1;
    return 0;
}

static int compile_expression(struct compiler *compiler)
{
    size_t start = compiler->at++;
    const char *text = compiler->text; /* ends with a NUL */
    const struct expression *expression = expression_of(text[compiler->at]);
    int status;

    if (text[compiler->at] && strchr("=,!@|", text[compiler->at]))
        return uri_template_refuse(compiler, compiler->at, "reserved operator");
    compiler->at += expression->sign != 0;
    for (bool is_first = true;; is_first = false) {
        status = compile_variable(compiler);
        if (!status)
            status = place_variable(compiler, expression, is_first);
        if (status || text[compiler->at] != ',')
            break;
        compiler->at++;
    }
    if (status)
        return status;
    if (compiler->at == compiler->size)
        return uri_template_refuse(compiler, start, "unmatched {");
    if (text[compiler->at] != '}')
        return uri_template_refuse(compiler, compiler->at, "invalid character in a variable name");
    compiler->at++;
    return 0;
}

int hf_uri_template_compile(haft_arena *arena, const char *text, size_t size,
                            const struct uri_template **ret_template, haft_reason *reterr_error)
{
    struct compiler compiler = {.arena = arena, .size = size, .error = reterr_error};
    int status = 0;

    if (size > LONGEST_TEMPLATE)
        return hf_error_set(reterr_error, HAFT_ETOOBIG, "", "it is longer than %d bytes",
                            LONGEST_TEMPLATE);
    if (!size || haft_utf8_valid(text, size) != size || memchr(text, '\0', size))
        return hf_error_set(reterr_error, HAFT_EINVAL, "",
                            size ? "it is not valid UTF-8" : "it is empty");
    compiler.text = haft_arena_copy(arena, text, size);
    compiler.made = haft_arena_zalloc(arena, 1, sizeof *compiler.made);
    if (!compiler.text || !compiler.made)
        return out_of_memory(&compiler);
    while (!status && compiler.at < size)
        status =
            text[compiler.at] == '{' ? compile_expression(&compiler) : compile_literal(&compiler);
    if (!status)
        *ret_template = compiler.made;
    return status;
}
