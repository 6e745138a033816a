/* redis_server.c - starts and stops redis-server, or the program that HAFT_REDIS_SERVER names. */
#define _GNU_SOURCE
#include "support/redis_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    REDIS_TRIES = 4,
    REDIS_START_MS = 15000,
    REDIS_MAX_ARGUMENTS = 40,
    REDIS_PORTS = 22000, /* from the first port on */
    REDIS_FIRST_PORT = 10240,
    REDIS_PORTS_APART = 128, /* for processes that start together */
};

static const char *redis_program(void)
{
    static const char *const programs[] = {"/usr/bin/redis-server", "/usr/bin/valkey-server",
                                           "/usr/local/bin/redis-server"};
    const char *given = getenv("HAFT_REDIS_SERVER");

    if (given)
        return given;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (!access(programs[i], X_OK))
            return programs[i];
    return NULL;
}

bool redis_server_is_installed(void)
{
    return redis_program();
}

static struct sockaddr_in redis_address(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((unsigned short)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static bool redis_port_is_free(int port)
{
    struct sockaddr_in address = redis_address(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    bool is_free;

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes); /* as redis-server does */
    is_free = !bind(fd, (struct sockaddr *)&address, sizeof address);
    close(fd);
    return is_free;
}

int redis_free_port(void)
{
    static int next;

    for (int i = 0; i < REDIS_PORTS; i++) {
        int port = REDIS_FIRST_PORT + (getpid() * REDIS_PORTS_APART + next++) % REDIS_PORTS;

        if (redis_port_is_free(port))
            return port;
    }
    return 0;
}

/* Whether an answer is complete. A text has its size in the line before it, which may come alone. */
static bool redis_is_complete(const char *answer, size_t size)
{
    const char *line = memchr(answer, '\n', size);
    long text = *answer == '$' ? strtol(answer + 1, NULL, 10) : -1;

    if (!line || answer[size - 1] != '\n')
        return false;
    return text < 0 || size >= (size_t)(line + 1 - answer) + (size_t)text + 2;
}

const char *redis_server_ask(const struct redis_server *server, char *answer, size_t room,
                             const char *command)
{
    struct sockaddr_in address = redis_address(server->port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval limit = {.tv_sec = 5};
    size_t n = 0;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (!connect(fd, (struct sockaddr *)&address, sizeof address) &&
        send(fd, command, strlen(command), MSG_NOSIGNAL) >= 0 &&
        send(fd, "\r\n", 2, MSG_NOSIGNAL) >= 0)
        while (n + 1 < room) {
            ssize_t got = recv(fd, answer + n, room - 1 - n, 0);

            n += got > 0 ? (size_t)got : 0;
            answer[n] = '\0';
            if (got <= 0 || redis_is_complete(answer, n))
                break;
        }
    answer[n] = '\0';
    close(fd);
    return answer;
}

/* Runs in the child. */
static void redis_exec(const struct redis_server *server)
{
    char port[16];
    const char *arguments[REDIS_MAX_ARGUMENTS] = {"redis-server",    "--port",       port, "--bind",
                                                  "127.0.0.1",       "--save",       "",   "--dir",
                                                  server->directory, "--appendonly", "no"};
    size_t n = 11;
    int log;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    snprintf(port, sizeof port, "%d", server->port);
    if (server->arguments && !strcmp(server->arguments[0], "sentinel")) {
        n = 1; /* FILE --sentinel */
        for (size_t i = 1; server->arguments[i]; i++)
            arguments[n++] = server->arguments[i];
    } else {
        for (size_t i = 0; server->arguments && server->arguments[i]; i++)
            arguments[n++] = server->arguments[i];
    }
    arguments[n] = NULL;
    if (chdir(server->directory))
        _exit(126);
    log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(log, 1);
    dup2(log, 2);
    execv(redis_program(), (char *const *)(size_t)arguments);
    _exit(127);
}

bool redis_server_restart(struct redis_server *server)
{
    char answer[64];

    snprintf(server->url, sizeof server->url, "redis://127.0.0.1:%d", server->port);
    server->pid = fork();
    if (!server->pid)
        redis_exec(server);
    for (int ms = 0; ms < REDIS_START_MS; ms += 10) {
        int status;

        redis_server_ask(server, answer, sizeof answer, "PING");
        if (!strncmp(answer, "+PONG", 5) || !strncmp(answer, "-NOAUTH", 7))
            return true;
        if (waitpid(server->pid, &status, WNOHANG) == server->pid)
            break;
        poll(NULL, 0, 10);
    }
    redis_server_signal(server, SIGKILL);
    return false;
}

bool redis_server_start(struct redis_server *server, const char *const *arguments)
{
    *server = (struct redis_server){.arguments = arguments};
    snprintf(server->directory, sizeof server->directory, "/tmp/haft-redis-XXXXXX");
    if (!mkdtemp(server->directory))
        return false;
    for (int i = 0; i < REDIS_TRIES; i++) {
        server->port = redis_free_port();
        if (redis_server_restart(server))
            return true;
    }
    return false;
}

void redis_server_signal(struct redis_server *server, int number)
{
    if (!server->pid)
        return;
    kill(server->pid, number);
    if (number != SIGKILL && number != SIGTERM)
        return;
    waitpid(server->pid, NULL, 0);
    server->pid = 0;
}

static int redis_remove_file(const char *path, const struct stat *about, int type, struct FTW *at)
{
    (void)about;
    (void)type;
    (void)at;
    return remove(path);
}

void redis_server_remove(struct redis_server *server)
{
    redis_server_signal(server, SIGKILL);
    if (server->directory[0])
        nftw(server->directory, redis_remove_file, 8, FTW_DEPTH | FTW_PHYS);
    server->directory[0] = '\0';
}
