/* test_challenge.c - WWW-Authenticate, as servers write it and as they should not. */
#define _GNU_SOURCE
#include <string.h>

#include "auth/client/challenge.h"
#include "support/test.h"

#define NAMED "WWW-Authenticate"

struct expected {
    const char *metadata, *scope, *error;
};

static void check_text(const char *found, const char *expected, const char *what, const char *row)
{
    if (!found != !expected || (found && strcmp(found, expected) != 0))
        fail_msg("%s: %s is %s, not %s", row, what, found ? found : "absent",
                 expected ? expected : "absent");
}

static void reads_challenges(void **state)
{
    static const struct {
        const char *field, *second;
        struct expected bearer, dpop;
    } rows[] = {
        {"Bearer resource_metadata=\"https://a/x\", scope=\"a b\"",
         NULL,
         {"https://a/x", "a b", NULL},
         {"https://a/x", "a b", NULL}},
        {"bearer SCOPE=one", NULL, {NULL, "one", NULL}, {NULL, "one", NULL}},
        {"Bearer", NULL, {0}, {0}},
        {"Bearer scope = \"a\" , error\t=\tinvalid_token",
         NULL,
         {NULL, "a", "invalid_token"},
         {NULL, "a", "invalid_token"}},
        {",, ,Bearer scope=\"a\",,error=\"b\",", NULL, {NULL, "a", "b"}, {NULL, "a", "b"}},
        {"Bearer scope=\"a\\\"b\\\\c\"", NULL, {NULL, "a\"b\\c", NULL}, {NULL, "a\"b\\c", NULL}},
        {"Bearer scope=\"\"", NULL, {NULL, "", NULL}, {NULL, "", NULL}},
        /* A comma and an equals sign in quotes are neither. */
        {"Bearer realm=\"a, scope=b\", scope=\"c\"", NULL, {NULL, "c", NULL}, {NULL, "c", NULL}},
        /* Several challenges. */
        {"Basic realm=\"x\", Bearer scope=\"a\"", NULL, {NULL, "a", NULL}, {NULL, "a", NULL}},
        {"Bearer scope=\"a\", Basic realm=\"x\", charset=\"UTF-8\"",
         NULL,
         {NULL, "a", NULL},
         {NULL, "a", NULL}},
        {"Negotiate dG9rZW4=, Bearer scope=\"a\"", NULL, {NULL, "a", NULL}, {NULL, "a", NULL}},
        {"Negotiate, Bearer scope=\"a\"", NULL, {NULL, "a", NULL}, {NULL, "a", NULL}},
        {"Basic scope=\"b\", Bearer scope=\"a\"", NULL, {NULL, "a", NULL}, {NULL, "a", NULL}},
        {"Bearer scope=\"a\", DPoP algs=\"ES256\", scope=\"b\"",
         NULL,
         {NULL, "a", NULL},
         {NULL, "b", NULL}},
        {"dpop error=\"use_dpop_nonce\"", NULL, {0}, {NULL, NULL, "use_dpop_nonce"}},
        {"Bearer scope=\"a\", Bearer scope=\"b\", error=\"c\"",
         NULL,
         {NULL, "a", NULL},
         {NULL, "a", NULL}},
        {"Basic realm=\"x\"", "Bearer scope=\"a\"", {NULL, "a", NULL}, {NULL, "a", NULL}},
        {"Bearer scope=\"a\"", "Bearer scope=\"b\"", {NULL, "a", NULL}, {NULL, "a", NULL}},
        /* A malformed field says nothing, and another one is still read. */
        {"Bearer scope=\"a", "Bearer scope=\"b\"", {NULL, "b", NULL}, {NULL, "b", NULL}},
        {"Bearer scope=\"a\" error=\"b\"", NULL, {0}, {0}},
        {"Bearer scope=\"a\", scope=\"b\"", NULL, {0}, {0}},
        {"Bearer scope=", NULL, {0}, {0}},
        {"Bearer scope=\"a\\", NULL, {0}, {0}},
        {"Bearer scope=\"a\x01\"", NULL, {0}, {0}},
        {"Bearer scope=a b", NULL, {0}, {0}},
        {"Bearer =x", NULL, {0}, {0}},
        {"Bearer scope=\"a\"x", NULL, {0}, {0}},
        {"scope=\"a\"", NULL, {0}, {0}},
        {"Bearer@ scope=\"a\"", NULL, {0}, {0}},
        {"\"Bearer\" scope=\"a\"", NULL, {0}, {0}},
        {"Bearerx scope=\"a\"", NULL, {0}, {0}},
        {"", NULL, {0}, {0}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int dpop = 0; dpop < 2; dpop++) {
            struct http_field fields[] = {
                {"Server", "x"}, {"www-authenticate", rows[i].field}, {NAMED, rows[i].second}};
            const struct expected *expected = dpop ? &rows[i].dpop : &rows[i].bearer;
            haft_arena *arena = haft_arena_new(NULL, 1 << 20);
            struct challenge challenge;

            assert_int_equal(
                hf_challenge_read(fields, rows[i].second ? 3 : 2, dpop, arena, &challenge), 0);
            check_text(challenge.resource_metadata, expected->metadata, "metadata", rows[i].field);
            check_text(challenge.scope, expected->scope, "scope", rows[i].field);
            check_text(challenge.error, expected->error, "error", rows[i].field);
            haft_arena_free(arena);
        }
}

static void finds_one_field(void **state)
{
    static const struct http_field fields[] = {{"DPoP-Nonce", "a"}, {"X", "1"}, {"x", "2"}};

    (void)state;
    assert_string_equal(hf_challenge_field(fields, 3, "dpop-nonce"), "a");
    assert_null(hf_challenge_field(fields, 3, "X"));
    assert_null(hf_challenge_field(fields, 3, "Y"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_challenges),
        cmocka_unit_test(finds_one_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
