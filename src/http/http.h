/* http/http.h - the HTTP server: listeners, connections, and their limits. */
#ifndef HAFT_SRC_HTTP_H
#define HAFT_SRC_HTTP_H

#include <haft/http.h>
#include <llhttp.h>
#include <uv.h>

#include "endpoint/mux.h"
#include "http/proxy.h"
#include "loop/loop.h"
#include "protocol/header.h"

struct secure; /* http/secure.h */
struct secure_source;
struct tls_connection;

enum {
    MAX_HEADERS = 100,
    READ_SIZE = 64 << 10,
    PIECE = 128 << 10, /* bytes written to one connection at a time */
    SHARE = 1 << 20    /* bytes of responses in one turn of the loop, after which others wait */
};

/* A header while the buffer of headers may still move: offsets of name and value, each followed by
 * a NUL. It is converted to a haft_header when the headers are complete. */
struct field {
    size_t name, value;
};

/* Memory that a connection has only from the end of a request's headers until the response; most
 * connections are idle. */
struct request_notes {
    struct request_notes *next; /* in the list of spare ones */
    struct haft_header_index index;
    char client[ADDRESS_TEXT]; /* address of the client behind a proxy, as text */
};

enum stage { STAGE_HEAD, STAGE_BODY, STAGE_HANDLING, STAGE_UPGRADED, STAGE_CLOSING };

union stream {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
};

/* The owner of a connection that continues in another protocol. */
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
    struct tls_connection *tls; /* NULL: plain HTTP */
    llhttp_t parser;
    haft_buffer head; /* target, then names and values */
    haft_buffer body;
    haft_buffer waiting;                    /* data of later requests */
    struct block *first_block, *last_block; /* unwritten responses */
    size_t unsent, handed;                  /* their size, and the part that was passed to the
                                             * socket */
    union {
        uv_write_t write;
        uv_shutdown_t shutdown; /* once everything is written */
    } to_socket;
    haft_buffer fields; /* array of struct field, then of haft_header; allocated on demand */
    struct request_notes *notes; /* NULL while it is idle */
    struct field field;          /* header being read */
    size_t n_fields, url_size, trailer_size;
    size_t consumed;                /* parsed bytes of the request */
    size_t path;                    /* offset of the decoded path */
    size_t query;                   /* offset of the query; 0 if there is none */
    size_t target;                  /* offset of the path as received */
    struct pending_request pending; /* its request, once dispatched */
    haft_time since;                /* start of the stage */
    unsigned char address[16];
    char peer[ADDRESS_TEXT]; /* its address as text; "" if there is none */
    bool is_proxy;           /* the peer is a trusted proxy */
    unsigned seen;           /* headers known to parse.c that were received: a bit for each */
    bool is_ambiguous;       /* one of them was repeated */
    bool at_long_value;      /* the parser is before the value of a header that may be long */
    uint8_t stage;           /* enum stage */
    bool counted;            /* counted for its address */
    bool keep_alive;
    bool begun; /* the first byte of the request has arrived */
    bool streaming, chunked;
    bool answered;  /* this request has been answered */
    bool handling;  /* inside a handler: the caller continues */
    bool continues; /* expects 100 Continue */
    bool paused;    /* the buffer is full: reading has stopped */
    bool ended;     /* end of input; received requests are still answered */
    bool doomed;    /* to be closed as soon as no callback uses it */
    bool lingers;   /* input is read and discarded, so that the refusal arrives */
    bool due;       /* in a list of connections to be resumed */
    bool heavy;     /* its latest response was long: others go first under load */
    uint64_t turn;  /* turn of the loop in which it was answered last */
    size_t answer_size;
    int refused;     /* status with which it is refused */
    unsigned moving; /* number of the loop it moves to, from 1; 0 if none */
    int fd;          /* its socket, while it moves */
    struct connection *next_due;
    struct upgrade upgrade;
    bool continues_later; /* in the list of those with more to write */
    struct connection *next_continued;
};

enum { MAX_LANES = 64, MAX_LISTENERS = 2 /* on each of the addresses of loopback */ };

/* Loops that serve one address together, each with its own server. */
struct shards {
    uv_mutex_t lock; /* for `at`, and for arriving connections */
    unsigned n;
    haft_http *at[MAX_LANES]; /* NULL if closed */
    atomic_size_t n_connections;
    struct limiter *limiter;      /* shared by all; NULL if nothing is limited */
    struct secure_source *secure; /* the same; NULL: plain HTTP */
};

struct haft_http {
    haft_server *server;
    haft_http_options options;
    const haft_allocator *allocator;
    struct loop loop;
    union stream listeners[MAX_LISTENERS];
    unsigned n_listeners;
    uint64_t turn; /* turn of the loop */
    size_t spent;  /* bytes of responses in this turn */
    struct mux mux;
    struct limiter *limiter;            /* its own, if it is the only loop */
    struct secure_source *certificates; /* the same */
    struct secure *secure;              /* NULL: plain HTTP */
    struct proxies proxies;
    size_t max_body;
    struct connection *connections, *spare;
    struct request_notes *spare_notes;            /* at most one for each connection */
    struct connection *continued;                 /* connections with more to write */
    struct connection *due;                       /* to be resumed as soon as possible */
    struct connection *due_heavy, **due_heavy_at; /* the same for heavy ones; its end */
    struct connection *arrived;                   /* from other shards; under their lock */
    struct shards *shards;                        /* NULL if it is the only loop */
    unsigned shard;
    size_t n_connections, n_spare;
    char read_buffer[READ_SIZE];
    char url[256];
    haft_time used;   /* time of the latest request or connection */
    haft_time hinted; /* when it last logged that a client of plain HTTP uses TLS; 0 if never */
    bool resting;     /* it has been idle for a while */
    bool closing, unix_socket;
    bool deaf[MAX_LISTENERS];       /* a connection could not be accepted */
    bool late;                      /* the time for closing is over */
    void (*overdue)(void *context); /* called then, if handlers still run; may be NULL */
    void (*rested)(void);           /* called when unused memory has been freed; may be NULL */
    haft_time close_by;
    unsigned open_handles; /* the listeners, and those of the loop as one */
    void (*closed)(void *context);
    void *closed_context;
};

/* ---- server.c ---- */

/* Creates a server; one of several if there are shards. */
haft_http *hf_http_new(haft_server *server, const haft_http_options *options, uv_loop_t *uv,
                       struct shards *shards, unsigned shard, haft_reason *reterr_reason);
void hf_http_remember(haft_http *http, struct connection *connection);
/* Gives the connection its notes, and takes them back. hf_http_take_notes returns false without memory. */
bool hf_http_take_notes(struct connection *connection);
void hf_http_return_notes(struct connection *connection);
/* The connection has closed; its memory may be reused. */
void hf_http_forget(struct connection *connection);
/* Creates the stream of a connection that has a socket but no handle yet. */
int hf_http_open(struct connection *connection, int fd);

/* ---- turn.c ---- */

/* Starts the next turn of the haft_http. */
void hf_turn_next(void *context);
/* Has hf_connection_resume called when nothing else is going on. */
void hf_http_later(struct connection *connection);
/* Resumes the connections that are due, as far as this turn permits. */
void hf_turn_resume(haft_http *http);
/* Has hf_connection_write_piece called in the next turn. */
void hf_turn_continue(struct connection *connection);
/* Removes it from all lists. */
void hf_turn_forget(struct connection *connection);
/* Accounts for bytes of a response. */
void hf_turn_spend(struct connection *connection, size_t size);
/* Whether its next request must wait for another turn if the share of this one is used up. */
bool hf_turn_waits(const struct connection *connection);

/* ---- listen.c ---- */

int hf_http_listen(haft_http *http, uv_connection_cb on_connection, haft_reason *reterr_reason);
bool hf_address_is_local(const struct sockaddr_storage *address);

/* ---- parse.c ---- */

/* Settings for a parser whose data is the connection. */
extern const llhttp_settings_t hf_connection_parser;

/* Parses data of a request. Returns HPE_OK if it was all used, HPE_PAUSED if the request is
 * complete, with the number of bytes used; or an error, with the status in `refused` if known. */
llhttp_errno_t hf_connection_parse(struct connection *connection, const char *bytes, size_t size,
                                   size_t *ret_used);

/* Makes the text at that offset the value of Host, replacing the header. If memory runs out, the
 * buffers have failed. */
void hf_connection_set_host(struct connection *connection, size_t at);

/* ---- target.c ---- */

/* Determines path, query and host from the target of a complete request; returns false if it was
 * refused. The headers no longer move then: `fields` contains pairs. */
bool hf_connection_read_target(struct connection *connection);

/* ---- connection.c ---- */

/* Creates a connection for one to be accepted; the listener calls uv_accept on its stream. */
struct connection *hf_connection_new(haft_http *http);
void hf_connection_start(struct connection *connection);
/* Takes over a connection from another shard, with a complete request. */
void hf_connection_continue(struct connection *connection);
/* Its request has been answered, possibly from within another callback. */
void hf_connection_answered(struct connection *connection);
/* Continues after that, or after its responses have been read. */
void hf_connection_resume(struct connection *connection);
void hf_connection_close(struct connection *connection);
void hf_connection_abort(struct connection *connection); /* the same without waiting */
/* Called when it is closing, and all queued data has been written. */
void hf_connection_finish(struct connection *connection);
/* Closes it if its stage has taken too long. */
void hf_connection_check(struct connection *connection, haft_time now);
/* Frees what it keeps for a request that is as large as the latest; also bytes that wait. */
void hf_connection_trim_request(struct connection *connection, size_t keep);
void hf_connection_trim(struct connection *connection, size_t keep);
void hf_connection_free(struct connection *connection);

/* ---- respond.c ---- */

extern const haft_responder hf_http_responder;
extern const haft_responder hf_http_app_responder; /* for apps that do not handle CORS */
void hf_connection_go_on(struct connection *connection);
/* Refuses a request because of an HTTP error, after which nothing on the connection can be
 * trusted. */
void hf_connection_refuse(struct connection *connection, int status, const char *message);

/* ---- write.c ---- */

/* Writes the head of a response, and its body if `size` is not 0. `tail` is the framing headers and
 * the empty line. */
void hf_connection_put_response(struct connection *connection, const haft_response *response,
                                const haft_header *more, size_t n_more, const char *tail,
                                size_t tail_size, size_t size);
/* Writes as much as possible now, and the rest later. */
void hf_connection_put(struct connection *connection, const uv_buf_t *bufs, unsigned n);
/* The same for records of TLS, which go before data that is not encrypted yet. */
void hf_connection_put_sealed(struct connection *connection, const char *bytes, size_t size);
/* Passes the next piece to the socket, unless it is still writing one. */
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
/* Whether, with shards, the request is for a session on another one; its connection is then
 * `moving` there, by hf_shards_move. */
bool hf_shards_wants(struct connection *connection, const haft_request *request);
void hf_shards_move(struct connection *connection);
/* Takes over arriving connections. */
void hf_shards_receive(haft_http *http);
/* Nothing arrives any more. */
void hf_shards_leave(haft_http *http);

#endif
