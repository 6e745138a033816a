/* support/redis_server.h - a Redis or Valkey server of a test: on a free port of loopback, with an empty directory. */
#ifndef HAFT_TESTS_REDIS_SERVER_H
#define HAFT_TESTS_REDIS_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct redis_server {
    pid_t pid;                    /* 0 if it does not run */
    int port;                     /* of 127.0.0.1 */
    char url[64];                 /* redis://127.0.0.1:PORT */
    char directory[64];           /* its files; removed by redis_server_remove */
    const char *const *arguments; /* for its start, up to NULL */
};

/* Whether there is a program to start. */
bool redis_server_is_installed(void);

/* Starts a server and waits until it answers; `arguments`, which may be NULL, end with NULL.  Returns false if it
 * does not start. */
bool redis_server_start(struct redis_server *server, const char *const *arguments);
/* Starts it again, with the same port and the same files. */
bool redis_server_restart(struct redis_server *server);
/* Sends a signal; after SIGKILL and SIGTERM, waits for its end. */
void redis_server_signal(struct redis_server *server, int number);
/* Stops it, and removes its files. */
void redis_server_remove(struct redis_server *server);

/* Sends a command, and reads the start of the answer; "" if there is none. */
const char *redis_server_ask(const struct redis_server *server, char *answer, size_t room,
                             const char *command);

/* A port of loopback that was free a moment ago, another one each time. It is below the ports that the kernel chooses
 * for other sockets, so that a server can be restarted on it. Returns 0 if there is none. */
int redis_free_port(void);

#endif
