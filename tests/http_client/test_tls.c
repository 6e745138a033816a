/* test_tls.c - https: who is believed to be who. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "http_client/rogue.h"

static char directory[] = "/tmp/haft-tls-XXXXXX";

static int make_certificates(void **state)
{
    char command[256];

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(command, sizeof command, "sh tests/http_client/certificates.sh %s", directory);
    return system(command);
}

static int remove_certificates(void **state)
{
    char command[256];

    (void)state;
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

/* ---- openssl's server ---- */

struct tls_server {
    pid_t pid;
    int out;
    int port;
};

static void tls_server_open(struct tls_server *server, const char *certificate, const char *more)
{
    char command[1024], text[4096];
    char *arguments[] = {"sh", "-c", command, NULL};
    posix_spawn_file_actions_t actions;
    size_t size = 0;
    const char *at = NULL;
    int ends[2];

    /* The command's own words end with it, so that it is gone when it is killed. */
    snprintf(command, sizeof command,
             "cd %s && exec openssl s_server -accept 127.0.0.1:0 %s -cert %s.pem -key %s.key %s",
             directory, strstr(more, "-HTTP") ? "" : "-www", certificate, certificate, more);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    assert_int_equal(posix_spawn(&server->pid, "/bin/sh", &actions, NULL, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    server->out = ends[0];
    while (!at) {
        ssize_t n = read(server->out, text + size, sizeof text - size - 1);

        if (n <= 0)
            fail_msg("no server: %.*s", (int)size, text);
        size += (size_t)n;
        text[size] = '\0';
        at = strstr(text, "ACCEPT 127.0.0.1:");
        at = at && strchr(at, '\n') ? at : NULL;
    }
    server->port = (int)strtol(at + sizeof "ACCEPT 127.0.0.1:" - 1, NULL, 10);
}

static void tls_server_close(struct tls_server *server)
{
    int status;

    kill(server->pid, SIGKILL);
    waitpid(server->pid, &status, 0);
    close(server->out);
}

/* ---- who is believed ---- */

static char *place(char *room, size_t size, const char *name)
{
    if (!name)
        return NULL;
    snprintf(room, size, "%s/%s", directory, name);
    return room;
}

static void believes_whom_it_should(void **state)
{
    static const struct {
        const char *certificate, *more; /* of the server */
        const char *host;
        const char *ca_file, *ca_dir, *own;
        bool skip;
        const char *error; /* NULL: it is believed */
    } rows[] = {
        {"here", "", "127.0.0.1", "authority.pem", NULL, NULL, false, NULL},
        {"here", "", "localhost", "authority.pem", NULL, NULL, false, NULL},
        {"here", "", "127.0.0.1", NULL, "trusted", NULL, false, NULL},
        {"here", "-tls1_2", "127.0.0.1", "authority.pem", NULL, NULL, false, NULL},
        {"here", "", "127.0.0.1", NULL, NULL, NULL, false,
         "unable to get local issuer certificate"},
        {"here", "", "127.0.0.1", "stranger.pem", NULL, NULL, false, "certificate"},
        {"here", "", "127.0.0.1", "nothing.pem", NULL, NULL, false, "nothing.pem"},
        /* What follows depends on the version of libcurl. */
        {"elsewhere", "", "127.0.0.1", "authority.pem", NULL, NULL, false,
         "no alternative certificate subject name matches target"},
        {"expired", "", "127.0.0.1", "authority.pem", NULL, NULL, false, "certificate has expired"},
        {"future", "", "127.0.0.1", "authority.pem", NULL, NULL, false,
         "certificate is not yet valid"},
        {"itself", "", "127.0.0.1", NULL, NULL, NULL, false, "self-signed certificate"},
        {"itself", "", "127.0.0.1", "authority.pem", NULL, NULL, false, "self-signed certificate"},
        {"itself", "", "127.0.0.1", NULL, NULL, NULL, true, NULL},
        {"here", "-tls1_1 -cipher DEFAULT@SECLEVEL=0", "127.0.0.1", "authority.pem", NULL, NULL,
         false, "protocol"},
        /* A server that wants to know who asks. */
        {"here", "-Verify 1 -verify_return_error -CAfile authority.pem", "127.0.0.1",
         "authority.pem", NULL, "visitor", false, NULL},
        {"here", "-tls1_2 -Verify 1 -verify_return_error -CAfile authority.pem", "127.0.0.1",
         "authority.pem", NULL, NULL, false, "handshake failure"},
    };
    static struct outcome outcome;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char ca_file[128], ca_dir[128], certificate[128], key[128], name[64], url[64];
        struct http_client_options options = {.skip_verification = rows[i].skip};
        struct tls_server server;
        struct asker asker;

        options.ca_file = place(ca_file, sizeof ca_file, rows[i].ca_file);
        options.ca_dir = place(ca_dir, sizeof ca_dir, rows[i].ca_dir);
        if (rows[i].own) {
            snprintf(name, sizeof name, "%s.pem", rows[i].own);
            options.certificate = place(certificate, sizeof certificate, name);
            snprintf(name, sizeof name, "%s.key", rows[i].own);
            options.key = place(key, sizeof key, name);
        }
        tls_server_open(&server, rows[i].certificate, rows[i].more);
        asker_init_with(&asker, &options);
        snprintf(url, sizeof url, "https://%s:%d/", rows[i].host, server.port);
        ask(&asker, (struct http_request_options){.url = url}, &outcome);
        if (rows[i].error ? outcome.error != HTTP_TLS_FAILED ||
                                !strstr(outcome.text, rows[i].error) || outcome.maybe_handled
                          : outcome.error != HTTP_OK || outcome.status != 200)
            fail_msg("row %zu: %s, status %d", i, outcome.text, outcome.status);
        asker_finish(&asker);
        tls_server_close(&server);
    }
}

/* Whoever was asked in secret is not left for somebody who is asked in the open. */
static void never_falls_back_to_http(void **state)
{
    static const char answer[] =
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
    static struct outcome outcome;
    char ca_file[128], path[128], url[64];
    struct tls_server server;
    struct asker asker;
    int fd = open(place(path, sizeof path, "away"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    (void)state;
    assert_int_equal(write(fd, answer, sizeof answer - 1), sizeof answer - 1);
    close(fd);
    tls_server_open(&server, "here", "-HTTP");
    asker_init_with(&asker, &(struct http_client_options){
                                .ca_file = place(ca_file, sizeof ca_file, "authority.pem")});
    snprintf(url, sizeof url, "https://127.0.0.1:%d/away", server.port);
    ask(&asker,
        (struct http_request_options){.url = url, .max_redirects = 3, .redirect_elsewhere = true},
        &outcome);
    assert_int_equal(outcome.error, HTTP_REDIRECT_REFUSED);
    assert_non_null(strstr(outcome.text, "it leads from https to http"));
    asker_finish(&asker);
    tls_server_close(&server);
}

/* Nobody is killed by a signal when the other side goes away. */
static void survives_a_server_that_dies(void **state)
{
    static char body[4 << 20];
    static struct outcome outcome;
    char ca_file[128], url[64];
    struct tls_server server;
    struct asker asker;

    (void)state;
    signal(SIGPIPE, SIG_DFL);
    tls_server_open(&server, "here", "");
    asker_init_with(&asker, &(struct http_client_options){
                                .ca_file = place(ca_file, sizeof ca_file, "authority.pem")});
    snprintf(url, sizeof url, "https://127.0.0.1:%d/", server.port);
    ask_start(&asker,
              (struct http_request_options){
                  .method = "POST", .url = url, .body = body, .body_size = sizeof body},
              &outcome);
    for (int i = 0; i < 20 && !outcome.ends; i++)
        uv_run(&asker.loop, UV_RUN_ONCE);
    tls_server_close(&server);
    run_until_over(&asker, &outcome);
    assert_int_equal(outcome.ends, 1);
    asker_finish(&asker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(believes_whom_it_should),
        cmocka_unit_test(never_falls_back_to_http),
        cmocka_unit_test(survives_a_server_that_dies),
    };

    return cmocka_run_group_tests(tests, make_certificates, remove_certificates);
}
