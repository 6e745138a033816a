/* haft/loop.h - what a program lends to sessions, endpoints and gateways that run inside it: its
 * threads, a way back to the loop's thread, a wake-up, and random bytes.
 *
 * libhaft has a loop of its own (haft/run.h, haft/http.h).  A program fills in these structs when it
 * has one already, or runs the engine without libhaft. */
#ifndef HAFT_LOOP_H
#define HAFT_LOOP_H

#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Milliseconds since 1970, from a clock that does not go back. */
typedef int64_t haft_time;

/* Something that is to be done on a session's thread. */
typedef struct haft_posted haft_posted;

/* The loop that a session, an endpoint or an app belongs to.  Any function may be NULL, and what
 * that means is stated.  Whoever is given one copies it. */
typedef struct haft_loop {
    size_t struct_size; /* its sizeof */
    /* Takes a call to another thread, which calls haft_call_run; then the loop's thread calls
     * haft_call_done.  0, or an error when it cannot: the call is answered "busy".  NULL: handlers
     * run where messages are received. */
    int (*run)(void *context, haft_call *call);
    /* Brings something that another thread wants done to the loop's thread, which calls
     * haft_session_deliver with it: at once when that is the calling one.  NULL: there is only one
     * thread. */
    void (*post)(void *context, haft_posted *posted);
    /* Called from any thread when there is something to announce: have haft_session_tick or
     * haft_endpoint_tick called soon.  NULL: it is called often enough. */
    void (*wake)(void *context);
    /* Fills in bytes that nobody can guess; 0, or an error.  Legacy sessions over HTTP need it.
     * NULL: there are none. */
    int (*random)(void *context, void *bytes, size_t size);
    void *context;
} haft_loop;

/* Runs something on another thread: 0, or an error when it cannot, and then it is run here. */
typedef struct haft_executor {
    int (*run)(void *context, void (*task)(void *argument), void *argument);
    void *context;
} haft_executor;

#ifdef __cplusplus
}
#endif
#endif
