/* process/isolate.h - calls in separate processes.
 *
 * There are four kinds of process. The server sends calls. The fork server (isolate_fork.c), which
 * was forked from the server before it had threads and has none itself, forks one process per call.
 * That process (isolate_child.c) runs the handler. A supervisor, the fork server's parent, forks a
 * new fork server when it dies.
 *
 * Each call has a socket pair. The server keeps one end, the call's process has the other, and the
 * fork server has a copy of that: it notices when the server closes its end, and kills the process;
 * and it reports there how the process ended. */
#ifndef HAFT_SRC_ISOLATE_H
#define HAFT_SRC_ISOLATE_H

#include "engine/session/session.h"

/* Creates the runner of isolated calls, unless the server has it, and the fork server if there are
 * isolated tools. Returns 0, HAFT_ENOMEM or HAFT_EBUSY. */
int hf_isolate_start(haft_server *server);

/* ---- isolate_packet.c ---- */

/* Messages, in packets that arrive whole: a byte for the kind, a byte for whether more packets
 * follow. */
enum packet {
    PACKET_CALL = 1, /* to the process: the call */
    PACKET_NOTICE,   /* from it: a notification */
    PACKET_LOG,      /* a log line: a digit for its level, 'c' if it is about the call, the text */
    PACKET_LET_GO,   /* the connection may be closed for now */
    PACKET_RESULT,
    PACKET_END,   /* from the fork server: struct packet_end */
    PACKET_SAVED, /* bytes of haft_task_save: to the process before the call, and from it */
    PACKET_KINDS
};

enum { PACKET_HEAD = 2, PACKET_SIZE = 32 << 10, LOG_HEAD = 2, LOG_LINE = 8 << 10 };

enum end { END_EXIT, END_SIGNAL, END_NEVER }; /* it exited, was killed, or could not be created */

struct packet_end {
    int32_t how;   /* enum end */
    int32_t value; /* exit status, signal, or error */
};

/* One message, assembled from packets. */
struct packet_reader {
    haft_buffer body;
    int kind; /* kind of the incomplete message; 0 if there is none */
};

/* Adds a packet. Returns the kind when the message is complete, in reader->body until the next; 0
 * if more follows; or HAFT_EPARSE, HAFT_ETOOBIG, HAFT_ENOMEM. A message of the fork server discards
 * an incomplete one. */
int hf_packet_take(struct packet_reader *reader, const void *packet, size_t size);

/* Waits until the socket is ready. Returns 0, or a status that ends the wait. */
typedef int packet_wait(void *context, int fd, short events);

/* Sends a message. Returns 0, the status of `wait`, or HAFT_ECLOSED if the other end is closed. */
int hf_packet_send(int fd, enum packet kind, const void *bytes, size_t size, packet_wait *wait,
                   void *context);

/* Receives a message, with the results of hf_packet_take; HAFT_ECLOSED at the end. */
int hf_packet_receive(int fd, struct packet_reader *reader, packet_wait *wait, void *context);

/* Sends a descriptor without blocking. Returns 0, HAFT_EBUSY or HAFT_ECLOSED. */
int hf_packet_send_descriptor(int fd, int descriptor);
/* Returns the next received descriptor, -1 if there is none, or -2 at the end. */
int hf_packet_receive_descriptor(int fd);

/* ---- isolate_fork.c ---- */

/* The supervisor's main function: keeps a fork server at `control` until the other end is closed.
 * Does not return. */
_Noreturn void hf_isolate_keep(haft_server *server, int control);

/* ---- isolate_child.c ---- */

/* Runs the call that arrives on the socket. Does not return. */
_Noreturn void hf_isolate_child(haft_server *server, int fd);

#endif
