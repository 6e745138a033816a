/* test_seal.c - the state that a client carries: whatever is done to it, only what was given out
 * is taken. */
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "engine/call/seal.h"
#include "support/test.h"
#include "support/wire.h"

/* ---- what is served ---- */

HAFT_STRUCT(deploy_args, HAFT_STRING(target, "Where to"),
            HAFT_OPTIONAL(HAFT_BOOLEAN(force, "Anyway")));

static int deploy(haft_call *call, const deploy_args *in)
{
    haft_value *content;
    int answer = haft_elicit_json(call, "sure", "Sure?", "{\"type\":\"object\",\"properties\":{}}",
                                  &content);

    return answer < HAFT_DECLINED ? answer : haft_text(call, "deployed to %s", in->target);
}
HAFT_TOOL_IN(deploy, deploy_args, "Deploys");

static int read_page(haft_call *call, const char *uri)
{
    haft_value *content;
    int answer = haft_elicit_json(call, "sure", "Sure?", "{\"type\":\"object\",\"properties\":{}}",
                                  &content);

    return answer < HAFT_DECLINED ? answer : haft_text(call, "read %s", uri);
}
static const haft_resource page =
    HAFT_INIT(haft_resource, .uri = "page://{n}", .name = "page", .read = read_page);

static const unsigned char key[32] = "one key", other_key[32] = "another";

static haft_server *serve_as(const char *name, const char *version, const unsigned char *seal_key)
{
    static haft_tool renamed;
    haft_server *server =
        haft_server_new_with(name, version, HAFT_WITH(haft_server_options, .seal_key = seal_key));

    assert_non_null(server);
    renamed = deploy_tool;
    renamed.name = "destroy";
    assert_int_equal(haft_add(server, &deploy_tool), 0);
    assert_int_equal(haft_add(server, &renamed), 0);
    assert_int_equal(haft_template_add(server, &page), 0);
    return server;
}

static haft_server *serve(const unsigned char *seal_key)
{
    return serve_as("test", "1", seal_key);
}

/* ---- states ---- */

static const char *call(struct wire *wire, const char *tool, const char *arguments,
                        const char *state)
{
    char params[2048];

    snprintf(params, sizeof params,
             "\"name\":\"%s\",\"arguments\":%s,\"inputResponses\":{%s}%s%s%s", tool, arguments,
             state ? "\"sure\":{\"action\":\"decline\"}" : "", state ? ",\"requestState\":\"" : "",
             state ? state : "", state ? "\"" : "");
    return wire_call(wire, "tools/call", params);
}

static void take_state(const char *answer, char ret_state[1024])
{
    const char *at = strstr(answer, "\"requestState\":\"");
    size_t size;

    assert_non_null(at);
    size = strcspn(at + 16, "\"");
    assert_true(size < 1024);
    memcpy(ret_state, at + 16, size);
    ret_state[size] = '\0';
}

static void get_state(struct wire *wire, char ret_state[1024])
{
    take_state(call(wire, "deploy", "{\"target\":\"test\"}", NULL), ret_state);
}

static struct wire *connect_as(haft_server *server, const char *principal)
{
    struct wire *wire = wire_open_with(
        server, (haft_session_options)HAFT_INIT(haft_session_options, .principal = principal));

    wire_greet(wire, "2026-07-28");
    return wire;
}

static void refuses(struct wire *wire, const char *tool, const char *arguments, const char *state)
{
    const char *answer = call(wire, tool, arguments, state);

    assert_int_equal(wire->error_code, -32602);
    assert_non_null(strstr(answer,
                           "\"error\":{\"code\":-32602,\"message\":\"Invalid or expired "
                           "requestState\",\"data\":{\"reason\":\"invalid_request_state\"}}"));
}

static void accepts(struct wire *wire, const char *state)
{
    assert_non_null(
        strstr(call(wire, "deploy", "{\"target\":\"test\"}", state), "deployed to test"));
}

/* Seals what a later version of the library would. */
static const char *future_payload;

static int future(haft_call *call)
{
    const char *state = hf_seal(call, future_payload, strlen(future_payload));

    return state ? haft_text(call, "\"requestState\":\"%s", state) : HAFT_ENOMEM;
}
HAFT_TOOL_BARE(future, "Seals");

static void later_version(void **unused)
{
    static const char *const payloads[] = {"{\"r\":1,\"a\":{}}", "{\"v\":2,\"r\":1,\"a\":{}}"};
    haft_server *server = serve(key);
    struct wire *wire;

    (void)unused;
    assert_int_equal(haft_add(server, &future_tool), 0);
    wire = connect_as(server, NULL);
    for (int i = 0; i < 2; i++) {
        char params[2048], state[1024];
        const char *answer;

        future_payload = payloads[i];
        answer = strstr(wire_call(wire, "tools/call", "\"name\":\"future\""), "State\\\":\\\"");
        assert_non_null(answer);
        snprintf(state, sizeof state, "%.*s", (int)strcspn(answer + 10, "\""), answer + 10);
        snprintf(params, sizeof params, "\"name\":\"future\",\"requestState\":\"%s\"", state);
        answer = wire_call(wire, "tools/call", params);
        assert_int_equal(strstr(answer, "Invalid or expired requestState") != NULL, i);
    }
    wire_close(wire);
    haft_server_free(server);
}

/* Replicas change their key in two steps: each accepts the new one, and then each uses it. */
static void rotation(void **unused)
{
    static const struct {
        const unsigned char *a, *a_other, *b, *b_other; /* keys of two replicas */
        bool accepted; /* at the second, what the first has sealed */
    } rows[] = {
        {key, NULL, key, NULL, true},
        {key, NULL, key, other_key, true},
        {key, other_key, other_key, key, true},
        {other_key, key, key, other_key, true},
        {key, NULL, other_key, key, true}, /* the old key at A, both at B */
        {other_key, key, other_key, NULL, true},
        {key, NULL, other_key, NULL, false},
        {key, other_key, other_key, NULL, false},
    };

    (void)unused;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *a = serve(key), *b = serve(key);
        struct wire *at_a, *at_b;
        char state[1024];

        haft_server_set_seal_key(a, rows[i].a);
        haft_server_set_other_seal_key(a, rows[i].a_other);
        at_a = connect_as(a, "ann");
        at_b = connect_as(b, "ann");
        get_state(at_a, state);
        /* while B serves */
        haft_server_set_seal_key(b, rows[i].b);
        haft_server_set_other_seal_key(b, rows[i].b_other);
        if (rows[i].accepted)
            accepts(at_b, state);
        else
            refuses(at_b, "deploy", "{\"target\":\"test\"}", state);
        wire_close(at_a);
        wire_close(at_b);
        haft_server_free(a);
        haft_server_free(b);
    }
}

/* Bound to who asked, for what, and until when. */
static void binding(void **unused)
{
    haft_server *server = serve(key), *twin = serve(key), *stranger = serve(other_key);
    struct wire *ann = connect_as(server, "ann"), *bob = connect_as(server, "bob");
    struct wire *nobody = connect_as(server, NULL), *ann_elsewhere = connect_as(twin, "ann");
    struct wire *ann_abroad = connect_as(stranger, "ann");
    char state[1024];

    (void)unused;
    get_state(ann, state);
    accepts(ann, state);
    accepts(ann_elsewhere, state);
    refuses(ann_abroad, "deploy", "{\"target\":\"test\"}", state);
    refuses(bob, "deploy", "{\"target\":\"test\"}", state);
    refuses(nobody, "deploy", "{\"target\":\"test\"}", state);
    refuses(ann, "destroy", "{\"target\":\"test\"}", state);
    refuses(ann, "deploy", "{\"target\":\"production\"}", state);
    refuses(ann, "deploy", "{\"target\":\"test\",\"force\":true}", state);
    ann->now += 10 * 60 * 1000;
    accepts(ann, state);
    ann->now += 1;
    refuses(ann, "deploy", "{\"target\":\"test\"}", state);
    wire_close(ann);
    wire_close(bob);
    wire_close(nobody);
    wire_close(ann_elsewhere);
    wire_close(ann_abroad);
    haft_server_free(server);
    haft_server_free(twin);
    haft_server_free(stranger);
}

/* Bound to the server: others that share its key finish its calls only if they are the same one, of
 * whatever version. */
static void binds_to_the_server(void **unused)
{
    haft_server *server = serve(key), *newer = serve_as("test", "2", key),
                *other = serve_as("other", "1", key);
    struct wire *wire = connect_as(server, "ann"), *at_newer = connect_as(newer, "ann");
    struct wire *at_other = connect_as(other, "ann");
    char state[1024];

    (void)unused;
    get_state(wire, state);
    accepts(wire, state);
    accepts(at_newer, state);
    refuses(at_other, "deploy", "{\"target\":\"test\"}", state);
    wire_close(wire);
    wire_close(at_newer);
    wire_close(at_other);
    haft_server_free(server);
    haft_server_free(newer);
    haft_server_free(other);
}

/* What a template stands for is not one thing: an answer is for the address that was read. */
static void addresses(void **unused)
{
    haft_server *server = serve(key);
    struct wire *wire = connect_as(server, NULL);
    char state[1024], params[2048];

    (void)unused;
    take_state(wire_call(wire, "resources/read", "\"uri\":\"page://1\""), state);
    for (int i = 1; i <= 2; i++) {
        const char *answer;

        snprintf(params, sizeof params,
                 "\"uri\":\"page://%d\",\"inputResponses\":{\"sure\":{\"action\":\"decline\"}},"
                 "\"requestState\":\"%s\"",
                 i, state);
        answer = wire_call(wire, "resources/read", params);
        assert_non_null(strstr(answer, i == 1 ? "read page://1" : "invalid_request_state"));
    }
    wire_close(wire);
    haft_server_free(server);
}

/* Every character changed, every length cut. */
static void tampering(void **unused)
{
    haft_server *server = serve(key);
    struct wire *wire = connect_as(server, NULL);
    char state[1024], changed[1100];
    size_t size;

    (void)unused;
    get_state(wire, state);
    size = strlen(state);
    for (size_t i = 0; i < size; i++) {
        memcpy(changed, state, size + 1);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        refuses(wire, "deploy", "{\"target\":\"test\"}", changed);
        memcpy(changed, state, i);
        changed[i] = '\0';
        refuses(wire, "deploy", "{\"target\":\"test\"}", changed);
    }
    snprintf(changed, sizeof changed, "%s-TAMPERED", state);
    refuses(wire, "deploy", "{\"target\":\"test\"}", changed);
    snprintf(changed, sizeof changed, "%sAAAA", state);
    refuses(wire, "deploy", "{\"target\":\"test\"}", changed);
    accepts(wire, state);
    wire_close(wire);
    haft_server_free(server);
}

static void wrong_types(void **unused)
{
    static const char *const rows[] = {"null", "5", "{}", "[]", "true", "\"\""};
    haft_server *server = serve(key);
    struct wire *wire = connect_as(server, NULL);

    (void)unused;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char params[256];

        snprintf(params, sizeof params,
                 "\"name\":\"deploy\",\"arguments\":{\"target\":\"a\"},\"requestState\":%s",
                 rows[i]);
        assert_non_null(wire_call(wire, "tools/call", params));
        assert_int_equal(wire->error_code, -32602);
    }
    wire_close(wire);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotation),    cmocka_unit_test(later_version),
        cmocka_unit_test(binding),     cmocka_unit_test(binds_to_the_server),
        cmocka_unit_test(addresses),   cmocka_unit_test(tampering),
        cmocka_unit_test(wrong_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
