/* haft/loop.h - what a program provides to sessions, endpoints and gateways that run inside it:
 * threads, a way back to the thread of the loop, a wake-up, and random bytes.
 *
 * libhaft has a loop of its own (haft/run.h, haft/http.h).  A program fills in these structs if it
 * has an event loop of its own, or uses libhaft-core without libhaft. */
#ifndef HAFT_LOOP_H
#define HAFT_LOOP_H

#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Milliseconds since 1970, from a clock that never goes back. */
typedef int64_t haft_time;

/* Work that must run on a session's thread; haft_session_deliver runs it. */
typedef struct haft_posted haft_posted;

/* The loop that a session, an endpoint or an app belongs to.  Any function may be NULL, with the
 * effect that its description states.  A function that takes a haft_loop copies it. */
typedef struct haft_loop {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    /* Passes a call to another thread, which calls haft_call_run; afterwards the loop's thread
     * calls haft_call_done.  Returns 0, or an error if it cannot: the call is then answered "busy".
     * NULL: handlers run on the thread that receives messages. */
    int (*run)(void *context, haft_call *call);
    /* Passes work from any thread to the loop's thread, which calls haft_session_deliver with it;
     * at once if that is the calling thread.  NULL: there is only one thread. */
    void (*post)(void *context, haft_posted *posted);
    /* Makes the loop's thread call haft_session_tick or haft_endpoint_tick soon.  Called from any
     * thread when there is something to announce.  NULL: the program calls them often enough. */
    void (*wake)(void *context);
    /* Fills in unpredictable bytes and returns 0, or an error.  Legacy sessions over HTTP need it.
     * NULL: there are no such sessions. */
    int (*random)(void *context, void *bytes, size_t size);
    void *context; /* first argument of the functions */
} haft_loop;

/* Threads for tasks that may block. */
typedef struct haft_executor {
    /* Runs task(argument) on another thread and returns 0, or an error if it cannot: the caller
     * then runs it itself. */
    int (*run)(void *context, void (*task)(void *argument), void *argument);
    void *context; /* first argument of run */
} haft_executor;

#ifdef __cplusplus
}
#endif
#endif
