/* haft/connect.h - connects a client (haft/client.h) to a server in another process or on another
 * machine.
 *
 *     haft_client *client = haft_client_connect(
 *         HAFT_WITH(haft_target, .url = "https://example.com/mcp"), NULL, &reason);
 *     haft_result result;
 *
 *     if (!client)
 *         fprintf(stderr, "%s\n", reason.text);
 *     else if (!haft_client_call(client, "search", "{\"query\":\"mug\"}", &result))
 *         printf("%s\n", result.text);
 *     haft_client_free(client);
 *
 * A client of haft_client_connect has a loop of its own, which runs only inside the functions of the
 * client.  A client of haft_client_start uses the program's libuv loop, whose thread calls all
 * functions; those that would wait return HAFT_PENDING, and results go to callbacks
 * (haft_client_begin).  Neither starts a thread.  Of the program's signals only SIGCHLD is affected: libuv
 * handles it once a process has been started.  A standard descriptor that is closed is opened on /dev/null,
 * so that no connection gets its number.
 *
 * URLs need the optional part in libhaft-http-client (haft/part.h). */
#ifndef HAFT_CONNECT_H
#define HAFT_CONNECT_H

#include <haft/authorize.h>
#include <haft/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a server is: exactly one of url, command, server and descriptors.  Zero means the default in
 * each description.  The struct is copied, with its strings. */
typedef struct haft_target {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    /* "https://host/mcp", "http://127.0.0.1:8808/mcp", or a Unix socket: "unix:/run/tools.sock", with
     * the path /mcp, or "unix:/run/tools.sock:/path".  A user name and password in the URL are sent as
     * a header. */
    const char *url;
    const char *const *command; /* a program and its arguments, NULL-terminated: a new process */
    haft_server *server;        /* a server in this process, which must outlive the client */
    /* Two pipes or sockets, to read from and to write to; they may be the same.  The client closes
     * them; they are closed as well if it cannot be opened, unless the target is invalid. */
    const int *descriptors;

    /* Of a command. */
    /* The complete environment, "NAME=value", NULL-terminated: that of the program without names that
     * look like secrets (TOKEN, SECRET, PASSWORD, KEY, AUTH, CREDENTIAL). */
    const char *const *environment;
    const char *directory; /* working directory: that of the program */
    /* Receives a line of its standard error: by default it goes to that of the program. */
    void (*on_error_line)(void *context, const char *line, size_t size);
    void *context; /* first argument of on_error_line */

    /* Of a URL. */
    const haft_header *headers;    /* additional headers of every request to the server: none */
    size_t n_headers;              /* their number */
    const char *ca_file;           /* certificates to trust, in PEM: those of the system */
    const char *certificate, *key; /* certificate and key of the client, in PEM: none */
    const char *proxy;             /* "http://host:port"; "" for none: that of the environment */
    haft_authorizer *
        authorizer; /* obtains access (haft/authorize.h), not with unix:; default: none, a 401 is an error */
    /* Also try the transport of 2024-11-05 (HTTP+SSE) if the server answers `initialize` with 400, 404
     * or 405. */
    bool legacy_sse;
    bool no_resume; /* a stream that breaks is not resumed: its request fails */
    /* Open a stream for messages that belong to no request.  Only for servers of older revisions;
     * a subscription opens it as well. */
    bool listen;

    unsigned connect_ms; /* time for a connection: 10,000 */
    /* Time for the end: 2,000.  A process that has not ended by then is terminated and, after the same
     * time again, killed. */
    unsigned close_ms;
} haft_target;

/* Connects to a server, and negotiates the revision.  options may be NULL.  Returns the client, or
 * NULL with the reason.  haft_client_free ends the connection within close_ms and frees it; a process
 * is reaped. */
haft_client *haft_client_connect(const haft_target *target, const haft_client_options *options,
                                 haft_reason *reterr_reason);

/* Connects to a server on a loop of the program, a uv_loop_t.  `ready` is called once from the loop, with 0
 * or an error, of which haft_client_error has the reason; requests may be sent before, and wait.  Returns
 * NULL, with the reason, if memory runs out or the options are invalid; `ready` is then not
 * called. */
haft_client *haft_client_start(void *loop, const haft_target *target,
                               const haft_client_options *options,
                               void (*ready)(void *context, haft_client *client, int status),
                               void *context, haft_reason *reterr_reason);

/* Ends a client of haft_client_start: all requests end with HAFT_ECANCELLED before the function
 * returns, and `closed`, which may be NULL, is called from the loop when the client has been freed.
 * May be called from every callback of the client; no callback of it comes afterwards.  In place of
 * haft_client_free, which a client of haft_client_start must not be passed to. */
void haft_client_close(haft_client *client, void (*closed)(void *context), void *context);

#ifdef __cplusplus
}
#endif
#endif
