/* auth/client/login_answer.h - the answer of an authorization server to a login, in the query of the
 * URL that it redirects a browser to (RFC 6749, section 4.1.2; RFC 9207). */
#ifndef HAFT_SRC_LOGIN_ANSWER_H
#define HAFT_SRC_LOGIN_ANSWER_H

#include "base/base.h"

struct login_answer {
    const char *state, *code, *iss, *error; /* NULL if absent */
};

enum { LOGIN_ANSWER_LIMIT = 8 << 10 };

/* Reads a query, without its "?". Returns 0, HAFT_ENOMEM, or HAFT_EPROTOCOL if it is malformed or
 * has a parameter twice. The text is in the arena. */
int hf_login_answer_read(const char *query, size_t size, haft_arena *arena,
                         struct login_answer *ret_answer);

/* Whether `error` is an error code of OAuth, which is safe to print. */
bool hf_oauth_error_is_plain(const char *error);

#endif
