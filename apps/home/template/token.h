/* template/token.h - the text of a template cut into text and tags. */
#ifndef HOME_TEMPLATE_TOKEN_H
#define HOME_TEMPLATE_TOKEN_H

#include "template/node.h"

enum token_kind {
    TOKEN_TEXT,
    TOKEN_VALUE,     /* {{x}} */
    TOKEN_UNESCAPED, /* {{{x}}}, {{&x}} */
    TOKEN_OPEN,      /* {{#x}} */
    TOKEN_INVERTED,  /* {{^x}} */
    TOKEN_ELSE,      /* {{else}}, {{else if x}}, {{^}} */
    TOKEN_CLOSE,     /* {{/x}} */
    TOKEN_COMMENT    /* {{! }} */
};

struct template_token {
    enum token_kind kind;
    const char *text; /* of a tag: its contents */
    size_t size;
    bool trims_before, trims_after; /* by ~ */
    unsigned line;
    const char *whole; /* of text: before whitespace was trimmed */
    size_t whole_size;
};

/* The tokens of a template, trimmed; those of no text are left out.  Returns 0 or an error with the reason. */
int template_tokens(const char *text, size_t size, haft_arena *arena,
                    struct template_token **ret_tokens, size_t *ret_n, haft_reason *reterr_reason);

/* Sets the reason, with the line, and returns HAFT_EINVAL. */
int template_fault(haft_reason *reason, unsigned line, const char *format, ...) HAFT_PRINTF_(3, 4);

#endif
