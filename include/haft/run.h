/* haft/run.h - runs a server: the command line, and standard input and output.
 *
 *     int main(int argc, char **argv)
 *     {
 *         haft_server *server = haft_server_new("catalog", "1.0.0");
 *         haft_add(server, &search_tool);
 *         return haft_main(server, argc, argv);
 *     }
 *
 * These functions are in libhaft, as are those of the headers gateway, option, otlp, part and plugin, and the
 * server in haft/http.h; libhaft-core has the others.
 *
 * Before it serves, the library moves the protocol stream to descriptors of its own: afterwards
 * descriptor 0 reads nothing and descriptor 1 writes to standard error.  So a stray printf cannot
 * damage the stream, and a child process of a handler cannot read the client's messages. */
#ifndef HAFT_RUN_H
#define HAFT_RUN_H

#include <haft/option.h>
#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the command line that every server has; `--help` prints it.  Takes ownership of the server,
 * and frees it; server may be NULL, if memory ran out for it.  Returns the exit status of the
 * program. */
int haft_main(haft_server *server, int argc, char **argv);

/* A member of the configuration file (--config) that belongs to the program.  It is read when
 * haft_main starts and at every SIGHUP, in two steps, so that a file is applied as a whole or not
 * at all.  The functions are called on the thread of haft_main. */
typedef struct haft_section {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    const char *name;   /* name of the member, such as "backends"; not one of haft's own */
    /* Checks the value, which is NULL if the file does not have it or there is no file, and
     * prepares what `commit` needs; the server continues as it is.  Returns 0, or an error with the
     * reason; its path is relative to the member.  The value is valid until `commit` or `discard`
     * returns. */
    int (*prepare)(void *context, haft_value *value, void **ret_prepared,
                   haft_reason *reterr_reason);
    /* Applies what was prepared: the whole file is valid. */
    void (*commit)(void *context, void *prepared);
    /* Frees what was prepared: the file is not valid.  May be NULL. */
    void (*discard)(void *context, void *prepared);
    void *context; /* first argument of the functions */
} haft_section;

/* Adds a section, before haft_main.  It must outlive the server.  At most 16 can be added.  Returns
 * 0 or an error. */
int haft_section_add(haft_server *server, const haft_section *section);

/* Options of haft_stdio_serve.  Zero means the default in each description. */
typedef struct haft_stdio_options {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    int in, out;        /* descriptors: 0 and 1. Other descriptors are left unchanged */
    unsigned workers;   /* threads that run handlers: 4 */
    size_t max_queue;   /* calls that wait for a thread: 1,024; further ones are answered "busy" */
    size_t max_unsent; /* bytes that the client has not read: 64 MiB, and 10,000 messages; at either
                           limit, the server stops reading until the client has read half of them */
    unsigned grace_ms; /* time for calls in flight at the end of the input: 100 */
    unsigned drain_ms; /* time for calls in flight after a signal: 10,000 */
    haft_log_function *log;        /* log of a server that has none: warnings and above to stderr */
    void *log_context;             /* first argument of log */
    bool own_signals;              /* the program handles SIGTERM, SIGINT and SIGHUP itself */
    void (*reload)(void *context); /* called at SIGHUP, on this thread; NULL: ends as at SIGTERM */
    void *reload_context;          /* argument of reload */
} haft_stdio_options;

/* Serves one client, one message per line, until the input ends or a signal arrives; for programs
 * with a main of their own.  `options` may be NULL.  The caller keeps the server.
 *
 * Returns 0; 128 + N if a second signal N ended it early; or an error if it could not start or
 * memory ran out for an answer.  If a handler does not return after its call was cancelled, the
 * function writes what it can and ends the process. */
int haft_stdio_serve(haft_server *server, const haft_stdio_options *options);

/* Starts the process that isolated tools are forked from, with what the server offers now.
 * haft_main, haft_stdio_serve, haft_http_serve, haft_http_new and haft_client_new call it.  Call it
 * yourself if calls arrive another way (haft_session, haft_endpoint), or to start it before the
 * program has threads.  It may be called again.  Returns 0, HAFT_ENOMEM, or HAFT_EBUSY if the
 * system has no process or descriptor left. */
int haft_server_isolate(haft_server *server);

#ifdef __cplusplus
}
#endif
#endif
