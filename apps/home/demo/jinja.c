/* jinja.c - templates: text, {{ expressions }}, {% statements %} and {# comments #}. */
#include "demo/jinja_value.h"

void demo_jinja_fail(struct jinja_run *run, const char *format, ...)
{
    va_list args;

    if (run->jinja->error || run->quiet)
        return;
    va_start(args, format);
    run->jinja->error = haft_arena_vprintf(run->demo->scratch, format, args);
    va_end(args);
    if (!run->jinja->error)
        run->jinja->error = "";
}

/* A piece of the template. */
struct jinja_piece {
    enum { PIECE_TEXT, PIECE_VALUE, PIECE_STATEMENT, PIECE_END } kind;
    const char *from, *to; /* its text, without the delimiters */
    const char *next;
};

static struct jinja_piece jinja_piece(struct jinja_run *run, const char *at, const char *end)
{
    struct jinja_piece piece = {PIECE_END, at, end, end};
    const char *sign = at, *close;
    char closing[3] = "%}";

    while (sign < end && !(sign[0] == '{' && strchr("{%#", sign[1]) && sign[1]))
        sign++;
    if (at >= end)
        return piece;
    if (sign > at) {
        bool trims = sign < end && sign[2] == '-';

        piece = (struct jinja_piece){PIECE_TEXT, at, sign, sign};
        while (trims && piece.to > at && strchr(" \t\n", piece.to[-1]))
            piece.to--;
        return piece;
    }
    closing[0] = sign[1] == '{' ? '}' : sign[1];
    close = strstr(sign + 2, closing);
    if (!close) {
        demo_jinja_fail(run, "TemplateSyntaxError: unexpected end of template, expected '%s'.",
                        sign[1] == '{' ? "end of print statement" : "end of statement block");
        return piece;
    }
    piece = (struct jinja_piece){PIECE_TEXT, sign + 2, close, close + 2};
    if (close > sign + 2 && close[-1] == '-') {
        piece.to--;
        while (piece.next < end && strchr(" \t\n", *piece.next))
            piece.next++;
    }
    piece.from += piece.from < piece.to && *piece.from == '-';
    if (sign[1] == '#')
        piece.to = piece.from;
    else
        piece.kind = sign[1] == '{' ? PIECE_VALUE : PIECE_STATEMENT;
    return piece;
}

static const char *jinja_block(struct jinja_run *run, const char *at, const char *end, bool active,
                               const char *stops, const char **ret_stop);

/* Whether a statement begins with the word; then it is behind it. */
static bool jinja_keyword(struct jinja_run *run, const struct jinja_piece *piece, const char *word)
{
    size_t size = strlen(word);
    const char *at = piece->from;

    while (at < piece->to && strchr(" \t\n", *at))
        at++;
    if ((size_t)(piece->to - at) < size || strncmp(at, word, size) != 0 ||
        (at + size < piece->to && !strchr(" \t\n(", at[size])))
        return false;
    run->at = at + size;
    run->end = piece->to;
    return true;
}

static const char *jinja_if(struct jinja_run *run, const struct jinja_piece *piece, const char *end,
                            bool active)
{
    const char *at = piece->next, *stop = "elif";
    struct jinja_piece next;
    bool done = !active, holds = active && demo_jinja_is_true(demo_jinja_evaluate(run));

    for (;;) {
        at = jinja_block(run, at, end, holds && !done, "elif,else,endif", &stop);
        done = done || holds;
        if (!at || jinja_has_failed(run) || !strcmp(stop, "endif"))
            return at;
        if (!strcmp(stop, "else")) {
            holds = true;
            continue;
        }
        next = jinja_piece(run, run->at, end); /* the statement that stopped it */
        jinja_keyword(run, &next, "elif");
        holds = !done && demo_jinja_is_true(demo_jinja_evaluate(run));
    }
}

static void jinja_set(struct jinja_run *run, const char *name, struct jinja_value value)
{
    struct jinja_variable *variable = haft_arena_zalloc(run->demo->scratch, 1, sizeof *variable);

    if (!variable) {
        demo_jinja_fail(run, "out of memory");
        return;
    }
    *variable = (struct jinja_variable){name, value, run->variables};
    run->variables = variable;
}

static struct jinja_value jinja_loop(struct jinja_run *run, size_t i, size_t n)
{
    char *json =
        demo_format(run->demo, "'index':%zu,'index0':%zu,'first':%s,'last':%s,'length':%zu", i + 1,
                    i, i ? "false" : "true", i + 1 == n ? "true" : "false", n);

    return demo_jinja_of_json(demo_parse_relaxed(run->demo, json));
}

static const char *jinja_for(struct jinja_run *run, const struct jinja_piece *piece,
                             const char *end, bool active)
{
    const char *name = demo_jinja_name(run), *stop, *after;
    struct jinja_variable *outer = run->variables;
    haft_value *list = NULL;
    size_t n;

    if (!demo_jinja_take(run, "in"))
        demo_jinja_fail(run, "TemplateSyntaxError: expected token 'in'");
    if (active)
        list = demo_jinja_list(run, demo_jinja_evaluate(run));
    if (active && !list)
        demo_jinja_fail(run, "TypeError: object is not iterable");
    n = yyjson_arr_size(list);
    for (size_t i = 0; i < n && !jinja_has_failed(run); i++) {
        jinja_set(run, name, demo_jinja_of_json(yyjson_arr_get(list, i)));
        jinja_set(run, "loop", jinja_loop(run, i, n));
        jinja_block(run, piece->next, end, true, "else,endfor", &stop);
        run->variables = outer;
    }
    after = jinja_block(run, piece->next, end, false, "else,endfor", &stop);
    if (after && !strcmp(stop, "else"))
        after = jinja_block(run, after, end, active && !n, "endfor", &stop);
    return after;
}

static void jinja_assign(struct jinja_run *run)
{
    const char *name = demo_jinja_name(run);

    if (!demo_jinja_take(run, "="))
        demo_jinja_fail(run, "TemplateSyntaxError: expected token '='");
    else
        jinja_set(run, name, demo_jinja_evaluate(run));
}

/* A statement that is not an end; returns where the template goes on. */
static const char *jinja_statement(struct jinja_run *run, const struct jinja_piece *piece,
                                   const char *end, bool active)
{
    if (jinja_keyword(run, piece, "if"))
        return jinja_if(run, piece, end, active);
    if (jinja_keyword(run, piece, "for"))
        return jinja_for(run, piece, end, active);
    if (jinja_keyword(run, piece, "set")) {
        if (active)
            jinja_assign(run);
        return piece->next;
    }
    run->at = piece->from;
    run->end = piece->to;
    run->quiet = false;
    demo_jinja_fail(run, "TemplateSyntaxError: Encountered unknown tag '%s'.",
                    demo_jinja_name(run));
    return NULL;
}

/* The word of a list that the statement is; NULL if it is not in the list. */
static const char *jinja_stop(struct jinja_run *run, const struct jinja_piece *piece,
                              const char *stops)
{
    static const char *const words[] = {"elif", "else", "endif", "endfor"};

    for (size_t i = 0; i < 4; i++)
        if (strstr(stops, words[i]) && jinja_keyword(run, piece, words[i]))
            return words[i];
    return NULL;
}

/* Goes through pieces up to a statement of `stops`, and returns what follows it; `at` of the run is the beginning of
 * that statement.  Without stops, up to the end. */
static const char *jinja_block(struct jinja_run *run, const char *at, const char *end, bool active,
                               const char *stops, const char **ret_stop)
{
    if (run->depth++ >= JINJA_DEPTH)
        demo_jinja_fail(run, "RecursionError: maximum recursion depth exceeded");
    while (!jinja_has_failed(run)) {
        struct jinja_piece piece = jinja_piece(run, at, end);

        if (jinja_has_failed(run) || piece.kind == PIECE_END)
            break;
        if (++run->steps > JINJA_STEPS)
            demo_jinja_fail(run, "TimeoutError: the template takes too long");
        run->quiet = !active;
        if (piece.kind == PIECE_TEXT && active) {
            haft_buffer_add(&run->out, piece.from, (size_t)(piece.to - piece.from));
        } else if (piece.kind == PIECE_VALUE) {
            run->at = piece.from;
            run->end = piece.to;
            if (active)
                haft_buffer_puts(&run->out, demo_jinja_text(run, demo_jinja_evaluate(run)));
        } else if (piece.kind == PIECE_STATEMENT) {
            const char *stop = jinja_stop(run, &piece, stops);

            if (stop) {
                *ret_stop = stop;
                run->at = at;
                run->depth--;
                return piece.next;
            }
            at = jinja_statement(run, &piece, end, active);
            continue;
        }
        at = piece.next;
    }
    run->quiet = false;
    if (*stops)
        demo_jinja_fail(run, "TemplateSyntaxError: Unexpected end of template.");
    run->depth--;
    return NULL;
}

char *demo_jinja_render(struct demo_jinja *jinja, const char *text)
{
    struct jinja_run run = {.jinja = jinja, .demo = jinja->demo};
    const char *stop;
    char *result;
    size_t size;

    jinja->error = "";
    if (!text)
        return NULL;
    haft_buffer_init(&run.out, &jinja->demo->allocator, JINJA_OUTPUT);
    jinja->error = NULL;
    jinja_block(&run, text, text + strlen(text), true, "", &stop);
    if (run.out.status == HAFT_ETOOBIG)
        demo_jinja_fail(&run, "Template output exceeded maximum size of %d characters",
                        JINJA_OUTPUT);
    result = demo_take(jinja->demo, &run.out);
    if (!result || jinja->error) {
        jinja->error = jinja->error ? jinja->error : "";
        return NULL;
    }
    size = strlen(result);
    while (size && strchr(" \t\n\r", result[size - 1]))
        result[--size] = '\0';
    return result + strspn(result, " \t\n\r");
}
