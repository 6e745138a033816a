/* token_answer.c - the answer of a token endpoint, which is not trusted: the token goes into a
 * header. */
#include "auth/client/token_answer.h"

#include "auth/client/login_answer.h"
#include "auth/client/metadata.h"
#include "auth/scope.h"
#include "json/json.h"

/* Ten years: tokens that live longer are treated the same. */
static const int64_t token_answer_longest = 10LL * 365 * 24 * 3600;

static bool token_answer_is_plain(const char *token)
{
    for (; *token; token++)
        if (*token <= ' ' || *token >= 0x7F)
            return false;
    return true;
}

static int token_answer_refuse(haft_reason *reason, const char *text)
{
    return hf_error_set(reason, HAFT_EPROTOCOL, "", "the token endpoint's answer %s", text);
}

/* Some servers write the number as a string. */
static int token_answer_lifetime(yyjson_val *object, int64_t *ret_lifetime,
                                 haft_reason *reterr_reason)
{
    yyjson_val *value = yyjson_obj_get(object, "expires_in");
    double seconds = -1;

    *ret_lifetime = -1;
    if (!value || yyjson_is_null(value))
        return 0;
    if (yyjson_is_num(value))
        seconds = yyjson_get_num(value);
    else if (yyjson_is_str(value) && yyjson_get_len(value) && yyjson_get_len(value) < 16)
        for (const char *at = yyjson_get_str(value); *at; at++) {
            if (*at < '0' || *at > '9')
                return token_answer_refuse(reterr_reason, "has an invalid `expires_in`");
            seconds = (seconds < 0 ? 0 : seconds * 10) + (*at - '0');
        }
    if (!(seconds >= 0))
        return token_answer_refuse(reterr_reason, "has an invalid `expires_in`");
    *ret_lifetime =
        seconds < (double)token_answer_longest ? (int64_t)seconds : token_answer_longest;
    return 0;
}

int hf_token_answer_read(const char *text, size_t size, haft_arena *arena,
                         struct token_answer *ret_answer, haft_reason *reterr_reason)
{
    yyjson_val *object =
        hf_metadata_parse(text, size, "token endpoint's answer", arena, reterr_reason);
    struct token_answer answer;
    const struct {
        const char *name, **place;
        size_t limit;
    } strings[] = {{"access_token", &answer.access_token, TOKEN_ANSWER_TOKEN},
                   {"token_type", &answer.token_type, 64},
                   {"refresh_token", &answer.refresh_token, TOKEN_ANSWER_TOKEN},
                   {"scope", &answer.scope, SCOPE_LIMIT / 2},
                   {"issued_token_type", &answer.issued_token_type, 256}};
    int status = 0;

    if (!object)
        return reterr_reason->code;
    for (size_t i = 0; i < sizeof strings / sizeof *strings && !status; i++)
        status = hf_metadata_string(object, strings[i].name, strings[i].limit, strings[i].place,
                                    reterr_reason);
    if (!status)
        status = token_answer_lifetime(object, &answer.lifetime, reterr_reason);
    if (status)
        return status;
    if (!answer.access_token || !*answer.access_token)
        return token_answer_refuse(reterr_reason, "has no `access_token`");
    if (!token_answer_is_plain(answer.access_token))
        return token_answer_refuse(reterr_reason,
                                   "has an `access_token` that no header can contain");
    if (!answer.token_type)
        return token_answer_refuse(reterr_reason, "has no `token_type`");
    if (answer.refresh_token && !*answer.refresh_token)
        answer.refresh_token = NULL;
    *ret_answer = answer;
    return 0;
}

const char *hf_token_error_read(const char *text, size_t size, haft_arena *arena)
{
    yyjson_val *object = hf_metadata_parse(text, size, "error", arena, NULL);
    const char *error = object ? yyjson_get_str(yyjson_obj_get(object, "error")) : NULL;

    return error && hf_oauth_error_is_plain(error) ? error : "";
}
