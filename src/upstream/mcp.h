/* upstream/mcp.h - an upstream that is an MCP server: its connections, lists and calls.
 *
 * Everything here belongs to the outbound thread, except members that a lock guards. */
#ifndef HAFT_SRC_UPSTREAM_MCP_H
#define HAFT_SRC_UPSTREAM_MCP_H

#include <haft/connect.h>

#include "base/sha256.h"
#include "engine/call/owner.h"
#include "upstream/mcp_entry.h"
#include "upstream/pin.h"
#include "upstream/upstream.h"

enum {
    MCP_KINDS = OFFER_LISTS,
    MCP_QUESTIONS = 8,          /* of one call that wait */
    MCP_PARKED = 1000,          /* calls of an upstream whose clients are asked */
    MCP_PARKED_PART = 2,        /* at most this part of the calls of a connection are parked, */
    MCP_PARKED_CLIENT_PART = 8, /* and this part of one that all clients share for one of them */
    MCP_PARKED_MS = 610 * 1000, /* a little more than a client has for its answer */
    MCP_LEFT = 16,              /* clients of calls that were left; of more, nothing is known */
    MCP_LEFT_MS = 600 * 1000,   /* how long a server may go on with such a call */
    MCP_REFUSED_MS = 1000,      /* between lines of the log about refused questions */
    MCP_PRINCIPALS = 256,
    MCP_IDLE_MS = 300 * 1000,
    MCP_DESCRIPTION = 8192,
    MCP_URIS = 256, /* resources whose updates are passed on */
    MCP_KEY = 48
};

/* ---- a call (mcp_call.c) ---- */

/* The first character of a call's state: it is parked, or at a modern upstream. */
enum { MCP_STATE_PARKED = 'p', MCP_STATE_ROUND = 'm' };

enum mcp_method { MCP_TOOL, MCP_READ, MCP_PROMPT, MCP_COMPLETE };

/* What an item calls; in the item's arena. */
struct mcp_item {
    struct upstream *upstream;
    const char *name; /* at the upstream */
    haft_offer kind;
};

struct mcp_question {
    haft_question *question; /* NULL once it has been answered */
    char key[16];
};

enum mcp_cancelling { MCP_WANTED, MCP_CANCELLED, MCP_LATE };

/* Whose a call is, also when the haft_call is gone. */
struct mcp_owner {
    const struct owner *session; /* not read; NULL for none that is only its client's */
    char number[sizeof((struct owner *)0)->number];
    bool is_known; /* it has a principal, whose hash is: */
    unsigned char principal[SHA256_SIZE];
};

/* A client of a call that was cancelled or timed out: the upstream may go on with it. */
struct mcp_left {
    struct mcp_owner owner;
    uint64_t until;
};

/* A request of a client.  It may outlive its haft_call: a modern client is asked between two. */
struct mcp_call {
    struct mcp_call *previous, *next; /* of its link, or spare */
    struct mcp_call *next_parked;
    struct mcp *mcp;
    struct mcp_link *link;  /* NULL while it is in no list of one */
    haft_call *call;        /* NULL while the client is asked */
    struct mcp_owner owner; /* while it is parked, as is */
    uint64_t client;        /* hash of what its share of parked calls is counted by */
    const struct mcp_item *item;
    enum mcp_method method;
    const char *argument, *value; /* of a completion; in the call's memory */
    struct outbound_task begin, cancel;
    atomic_uint refs;
    atomic_int cancelling;  /* a value of enum mcp_cancelling */
    bool cancelled, waits;  /* waits: it has not been passed to a client */
    bool late;              /* it was cancelled because its time is over */
    bool parked, abandoned; /* abandoned: its client does not come back */
    int64_t id;             /* request of the link's client; 0 if there is none */
    char key[MCP_KEY];      /* that finds it when it is parked */
    uint64_t parked_until;
    struct mcp_question questions[MCP_QUESTIONS]; /* the first has been asked */
    unsigned n_questions, n_asked;
    bool ended; /* while it was parked, with: */
    int status;
    haft_buffer outcome; /* the result as JSON, or the reason */
};

/* ---- a connection (mcp_link.c) ---- */

enum mcp_link_state {
    MCP_IDLE,       /* not connected, and not needed */
    MCP_CONNECTING, /* the client exists, calls wait in it */
    MCP_READY,
    MCP_PAUSED, /* the timer connects again */
    MCP_GIVEN_UP
};

struct mcp_link {
    struct mcp_link *next; /* of those that are not the main one */
    struct mcp *mcp;
    char *principal; /* NULL for all */
    haft_client *client;
    struct mcp_child *child; /* of the client; NULL if it has none, or that has ended */
    haft_subscription *subscription;
    uint64_t subscribed; /* hash of the list of resources that it is about */
    enum mcp_link_state state;
    uv_timer_t timer;
    bool has_timer;
    unsigned failures;   /* in a row */
    haft_reason failure; /* the latest */
    unsigned restarts;   /* since it was last up for a while */
    unsigned n_calls;
    uint64_t ready_since, used;
    struct mcp_call *first, *last; /* calls that have begun */
    bool draining;                 /* it is closed when these have ended */
    struct mcp_left left[MCP_LEFT];
    unsigned n_left;
    uint64_t unknown_until; /* a call was left whose client nobody knows again */
    uint64_t refused_until; /* refused questions are counted, not logged */
    unsigned n_refused;
};

/* ---- lists (mcp_list.c) ---- */

/* What the upstream offers; replaced as a whole, under the upstream's lock. */
struct mcp_lists {
    haft_arena *arena;
    haft_value *kinds[MCP_KINDS]; /* arrays; NULL for none */
    struct text json[MCP_KINDS];
};

struct mcp_fetch {
    haft_buffer json[MCP_KINDS];
    unsigned waiting; /* lists that have not come */
    bool running, again;
    int status;      /* first failure of the connection, */
    char error[200]; /* and its reason */
};

/* ---- the upstream ---- */

struct mcp {
    struct upstream *upstream;
    const mcp_entry *entry;
    haft_target target;
    haft_client_options options;
    haft_authorizer *authorizer;
    bool is_old; /* the latest connection was of a legacy revision */
    struct mcp_link main;
    struct mcp_link *links; /* others: for principals, and for calls that begin after a reload */
    unsigned n_links;
    struct mcp_fetch fetch;
    struct mcp_lists *lists; /* under the lock; NULL for none */
    bool inherited;          /* these are of the upstream that it replaces */
    struct pins pins;
    struct mcp_call *parked;
    unsigned n_parked;
    uint64_t n_keys;
    uv_timer_t sweep; /* of what has been left */
    bool has_sweep;
    haft_buffer params;
    uv_mutex_t spare_lock;
    struct mcp_call *spare; /* under that lock */
    unsigned n_spare;
};

static inline struct mcp *mcp_of(const struct upstream *upstream)
{
    return upstream->data;
}

/* The upstream is held while a handle or a client of it exists. */
static inline void mcp_hold(struct mcp *mcp)
{
    hf_module_take(&mcp->upstream->module);
}

static inline void mcp_let_go(struct mcp *mcp)
{
    hf_module_drop(&mcp->upstream->module);
}

/* ---- mcp_child.c ---- */

/* Starts the program of a connection, and sets the ends of its standard output and input, which the
 * connection then owns.  Returns 0, or an error with the reason. */
int hf_mcp_child_start(struct mcp_link *link, int ret_fds[2], haft_reason *reterr_reason);
/* The connection is closed: the program has to end. */
void hf_mcp_child_leave(struct mcp_link *link);

/* ---- mcp_link.c ---- */

/* The connection has ended for this reason. */
void hf_mcp_link_lost(struct mcp_link *link, const char *why);

/* Begins to connect, unless that has been done. */
void hf_mcp_link_open(struct mcp_link *link);
/* Ends a connection, and answers its calls. */
void hf_mcp_link_close(struct mcp_link *link);
/* Ends a connection of an upstream that has been stopped when its calls have ended. */
void hf_mcp_link_drain(struct mcp_link *link);
/* The last call of a connection that is being drained has ended. */
void hf_mcp_link_drained(struct mcp_link *link);
/* The connection for a call; NULL without memory or if there are too many.  Of an upstream that has been stopped, one
 * that is being drained. */
struct mcp_link *hf_mcp_link_for(struct mcp *mcp, const char *principal);
/* A request has succeeded, or failed for a reason that is not its own. */
void hf_mcp_link_worked(struct mcp_link *link);
void hf_mcp_link_failed(struct mcp_link *link, int status, const char *why);
/* Closes idle connections for principals. */
void hf_mcp_link_sweep(struct mcp *mcp, uint64_t now);
/* Whether calls are refused at once. */
bool hf_mcp_link_is_open_circuit(const struct mcp_link *link);

/* ---- mcp_list.c ---- */

/* Fetches all lists through the main connection, once more if that is going on. */
void hf_mcp_fetch(struct mcp *mcp);
/* Forgets what was offered, and tells the gateway. */
void hf_mcp_forget(struct mcp *mcp);
/* Makes lists of the JSON that has come.  Returns NULL with the reason. */
struct mcp_lists *hf_mcp_lists_new(const struct mcp *mcp, haft_reason *reterr_reason);
void hf_mcp_lists_free(struct mcp_lists *lists);
/* Begins with the lists of the upstream that it replaces, if that is the same server. */
void hf_mcp_lists_inherit(struct upstream *upstream, struct upstream *before);
/* The changes of a server's lists and resources. */
void hf_mcp_subscribe(struct mcp *mcp);

/* ---- mcp_item.c ---- */

/* Creates the items of the lists, with the lock held. */
int hf_mcp_items(struct upstream *upstream, haft_server *server, struct upstream_items *items,
                 haft_reason *reterr_reason);
/* Whether two items have the same name at the upstream: different ones may become one for clients. */
bool hf_mcp_items_same(const struct item *left, const struct item *right);

/* ---- mcp_call.c ---- */

/* Handlers of items. */
int hf_mcp_call_tool(haft_call *call, const void *in, void *out);
int hf_mcp_read(haft_call *call, const char *uri);
int hf_mcp_get(haft_call *call, const void *arguments);
int hf_mcp_complete(haft_call *call, const char *argument, const char *value);

/* Sends a call that waited for the connection. */
void hf_mcp_call_send(struct mcp_call *one);
/* Answers a call with a failure, or keeps that for a parked one; ends it. */
void hf_mcp_call_fail(struct mcp_call *one, int status, const char *why);
/* Answers a call with a result of the upstream. */
void hf_mcp_call_answer(struct mcp_call *one, haft_value *result);
/* Returns the call to its client with a status; ends it. */
void hf_mcp_call_finish(struct mcp_call *one, int status);
struct mcp_call *hf_mcp_call_of(const struct mcp_link *link, int64_t id);
void hf_mcp_call_unlink(struct mcp_call *one);
void hf_mcp_call_drop(struct mcp_call *one);
void hf_mcp_call_cancelled(haft_call *call, void *context);
void hf_mcp_calls_free(struct mcp *mcp);

/* ---- mcp_question.c ---- */

/* `ask` and `notify` of a connection's client. */
int hf_mcp_ask(void *context, haft_question *question);
void hf_mcp_notified(void *context, const char *method, haft_value *params);
/* Asks the client what a result of a modern upstream asks.  Returns the status for the call. */
int hf_mcp_question_round(struct mcp_call *one, haft_value *result);
/* Keeps the state of such a result for the next request.  Returns 0 or HAFT_ENOMEM. */
int hf_mcp_question_keep(struct mcp_call *one, haft_value *result);
/* The request of a call has ended without an answer: what the upstream still sends for it is for no
 * other client. */
void hf_mcp_question_left(const struct mcp_call *one);
/* Continues a call whose client has been asked.  Returns false if the call is a new request: one that
 * has no state, or that of a modern upstream. */
bool hf_mcp_question_resume(struct mcp_call *one);
/* Writes the answers for a modern upstream into the parameters. */
void hf_mcp_question_put(const struct mcp_call *one, struct json_writer *w);
/* The call has ended: its questions are not asked any more. */
void hf_mcp_question_drop(struct mcp_call *one);

/* ---- mcp_parked.c ---- */

/* Puts a call into the list of those whose clients are asked, while it has its haft_call, and takes it out. */
void hf_mcp_park(struct mcp_call *one);
void hf_mcp_unpark(struct mcp_call *one);
/* Whether another call may be parked; may leave the oldest one of the same client. */
bool hf_mcp_parked_make_room(const struct mcp_call *one);
/* Sets the key that finds a call, also as the state of its haft_call.  Returns 0 or HAFT_ENOMEM. */
int hf_mcp_parked_set_key(struct mcp_call *one);
struct mcp_call *hf_mcp_parked_find(const struct mcp *mcp, const char *key);
/* The client of a parked call does not come back. */
void hf_mcp_parked_leave(struct mcp_call *one);
/* The same for a call of a legacy client, which has ended; on its thread. */
void hf_mcp_parked_unanswered(haft_call *call);
/* Ends calls whose clients have not come back; all of them at the end. */
void hf_mcp_parked_sweep(struct mcp *mcp, uint64_t now, bool all);

#endif
