/* process/isolate.h - calls in processes of their own.
 *
 * Four kinds of process.  The server asks; the fork server (isolate_fork.c), which was forked from
 * the server before it had threads and has none itself, forks one process a call; that one
 * (isolate_child.c) runs the handler; and a supervisor, the fork server's parent, forks another one
 * when it dies.
 *
 * Each call has a pair of sockets.  The server keeps one end, the call's process has the other, and
 * the fork server a copy of that: it notices by it that the server has closed its end, and ends the
 * process; and it says on it how the process ended. */
#ifndef HAFT_SRC_ISOLATE_H
#define HAFT_SRC_ISOLATE_H

#include "engine/session/session.h"

/* Makes what runs isolated calls, unless the server has it, and the fork server if there are
 * isolated tools and it has none.  0, HAFT_ENOMEM, HAFT_EBUSY. */
int hf_isolate_start(haft_server *server);

/* ---- isolate_packet.c ---- */

/* What is said, in packets that arrive whole: one byte for what it is, one for whether it goes on. */
enum packet {
    PACKET_CALL = 1, /* to the process: the call */
    PACKET_NOTICE,   /* from it: a notification */
    PACKET_LOG, /* a line for the log: a digit for its level, 'c' when it is about the call, the text */
    PACKET_LET_GO, /* the connection may be let go */
    PACKET_RESULT,
    PACKET_END, /* from the fork server: struct packet_end */
    PACKET_KINDS
};

enum { PACKET_HEAD = 2, PACKET_SIZE = 32 << 10, LOG_HEAD = 2, LOG_LINE = 8 << 10 };

enum end { END_EXIT, END_SIGNAL, END_NEVER }; /* it exited, was killed, or could not be made */

struct packet_end {
    int32_t how;   /* enum end */
    int32_t value; /* its status, the signal, or the error */
};

/* One message, put together from packets. */
struct packet_reader {
    haft_buffer body;
    int kind; /* of the message that has begun; 0 for none */
};

/* Takes in a packet.  Its kind when the message is whole, in reader->body until the next; 0 when
 * there is more to come; or HAFT_EPARSE, HAFT_ETOOBIG, HAFT_ENOMEM.  The fork server's word ends
 * whatever had begun. */
int hf_packet_take(struct packet_reader *reader, const void *packet, size_t size);

/* Waits until the socket is ready: 0, or what ends the waiting. */
typedef int packet_wait(void *context, int fd, short events);

/* Sends a message.  0, what `wait` returned, or HAFT_ECLOSED when nobody is at the other end. */
int hf_packet_send(int fd, enum packet kind, const void *bytes, size_t size, packet_wait *wait,
                   void *context);

/* Receives a message as hf_packet_take has it; HAFT_ECLOSED at the end. */
int hf_packet_receive(int fd, struct packet_reader *reader, packet_wait *wait, void *context);

/* Sends a descriptor, without waiting: 0, HAFT_EBUSY or HAFT_ECLOSED. */
int hf_packet_send_descriptor(int fd, int descriptor);
/* The next descriptor that was sent, -1 when there is none, or -2 at the end. */
int hf_packet_receive_descriptor(int fd);

/* ---- isolate_fork.c ---- */

/* The process behind `control`: it keeps a fork server there until the other end is closed.  Does
 * not return. */
_Noreturn void hf_isolate_keep(haft_server *server, int control);

/* ---- isolate_child.c ---- */

/* Runs the call that comes over the socket.  Does not return. */
_Noreturn void hf_isolate_child(haft_server *server, int fd);

#endif
