/* error.c - why tokens are refused. */
#include "auth/token/token.h"

const char *hf_token_error_text(enum token_error error)
{
#define TOKEN_TEXT(name, text) text,
    static const char *const texts[] = {TOKEN_ERRORS(TOKEN_TEXT)};
#undef TOKEN_TEXT

    return texts[error];
}
