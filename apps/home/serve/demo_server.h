/* serve/demo_server.h - the demo home as an HTTP server: REST, WebSocket, and a page at /. */
#ifndef HOME_DEMO_SERVER_H
#define HOME_DEMO_SERVER_H

#include <haft/http.h>

#include "demo/demo.h"

/* An app for the path "/" of an HTTP server; the demo home must outlive it. */
haft_app demo_server_app(struct demo *demo);

/* ---- between its files ---- */

/* One for each loop of the server. */
struct demo_server {
    struct demo *demo;
    const haft_loop *loop;
    bool ticks; /* lets the time of the home pass, which one loop does */
    struct demo_socket *sockets;
    char policy[320]; /* Content-Security-Policy of the page */
};

/* demo_socket.c: WebSockets.  A request for one is answered; demo_sockets_move sends what is due, and
 * demo_sockets_close ends all. */
void demo_socket_open(struct demo_server *server, const haft_request *request,
                      const haft_responder *responder, void *context, haft_time now);
/* The same for a stream, whose head has been sent.  Returns a pointer for demo_stream_gone; NULL without memory. */
void *demo_socket_stream(struct demo_server *server, const char *query,
                         const haft_responder *responder, void *context);
void demo_stream_gone(void *stream);
/* Ends the streams, when the server shuts down. */
void demo_streams_end(struct demo_server *server);
void demo_sockets_move(struct demo_server *server);
void demo_sockets_close(struct demo_server *server);

/* The page, embedded by the build. */
extern const unsigned char demo_page[]; /* with a NUL behind it */
extern const size_t demo_page_size;

#endif
