/* test_files.c - files of policies that change while a gateway serves: keys are read again at once,
 * and a policy whose other files have changed is made again. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "configured.h"

#include <unistd.h>

#include "support/file.h"

/* Of gateway/policies.h and gateway/configure_section.h, whose struct ask_request is another one. */
extern const haft_policy_kind *const hf_policy_built_in[];
void hf_policies_reload(const haft_gateway *gateway);
bool hf_configure_is_file(const char *name);

/* SHA-256 of "secret" and "other". */
#define SECRET "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
#define OTHER "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"

enum { FILES_JSON = 1024 };

static void file_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A gateway whose route /closed has a policy; %s in its options is a file. */
static haft_gateway *guarded(const char *kind, const char *options, const char *file, char *json)
{
    int n =
        snprintf(json, FILES_JSON,
                 "{\"plugins\":[" SO("routes-1") "],\"gateway\":{\"policies\":[{\"name\":\"who\","
                                                 "\"policy\":\"%s\",\"options\":",
                 kind);

    n += snprintf(json + n, FILES_JSON - (size_t)n, options, file);
    snprintf(json + n, FILES_JSON - (size_t)n,
             "}],\"routes\":{\"GET /closed\":{\"policies\":[\"who\"]}}}}");
    return configured(json);
}

static int status_of(haft_gateway *gateway, const char *headers)
{
    return atoi(ask_with(
        gateway, &(struct ask_request){.method = "GET", .target = "/closed", .headers = headers}));
}

#define OAUTH(more)                                                                                \
    "{\"issuers\":[{\"url\":\"https://a.example\"" more "}],\"resource\":\"https://x.example\""

static void reads_keys_again(void **state)
{
    static const struct {
        const char *kind, *options;
    } rows[] = {{"api-key", "{\"file\":\"%s\"}"}, {"oauth", OAUTH("") ",\"keys\":\"%s\"}"}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[FILE_PATH], json[FILES_JSON];
        haft_gateway *gateway;

        file_make(path, SECRET " ada\n" OTHER " bob\n");
        gateway = guarded(rows[i].kind, rows[i].options, path, json);
        assert_int_equal(status_of(gateway, "X-API-Key: secret"), 200);
        assert_int_equal(status_of(gateway, "X-API-Key: other"), 200);
        file_write(path, OTHER " bob\n");
        hf_policies_reload(gateway);
        assert_int_equal(status_of(gateway, "X-API-Key: secret"), 401);
        assert_int_equal(status_of(gateway, "X-API-Key: other"), 200);
        /* What cannot be read changes nothing. */
        file_write(path, "broken\n");
        hf_policies_reload(gateway);
        assert_int_equal(status_of(gateway, "X-API-Key: secret"), 401);
        assert_int_equal(status_of(gateway, "X-API-Key: other"), 200);
        unlink(path);
        hf_policies_reload(gateway);
        assert_int_equal(status_of(gateway, "X-API-Key: other"), 200);
        haft_gateway_free(gateway);
    }
}

/* The section is the same, but a file that it names is not. */
static void makes_policies_again(void **state)
{
    static const struct {
        const char *kind, *options, *text;
        int status; /* with an empty file */
    } rows[] = {
        {"api-key", "{\"file\":\"%s\"}", SECRET " ada\n", 0},
        {"oauth",
         OAUTH(
             ",\"introspection\":\"https://a.example/i\",\"client_id\":\"me\",\"client_secret_file\":\"%s\"") "}",
         "one", HAFT_EINVAL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[FILE_PATH], json[FILES_JSON];
        haft_gateway *gateway;
        haft_reason reason;

        file_make(path, rows[i].text);
        gateway = guarded(rows[i].kind, rows[i].options, path, json);
        assert_int_equal(take(gateway, json, &reason), 0);
        file_write(path, "");
        assert_int_equal(take(gateway, json, &reason), rows[i].status);
        assert_int_equal(status_of(gateway, "X-API-Key: secret"), 401);
        /* A file that is gone is noticed as well. */
        unlink(path);
        assert_int_not_equal(take(gateway, json, &reason), 0);
        haft_gateway_free(gateway);
    }
}

/* Every option that is about a file has a name by which it is noticed, or its kind reads it again. */
static size_t count_unnoticed(const haft_policy_kind *kind, const haft_type *type)
{
    size_t n = 0;

    for (size_t i = 0; type && i < type->n_fields; i++) {
        const haft_field *field = &type->fields[i];
        const char *about = field->rules.plain.description;

        if (field->kind == HAFT_KIND_STRING && about &&
            (strstr(about, "ile") || strstr(about, "ertificate")) && !kind->reload &&
            !hf_configure_is_file(field->name))
            n++;
        if (field->kind == HAFT_KIND_OBJECT)
            n += count_unnoticed(kind, field->type);
        if (field->item && field->item->kind == HAFT_KIND_OBJECT)
            n += count_unnoticed(kind, field->item->type);
    }
    return n;
}

static void notices_all_files(void **state)
{
    (void)state;
    for (size_t i = 0; hf_policy_built_in[i]; i++)
        if (count_unnoticed(hf_policy_built_in[i], hf_policy_built_in[i]->options))
            fail_msg("%s has a file that SIGHUP does not notice", hf_policy_built_in[i]->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_keys_again),
                                       cmocka_unit_test(makes_policies_again),
                                       cmocka_unit_test(notices_all_files)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
