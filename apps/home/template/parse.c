/* template/parse.c - makes nodes of the tokens of a template. */
#include <stdlib.h>
#include <string.h>

#include "template/token.h"

/* The inside of a tag that is being read. */
struct tag_reader {
    const char *at, *end;
    haft_arena *arena;
    haft_reason *reason;
    unsigned line, depth;
    int status;
};

static int tag_fail(struct tag_reader *r, const char *format, const char *text, size_t size)
{
    if (!r->status)
        r->status = template_fault(r->reason, r->line, format, (int)(size > 40 ? 40 : size), text);
    return r->status;
}

static void *tag_alloc(struct tag_reader *r, size_t size)
{
    void *memory = haft_arena_zalloc(r->arena, 1, size);

    if (!memory && !r->status) {
        r->status = HAFT_ENOMEM;
        if (r->reason)
            *r->reason = (haft_reason){.code = HAFT_ENOMEM, .text = "out of memory"};
    }
    return memory;
}

static void tag_skip_space(struct tag_reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n\f\v", *r->at) && *r->at)
        r->at++;
}

/* What ends a name in Handlebars. */
static bool tag_ends_name(char c)
{
    return !c || strchr(" \t\r\n\f\v!\"#%&'()*+,./;<=>@[\\]^`{|}~", c);
}

static size_t tag_name_size(const struct tag_reader *r)
{
    const char *p = r->at;

    while (p < r->end && !tag_ends_name(*p))
        p++;
    return (size_t)(p - r->at);
}

/* ---- literals ---- */

static void tag_read_string(struct tag_reader *r, struct template_value *ret)
{
    char quote = *r->at++;
    char *text = haft_arena_alloc(r->arena, (size_t)(r->end - r->at) + 1);
    size_t n = 0;

    if (!text) {
        tag_alloc(r, SIZE_MAX);
        return;
    }
    while (r->at < r->end && *r->at != quote) {
        if (*r->at == '\\' && r->at + 1 < r->end && r->at[1] == quote)
            r->at++;
        text[n++] = *r->at++;
    }
    if (r->at == r->end) {
        tag_fail(r, "a string is not closed: %.*s", text, n);
        return;
    }
    r->at++;
    text[n] = '\0';
    *ret = (struct template_value){.kind = TEMPLATE_TEXT, .text = text, .size = n};
}

static bool tag_read_number(struct tag_reader *r, struct template_value *ret)
{
    const char *p = r->at;
    char digits[32];
    size_t n;

    p += p < r->end && *p == '-';
    if (p == r->end || *p < '0' || *p > '9')
        return false;
    while (p < r->end && ((*p >= '0' && *p <= '9') || *p == '.'))
        p++;
    n = (size_t)(p - r->at);
    if (n >= sizeof digits || (p < r->end && !tag_ends_name(*p)) || p[-1] == '.')
        return false;
    memcpy(digits, r->at, n);
    digits[n] = '\0';
    *ret = (struct template_value){.kind = TEMPLATE_NUMBER, .number = strtod(digits, NULL)};
    r->at = p;
    return true;
}

static bool tag_read_word(struct tag_reader *r, struct template_value *ret)
{
    static const struct {
        const char *word;
        struct template_value value;
    } words[] = {
        {"true", {.kind = TEMPLATE_BOOLEAN, .boolean = true}},
        {"false", {.kind = TEMPLATE_BOOLEAN}},
        {"null", {.kind = TEMPLATE_NULL}},
        {"undefined", {.kind = TEMPLATE_UNDEFINED}},
    };
    size_t n = tag_name_size(r);

    /* A name that goes on is a path. */
    if (r->at + n < r->end && (r->at[n] == '.' || r->at[n] == '/' || r->at[n] == '='))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (n == strlen(words[i].word) && !memcmp(r->at, words[i].word, n)) {
            *ret = words[i].value;
            r->at += n;
            return true;
        }
    return false;
}

/* ---- paths ---- */

static bool tag_takes(struct tag_reader *r, const char *text)
{
    size_t n = strlen(text);

    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n))
        return false;
    r->at += n;
    return true;
}

/* One name: letters, or anything in brackets. */
static void tag_read_part(struct tag_reader *r, struct template_expression *e)
{
    const char *from = r->at;
    size_t n;

    if (*from == '[') {
        const char *close = memchr(from, ']', (size_t)(r->end - from));

        if (!close) {
            tag_fail(r, "\"]\" is missing: %.*s", from, (size_t)(r->end - from));
            return;
        }
        from++;
        n = (size_t)(close - from);
        r->at = close + 1;
    } else {
        n = tag_name_size(r);
        r->at += n;
    }
    if (!n && from[-1] != '[')
        tag_fail(r, "a name is expected: %.*s", from, (size_t)(r->end - from));
    else if (e->n_parts == TEMPLATE_MAX_ARGUMENTS)
        tag_fail(r, "a path has too many parts: %.*s", from, n);
    else
        e->parts[e->n_parts++] = (struct template_part){from, n};
}

static void tag_read_path(struct tag_reader *r, struct template_expression *e)
{
    e->kind = EXPRESSION_PATH;
    e->is_data = tag_takes(r, "@");
    while (tag_takes(r, "../"))
        e->ups++, e->is_this = true;
    if (tag_takes(r, "..")) {
        e->ups++, e->is_this = true;
        return;
    }
    if (tag_takes(r, "./")) {
        e->is_this = true;
    } else if (r->at < r->end && *r->at == '.') {
        r->at++;
        e->is_this = true;
        return;
    } else if (tag_name_size(r) == 4 && !memcmp(r->at, "this", 4)) {
        r->at += 4;
        e->is_this = true;
        if (!tag_takes(r, ".") && !tag_takes(r, "/"))
            return;
    } else if (e->ups && (r->at == r->end || tag_ends_name(*r->at)) &&
               (r->at == r->end || *r->at != '[')) {
        return;
    }
    do {
        if (r->at == r->end) {
            tag_fail(r, "a name is expected at the end of the tag%.*s", "", 0);
            return;
        }
        tag_read_part(r, e);
    } while (!r->status && (tag_takes(r, ".") || tag_takes(r, "/")));
}

/* ---- expressions ---- */

static const struct template_expression *tag_read_call(struct tag_reader *r);

/* A literal, a path, or a call in parentheses. */
static const struct template_expression *tag_read_operand(struct tag_reader *r)
{
    struct template_expression *e;

    if (*r->at == '(') {
        const struct template_expression *call;

        r->at++;
        if (++r->depth > TEMPLATE_MAX_DEPTH) {
            tag_fail(r, "too many parentheses%.*s", "", 0);
            return NULL;
        }
        call = tag_read_call(r);
        r->depth--;
        if (!r->status && (r->at == r->end || *r->at++ != ')'))
            tag_fail(r, "\")\" is missing%.*s", "", 0);
        return call;
    }
    e = tag_alloc(r, sizeof *e);
    if (!e)
        return NULL;
    if (*r->at == '"' || *r->at == '\'')
        tag_read_string(r, &e->literal);
    else if (!tag_read_number(r, &e->literal) && !tag_read_word(r, &e->literal))
        tag_read_path(r, e);
    return e;
}

/* name=value; only includeZero means something here, as in Handlebars' own helpers. */
static bool tag_read_hash(struct tag_reader *r, struct template_expression *call)
{
    size_t n = tag_name_size(r);
    const char *name = r->at;
    const struct template_expression *value;

    if (!n || name + n >= r->end || name[n] != '=')
        return false;
    r->at += n + 1;
    tag_skip_space(r);
    if (r->at == r->end) {
        tag_fail(r, "a value is missing after %.*s=", name, n);
        return true;
    }
    value = tag_read_operand(r);
    if (value && n == strlen("includeZero") && !memcmp(name, "includeZero", n))
        call->include_zero = value->kind == EXPRESSION_LITERAL && template_is_true(&value->literal);
    return true;
}

/* A path, or a helper with its arguments, up to the end of the tag or of the parentheses. */
static const struct template_expression *tag_read_call(struct tag_reader *r)
{
    const struct template_expression *first;
    struct template_expression *call;
    const char *from;

    tag_skip_space(r);
    from = r->at;
    if (r->at == r->end) {
        tag_fail(r, "a tag is empty%.*s", "", 0);
        return NULL;
    }
    first = tag_read_operand(r);
    call = first && !r->status ? tag_alloc(r, sizeof *call) : NULL;
    if (!call)
        return NULL;
    *call = *first;
    if (first->kind == EXPRESSION_LITERAL && !r->depth) {
        /* {{"a b"}} is the member of that name. */
        bool quoted = first->literal.kind == TEMPLATE_TEXT;

        call->kind = EXPRESSION_PATH;
        call->n_parts = 1;
        call->parts[0] = quoted ? (struct template_part){first->literal.text, first->literal.size}
                                : (struct template_part){from, (size_t)(r->at - from)};
    }
    for (tag_skip_space(r); !r->status && r->at < r->end && *r->at != ')'; tag_skip_space(r)) {
        if (*r->at == '|' || (r->end - r->at > 3 && !memcmp(r->at, "as |", 4)))
            break;
        if (call->kind == EXPRESSION_LITERAL) {
            tag_fail(r, "a helper is expected before: %.*s", r->at, (size_t)(r->end - r->at));
        } else if (!tag_read_hash(r, call)) {
            if (call->n_arguments == TEMPLATE_MAX_ARGUMENTS)
                tag_fail(r, "too many arguments: %.*s", r->at, (size_t)(r->end - r->at));
            else
                call->arguments[call->n_arguments++] = tag_read_operand(r);
        }
        call->kind = EXPRESSION_CALL;
    }
    return r->status ? NULL : call;
}

/* as |value key| */
static void tag_read_names(struct tag_reader *r, struct template_node *node)
{
    if (!tag_takes(r, "as |"))
        return;
    for (tag_skip_space(r); r->at < r->end && *r->at != '|'; tag_skip_space(r)) {
        size_t n = tag_name_size(r);

        if (!n || node->n_names == 2) {
            tag_fail(r, "invalid block parameters: %.*s", r->at, (size_t)(r->end - r->at));
            return;
        }
        node->names[node->n_names++] = (struct template_part){r->at, n};
        r->at += n;
    }
    if (!tag_takes(r, "|") || !node->n_names)
        tag_fail(r, "block parameters are not closed%.*s", "", 0);
}

/* ---- nodes ---- */

struct template_parser {
    const struct template_token *tokens;
    size_t n, i;
    haft_arena *arena;
    haft_reason *reason;
    unsigned depth;
};

static int parse_list(struct template_parser *p, const struct template_node **ret_first);

static int parse_expression(struct template_parser *p, const struct template_token *token,
                            struct template_node *node)
{
    struct tag_reader r = {
        token->text, token->text + token->size, p->arena, p->reason, token->line, 0, 0};

    node->expression = tag_read_call(&r);
    if (!r.status)
        tag_read_names(&r, node);
    tag_skip_space(&r);
    if (!r.status && r.at < r.end)
        tag_fail(&r, "not expected here: %.*s", r.at, (size_t)(r.end - r.at));
    return r.status;
}

static struct template_node *parse_new(struct template_parser *p, enum node_kind kind,
                                       const struct template_token *token)
{
    struct template_node *node = haft_arena_zalloc(p->arena, 1, sizeof *node);

    if (node) {
        node->kind = kind;
        node->line = token->line;
        node->text = token->text;
        node->size = token->size;
    }
    return node;
}

/* Whether a closing tag has the name that its block was opened with. */
static bool parse_closes(const struct template_token *close, const struct template_token *open)
{
    size_t n = 0;

    while (n < open->size && !strchr(" \t\r\n", open->text[n]))
        n++;
    return close->size == n && !memcmp(close->text, open->text, n);
}

/* The part after an {{else}}, up to the closing tag, which is not consumed. */
static int parse_otherwise(struct template_parser *p, struct template_node *block,
                           const struct template_token *open)
{
    const struct template_token *token = &p->tokens[p->i];
    struct template_node *inner;
    int status;

    if (!token->size) {
        p->i++;
        return parse_list(p, &block->otherwise);
    }
    /* {{else if x}} is a block inside the else part, which the same closing tag ends. */
    inner = parse_new(p, NODE_BLOCK, token);
    if (!inner)
        return HAFT_ENOMEM;
    p->i++;
    status = parse_expression(p, token, inner);
    if (!status)
        status = parse_list(p, &inner->body);
    if (!status && p->i < p->n && p->tokens[p->i].kind == TOKEN_ELSE)
        status = parse_otherwise(p, inner, open);
    block->otherwise = inner;
    return status;
}

static int parse_block(struct template_parser *p, struct template_node *block)
{
    const struct template_token *open = &p->tokens[p->i++];
    int status;

    if (++p->depth > TEMPLATE_MAX_DEPTH)
        return template_fault(p->reason, open->line, "blocks are nested more than %d deep",
                              TEMPLATE_MAX_DEPTH);
    block->inverted = open->kind == TOKEN_INVERTED;
    status = parse_expression(p, open, block);
    if (!status)
        status = parse_list(p, &block->body);
    if (!status && p->i < p->n && p->tokens[p->i].kind == TOKEN_ELSE)
        status = parse_otherwise(p, block, open);
    if (status)
        return status;
    if (p->i == p->n || p->tokens[p->i].kind != TOKEN_CLOSE)
        return template_fault(p->reason, open->line, "the block {{#%.*s}} is not closed",
                              (int)(open->size > 40 ? 40 : open->size), open->text);
    if (!parse_closes(&p->tokens[p->i], open))
        return template_fault(p->reason, p->tokens[p->i].line, "{{/%.*s}} does not close {{#%.*s}}",
                              (int)(p->tokens[p->i].size > 40 ? 40 : p->tokens[p->i].size),
                              p->tokens[p->i].text, (int)(open->size > 40 ? 40 : open->size),
                              open->text);
    p->i++;
    p->depth--;
    return 0;
}

/* Nodes up to an {{else}}, a closing tag or the end. */
static int parse_list(struct template_parser *p, const struct template_node **ret_first)
{
    const struct template_node **at = ret_first;

    while (p->i < p->n) {
        const struct template_token *token = &p->tokens[p->i];
        struct template_node *node;
        int status = 0;

        if (token->kind == TOKEN_ELSE || token->kind == TOKEN_CLOSE)
            return 0;
        if (token->kind == TOKEN_COMMENT) {
            p->i++;
            continue;
        }
        node = parse_new(p, NODE_TEXT, token);
        if (!node)
            return HAFT_ENOMEM;
        if (token->kind == TOKEN_OPEN || token->kind == TOKEN_INVERTED) {
            node->kind = NODE_BLOCK;
            status = parse_block(p, node);
        } else {
            p->i++;
            if (token->kind != TOKEN_TEXT) {
                node->kind = NODE_VALUE;
                node->escape = token->kind == TOKEN_VALUE;
                status = parse_expression(p, token, node);
            }
        }
        if (status)
            return status;
        *at = node;
        at = &node->next;
    }
    return 0;
}

int template_parse(const char *text, size_t size, haft_arena *arena,
                   const struct template_node **ret_first, haft_reason *reterr_reason)
{
    struct template_parser p = {.arena = arena, .reason = reterr_reason};
    struct template_token *tokens = NULL;
    int status;

    *ret_first = NULL;
    if (size > TEMPLATE_MAX_SIZE) {
        template_fault(reterr_reason, 1, "the template has %zu bytes; at most %d are allowed", size,
                       TEMPLATE_MAX_SIZE);
        return HAFT_ETOOBIG;
    }
    status = template_tokens(text, size, arena, &tokens, &p.n, reterr_reason);
    p.tokens = tokens;
    if (!status)
        status = parse_list(&p, ret_first);
    if (!status && p.i < p.n)
        status = template_fault(reterr_reason, p.tokens[p.i].line,
                                p.tokens[p.i].kind == TOKEN_ELSE ? "{{else}} is outside of a block"
                                                                 : "{{/%.*s}} closes no block",
                                (int)(p.tokens[p.i].size > 40 ? 40 : p.tokens[p.i].size),
                                p.tokens[p.i].text);
    if (status == HAFT_ENOMEM && reterr_reason)
        *reterr_reason = (haft_reason){.code = HAFT_ENOMEM, .text = "out of memory"};
    return status;
}
