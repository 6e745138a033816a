/* test_connect.c - whole clients: of our own server in another process, at a URL and in this process. */
#define _GNU_SOURCE
#include <haft/connect.h>
#include <haft/part.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yyjson.h>

#include "http/site.h"

/* NULL: negotiated. */
static const char *const revisions[] = {NULL,         "2024-11-05", "2025-03-26",
                                        "2025-06-18", "2025-11-25", "2026-07-28"};

static const char *program; /* this one, which is a server if it has an argument */

static struct site *site;
static char url[64];

static int open_site(void **state)
{
    (void)state;
    haft_part_register(&haft_http_client_part);
    setenv("no_proxy", "*", 1);
    site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .max_connections = 4096,
                                                  .max_per_address = 4096));
    snprintf(url, sizeof url, "http://127.0.0.1:%d/mcp", site->port);
    return 0;
}

static int close_site(void **state)
{
    (void)state;
    site_close(site);
    return 0;
}

/* ---- blocking ---- */

enum way { WAY_PROCESS, WAY_URL, WAY_SERVER, WAYS };

static haft_target target_of(enum way way, const char *const command[])
{
    haft_target target = HAFT_INIT(haft_target, .close_ms = 2000);

    if (way == WAY_PROCESS)
        target.command = command;
    else if (way == WAY_URL)
        target.url = url;
    else
        target.server = site->server;
    return target;
}

static void test_blocking(void **state)
{
    const char *const command[] = {program, "serve", NULL};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions) * WAYS; i++) {
        haft_target target = target_of((enum way)(i % WAYS), command);
        const char *revision = revisions[i / WAYS];
        haft_reason reason = {0};
        haft_result result;
        haft_client *client = haft_client_connect(
            &target, HAFT_WITH(haft_client_options, .revision = revision), &reason);

        if (!client)
            fail_msg("%zu %s: %s", i % WAYS, revision ? revision : "any", reason.text);
        assert_string_equal(haft_client_revision(client), revision ? revision : "2026-07-28");
        for (int n = 0; n < 3; n++) {
            assert_int_equal(haft_client_call(client, "echo", "{\"text\":\"hello\"}", &result), 0);
            assert_string_equal(result.text, "hello");
        }
        assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
        assert_true(yyjson_arr_size(result.content) >= 3);
        haft_client_free(client);
    }
}

/* Structs without their size. */
static void test_unsized(void **state)
{
    haft_reason reason = {0};

    (void)state;
    assert_null(haft_client_connect(&(haft_target){.url = "http://a/"}, NULL, &reason));
    assert_string_equal(reason.text, "haft_target: its struct_size is not set; start it with "
                                     "HAFT_INIT or HAFT_WITH");
    assert_null(haft_client_connect(HAFT_WITH(haft_target, .url = "http://a/"),
                                    &(haft_client_options){.name = "x"}, &reason));
    assert_string_equal(reason.text, "haft_client_options: its struct_size is not set; start it "
                                     "with HAFT_INIT or HAFT_WITH");
    assert_null(haft_client_connect(NULL, NULL, &reason));
    assert_string_equal(reason.text, "target is NULL");
    assert_null(haft_client_connect(NULL, NULL, NULL));
    assert_null(haft_client_start(NULL, HAFT_WITH(haft_target, .url = "http://a/"), NULL, NULL,
                                  NULL, &reason));
    assert_string_equal(reason.text, "haft_client_start: loop is NULL");
    haft_client_close(NULL, NULL, NULL);
}

/* A daemon may run without standard descriptors: what the client opens does not take their numbers, which
 * libuv does not close and a child process would inherit. The child's exit status is the number of what
 * failed. */
static int use_without_standard(unsigned closed)
{
    static const char script[] =
        "case $(readlink /proc/self/fd/2) in socket*|*eventpoll*) exit 9;; "
        "esac; exec \"$0\" serve";
    const char *const command[] = {"sh", "-c", script, program, NULL};
    haft_result result;

    for (int fd = 0; fd < 3; fd++)
        if (closed & 1u << fd)
            close(fd);
    for (int i = 0; i < 2; i++) {
        haft_target target = target_of(i ? WAY_PROCESS : WAY_URL, command);
        haft_client *client = haft_client_connect(&target, NULL, NULL);

        if (!client)
            return 1 + i;
        if (haft_client_call(client, "echo", "{\"text\":\"hello\"}", &result))
            return 3 + i;
        haft_client_free(client);
    }
    return 0;
}

static void test_closed_descriptors(void **state)
{
    (void)state;
    for (unsigned closed = 1; closed < 8; closed++) {
        int status;
        pid_t pid = fork();

        if (!pid)
            _exit(use_without_standard(closed));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
}

/* The transport of 2024-11-05, which our own server has as an option: lists, calls, and calls one after the
 * other on the same stream. */
static void test_legacy_sse(void **state)
{
    struct site *old =
        site_open((haft_http_options)HAFT_INIT(haft_http_options, .legacy_sse = true));
    haft_reason reason = {0};
    haft_result result;
    haft_client *client;
    char sse[64];

    (void)state;
    snprintf(sse, sizeof sse, "http://127.0.0.1:%d/sse", old->port);
    client = haft_client_connect(
        HAFT_WITH(haft_target, .url = sse, .legacy_sse = true, .proxy = ""),
        HAFT_WITH(haft_client_options, .revision = "2024-11-05", .timeout_ms = 10000), &reason);
    if (!client)
        fail_msg("%s", reason.text);
    assert_string_equal(haft_client_revision(client), "2024-11-05");
    assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
    assert_true(yyjson_arr_size(result.content) >= 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(haft_client_call(client, "echo", "{\"text\":\"hello\"}", &result), 0);
        assert_string_equal(result.text, "hello");
    }
    assert_int_equal(haft_client_call(client, "absent", NULL, &result), 0);
    assert_true(result.is_error);
    haft_client_free(client);
    /* Without the option it is another kind of server. */
    assert_null(haft_client_connect(
        HAFT_WITH(haft_target, .url = sse, .proxy = ""),
        HAFT_WITH(haft_client_options, .revision = "2024-11-05", .timeout_ms = 10000), &reason));
    assert_true(reason.code < 0 && *reason.text);
    site_close(old);
}

static const struct refused {
    haft_target target;
    const char *text;
} refusals[] = {
    {HAFT_INIT(haft_target, .url = NULL),
     "exactly one of url, command, server and descriptors must be set"},
    {HAFT_INIT(haft_target, .url = "ftp://x/"),
     "invalid URL ftp://x/: it must begin with http://, https:// or unix:"},
    {HAFT_INIT(haft_target, .url = "http://"), "invalid URL http://: the host is missing"},
    {HAFT_INIT(haft_target, .url = "http:///mcp"), "invalid URL http:///mcp: the host is missing"},
    {HAFT_INIT(haft_target, .url = "http://a:secret@:8/"),
     "invalid URL http://:8/: the host is missing"},
    {HAFT_INIT(haft_target, .url = "http://a b/mcp"),
     "invalid URL http://a b/mcp: it contains a space"},
    {HAFT_INIT(haft_target, .url = "http://b\xc3\xbc/"),
     "invalid URL http://b\xc3\xbc/: it is not ASCII"},
    {HAFT_INIT(haft_target, .url = "http://127.0.0.1:65536/"),
     "invalid URL http://127.0.0.1:65536/: the port is not a number from 1 to 65535"},
    {HAFT_INIT(haft_target, .url = "http://127.0.0.1:0/"),
     "invalid URL http://127.0.0.1:0/: the port is not a number from 1 to 65535"},
    {HAFT_INIT(haft_target, .url = "http://127.0.0.1:x/"),
     "invalid URL http://127.0.0.1:x/: the port is not a number from 1 to 65535"},
    {HAFT_INIT(haft_target, .url = "http://[::1/mcp"),
     "invalid URL http://[::1/mcp: the ] after the address is missing"},
    {HAFT_INIT(haft_target, .url = "http://[::1]x/"),
     "invalid URL http://[::1]x/: the host is not valid"},
    {HAFT_INIT(haft_target, .url = "https://a/", .ca_file = "/nonexistent"),
     "ca_file /nonexistent: No such file or directory"},
    {HAFT_INIT(haft_target, .url = "https://a/", .ca_file = "/dev/null"),
     "ca_file /dev/null: it is not in PEM format"},
    {HAFT_INIT(haft_target, .url = "https://a/", .certificate = "/"),
     "certificate /: Is a directory"},
    {HAFT_INIT(haft_target, .url = "https://a/", .key = "/nonexistent"),
     "key /nonexistent: No such file or directory"},
    {HAFT_INIT(haft_target, .url = "unix:/dev/null"), "unix:/dev/null: it is not a socket"},
    {HAFT_INIT(haft_target, .url = "http://127.0.0.1:1/mcp"),
     "http://127.0.0.1:1/mcp: could not connect: 127.0.0.1 port 1: Connection refused"},
    {HAFT_INIT(haft_target, .url = "unix:/nonexistent/socket"),
     "unix:/nonexistent/socket: No such file or directory"},
    {HAFT_INIT(haft_target, .command = (const char *const[]){"/nonexistent", NULL}),
     "cannot start /nonexistent: no such file or directory"},
    {HAFT_INIT(haft_target, .command = (const char *const[]){"sh", "-c", "exit 7", NULL}),
     "the server exited with status 7 before it answered"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        haft_reason reason = {0};

        assert_null(haft_client_connect(&refusals[i].target, NULL, &reason));
        if (strncmp(reason.text, refusals[i].text, strlen(refusals[i].text)))
            fail_msg("%s\nexpected: %s", reason.text, refusals[i].text);
        assert_true(reason.code < 0);
    }
}

/* Options of the client that are wrong, for a server in this process and for one elsewhere. */
static void test_refused_options(void **state)
{
    static const struct {
        const char *revision, *capabilities, *text;
    } rows[] = {
        {"1999-01-01", NULL, "unknown revision 1999-01-01"},
        {NULL, "[]", "capabilities: expected a JSON object"},
        {NULL, "{", "capabilities: unexpected end of data at byte 1"},
        {NULL, "", "capabilities: "},
    };
    const char *const command[] = {"sh", "-c", "exit 7", NULL};
    haft_server *server = make_server();

    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        haft_target target = HAFT_INIT(haft_target, .close_ms = 500);
        haft_reason reason = {0};

        if (i % 2)
            target.server = server;
        else
            target.command = command;
        assert_null(
            haft_client_connect(&target,
                                HAFT_WITH(haft_client_options, .revision = rows[i / 2].revision,
                                          .capabilities = rows[i / 2].capabilities),
                                &reason));
        if (strncmp(reason.text, rows[i / 2].text, strlen(rows[i / 2].text)))
            fail_msg("%s\nexpected: %s", reason.text, rows[i / 2].text);
        assert_int_equal(reason.code, HAFT_EINVAL);
    }
    haft_server_free(server);
}

/* Tokens belong to URLs, and all sockets have the same. */
static void test_socket_with_authorizer(void **state)
{
    haft_authorizer *authorizer = haft_bearer_new("secret");
    haft_target target =
        HAFT_INIT(haft_target, .url = "unix:/nonexistent/socket", .authorizer = authorizer);
    haft_reason reason = {0};

    (void)state;
    assert_null(haft_client_connect(&target, NULL, &reason));
    assert_int_equal(reason.code, HAFT_EINVAL);
    assert_non_null(strstr(reason.text, "cannot be used with an authorizer"));
    haft_authorizer_free(authorizer);
}

/* A program that cannot run is started once, and one that the first message kills, twice. */
static void test_starts(void **state)
{
    static const struct {
        const char *script;
        size_t starts;
    } rows[] = {{"echo s >>%s; exit 2", 1}, {"echo s >>%s; read line; exit 2", 2}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) * 10; i++) {
        char path[] = "/tmp/haft-starts-XXXXXX", script[100], text[64];
        const char *const command[] = {"sh", "-c", script, NULL};
        int fd = mkstemp(path);
        haft_reason reason = {0};

        assert_true(fd >= 0);
        snprintf(script, sizeof script, rows[i % 2].script, path);
        assert_null(haft_client_connect(HAFT_WITH(haft_target, .command = command), NULL, &reason));
        assert_string_equal(reason.text, "the server exited with status 2 before it answered");
        assert_int_equal(read(fd, text, sizeof text), 2 * rows[i % 2].starts);
        close(fd);
        unlink(path);
    }
}

/* ---- on a loop ---- */

struct party {
    haft_client *client;
    uv_loop_t *loop;
    unsigned ready, done, closed;
    int status;
    bool closes_early;
    struct party *all;
};

static void party_closed(void *context)
{
    struct party *party = context;

    party->closed++;
}

static void party_done(void *context, haft_client *client, int status, const haft_result *result)
{
    struct party *party = context;

    party->done++;
    party->status = status;
    if (!status)
        assert_string_equal(result->text, "hi");
    else
        assert_int_equal(status, HAFT_ECANCELLED);
    if (!status && (party->done == 3 || party->closes_early) && party->client) {
        party->client = NULL;
        haft_client_close(client, party_closed, party);
    }
}

static void party_ready(void *context, haft_client *client, int status)
{
    struct party *party = context;

    party->ready++;
    if (status)
        fail_msg("%s", haft_client_error(client, NULL));
    for (int i = 0; i < 2; i++)
        assert_true(haft_client_begin(client, HAFT_WITH(haft_client_exchange, .tool = "echo",
                                                        .arguments = "{\"text\":\"hi\"}",
                                                        .done = party_done, .context = party)) > 0);
}

static void party_start(struct party *party, uv_loop_t *loop, const haft_target *target,
                        const char *revision)
{
    haft_reason reason = {0};

    party->loop = loop;
    party->client =
        haft_client_start(loop, target, HAFT_WITH(haft_client_options, .revision = revision),
                          party_ready, party, &reason);
    if (!party->client)
        fail_msg("%s", reason.text);
    /* One that waits for the negotiation. */
    assert_true(haft_client_begin(party->client, HAFT_WITH(haft_client_exchange, .tool = "echo",
                                                           .arguments = "{\"text\":\"hi\"}",
                                                           .done = party_done, .context = party)) >
                0);
}

static void test_loop(void **state)
{
    const char *const command[] = {program, "serve", NULL};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions) * WAYS * 2; i++) {
        haft_target target = target_of((enum way)(i % WAYS), command);
        struct party party = {.closes_early = i >= COUNT_OF(revisions) * WAYS};
        uv_loop_t loop;

        uv_loop_init(&loop);
        party_start(&party, &loop, &target, revisions[i / WAYS % COUNT_OF(revisions)]);
        uv_run(&loop, UV_RUN_DEFAULT); /* nothing keeps it running after the end */
        assert_int_equal(party.closed, 1);
        assert_int_equal(party.done, 3);
        assert_int_equal(uv_loop_close(&loop), 0);
    }
}

/* Closed from within every kind of callback. */
enum inside { INSIDE_READY, INSIDE_PROGRESS, INSIDES };

struct closer {
    enum inside inside;
    haft_client *client;
    unsigned closed, done;
};

static void closer_closed(void *context)
{
    struct closer *closer = context;

    closer->closed++;
}

static void closer_act(struct closer *closer, enum inside inside)
{
    haft_client *client = closer->client;

    assert_int_equal(closer->closed, 0);
    if (closer->inside != inside || !client)
        return;
    closer->client = NULL;
    haft_client_close(client, closer_closed, closer);
}

static void closer_done(void *context, haft_client *client, int status, const haft_result *result)
{
    struct closer *closer = context;

    (void)client, (void)result;
    closer->done++;
    assert_int_equal(status, HAFT_ECANCELLED);
}

static void closer_progress(void *context, double progress, double total, const char *message)
{
    (void)progress, (void)total, (void)message;
    closer_act(context, INSIDE_PROGRESS);
}

static void closer_ready(void *context, haft_client *client, int status)
{
    struct closer *closer = context;

    assert_int_equal(status, 0);
    assert_true(
        haft_client_begin(client, HAFT_WITH(haft_client_exchange, .tool = "steps",
                                            .arguments = "{\"n\":3}", .done = closer_done,
                                            .progress = closer_progress, .context = closer)) > 0);
    closer_act(closer, INSIDE_READY);
}

static void test_close_inside(void **state)
{
    const char *const command[] = {program, "serve", NULL};

    (void)state;
    for (size_t i = 0; i < (size_t)INSIDES * WAYS; i++) {
        haft_target target = target_of((enum way)(i % WAYS), command);
        struct closer closer = {.inside = (enum inside)(i / WAYS)};
        haft_reason reason = {0};
        uv_loop_t loop;

        uv_loop_init(&loop);
        closer.client = haft_client_start(&loop, &target, NULL, closer_ready, &closer, &reason);
        assert_non_null(closer.client);
        uv_run(&loop, UV_RUN_DEFAULT);
        assert_int_equal(closer.done, 1);
        assert_int_equal(closer.closed, 1);
        assert_int_equal(uv_loop_close(&loop), 0);
    }
}

/* ---- many ---- */

static void test_many(void **state)
{
    enum { MANY = SANITIZED ? 200 : 1000 };
    struct rlimit limit;
    struct party *parties = calloc(MANY, sizeof *parties);
    haft_target target = target_of(WAY_URL, NULL);
    uv_loop_t loop;
    unsigned done = 0, closed = 0;

    (void)state;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max < 16384 ? limit.rlim_max : 16384;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < MANY * 6) {
        free(parties);
        skip();
    }
    assert_non_null(parties);
    uv_loop_init(&loop);
    for (int i = 0; i < MANY; i++)
        party_start(&parties[i], &loop, &target, "2026-07-28");
    uv_run(&loop, UV_RUN_DEFAULT);
    for (int i = 0; i < MANY; i++) {
        done += parties[i].done;
        closed += parties[i].closed;
    }
    assert_int_equal(done, 3 * MANY);
    assert_int_equal(closed, MANY);
    assert_int_equal(uv_loop_close(&loop), 0);
    free(parties);
}

/* ---- memory ---- */

static void fail_at(enum way way, const char *revision, size_t nth, bool keep,
                    struct failing *failing)
{
    const char *const command[] = {program, "serve", NULL};
    haft_target target = target_of(way, command);
    haft_reason reason = {0};
    haft_result result;
    haft_client *client;

    failing_init(failing, nth);
    failing->keep_failing = keep;
    client = haft_client_connect(&target,
                                 HAFT_WITH(haft_client_options, .revision = revision,
                                           .allocator = &failing->allocator, .timeout_ms = 5000),
                                 &reason);
    if (client) {
        haft_client_call(client, "echo", "{\"text\":\"hello\"}", &result);
        haft_client_free(client);
    } else {
        assert_true(reason.code < 0);
    }
    failing_check(failing);
}

static void test_memory(void **state)
{
    static const enum way ways[] = {WAY_PROCESS, WAY_URL};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(ways) * 2; i++) {
        struct failing failing;
        size_t nth = 1;

        do
            fail_at(ways[i % 2], i / 2 % 2 ? "2025-11-25" : "2026-07-28", nth++, i / 4, &failing);
        while (failing.failures);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocking),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_options),
        cmocka_unit_test(test_unsized),
        cmocka_unit_test(test_legacy_sse),
        cmocka_unit_test(test_closed_descriptors),
        cmocka_unit_test(test_socket_with_authorizer),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_close_inside),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_memory),
    };

    if (argc > 1)
        return haft_stdio_serve(make_server(), NULL);
    program = argv[0];
    return cmocka_run_group_tests(tests, open_site, close_site);
}
