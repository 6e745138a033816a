/* haft/run.h - a server that runs: the command line, and standard input and output.
 *
 *     int main(int argc, char **argv)
 *     {
 *         haft_server *server = haft_server_new("catalog", "1.0.0");
 *         haft_add(server, &search_tool);
 *         return haft_main(server, argc, argv);
 *     }
 *
 * This is libhaft's, and so are the headers client, gateway, http, otlp and plugin; libhaft-core has
 * the others.
 *
 * Before anything is served, the wire moves to descriptors of its own: 0 then reads nothing and
 * 1 writes to standard error, and both stay so.  A stray printf cannot break the stream, and a
 * child process of a handler cannot eat what the client sends. */
#ifndef HAFT_RUN_H
#define HAFT_RUN_H

#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The command line that every server has; `--help` prints it.  Takes over the server, which may
 * be NULL (there was no memory for it), and frees it.  Returns the exit status. */
int haft_main(haft_server *server, int argc, char **argv);

/* A part of the configuration file (--config) that is the program's own: the member of that name.
 * It is taken in when haft_main starts and at every SIGHUP, in two steps, so that a file is taken
 * as a whole or not at all.  Both happen on the thread of haft_main. */
typedef struct haft_section {
    size_t struct_size; /* its sizeof */
    const char *name;   /* "backends"; none of haft's own */
    /* Looks at the value, NULL when the file has none or there is no file, and makes of it what
     * `commit` needs; the server goes on as it is.  0, or an error with the reason: the path is
     * below the member, "" for the whole.  The value is valid until `commit` or `discard`
     * returns. */
    int (*prepare)(void *context, haft_value *value, void **ret_prepared,
                   haft_reason *reterr_reason);
    /* The whole file is right: from now on this counts. */
    void (*commit)(void *context, void *prepared);
    /* It is not: what was prepared is of no use.  May be NULL. */
    void (*discard)(void *context, void *prepared);
    void *context;
} haft_section;

/* Adds a section, before haft_main; it must outlive the server.  At most 16. */
int haft_section_add(haft_server *server, const haft_section *section);

/* Zero means the stated default. */
typedef struct haft_stdio_options {
    size_t struct_size; /* its sizeof */
    int in, out;        /* descriptors: 0 and 1.  Others are left as they are found */
    unsigned workers;   /* threads that run handlers: 4 */
    size_t max_queue;   /* calls that wait for one of them: 1,024; more are answered "busy" */
    size_t max_unsent;  /* bytes that the client has not read yet: 64 MiB, and 10,000 messages; at
                          either, nothing is taken in until half of it has been read */
    unsigned grace_ms;  /* for calls in flight when the input ends: 100 */
    unsigned drain_ms;  /* for calls in flight when a signal comes: 10,000 */
    haft_log_function *log; /* of a server that has none: warnings and worse to standard error */
    void *log_context;
    bool own_signals;              /* the program handles SIGTERM, SIGINT and SIGHUP itself */
    void (*reload)(void *context); /* at SIGHUP, on this thread; NULL: it ends as at SIGTERM */
    void *reload_context;
} haft_stdio_options;

/* Serves one client, one message a line, until the input ends or a signal comes; for programs
 * with a main of their own.  `options` may be NULL.  The server stays the caller's.
 *
 * 0; 128 + N when a second signal N cut it short; or an error when it could not begin, or when
 * there was no memory for an answer.  When a handler does not come back after its call was
 * cancelled, everything that can be written is, and the process ends here. */
int haft_stdio_serve(haft_server *server, const haft_stdio_options *options);

/* Starts the process that isolated tools are forked from, with what the server offers now.
 * haft_main, haft_stdio_serve, haft_http_serve, haft_http_new and haft_client_new do it; call it
 * yourself when calls come another way (haft_session, haft_endpoint), or earlier: before the
 * program has threads.  It may be called again.  0, HAFT_ENOMEM, or HAFT_EBUSY when there is no
 * process or descriptor to be had. */
int haft_server_isolate(haft_server *server);

#ifdef __cplusplus
}
#endif
#endif
