/* store/redis/room.h - the internal interface of the store on Redis.
 *
 * A lane is what one thread needs: its libuv loop, its connections (links) and the requests that
 * wait for an answer (jobs).  Each attached loop has a lane; requests of other threads, and the
 * channels, go to the home lane, which has its own thread, started when it is first needed.
 *
 * A job is encoded on the thread that submits it, and belongs to its lane from then on.  Only one
 * lock is shared: it decides whether a job's request is answered or cancelled (hf_redis_job_claim).
 * Answered requests are collected, and their `done` is called when nothing of the store is on the
 * stack (hf_redis_lane_deliver): it may submit, cancel and detach. */
#ifndef HAFT_SRC_REDIS_ROOM_H
#define HAFT_SRC_REDIS_ROOM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <hiredis/hiredis.h>

#include "store/redis/redis.h"

enum {
    REDIS_HOST = 256,            /* size of a host name or the path of a socket */
    REDIS_NAME = 128,            /* size of a user, a password or the name of a master */
    REDIS_SPACE = 32,            /* size of the name of a namespace, as in memory */
    REDIS_HOSTS = 8,             /* sentinels */
    REDIS_LANES = 64,            /* attached loops */
    REDIS_MOVED = 8,             /* other nodes of a cluster that a lane is connected to */
    REDIS_SHA = 40,              /* size of a script's hash */
    REDIS_HEAD = 96,             /* room before a command for the name of its script */
    REDIS_INLINE = 512,          /* size of a command that needs no separate memory */
    REDIS_BATCH = 64,            /* calls that one command counts */
    REDIS_ERROR = 160,           /* size of an error text */
    REDIS_MAX_ARRAY = 200000,    /* elements of an array that the server may send */
    REDIS_MAX_DEPTH = 8,         /* arrays in arrays */
    REDIS_MAX_REPLY = 128 << 20, /* bytes of an answer, and of what is received and not parsed */
    REDIS_MAX_COMMAND = 64 << 20
};

/* ---- where the server is (url.c) ---- */

struct redis_address {
    char host[REDIS_HOST]; /* name, address, or path of a Unix socket */
    unsigned port;         /* 0 for a Unix socket */
};

struct redis_url {
    struct redis_address hosts[REDIS_HOSTS]; /* the server, or the sentinels */
    size_t n_hosts;
    char master[REDIS_NAME]; /* name that sentinels know; empty without sentinels */
    char user[REDIS_NAME], password[REDIS_NAME];
    unsigned database;
    bool tls;
};

/* Parses a URL. Returns 0, or an error with the reason, which does not contain the URL. */
int hf_redis_url_parse(const char *text, const struct redis_host *host, struct redis_url *ret_url,
                       haft_reason *reterr_reason);

/* ---- scripts (script.c) ---- */

enum redis_script { REDIS_REQUEST, REDIS_TAKE, REDIS_SCAN, REDIS_SCRIPTS, REDIS_PLAIN };

/* The text of a script. */
struct redis_script_text {
    const char *data;
    size_t size;
};
struct redis_script_text hf_redis_script(enum redis_script script);

/* ---- jobs ---- */

struct redis_lane;
struct redis_link;
struct redis_store;

/* A request or a step of a scan, as a command; or a batch, which is one command for several jobs that
 * count a call each. */
struct redis_job {
    struct redis_job *next, *previous; /* in its list of deadlines, or among the answered ones */
    struct redis_job *link_next;       /* among those that a link has sent, or will send */
    struct redis_lane *lane;
    struct redis_link *link; /* NULL while no link has it */
    haft_store_request *request;
    haft_store_scan *scan; /* one of them; under the store's lock, NULL when claimed */
    uint64_t deadline, sent_at;
    enum redis_script script;
    unsigned replies; /* that hiredis still owes, without those to WAIT */
    int argc;
    haft_store_request *held;   /* answered, and not delivered yet, */
    haft_store_scan *held_scan; /* one of them */
    bool is_take;               /* it has the short timeout */
    bool writes, durable;
    bool listed, sent, reloaded, moved;
    bool ended;    /* its answer is known, and will be delivered if anyone waits for it, */
    bool finished; /* or has been */
    bool too_big;  /* for a command */
    struct redis_job *members; /* of a batch, by link_next; NULL for other jobs */
    size_t arguments;          /* of a take: where they begin in `data` */
    size_t size, room;         /* of `data`; the script's name goes before the command */
    char *data;
    char inline_[REDIS_INLINE];
};

/* Encodes a request or a step of a scan (encode.c). Return the job, or NULL with an error:
 * HAFT_ENOMEM or HAFT_ETOOBIG. */
struct redis_job *hf_redis_job_new(struct redis_store *store, haft_store_request *request,
                                   int *reterr_status);
struct redis_job *hf_redis_job_new_scan(struct redis_store *store, haft_store_scan *scan,
                                        int *reterr_status);
/* Encodes the takes of `n` jobs, which become its members, as one command. Returns NULL without memory. */
struct redis_job *hf_redis_job_new_batch(struct redis_store *store, struct redis_job *first,
                                         size_t n);
void hf_redis_job_free(struct redis_store *store, struct redis_job *job);

/* Puts the name of the script before the command. Returns the whole command. */
const char *hf_redis_job_command(struct redis_job *job, const char *sha, size_t *ret_size);

/* The same with the text of the script; NULL without memory. The caller frees it. */
char *hf_redis_job_full(struct redis_store *store, const struct redis_job *job, size_t *ret_size);

/* Takes the request, or the step of a scan, from its job. Returns false if it has been cancelled or
 * answered; after true the caller must answer it. */
bool hf_redis_job_claim(struct redis_store *store, struct redis_job *job,
                        haft_store_request **ret_request, haft_store_scan **ret_scan);

/* ---- answers (decode.c) ---- */

/* Writes the answer of the server into a request; the results are its status and is_unknown. */
void hf_redis_decode(const struct redis_host *host, const struct redis_job *job,
                     haft_store_request *request, const redisReply *reply);
void hf_redis_decode_scan(const struct redis_store *store, haft_store_scan *scan,
                          const redisReply *reply);

/* The status for an error that the server has sent. */
int hf_redis_error_status(const char *text, size_t size, bool *ret_unknown);

/* The functions of a reader of hiredis, and their replacement. */
struct redis_reader {
    redisReplyObjectFunctions functions;
    const redisReplyObjectFunctions *original;
    size_t size;  /* of the answer so far */
    bool refused; /* it is too large */
};

/* Makes hiredis refuse answers that are too large; `own` must outlive the reader. */
void hf_redis_reader_limit(redisReader *reader, struct redis_reader *own);

/* ---- links (link.c, socket.c, greet.c, send.c) ---- */

enum link_role { LINK_COMMANDS, LINK_DURABLE, LINK_CHANNELS, LINK_ROLES, LINK_MOVED };
enum link_state { LINK_UNUSED, LINK_PAUSED, LINK_RESOLVING, LINK_GREETING, LINK_READY };
enum link_step {
    STEP_MASTER,
    STEP_AUTH,
    STEP_SELECT,
    STEP_ROLE,
    STEP_APPEND_ONLY,
    STEP_APPEND_SYNC,
    STEP_LOAD,
    STEP_PING = STEP_LOAD + REDIS_SCRIPTS,
    STEPS
};

/* An answer that the server owes: to a job, to WAIT, or to a step of the greeting. */
struct redis_expected {
    struct redis_job *job; /* NULL for the others */
    bool is_wait;
};

/* A connection of hiredis (socket.c); it outlives its link until libuv has closed the handle. */
struct redis_socket {
    uv_poll_t poll;
    struct redis_link *link; /* NULL when it is closed */
    struct redis_lane *lane;
    redisContext *context;
    void *tls; /* the connection's part of TLS; NULL without */
    struct redis_reader reader;
    struct redis_expected *expected; /* a ring */
    size_t first, n, room;
    int polled; /* events */
    bool connected;
    bool dirty;   /* something waits to be written */
    bool durable; /* a durable command has been sent, and no WAIT after it */
    bool waits;   /* the server owes the answer to WAIT */
    bool busy;    /* the context is in use */
};

struct redis_socket *hf_redis_socket_new(struct redis_link *link, redisContext *context);
void hf_redis_socket_close(struct redis_socket *socket);
/* Reads a part of what has arrived. Returns false if nothing has. */
bool hf_redis_socket_read(struct redis_socket *socket);
void hf_redis_socket_write(struct redis_socket *socket);
/* Send a command when the loop is about to sleep. Return 0 or HAFT_ENOMEM. */
int hf_redis_socket_send(struct redis_socket *socket, const char *command, size_t size,
                         struct redis_expected expected);
int hf_redis_socket_send_words(struct redis_socket *socket, int argc, const char **argv,
                               const size_t *sizes, bool has_answer);

struct redis_link {
    struct redis_lane *lane;
    enum link_role role;
    enum link_state state;
    struct redis_socket *socket;
    uv_timer_t timer;
    struct redis_resolve *resolve;   /* NULL while no name is being resolved */
    struct addrinfo *addresses;      /* of the name; NULL while they are not known */
    const struct addrinfo *untried;  /* those that no connection was attempted to */
    uint64_t connect_until;          /* when a connection must be ready */
    struct redis_address at;         /* the server; with sentinels, as they said */
    bool asks_sentinel, has_address; /* this connection is to a sentinel; `at` is known */
    size_t sentinel;                 /* the one to ask next */
    enum link_step steps[STEPS];     /* that the server has still to answer */
    size_t n_steps, step;
    bool append_only, append_sync; /* as the server says */
    bool was_ready, failing, closed;
    bool is_cluster;                        /* the server refuses keys of several groups */
    uint64_t ready_at, answered_at;         /* when it last became ready, and was answered */
    unsigned attempts;                      /* that failed one after another, or soon */
    struct redis_job *sent, **sent_end;     /* waiting for an answer, oldest first */
    struct redis_job *unsent, **unsent_end; /* waiting for a connection, or for others to join */
    char sha[REDIS_SCRIPTS][REDIS_SHA + 1];
};

int hf_redis_link_init(struct redis_link *link, struct redis_lane *lane, enum link_role role);
void hf_redis_link_use(struct redis_link *link); /* connects if it has not begun to */
void hf_redis_link_fail(struct redis_link *link, const char *why);
/* The same with what the server says, in printable characters. */
void hf_redis_link_refused(struct redis_link *link, const char *what, const redisReply *reply);
/* The server cannot be reached at this address, but perhaps at another one of its name. */
void hf_redis_link_unreachable(struct redis_link *link, const char *why);
void hf_redis_link_connected(struct redis_link *link); /* and has still to log in */
void hf_redis_link_close(struct redis_link *link);     /* for ever */
void hf_redis_link_reconnect(struct redis_link *link); /* to another address */
void hf_redis_link_flush(struct redis_link *link);     /* writes what hiredis has collected */
void hf_redis_link_read(struct redis_link *link);      /* all answers that have arrived */

void hf_redis_link_greet(struct redis_link *link);
void hf_redis_link_greeted(struct redis_link *link, const redisReply *reply);
void hf_redis_link_ready(struct redis_link *link);

/* Sends a job; one that counts a call waits for others until hf_redis_link_gather. */
void hf_redis_link_send(struct redis_link *link, struct redis_job *job);
void hf_redis_link_gather(struct redis_link *link);
void hf_redis_job_answered(struct redis_job *job, const redisReply *reply);
/* Asks whether replicas have what was sent: once for all commands until the answer comes, since the
 * server executes nothing else of the connection meanwhile. */
void hf_redis_link_wait(struct redis_link *link);
void hf_redis_link_waited(struct redis_link *link, const redisReply *reply);
void hf_redis_link_drop(struct redis_link *link, struct redis_job *job);
/* Ends the jobs that were sent and, if the server cannot be reached, takes that were not. */
void hf_redis_link_end_jobs(struct redis_link *link);

/* ---- lanes (lane.c) ---- */

struct redis_jobs {
    struct redis_job *first, *last;
};

struct redis_lane {
    struct redis_store *store;
    uv_loop_t *loop;
    uv_timer_t timer;  /* for the deadlines of jobs */
    uv_idle_t idle;    /* writes before the loop sleeps */
    uint64_t timer_at; /* UINT64_MAX if it is not set */
    bool idles, closing, delivering;
    unsigned handles; /* that are not closed */
    struct redis_link links[LINK_ROLES];
    struct redis_link *moved[REDIS_MOVED];
    struct redis_jobs jobs[2]; /* by deadline: other requests, requests of takes only */
    struct redis_job *answered, **answered_end;
    atomic_size_t n_jobs;
    uint32_t random;
    void (*gone)(struct redis_lane *lane); /* all handles are closed */
};

struct redis_lane *hf_redis_lane_new(struct redis_store *store, uv_loop_t *loop);
/* Ends all jobs and closes the handles; `gone` is called when the loop has closed them. */
void hf_redis_lane_close(struct redis_lane *lane);
void hf_redis_lane_free(struct redis_lane *lane);
void hf_redis_lane_accept(struct redis_lane *lane, struct redis_job *job);
void hf_redis_lane_flush_soon(struct redis_lane *lane);
/* Ends a job without an answer. */
void hf_redis_lane_end(struct redis_lane *lane, struct redis_job *job, int status, bool unknown);
/* Ends a job; the `done` of the request or the scan, if there is one, will be called. */
void hf_redis_lane_finish(struct redis_lane *lane, struct redis_job *job,
                          haft_store_request *request, haft_store_scan *scan);
/* Frees a job that is finished, if hiredis owes no answer to it and no link has it. */
void hf_redis_lane_release(struct redis_lane *lane, struct redis_job *job);
/* Calls `done` for what has been answered. */
void hf_redis_lane_deliver(struct redis_lane *lane);
/* The link to another node of a cluster; NULL without memory, or if all links to others are in use. */
struct redis_link *hf_redis_lane_moved(struct redis_lane *lane, const struct redis_address *at);
uint32_t hf_redis_lane_random(struct redis_lane *lane, uint32_t below);
void hf_redis_lane_handle_closed(struct redis_lane *lane);

/* ---- channels (channel.c) ---- */

/* A channel, or a pattern for all channels of a namespace, that has subscribers. */
struct redis_channel {
    struct redis_channel *next;
    size_t users;
    bool is_pattern, subscribed, used;
    size_t size;
    char name[];
};

int hf_redis_subscribe(haft_store *store, haft_store_subscriber *subscriber);
void hf_redis_unsubscribe(haft_store *store, haft_store_subscriber *subscriber);
/* Subscribes and unsubscribes as wanted; on the home lane. */
void hf_redis_channels_update(struct redis_link *link, bool is_new);
void hf_redis_channels_hear(struct redis_link *link, const redisReply *reply);
void hf_redis_channels_free(struct redis_store *store);

/* ---- names (name.c) ---- */

/* Appends the names of keys and channels; they return the number of bytes, and write only if the
 * text is not NULL. */
size_t hf_redis_name_key(const struct redis_store *store, const char *space, haft_slice group,
                         haft_slice key, char *text);
size_t hf_redis_name_channel(const struct redis_store *store, const char *space, haft_slice channel,
                             bool is_pattern, char *text);
/* The pattern of the keys of groups that begin with a prefix. */
size_t hf_redis_name_groups(const struct redis_store *store, const char *space, haft_slice prefix,
                            char *text);
/* Finds the group and the key in the name of a key, decoded into `text` of the same size; false if it
 * is not a key of the namespace. */
bool hf_redis_name_read(const struct redis_store *store, const char *space, const char *name,
                        size_t size, char *text, haft_slice *ret_group, haft_slice *ret_key);

/* ---- TLS (tls.c) ---- */

/* Makes the settings of TLS; *ret_tls is NULL if the URL has none. Returns 0 or an error. */
int hf_redis_tls_new(const struct redis_url *url, const haft_redis_options *options,
                     const struct redis_host *host, void **ret_tls, haft_reason *reterr_reason);
void hf_redis_tls_free(void *tls);
/* Starts TLS on a connection. Returns NULL, with what the context owns, or what is wrong. */
const char *hf_redis_tls_start(void *tls, redisContext *context, const char *host,
                               void **ret_connection);
/* Whether it can write only after it has read. */
bool hf_redis_tls_wants_read(void *connection);
/* Why it has failed; NULL if TLS does not know. */
const char *hf_redis_tls_reason(void *connection);
/* Forgets errors of other users of OpenSSL on this thread; before each use of a connection. */
void hf_redis_tls_prepare(void);

/* ---- the store (store.c, home.c) ---- */

/* A lane and the thread that uses it. */
struct redis_slot {
    atomic_uintptr_t thread; /* 0 if free */
    struct redis_lane *lane;
};

struct redis_store {
    haft_store store; /* must be first: others hold a pointer to it */
    const struct redis_host *host;
    const haft_allocator *allocator;
    haft_redis_options options; /* without strings */
    struct redis_url url;
    char prefix[REDIS_NAME];
    void *tls;
    struct redis_slot slots[REDIS_LANES];
    pthread_mutex_t claim_lock; /* for the requests of jobs */
    atomic_size_t waiting;      /* jobs of all lanes */

    pthread_mutex_t lock; /* for the following */
    haft_store_watcher *watchers;
    haft_store_subscriber *subscribers;
    struct redis_channel *channels;
    size_t n_ready, n_failing; /* links for commands */
    bool available;
    uint64_t reconnects;
    char error[REDIS_ERROR];

    pthread_mutex_t home_lock; /* for starting the home lane, and its mailbox */
    struct redis_home *home;   /* NULL until it is needed */
};

haft_store *hf_redis_create(const char *url, const haft_redis_options *options,
                            const struct redis_host *host, haft_reason *reterr_reason);

/* Passes a job to the home lane. Returns 0 or an error, and the job remains the caller's. */
int hf_redis_home_post(struct redis_store *store, struct redis_job *job);
/* Starts the home lane if necessary, and makes it update its channels, or connect. */
int hf_redis_home_wake(struct redis_store *store, bool channels);
void hf_redis_home_stop(struct redis_store *store);

/* Notes that the links which are ready or failing have changed, and an error, which may be NULL. */
void hf_redis_note(struct redis_store *store, int ready, int failing, const char *error);
void hf_redis_note_reconnect(struct redis_store *store);

static inline void *redis_alloc(const struct redis_store *store, size_t size)
{
    void *memory = store->allocator->alloc(store->allocator->context, size);

    return memory ? memset(memory, 0, size) : NULL;
}

static inline void redis_release(const struct redis_store *store, void *memory, size_t size)
{
    if (memory)
        store->allocator->release(store->allocator->context, memory, size);
}

#endif
