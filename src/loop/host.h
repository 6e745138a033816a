/* loop/host.h - a session of the engine on a libuv loop: its threads, its timer and its
 * clock.
 *
 * What carries the messages is somebody else's: the guest hands them in by host_receive, gets
 * those to send, and is asked before every sleep whether there is anything left to do. */
#ifndef HAFT_SRC_HOST_H
#define HAFT_SRC_HOST_H

#include "loop/pool.h"

struct guest {
    void (*send)(void *context, const haft_outgoing *message);
    void (*settle)(void *context); /* the loop is about to sleep */
    void *context;
};

struct host {
    haft_server *server;
    struct guest guest;
    uv_loop_t loop;
    uv_async_t bell;  /* another thread has something */
    uv_timer_t alarm; /* the engine's next deadline */
    uv_prepare_t sleep;
    uv_thread_t thread; /* the loop's own */
    struct mailbox mailbox;
    struct pool pool;
    haft_posted *mail;     /* taken and not delivered yet */
    haft_session *session; /* NULL once it is closed */
    bool gone;             /* and nothing runs for it any more */
    bool stirred;          /* the engine wants to be told the time */
    bool paused;           /* nothing is delivered */
    atomic_bool woken;
    haft_time epoch;    /* the time of day when the host was made, */
    uint64_t made;      /* and the machine's clock then */
    haft_time alarm_at; /* -1 when it is not set */
};

/* 0, HAFT_ENOMEM, or HAFT_EBUSY when the system has no descriptor or no randomness to give. */
int host_init(struct host *host, haft_server *server, unsigned workers, size_t max_queue,
              struct guest guest);

/* Runs the loop until host_stop.  Handles of the guest must be closed, with callbacks, before
 * the finish: it waits for those.  Only after the session is gone, and host_join has seen off the
 * workers. */
void host_run(struct host *host);
void host_stop(struct host *host);
void host_join(struct host *host);
void host_finish(struct host *host);

/* Milliseconds since 1970 that never go back, whatever is done to the time of day. */
haft_time host_now(const struct host *host);

int host_receive(struct host *host, const char *text, size_t size, haft_time now);

/* Ends the session: calls in flight are cancelled, and `gone` is set when the last has come
 * back. */
void host_close_session(struct host *host);

/* While paused, what other threads have done is not looked at. */
void host_pause(struct host *host, bool paused);

#endif
