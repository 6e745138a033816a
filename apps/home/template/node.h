/* template/node.h - a template after it was parsed. */
#ifndef HOME_TEMPLATE_NODE_H
#define HOME_TEMPLATE_NODE_H

#include "template/template.h"

enum { TEMPLATE_MAX_SIZE = 64 << 10, TEMPLATE_MAX_DEPTH = 32, TEMPLATE_MAX_ARGUMENTS = 8 };

enum expression_kind { EXPRESSION_LITERAL, EXPRESSION_PATH, EXPRESSION_CALL };

/* A name or a number of a path. */
struct template_part {
    const char *text;
    size_t size;
};

struct template_expression {
    enum expression_kind kind;
    struct template_value literal;

    /* A path, or the name of a helper: up `ups` contexts, or from a data variable ("@index"). */
    unsigned ups;
    bool is_data, is_this; /* begins with "@"; is written with `this` or a dot */
    struct template_part parts[TEMPLATE_MAX_ARGUMENTS];
    size_t n_parts;

    const struct template_expression *arguments[TEMPLATE_MAX_ARGUMENTS];
    size_t n_arguments;
    bool include_zero; /* includeZero=true, of if and unless */
};

enum node_kind { NODE_TEXT, NODE_VALUE, NODE_BLOCK };

struct template_node {
    enum node_kind kind;
    unsigned line;
    const char *text; /* NODE_TEXT */
    size_t size;
    bool escape;   /* NODE_VALUE: for HTML */
    bool inverted; /* NODE_BLOCK: {{^x}} */
    const struct template_expression *expression;
    struct template_part names[2]; /* block parameters: as |value key| */
    size_t n_names;
    const struct template_node *body, *otherwise;
    const struct template_node *next;
};

/* Parses a template; the nodes belong to the arena and point into the text. */
int template_parse(const char *text, size_t size, haft_arena *arena,
                   const struct template_node **ret_first, haft_reason *reterr_reason);

#endif
