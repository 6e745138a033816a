/* client/due.h - points in time: a heap of them, with the earliest on top. */
#ifndef HAFT_SRC_CLIENT_DUE_H
#define HAFT_SRC_CLIENT_DUE_H

#include <haft/client.h>

struct due {
    haft_time at;
    size_t index; /* in the heap, from 1; 0 if it is not in it */
    void (*expire)(haft_client *client, struct due *due, haft_time now);
};

struct dues {
    struct due **heap;
    size_t n, capacity;
    size_t reserved; /* objects with a due, each of which has room in the heap */
    haft_time armed; /* what the transport's timer is set to; 0 for nothing */
};

/* Makes room for one more due; 0 or HAFT_ENOMEM.  hf_due_release gives it back. */
int hf_due_reserve(haft_client *client);
void hf_due_release(haft_client *client, struct due *due);

/* Whether the client knows the time. */
bool hf_due_has_time(const haft_client *client);
haft_time hf_due_now(haft_client *client);
/* Sets or changes the time, for which there is room; removes it. */
void hf_due_set(haft_client *client, struct due *due, haft_time at);
void hf_due_remove(haft_client *client, struct due *due);
/* Lets everything expire that is due by then. */
void hf_due_run(haft_client *client, haft_time now);
/* The earliest; false if there is none. */
bool hf_due_next(const haft_client *client, haft_time *ret_at);
/* Asks for a call of the receiver's `tick` as soon as possible. */
void hf_due_wake(haft_client *client);
void hf_due_finish(haft_client *client);

#endif
