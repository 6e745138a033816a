/* http/http.h - the HTTP server: listeners, connections, and what bounds them. */
#ifndef HAFT_SRC_HTTP_H
#define HAFT_SRC_HTTP_H

#include <haft/http.h>
#include <llhttp.h>
#include <uv.h>

#include "endpoint/mux.h"
#include "http/proxy.h"
#include "loop/loop.h"
#include "protocol/header.h"

enum {
    MAX_HEADERS = 100,
    READ_SIZE = 64 << 10,
    PIECE = 128 << 10, /* of answers: what one connection is written at once */
    SHARE = 1 << 20    /* bytes of answers in one turn of the loop, after which others wait */
};

/* A header while the head may still move: where its name and its value are in it, a NUL after each.  A
 * haft_header takes its place when the head is whole. */
struct field {
    size_t name, value;
};

enum stage { STAGE_HEAD, STAGE_BODY, STAGE_HANDLING, STAGE_UPGRADED, STAGE_CLOSING };

union stream {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
};

/* Who has a connection that goes on in another protocol. */
struct upgrade {
    const struct http_upgrade_events *events; /* NULL: nobody any more */
    void *context;
    bool offered; /* the client wants to; its request has no body */
    bool is_new;  /* the request is still there */
    bool held;    /* its owner wants nothing for now */
    bool wrote;   /* more than the socket took */
    bool told;    /* that the server shuts down */
};

struct connection {
    struct connection *next, *previous;
    haft_http *http;
    union stream io;
    llhttp_t parser;
    haft_buffer head; /* the target, then names and values one after another */
    haft_buffer body;
    haft_buffer waiting;                    /* bytes of later requests */
    struct block *first_block, *last_block; /* of answers that have not been written */
    size_t unsent, handed;                  /* their bytes, and of these what the socket has */
    uv_write_t write;
    uv_shutdown_t shutdown;
    haft_buffer fields; /* of struct field, then of haft_header: as many as come, since most of the
                           time none is there */
    struct field field; /* the one that is being read */
    size_t n_fields, url_size, trailer_size;
    size_t consumed;                /* bytes of the request that have been parsed */
    size_t path;                    /* in the head: decoded */
    size_t query;                   /* in the head; 0 for none */
    size_t target;                  /* in the head: the path as it came */
    struct pending_request pending; /* its request, by whoever answers that */
    haft_time since;                /* the stage began */
    unsigned char address[16];
    char peer[ADDRESS_TEXT];   /* the same as text; "" for none */
    char client[ADDRESS_TEXT]; /* whom a proxy asks for: of this request */
    bool is_proxy;             /* one that is trusted */
    struct haft_header_index index;
    unsigned seen;     /* the headers that parse.c knows: a bit for each */
    bool is_ambiguous; /* one of them came twice */
    uint8_t stage;     /* enum stage */
    bool counted;      /* against its address */
    bool keep_alive;
    bool begun; /* a byte of the request has come */
    bool streaming, chunked;
    bool answered;  /* this request has been */
    bool handling;  /* in the middle of handling: whoever called goes on */
    bool continues; /* it wants to be told to go on */
    bool paused;    /* enough waits: nothing is read */
    bool ended;     /* nothing more comes; what has come is still answered */
    bool doomed;    /* to be closed as soon as nobody is in the middle of it */
    bool lingers;   /* what still comes is read and dropped, so that the refusal arrives */
    bool due;       /* in a list of those that the wake-up looks after */
    bool heavy;     /* its latest answer was long: others go first when there is much to do */
    uint64_t turn;  /* of the loop, in which it was answered last */
    size_t answer_size;
    int refused;     /* the status that ends it */
    unsigned moving; /* to the loop of this number, counted from 1; 0 for none */
    int fd;          /* on the way there */
    struct connection *next_due;
    struct upgrade upgrade;
    bool continues_later; /* in the list of those with more to write */
    struct connection *next_continued;
};

enum { MAX_LANES = 64 };

/* Loops that serve one address together, each with a server of its own. */
struct shards {
    uv_mutex_t lock; /* for what is at home, and what arrives there */
    unsigned n;
    haft_http *at[MAX_LANES]; /* NULL: not there any more */
    atomic_size_t n_connections;
    struct limiter *limiter; /* of all of them; NULL when nothing is limited */
};

struct haft_http {
    haft_server *server;
    haft_http_options options;
    const haft_allocator *allocator;
    struct loop loop;
    union stream listener;
    uint64_t turn; /* of the loop */
    size_t spent;  /* bytes of answers in this one */
    struct mux mux;
    struct limiter *limiter; /* its own, when it is alone */
    struct proxies proxies;
    size_t max_body;
    struct connection *connections, *spare;
    struct connection *continued;                 /* those with more to write */
    struct connection *due;                       /* to be resumed as soon as can be */
    struct connection *due_heavy, **due_heavy_at; /* one after another; where the next one goes */
    struct connection *arrived;                   /* from other shards; under their lock */
    struct shards *shards;                        /* NULL when it is alone */
    unsigned shard;
    size_t n_connections, n_spare;
    char read_buffer[READ_SIZE];
    char url[256];
    haft_time used; /* the latest request or connection */
    bool resting;   /* nothing has come for so long */
    bool closing, unix_socket;
    bool deaf;                      /* a connection could not be taken */
    bool late;                      /* the time for closing is over */
    void (*overdue)(void *context); /* called then while handlers still run; may be NULL */
    void (*rested)(void); /* called when all that can be has been given back; may be NULL */
    haft_time close_by;
    unsigned open_handles; /* the listener, and those of the loop as one */
    void (*closed)(void *context);
    void *closed_context;
};

/* ---- http_server.c ---- */

/* One of several, when there are shards. */
haft_http *hf_http_new(haft_server *server, const haft_http_options *options, uv_loop_t *uv,
                       struct shards *shards, unsigned shard, haft_reason *reterr_reason);
void hf_http_remember(haft_http *http, struct connection *connection);
/* The connection is gone; what it was made of may be used again. */
void hf_http_forget(struct connection *connection);
/* Makes the stream of a connection that has a socket but no handle yet. */
int hf_http_open(struct connection *connection, int fd);

/* ---- turn.c ---- */

/* Begins with the next turn, of the haft_http. */
void hf_turn_next(void *context);
/* Has hf_connection_resume called when nothing else is going on. */
void hf_http_later(struct connection *connection);
/* Calls it for those that are due, as far as this turn goes. */
void hf_turn_resume(haft_http *http);
/* Has hf_connection_write_piece called in the next turn. */
void hf_turn_continue(struct connection *connection);
/* It is in no list any more. */
void hf_turn_forget(struct connection *connection);
/* The connection is sent so many bytes more of its answer. */
void hf_turn_spend(struct connection *connection, size_t size);
/* Whether its next request must wait for another turn when the share of this one is spent. */
bool hf_turn_waits(const struct connection *connection);

/* ---- listen.c ---- */

int hf_http_listen(haft_http *http, uv_connection_cb on_connection, haft_reason *reterr_reason);
bool hf_address_is_local(const struct sockaddr_storage *address);

/* ---- parse.c ---- */

/* For a parser whose data is the connection. */
extern const llhttp_settings_t hf_connection_parser;

/* Parses bytes of a request: HPE_OK when they are used up, HPE_PAUSED when the request is whole, with
 * how many were used; or an error, and why in `refused` when that is known. */
llhttp_errno_t hf_connection_parse(struct connection *connection, const char *bytes, size_t size,
                                   size_t *ret_used);

/* Makes what is there in the head the value of Host, whatever the header said.  Without memory the
 * buffers say so. */
void hf_connection_set_host(struct connection *connection, size_t at);

/* ---- target.c ---- */

/* Finds path, query and host in the target of a request that is whole; false when it was refused.  The
 * head does not move any more then: what is in `fields` are pairs. */
bool hf_connection_read_target(struct connection *connection);

/* ---- connection.c ---- */

/* A connection for one that was accepted; the listener calls uv_accept on its stream. */
struct connection *hf_connection_new(haft_http *http);
void hf_connection_start(struct connection *connection);
/* The same for one that comes from another shard, with a request that is whole. */
void hf_connection_continue(struct connection *connection);
/* Its request has been answered, by somebody who is in the middle of something. */
void hf_connection_answered(struct connection *connection);
/* Goes on after that, or after its answers have been read. */
void hf_connection_resume(struct connection *connection);
void hf_connection_close(struct connection *connection);
void hf_connection_abort(struct connection *connection); /* and does not wait for anything */
/* It is closing, and all that was queued has been written. */
void hf_connection_finish(struct connection *connection);
/* Ends it when its stage has taken too long. */
void hf_connection_check(struct connection *connection, haft_time now);
/* Gives back what it keeps for a request that is as large as the latest; also bytes that wait. */
void hf_connection_trim_request(struct connection *connection, size_t keep);
void hf_connection_trim(struct connection *connection, size_t keep);
void hf_connection_free(struct connection *connection);

/* ---- respond.c ---- */

extern const haft_responder hf_http_responder;
extern const haft_responder hf_http_app_responder; /* for those who know nothing of CORS */
void hf_connection_go_on(struct connection *connection);
/* A refusal of HTTP itself, after which nothing on the connection can be trusted. */
void hf_connection_refuse(struct connection *connection, int status, const char *message);

/* ---- write.c ---- */

/* Writes the head of a response, and its body if `size` is not 0.  `tail` is the headers about the
 * transfer, and the empty line. */
void hf_connection_put_response(struct connection *connection, const haft_response *response,
                                const haft_header *more, size_t n_more, const char *tail,
                                size_t tail_size, size_t size);
/* Writes now what fits, and the rest when it can. */
void hf_connection_put(struct connection *connection, const uv_buf_t *bufs, unsigned n);
/* Hands the next piece of what is left to the socket, unless it has one. */
void hf_connection_write_piece(struct connection *connection);
void hf_connection_drop_unsent(struct connection *connection);

/* ---- upgrade.c ---- */

/* The connection of STAGE_UPGRADED has received bytes; goes on after a pause, or after all was written;
 * is looked after; must end; has ended. */
void hf_upgrade_receive(struct connection *connection, const char *bytes, size_t size);
void hf_upgrade_resume(struct connection *connection);
void hf_upgrade_tick(struct connection *connection, haft_time now);
void hf_upgrade_shut_down(struct connection *connection);
void hf_upgrade_end(struct connection *connection);

/* ---- shards.c ---- */

int hf_shards_init(struct shards *shards, unsigned n);
void hf_shards_finish(struct shards *shards);
/* Where there are shards, whether the request is for a session that lives elsewhere; its connection is
 * `moving` there then, by hf_shards_move. */
bool hf_shards_wants(struct connection *connection, const haft_request *request);
void hf_shards_move(struct connection *connection);
/* Takes in what has arrived. */
void hf_shards_receive(haft_http *http);
/* Nothing arrives any more. */
void hf_shards_leave(haft_http *http);

#endif
