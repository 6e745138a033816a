/* test_ends.c - how an authorization ends: closed by the program, forgotten, refused from the start, or
 * without memory. */
#define _GNU_SOURCE
#include "auth/script.h"

static void ends_when_the_program_closes_it(void **state)
{
    struct script script = {.changed = NULL};
    struct subject subject;
    struct http_field none = {"X", "y"};
    struct authorizer_challenge challenge = {.status = 401, .fields = &none, .operation = "x"};

    (void)state;
    /* In open_url. */
    assert_int_equal(subject_init(&subject, &script, (haft_oauth_options){0}, NULL), 0);
    subject.closes = true;
    subject_challenge(&subject, 401, "Bearer", NULL);
    assert_int_equal(subject.dones, 0);
    subject_finish(&subject);
    /* While a request is on its way. */
    assert_int_equal(subject_init(&subject, &script, (haft_oauth_options){0}, NULL), 0);
    challenge.url = subject.url;
    assert_int_equal(subject.authorizer->class->challenged(subject.authorizer, &challenge,
                                                           &subject.wait, &subject.reason),
                     HAFT_PENDING);
    subject.authorizer->class->cancel(subject.authorizer, &subject.wait);
    subject_finish(&subject);
    assert_int_equal(subject.dones, 0);
    /* When a person must not be asked. */
    assert_int_equal(subject_init(&subject, &script, (haft_oauth_options){0}, NULL), 0);
    subject.open_status = HAFT_EDENIED;
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), HAFT_EDENIED);
    assert_non_null(strstr(subject.reason.text, "a login at"));
    subject_finish(&subject);
}

static void forgets(void **state)
{
    struct script script = {.changed = NULL};
    struct subject subject;
    haft_reason reason = {0};

    (void)state;
    assert_int_equal(subject_init(&subject, &script, (haft_oauth_options){0}, NULL), 0);
    assert_int_equal(haft_oauth_forget(subject.authorizer, subject.url, &reason), HAFT_ENOTFOUND);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), 0);
    assert_true(haft_authorizer_has_token(subject.authorizer, subject.url));
    assert_int_equal(haft_oauth_forget(subject.authorizer, subject.url, &reason), 0);
    assert_int_equal(script.revocations, 2);
    assert_false(haft_authorizer_has_token(subject.authorizer, subject.url));
    assert_int_equal(haft_oauth_redirected(subject.authorizer, "http://127.0.0.1:1/?state=x"),
                     HAFT_EINVAL);
    subject_finish(&subject);
}

static int load_nothing(void *context, const char *key, haft_buffer *ret_value)
{
    (void)context, (void)key, (void)ret_value;
    return HAFT_ENOTFOUND;
}

static int save_nothing(void *context, const char *key, const char *value, size_t size)
{
    (void)context, (void)key, (void)value, (void)size;
    return 0;
}

static void refuses_options(void **state)
{
    static const struct {
        haft_oauth_options options;
        const char *path;
    } rows[] = {
        {{.grant = HAFT_GRANT_CREDENTIALS}, "grant"},
        {{.grant = HAFT_GRANT_CREDENTIALS, .client_id = "c"}, "grant"},
        {{.grant = HAFT_GRANT_JWT_BEARER}, "assertion"},
        {{.grant = HAFT_GRANT_ID_JAG, .client_id = "c", .assertion = "a"}, "grant"},
        {{.grant = (haft_grant)9}, "grant"},
        {{.client_secret = "s"}, "client_id"},
        {{.client_metadata_url = "http://a/b"}, "client_metadata_url"},
        {{.client_metadata_url = "https://a"}, "client_metadata_url"},
        {{.issuer = "http://as.example"}, "issuer"},
        {{.manual_redirect = true}, "redirect_uri"},
        {{.redirect_uri = "http://example.org/cb"}, "redirect_uri"},
        {{.redirect_uri = "https://example.org/cb"}, "redirect_uri"},
        {{.redirect_uri = "app:/cb"}, "redirect_uri"},
        {{.redirect_uri = "app:/cb#x", .manual_redirect = true}, "redirect_uri"},
        {{.redirect_uri = "/cb", .manual_redirect = true}, "redirect_uri"},
        {{.redirect_uri = "http://localhost:0/cb", .manual_redirect = true}, "redirect_uri"},
        {{.token_file = "/nonexistent", .load = load_nothing, .save = save_nothing}, "token_file"},
        {{.load = load_nothing}, "load"},
    };
    haft_reason reason = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_oauth_options options = rows[i].options;

        options.struct_size = sizeof options;
        assert_null(haft_oauth_new(&options, &reason));
        if (strcmp(reason.path, rows[i].path) != 0)
            fail_msg("row %zu: %s: %s", i, reason.path, reason.text);
    }
    assert_null(haft_oauth_new(&(haft_oauth_options){.client_id = "c"}, &reason));
    assert_string_equal(reason.path, "options");
}

/* ---- memory ---- */

/* Each allocation of a login and of a renewal fails in turn: the flow ends, and nothing is lost. */
static void survives_lack_of_memory(void **state)
{
    size_t step = SANITIZED ? 3 : 1;

    (void)state;
    for (size_t nth = 1;; nth += step) {
        struct script script = {.changed = NULL};
        struct failing failing;
        struct subject subject;
        haft_arena *arena = haft_arena_new(NULL, 1 << 16);
        int status;

        failing_init(&failing, nth);
        status = subject_init(&subject, &script, (haft_oauth_options){.scopes = "x"},
                              &failing.allocator);
        if (!status)
            status = subject_challenge(&subject, 401, "Bearer scope=\"a\"", NULL);
        if (!status)
            status = subject_challenge(&subject, 401, "Bearer scope=\"a\"", "Bearer good");
        subject_finish(&subject);
        failing_check(&failing);
        haft_arena_free(arena);
        if (failing.failures ? !status && nth < 10 : status)
            fail_msg("%zu: %d %s", nth, status, subject.reason.text);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_when_the_program_closes_it),
        cmocka_unit_test(forgets),
        cmocka_unit_test(refuses_options),
        cmocka_unit_test(survives_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
