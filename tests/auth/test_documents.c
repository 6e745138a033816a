/* test_documents.c - what servers say about themselves, and what token endpoints and browsers bring. */
#include <string.h>

#include "auth/client/login_answer.h"
#include "auth/client/metadata.h"
#include "auth/scope.h"
#include "auth/client/token_answer.h"
#include "support/test.h"

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

/* In every row ' stands for ". */
static const char *quoted(haft_arena *arena, const char *text)
{
    char *copy = haft_arena_copy(arena, text, strlen(text));

    for (char *at = copy; (at = strchr(at, '\''));)
        *at = '"';
    return copy;
}

static void reads_resources(void **state)
{
    static const struct {
        const char *text, *found; /* or the reason */
        int status;
    } rows[] = {
        {"{'resource':'https://a/mcp','authorization_servers':['https://b','https://c']}",
         "https://a/mcp 2 https://b -", 0},
        {"{'resource':'r','authorization_servers':['b'],'scopes_supported':['x','y','x']}",
         "r 1 b x y", 0},
        {"{'resource':'r','authorization_servers':['b'],'scopes_supported':['x \\\"',  'y']}",
         "r 1 b x y", 0},
        {"{'resource':'r','authorization_servers':['b'],'scopes_supported':null,'more':{}}",
         "r 1 b -", 0},
        {"{'authorization_servers':['b']}", "`resource` is missing", HAFT_EPROTOCOL},
        {"{'resource':'r'}", "`authorization_servers` is missing or empty", HAFT_EPROTOCOL},
        {"{'resource':'r','authorization_servers':[]}", "is missing or empty", HAFT_EPROTOCOL},
        {"{'resource':'r','authorization_servers':'b'}", "not an array of strings", HAFT_EPROTOCOL},
        {"{'resource':'r','authorization_servers':[1]}", "not an array of strings", HAFT_EPROTOCOL},
        {"{'resource':1,'authorization_servers':['b']}", "`resource` is not a valid string",
         HAFT_EPROTOCOL},
        {"{'resource':'r\\n','authorization_servers':['b']}", "not a valid string", HAFT_EPROTOCOL},
        {"{'resource':'r','resource':'s','authorization_servers':['b']}", "not a valid JSON object",
         HAFT_EPROTOCOL},
        {"[]", "not a valid JSON object", HAFT_EPROTOCOL},
        {"<html>", "not a valid JSON object", HAFT_EPROTOCOL},
        {"", "not a valid JSON object", HAFT_EPROTOCOL},
        {"[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]", "not a valid JSON object", HAFT_EPROTOCOL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        const char *text = quoted(arena, rows[i].text);
        struct resource_metadata found;
        haft_reason reason = {0};
        int status = hf_resource_metadata_read(text, strlen(text), arena, &found, &reason);

        assert_int_equal(status, rows[i].status);
        if (status)
            assert_non_null(strstr(reason.text, rows[i].found));
        else
            assert_string_equal(haft_arena_printf(arena, "%s %zu %s %s", found.resource,
                                                  found.n_servers, found.servers[0],
                                                  or_dash(found.scopes)),
                                rows[i].found);
        haft_arena_free(arena);
    }
}

static void reads_issuers(void **state)
{
    static const struct {
        const char *text, *found;
        int status;
    } rows[] = {
        {"{'issuer':'i'}", "i - - - - - 2 0 0 0", 0},
        {"{'issuer':'i','authorization_endpoint':'a','token_endpoint':'t','registration_endpoint':'r',"
         "'revocation_endpoint':'v','scopes_supported':['x','y'],"
         "'token_endpoint_auth_methods_supported':['none','client_secret_post','tls','private_key_jwt'],"
         "'code_challenge_methods_supported':['plain','S256'],"
         "'client_id_metadata_document_supported':true,"
         "'authorization_response_iss_parameter_supported':true}",
         "i a t r v x y 13 1 1 1", 0},
        {"{'issuer':'i','token_endpoint_auth_methods_supported':[],"
         "'code_challenge_methods_supported':['s256']}",
         "i - - - - - 0 0 0 0", 0},
        {"{'token_endpoint':'t'}", "`issuer` is missing", HAFT_EPROTOCOL},
        {"{'issuer':'i','token_endpoint':{}}", "`token_endpoint` is not", HAFT_EPROTOCOL},
        {"{'issuer':'i','client_id_metadata_document_supported':'true'}", "is not a boolean",
         HAFT_EPROTOCOL},
        {"{'issuer':'i','code_challenge_methods_supported':'S256'}", "not an array",
         HAFT_EPROTOCOL},
        {"null", "not a valid JSON object", HAFT_EPROTOCOL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        const char *text = quoted(arena, rows[i].text);
        struct issuer_metadata found;
        haft_reason reason = {0};
        int status = hf_issuer_metadata_read(text, strlen(text), arena, &found, &reason);

        assert_int_equal(status, rows[i].status);
        if (status)
            assert_non_null(strstr(reason.text, rows[i].found));
        else
            assert_string_equal(haft_arena_printf(arena, "%s %s %s %s %s %s %u %d %d %d",
                                                  found.issuer, or_dash(found.authorization),
                                                  or_dash(found.token), or_dash(found.registration),
                                                  or_dash(found.revocation), or_dash(found.scopes),
                                                  found.methods, found.s256, found.metadata_url,
                                                  found.iss_parameter),
                                rows[i].found);
        haft_arena_free(arena);
    }
}

static void reads_token_answers(void **state)
{
    static const struct {
        const char *text, *found;
        int status;
    } rows[] = {
        {"{'access_token':'a','token_type':'Bearer'}", "a Bearer - - -1", 0},
        {"{'access_token':'a','token_type':'bearer','expires_in':3600,'refresh_token':'r','scope':'x "
         "y'}",
         "a bearer r x y 3600", 0},
        {"{'access_token':'a','token_type':'Bearer','expires_in':'60'}", "a Bearer - - 60", 0},
        {"{'access_token':'a','token_type':'Bearer','expires_in':59.9}", "a Bearer - - 59", 0},
        {"{'access_token':'a','token_type':'Bearer','expires_in':0}", "a Bearer - - 0", 0},
        {"{'access_token':'a','token_type':'Bearer','expires_in':1e300}", "a Bearer - - 315360000",
         0},
        {"{'access_token':'a','token_type':'Bearer','expires_in':null,'refresh_token':''}",
         "a Bearer - - -1", 0},
        {"{'token_type':'Bearer'}", "no `access_token`", HAFT_EPROTOCOL},
        {"{'access_token':'','token_type':'Bearer'}", "no `access_token`", HAFT_EPROTOCOL},
        {"{'access_token':'a'}", "no `token_type`", HAFT_EPROTOCOL},
        {"{'access_token':'a b','token_type':'Bearer'}", "no header", HAFT_EPROTOCOL},
        {"{'access_token':'a\\r\\nX: y','token_type':'Bearer'}", "not a valid string",
         HAFT_EPROTOCOL},
        {"{'access_token':'\\u00e9','token_type':'Bearer'}", "no header", HAFT_EPROTOCOL},
        {"{'access_token':['a'],'token_type':'Bearer'}", "not a valid string", HAFT_EPROTOCOL},
        {"{'access_token':'a','token_type':'Bearer','expires_in':-1}", "invalid `expires_in`",
         HAFT_EPROTOCOL},
        {"{'access_token':'a','token_type':'Bearer','expires_in':'soon'}", "invalid `expires_in`",
         HAFT_EPROTOCOL},
        {"{'access_token':'a','token_type':'Bearer','expires_in':true}", "invalid `expires_in`",
         HAFT_EPROTOCOL},
        {"{'access_token':'a','access_token':'b','token_type':'Bearer'}", "not a valid JSON",
         HAFT_EPROTOCOL},
        {"access_token=a&token_type=Bearer", "not a valid JSON", HAFT_EPROTOCOL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        const char *text = quoted(arena, rows[i].text);
        struct token_answer found;
        haft_reason reason = {0};
        int status = hf_token_answer_read(text, strlen(text), arena, &found, &reason);

        assert_int_equal(status, rows[i].status);
        if (status)
            assert_non_null(strstr(reason.text, rows[i].found));
        else
            assert_string_equal(haft_arena_printf(arena, "%s %s %s %s %lld", found.access_token,
                                                  found.token_type, or_dash(found.refresh_token),
                                                  or_dash(found.scope), (long long)found.lifetime),
                                rows[i].found);
        haft_arena_free(arena);
    }
}

static void reads_token_errors(void **state)
{
    static const char *const rows[][2] = {
        {"{'error':'invalid_grant','error_description':'x'}", "invalid_grant"},
        {"{'error':'\\u001b[2J'}", ""},
        {"{'error':'in valid'}", ""},
        {"{'error':5}", ""},
        {"{}", ""},
        {"oops", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        const char *text = quoted(arena, rows[i][0]);

        assert_string_equal(hf_token_error_read(text, strlen(text), arena), rows[i][1]);
        haft_arena_free(arena);
    }
}

static void reads_login_answers(void **state)
{
    static const struct {
        const char *query, *found; /* NULL: refused */
    } rows[] = {
        {"code=a&state=b", "b a - -"},
        {"state=b&iss=https%3A%2F%2Fas%2Fx&code=a+b%2b", "b a b+ https://as/x -"},
        {"error=access_denied&state=b&error_description=no", "b - - access_denied"},
        {"", "- - - -"},
        {"code", "- - - -"},
        {"code=&state=", "  - -"},
        {"&&state=b&", "b - - -"},
        {"State=b&codex=a", "- - - -"},
        {"code=a&code=a", NULL},
        {"code=a&iss=x&iss=x", NULL},
        {"state=b&state=", NULL},
        {"code=%", NULL},
        {"code=%zz", NULL},
        {"code=%00", NULL},
        {"code=%ff", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        struct login_answer found;
        int status = hf_login_answer_read(rows[i].query, strlen(rows[i].query), arena, &found);

        assert_int_equal(status, rows[i].found ? 0 : HAFT_EPROTOCOL);
        if (!status)
            assert_string_equal(haft_arena_printf(arena, "%s %s %s %s", or_dash(found.state),
                                                  or_dash(found.code), or_dash(found.iss),
                                                  or_dash(found.error)),
                                rows[i].found);
        haft_arena_free(arena);
    }
}

static void joins_scopes(void **state)
{
    static const struct {
        const char *left, *right, *both;
        bool covers; /* left has all of right */
    } rows[] = {
        {NULL, NULL, "", true},
        {"a b", "c", "a b c", false},
        {"a b", "b a", "a b", true},
        {"", " a  b ", "a b", false},
        {"ab", "a", "ab a", false},
        {"a", "a a", "a", true},
        {"a", "b\\c \"d\" e", "a e", false},
        {"a\tb", "c", "c", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);

        assert_string_equal(hf_scope_union(arena, rows[i].left, rows[i].right), rows[i].both);
        assert_int_equal(hf_scope_covers(rows[i].left, rows[i].right), rows[i].covers);
        haft_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_resources),     cmocka_unit_test(reads_issuers),
        cmocka_unit_test(reads_token_answers), cmocka_unit_test(reads_token_errors),
        cmocka_unit_test(reads_login_answers), cmocka_unit_test(joins_scopes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
