/* test_tls_serve.c - TLS on several loops: connections that move with their TLS state, certificates
 * that are replaced under load, and connections that change their protocol. */
#define _DEFAULT_SOURCE
#include "http/tls_client.h"

#include <haft/part.h>

#include "http/upgrade.h"

enum { LANES = 4, SESSIONS = 8, CLIENTS = 4, TURNS = 40, RELOADS = 12, SESSION_ID = 38 };

static struct authority authority;
static char certificate[AUTHORITY_PATH], key[AUTHORITY_PATH];
static const char *const certificates[] = {certificate, NULL}, *const keys[] = {key, NULL};

static int group_begin(void **state)
{
    (void)state;
    haft_part_register(&haft_crypto_part);
    authority_init(&authority, "test authority");
    authority_issue(&authority, &(struct leaf){.file = "a", .name = "first"});
    authority_file(&authority, "a.pem", certificate);
    authority_file(&authority, "a.key", key);
    return 0;
}

static int group_end(void **state)
{
    (void)state;
    authority_finish(&authority);
    return 0;
}

/* ---- a process that serves, as a thread ---- */

struct served {
    struct site site; /* for clients: its port */
    haft_server *server;
    haft_http_options options;
    uv_sem_t ready;
    pthread_t thread;
    int status;
    atomic_int renewed, kept, reloads; /* lines of the log about certificates; calls of reload */
};

static void served_log(void *context, haft_level level, const char *text, size_t size)
{
    struct served *served = context;

    (void)level, (void)size;
    if (strstr(text, "read the TLS certificates again"))
        atomic_fetch_add(&served->renewed, 1);
    if (strstr(text, "a.key: cannot use the private key: it does not belong to the certificate; "
                     "the TLS certificates stay as they were"))
        atomic_fetch_add(&served->kept, 1);
}

static void served_ready(void *context, const char *url)
{
    struct served *served = context;

    assert_int_equal(strncmp(url, "https://", 8), 0);
    served->site.port = (int)strtol(strrchr(url, ':') + 1, NULL, 10);
    uv_sem_post(&served->ready);
}

static void served_reload(void *context)
{
    struct served *served = context;

    atomic_fetch_add(&served->reloads, 1);
}

static void *served_run(void *context)
{
    struct served *served = context;

    served->status = haft_http_serve(served->server, &served->options, &served->site.reason);
    if (served->status)
        uv_sem_post(&served->ready);
    return NULL;
}

static struct served *served_open(unsigned threads, bool reloads)
{
    struct served *served = calloc(1, sizeof *served);

    assert_non_null(served);
    signal(SIGPIPE, SIG_IGN);
    served->server = haft_server_new_with(
        "test", "1.0.0", HAFT_WITH(haft_server_options, .log = served_log, .log_context = served));
    add_tools(served->server);
    served->options = (haft_http_options)HAFT_INIT(
        haft_http_options, .address = "127.0.0.1:0", .threads = threads, .ready = served_ready,
        .ready_context = served, .tls_certificates = certificates, .tls_keys = keys,
        .reload = reloads ? served_reload : NULL, .reload_context = served);
    uv_sem_init(&served->ready, 0);
    assert_int_equal(pthread_create(&served->thread, NULL, served_run, served), 0);
    uv_sem_wait(&served->ready);
    assert_int_equal(served->status, 0);
    return served;
}

static void served_close(struct served *served)
{
    kill(getpid(), SIGTERM);
    pthread_join(served->thread, NULL);
    assert_int_equal(served->status, 0);
    uv_sem_destroy(&served->ready);
    haft_server_free(served->server);
    free(served);
}

/* ---- sessions of other loops ---- */

#define HELLO                                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"

static void post(struct secret *client, const char *session, const char *body)
{
    char request[1024];
    int n = snprintf(request, sizeof request, HEAD "%s%s%sContent-Length: %zu\r\n\r\n%s",
                     session ? "Mcp-Session-Id: " : "", session ? session : "",
                     session ? "\r\n" : "", strlen(body), body);

    secret_say(client, request, (size_t)n);
}

struct sessions {
    const struct served *served;
    char ids[SESSIONS][SESSION_ID + 1];
    atomic_uint seed;
};

/* Several requests for different sessions, at once and one after another. */
static void *wander(void *context)
{
    struct sessions *sessions = context;
    unsigned seed = atomic_fetch_add(&sessions->seed, 977);
    struct secret client = secret_dial(&sessions->served->site, &authority, NULL, NULL);
    char text[8192];

    for (int i = 0; i < TURNS; i++) {
        size_t n = 1 + (size_t)i % 3;

        if (i % 10 == 9) {
            secret_close(&client);
            client = secret_dial(&sessions->served->site, &authority, NULL, NULL);
        }
        for (size_t each = 0; each < n; each++) {
            seed = seed * 1103515245 + 12345;
            post(&client, sessions->ids[(seed >> 16) % SESSIONS], PING(1));
        }
        secret_hear(&client, text, sizeof text, PONG(1), n);
    }
    secret_close(&client);
    return NULL;
}

static void connections_move_with_their_tls(void **state)
{
    struct served *served = served_open(LANES, false);
    struct sessions *sessions = calloc(1, sizeof *sessions);
    pthread_t threads[CLIENTS];
    char text[8192];

    (void)state;
    assert_non_null(sessions);
    sessions->served = served;
    for (int i = 0; i < SESSIONS; i++) {
        struct secret client = secret_dial(&served->site, &authority, NULL, NULL);
        const char *id;

        post(&client, NULL, HELLO);
        secret_hear(&client, text, sizeof text, "serverInfo", 1);
        id = strstr(text, "Mcp-Session-Id: ");
        assert_non_null(id);
        memcpy(sessions->ids[i], id + 16, SESSION_ID);
        secret_close(&client);
    }
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wander, sessions), 0);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    free(sessions);
    served_close(served);
}

/* ---- new certificates ---- */

struct load {
    const struct served *served;
    atomic_bool ends;
    atomic_int calls;
};

/* One connection that stays, and a new one for every request. */
static void *call_all_the_time(void *context)
{
    struct load *load = context;
    struct secret old = secret_dial(&load->served->site, &authority, NULL, NULL);
    char text[4096];

    while (!atomic_load(&load->ends)) {
        struct secret client = secret_dial(&load->served->site, &authority, NULL, NULL);

        post(&old, NULL, PING(1));
        post(&client, NULL, PING(2));
        secret_hear(&old, text, sizeof text, PONG(1), 1);
        secret_hear(&client, text, sizeof text, PONG(2), 1);
        secret_close(&client);
        atomic_fetch_add(&load->calls, 2);
    }
    secret_close(&old);
    return NULL;
}

static void assert_name(const struct served *served, const char *expected)
{
    struct secret client = secret_dial(&served->site, &authority, NULL, NULL);
    char name[64] = "";

    X509_NAME_get_text_by_NID(X509_get_subject_name(SSL_get0_peer_certificate(client.ssl)),
                              NID_commonName, name, sizeof name);
    assert_string_equal(name, expected);
    secret_close(&client);
}

static void await(atomic_int *count, int wanted)
{
    for (int64_t end = milliseconds() + PATIENCE_MS; atomic_load(count) < wanted; sleep_ms(1))
        assert_true(milliseconds() < end);
}

static void new_certificates_drop_nobody(void **state)
{
    struct served *served = served_open(2, true);
    struct load load = {.served = served};
    pthread_t threads[CLIENTS];
    char name[32];
    FILE *file;

    (void)state;
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_all_the_time, &load), 0);
    for (int i = 1; i <= RELOADS; i++) {
        int before = atomic_load(&load.calls);

        snprintf(name, sizeof name, "number %d", i);
        authority_issue(&authority, &(struct leaf){.file = "a", .name = name});
        kill(getpid(), SIGHUP);
        await(&served->reloads, i);
        await(&served->renewed, i);
        assert_name(served, name);
        await(&load.calls, before + 2);
    }
    /* A wrong file: all stays as it was, and the rest is reloaded. */
    file = fopen(key, "w");
    assert_non_null(file);
    PEM_write_PrivateKey(file, authority.key, NULL, NULL, 0, NULL, NULL);
    fclose(file);
    kill(getpid(), SIGHUP);
    await(&served->kept, 1);
    await(&served->reloads, RELOADS + 1);
    assert_name(served, name);
    assert_int_equal(atomic_load(&served->renewed), RELOADS);
    atomic_store(&load.ends, true);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    served_close(served);
    authority_issue(&authority, &(struct leaf){.file = "a", .name = "first"});
}

/* Without `reload`, SIGHUP does not end a server with TLS. */
static void sighup_alone_reads_certificates(void **state)
{
    struct served *served = served_open(1, false);

    (void)state;
    authority_issue(&authority, &(struct leaf){.file = "a", .name = "second"});
    kill(getpid(), SIGHUP);
    await(&served->renewed, 1);
    assert_name(served, "second");
    served_close(served);
}

/* ---- another protocol ---- */

struct owner {
    http_upgraded *upgraded;
};

static void echo_bytes(void *context, const char *bytes, size_t size)
{
    struct owner *owner = context;

    hf_http_upgraded_write(owner->upgraded, bytes, size);
}

static void echo_end(void *context)
{
    free(context);
}

static const struct http_upgrade_events echo_events = {.on_bytes = echo_bytes, .on_end = echo_end};

static void *echo_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)loop, (void)reterr_reason;
    return data;
}

static void *echo_handle(void *context, const haft_request *request,
                         const haft_responder *responder, void *responder_context, haft_time now)
{
    const haft_header header = {"Upgrade", "raw"};
    struct owner *owner = calloc(1, sizeof *owner);

    (void)context, (void)request, (void)now;
    assert_non_null(owner);
    assert_int_equal(hf_http_upgrade(responder, responder_context, &header, 1, &echo_events, owner,
                                     &owner->upgraded),
                     0);
    return NULL;
}

static void connections_change_their_protocol(void **state)
{
    static const char request[] = "GET /raw HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                                  "Upgrade: raw\r\n\r\nfirst";
    static const haft_app app =
        HAFT_INIT(haft_app, .open = echo_open, .handle = echo_handle, .data = (void *)request);
    static const haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/raw", .app = &app);
    enum { LONG = 200000 };
    struct site *site =
        site_open((haft_http_options)HAFT_INIT(haft_http_options, .mounts = &mount, .n_mounts = 1,
                                               .tls_certificates = certificates, .tls_keys = keys));
    struct secret client = secret_dial(site, &authority, NULL, NULL);
    static char text[ROOM], much[LONG];

    (void)state;
    secret_say(&client, request, sizeof request - 1);
    secret_hear(&client, text, sizeof text, "\r\n\r\nfirst", 1);
    assert_int_equal(strncmp(text, "HTTP/1.1 101 ", 13), 0);
    memset(much, 'x', sizeof much - 1);
    much[LONG - 1] = '!';
    secret_say(&client, much, sizeof much);
    assert_int_equal(secret_hear(&client, text, sizeof text, "!", 1), sizeof much);
    secret_close(&client);
    site_close(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_move_with_their_tls),
        cmocka_unit_test(new_certificates_drop_nobody),
        cmocka_unit_test(sighup_alone_reads_certificates),
        cmocka_unit_test(connections_change_their_protocol),
    };

    return cmocka_run_group_tests(tests, group_begin, group_end);
}
