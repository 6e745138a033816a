/* test_reach.c - what other machines may reach, and what is said of scopes that nobody checks. */
#define _DEFAULT_SOURCE
#include "http/authority.h"
#include "http/site.h"

#include "endpoint/authenticator.h"
#include "http/http.h"
#include "http/reach.h"

/* ---- an app that knows its clients, or not ---- */

static void *reach_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)loop;
    (void)reterr_reason;
    return data;
}

static void *reach_handle(void *app, const haft_request *request, const haft_responder *responder,
                          void *context, haft_time now)
{
    (void)app;
    (void)request;
    (void)now;
    responder->respond(context, &(haft_response){.status = 204});
    return NULL;
}

static const char *reach_open_part(void *app)
{
    return *(const char *)app ? app : NULL;
}

static bool reach_takes_tokens(const void *app)
{
    (void)app;
    return true;
}

/* ---- an authenticator, which is never asked ---- */

static void reach_hold(haft_authenticator *authenticator)
{
    (void)authenticator;
}

static int reach_describe(haft_authenticator *authenticator, const char *path, const char *name,
                          const char *scopes, haft_buffer *document)
{
    (void)name;
    (void)authenticator;
    (void)path;
    (void)scopes;
    (void)document;
    return HAFT_ENOTFOUND;
}

static const struct authenticator_class reach_class = {
    .describe = reach_describe, .hold = reach_hold, .drop = reach_hold};
static haft_authenticator reach_authenticator = {&reach_class};

/* ---- listening ---- */

enum { OWN = 1, MOUNTED = 2, TLS = 4, PROXY = 8, INSECURE = 16, TOKENS = 32 };

#define CLEAR                                                                                      \
    "refusing to listen on 203.0.113.1 without TLS: clients would send tokens and API keys in "    \
    "clear text; pass --tls-cert and --tls-key, name the proxy in front with --trusted-proxy, or " \
    "pass --insecure"
#define OPEN "refusing to listen on 203.0.113.1: route /x has no authentication; add a policy, or "

static const struct reach_row {
    const char *open; /* what the app serves to everybody; "" for nothing */
    unsigned has;
    const char *refusal; /* NULL: it may */
} reach_rows[] = {
    {"", 0, NULL}, /* a gateway with policies of its own */
    {"", OWN, CLEAR},
    {"", MOUNTED, CLEAR},
    {"", TOKENS, CLEAR}, /* a gateway with the policy oauth */
    {"", TOKENS | TLS, NULL},
    {"", TOKENS | PROXY, NULL},
    {"", TOKENS | INSECURE, NULL},
    {"route /x", TOKENS, OPEN},
    {"", OWN | TLS, NULL},
    {"", MOUNTED | TLS, NULL},
    {"", OWN | PROXY, NULL},
    {"", OWN | INSECURE, NULL},
    {"route /x", 0, OPEN},
    {"route /x", TLS, OPEN},
    {"route /x", OWN, OPEN},
    {"route /x", OWN | TLS | PROXY, OPEN},
    {"route /x", INSECURE, NULL},
};

/* The address is not one of this machine, so it cannot be bound if it is not refused. */
static void listens_for_others_if_credentials_are_private(void **state)
{
    static const char *const proxies[] = {"10.0.0.1", NULL};
    char certificate[AUTHORITY_PATH], key[AUTHORITY_PATH];
    const char *const certificates[] = {certificate, NULL}, *const keys[] = {key, NULL};
    struct authority authority = {0};

    (void)state;
    authority_init(&authority, "test authority");
    authority_issue(&authority, &(struct leaf){.file = "a", .name = "localhost"});
    authority_file(&authority, "a.pem", certificate);
    authority_file(&authority, "a.key", key);
    for (size_t i = 0; i < COUNT_OF(reach_rows); i++) {
        const struct reach_row *row = &reach_rows[i];
        haft_app app =
            HAFT_INIT(haft_app, .open = reach_open, .handle = reach_handle,
                      .unauthenticated = reach_open_part, .data = (void *)(uintptr_t)row->open,
                      .takes_tokens = row->has & TOKENS ? reach_takes_tokens : NULL);
        haft_http_mount mount =
            HAFT_INIT(haft_http_mount, .path = "/", .app = &app,
                      .authenticator = row->has & MOUNTED ? &reach_authenticator : NULL);
        haft_http_options options =
            HAFT_INIT(haft_http_options, .address = "203.0.113.1:80", .path = "", .mounts = &mount,
                      .n_mounts = 1, .insecure = row->has & INSECURE,
                      .authenticator = row->has & OWN ? &reach_authenticator : NULL,
                      .tls_certificates = row->has & TLS ? certificates : NULL,
                      .tls_keys = row->has & TLS ? keys : NULL,
                      .trusted_proxies = row->has & PROXY ? proxies : NULL);
        struct site *site = site_open_with(options, NULL);

        assert_null(site->http);
        if (row->refusal ? strncmp(site->reason.text, row->refusal, strlen(row->refusal))
                         : strstr(site->reason.text, "refusing") != NULL)
            fail_msg("row %zu: %s", i, site->reason.text);
        site_close(site);
    }
    authority_finish(&authority);
}

static void knows_local_addresses(void **state)
{
    static const struct {
        sa_family_t family;
        const char *address;
        bool local;
    } rows[] = {
        {AF_INET, "127.0.0.1", true}, {AF_INET, "127.9.9.9", true}, {AF_INET, "0.0.0.0", false},
        {AF_INET6, "::1", true},      {AF_INET6, "::", false},      {AF_UNIX, NULL, true},
        {AF_VSOCK, NULL, false},      {AF_UNSPEC, NULL, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sockaddr_storage address = {.ss_family = rows[i].family};

        if (rows[i].family == AF_INET)
            uv_ip4_addr(rows[i].address, 80, (struct sockaddr_in *)&address);
        if (rows[i].family == AF_INET6)
            uv_ip6_addr(rows[i].address, 80, (struct sockaddr_in6 *)&address);
        if (hf_address_is_local(&address) != rows[i].local)
            fail_msg("row %zu", i);
    }
}

/* ---- scopes ---- */

static int reach_erase(haft_call *call)
{
    return haft_text(call, "erased");
}
HAFT_TOOL_BARE(reach_erase, "Erases everything", .scopes = "files:write");

static char reach_logged[512];

static void reach_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    if (level == HAFT_NOTICE)
        snprintf(reach_logged, sizeof reach_logged, "%.*s", (int)size, text);
}

static int reach_admit(void *context, haft_request *request, const haft_responder *responder,
                       void *responder_context)
{
    (void)context;
    (void)request;
    (void)responder;
    (void)responder_context;
    return 0;
}

static void reach_on_closed(void *context)
{
    *(bool *)context = true;
}

/* Starts a server of two endpoints, the second of which has a tool with scopes, and ends it. */
static void reach_start(haft_http_options options, haft_authenticator *mounted, bool scoped)
{
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .log = reach_log));
    haft_server *second = haft_server_new("second", "1");
    haft_http_mount mount =
        HAFT_INIT(haft_http_mount, .path = "/second", .server = second, .authenticator = mounted);
    haft_reason reason = {0};
    bool closed = false;
    uv_loop_t loop;
    haft_http *http;

    if (scoped)
        haft_add(second, &reach_erase_tool);
    reach_logged[0] = '\0';
    options.address = "127.0.0.1:0";
    options.mounts = &mount;
    options.n_mounts = 1;
    uv_loop_init(&loop);
    http = haft_http_new(server, &options, &loop, &reason);
    if (!http)
        fail_msg("%s", reason.text);
    haft_http_close(http, 0, reach_on_closed, &closed);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(closed);
    assert_int_equal(uv_loop_close(&loop), 0);
    haft_server_free(second);
    haft_server_free(server);
}

static void notes_scopes_that_nobody_checks(void **state)
{
    static const char notice[] =
        "reach_erase requires scopes, but clients are not authenticated: everybody may use it";
    const haft_http_options plain = HAFT_INIT(haft_http_options, .path = "/mcp");
    haft_http_options known = plain, admitted = plain;

    (void)state;
    known.authenticator = &reach_authenticator;
    admitted.admit = reach_admit;
    reach_start(plain, NULL, true);
    assert_string_equal(reach_logged, notice);
    reach_start(plain, NULL, false);
    assert_string_equal(reach_logged, "");
    reach_start(plain, &reach_authenticator, true);
    assert_string_equal(reach_logged, "");
    reach_start(known, NULL, true);
    assert_string_equal(reach_logged, "");
    reach_start(admitted, NULL, true);
    assert_string_equal(reach_logged, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listens_for_others_if_credentials_are_private),
        cmocka_unit_test(knows_local_addresses),
        cmocka_unit_test(notes_scopes_that_nobody_checks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
