/* dev.h - the command dev: its parts, and their interfaces.
 *
 * The client is on standard input and output (dev_client.c), the server is a process
 * (dev_server.c), and their messages pass through a session (dev_session.c). A change of a file
 * (dev_watch.c) starts a build (dev_build.c), and a successful build another server (dev.c).
 * Everything runs on one loop. */
#ifndef HAFT_DEV_H
#define HAFT_DEV_H

#include <uv.h>

#include "dev_session.h"
#include "dev_watch.h"
#include "program.h"
#include "stdio/channel.h"
#include "stdio/lines.h"
#include "stdio/writer.h"

enum {
    DEV_QUEUE = 4 << 20, /* bytes queued for either side */
    DEV_SIGNALS = 5
};

/* Standard input and output. */
struct dev_client {
    struct dev *dev;
    struct channel channel;
    struct lines lines;
    struct writer writer;
    uv_poll_t in, out;
    uv_idle_t feed;   /* reads a regular file, which cannot be polled */
    uv_timer_t stall; /* checks whether lines are still consumed, after the end of input */
    size_t taken, taken_before; /* consumed lines, and those at the latest check */
    bool in_polls, out_polls, reading;
    bool gone;   /* the input was closed before it was read completely */
    bool ended;  /* the input was read completely */
    bool broken; /* nobody reads the output */
};

/* A server; frees itself when it has ended and its handles are closed. */
struct dev_server {
    struct dev *dev;
    uv_process_t process;
    uv_pipe_t in, out;
    uv_timer_t timer; /* until the next step to end it */
    struct lines lines;
    unsigned open;         /* open handles */
    unsigned step;         /* progress of ending it */
    unsigned patience;     /* milliseconds for the first step */
    bool running, drained; /* the process runs; its output has ended */
    bool closing, paused;
    int64_t status;
    int signal;
};

struct dev_build {
    struct dev *dev;
    uv_process_t process;
    uv_pipe_t out;
    uv_timer_t timer; /* for output after the end */
    haft_buffer text; /* start of its output */
    unsigned open;
    bool running, exited, drained;
    uint64_t began;
    int64_t status;
    int signal;
};

enum dev_stage { DEV_SERVING, DEV_RESTARTING, DEV_ENDING };

struct dev {
    uv_loop_t loop;
    const struct invocation *call;
    enum dev_stage stage;
    struct dev_session session;
    struct dev_client client;
    struct dev_server *server; /* NULL if there is none */
    struct dev_build build;
    struct dev_watch watch;
    struct dev_outputs outputs;
    uv_timer_t debounce, settle, handshake;
    uv_signal_t signals[DEV_SIGNALS];
    bool started;    /* a server has run before */
    bool building;   /* a build runs, or its last events are awaited */
    uint64_t change; /* time of the first unhandled change; 0 if there is none */
    char path[256];  /* what changed, for messages */
    char down[256];  /* why there is no server */
    int status;      /* exit code */
};

/* Prints a message of the proxy itself. */
void dev_note(void *context, const char *format, ...) HAFT_PRINTF_(2, 3);
/* Prints a line about a request. */
void dev_log_request(uint64_t now, const struct dev_request *request, enum dev_outcome outcome,
                     const char *text, size_t size);

/* ---- dev_client.c ---- */
int dev_client_open(struct dev_client *client, struct dev *dev); /* 0, or an exit code */
/* Passes on the lines that can be passed on now. */
void dev_client_pump(struct dev_client *client);
void dev_client_write(struct dev_client *client, const char *text, size_t size);
/* Closes its handles; dev_client_finish must be called after the loop. */
void dev_client_close(struct dev_client *client);
void dev_client_finish(struct dev_client *client);

/* ---- dev_server.c ---- */
int dev_server_start(struct dev *dev); /* 0, or an error of libuv */
void dev_server_write(struct dev_server *server, const char *text, size_t size);
bool dev_server_is_full(const struct dev_server *server);
/* Pauses reading until the client has read, or resumes it. */
void dev_server_pause(struct dev_server *server, bool pause);
/* Ends it: closes its input now, sends SIGTERM after `patience` milliseconds, SIGKILL later. */
void dev_server_stop(struct dev_server *server, unsigned patience);
void dev_server_signal(struct dev_server *server, int number);

/* ---- dev_build.c ---- */
int dev_build_start(struct dev_build *build); /* 0, or an error of libuv */
void dev_build_kill(struct dev_build *build);

/* ---- events for dev.c ---- */
bool dev_takes_lines(const struct dev *dev);
void dev_input_ended(struct dev *dev);
void dev_input_stalled(struct dev *dev);
void dev_output_broken(struct dev *dev);
void dev_server_ended(struct dev *dev, struct dev_server *server);
void dev_server_spoke(struct dev *dev);
void dev_built(struct dev *dev);

#endif
