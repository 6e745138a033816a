/* peer_state.h - the state of a peer, for the files that it consists of. */
#ifndef HAFT_PEER_STATE_H
#define HAFT_PEER_STATE_H

#include "peer.h"

enum { PEER_LONGEST_LINE = 1 << 16 };

/* The task that the request has become. */
struct peer_task {
    char *id;         /* NULL for none */
    uv_timer_t timer; /* the next line about it, or the end of a wait */
    uint64_t begun;
    char message[200]; /* what the server said last */
    bool waited;       /* the wait is over, or need not go on */
};

struct peer {
    uv_loop_t loop;
    uv_signal_t interrupt, terminate;
    unsigned handles; /* the loop, and the signals that are open */
    unsigned interrupted;
    bool terminated; /* by SIGTERM */
    const struct invocation *call;
    haft_client *client;
    haft_authorizer *authorizer;
    haft_arena *arena;
    haft_question *questions[PROGRAM_MAX_QUESTIONS]; /* not answered yet */
    size_t n_questions;
    bool prompting; /* the terminal belongs to a question */
    bool closed;

    /* The connection, or the request that is in flight. */
    bool done, busy;
    bool lost;   /* the server is gone */
    int status;  /* of haft */
    int stopped; /* exit code of peer_stop */
    yyjson_val *result;
    int error_code, http_status;
    char why[1024];

    const struct peer_request *request; /* the latest */
    struct peer_task task;

    /* A line that is being read from the terminal. */
    uv_tty_t tty;
    haft_buffer typed;
    bool typed_end;
};

/* ---- peer_task.c ---- */

/* The request waits for a task: shows its status until it ends. */
void peer_task_follow(struct peer *peer, const char *task);
void peer_task_show(const struct peer *peer, bool verbose);
/* The callback of the client: the request has become a task. */
haft_client_task_begun peer_task_begun;
/* The user has interrupted a task: it goes on, unless a second interrupt follows. Returns the status of
 * peer_ask, or EXIT_DONE if the request has ended meanwhile. */
int peer_task_leave(struct peer *peer);

#endif
