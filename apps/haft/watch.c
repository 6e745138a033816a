/* watch.c - the command that prints what changes at a server, until it is interrupted. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask.h"
#include "json/writer.h"
#include "show.h"

struct watch_state {
    const struct invocation *call;
    struct peer *peer;
    size_t n_uris;
    int status; /* exit code of a subscription that the server refuses; otherwise 0 */
};

static const char *const watch_lists[] = {
    [HAFT_OFFER_TOOL] = "tools",
    [HAFT_OFFER_RESOURCE] = "resources",
    [HAFT_OFFER_TEMPLATE] = "resources",
    [HAFT_OFFER_PROMPT] = "prompts",
};

/* Prints a line, or a JSON object on a line. Returns an exit code. */
static int watch_print(const struct invocation *call, const char *list, const char *uri)
{
    struct page page;
    struct json_writer w = {.out = &page.text};

    page_init(&page);
    if (call->json) {
        hf_json_begin_object(&w);
        if (uri)
            hf_json_text(json_key(&w, "uri"), uri);
        else
            hf_json_text(json_key(&w, "list"), list);
        hf_json_end_object(&w);
    } else if (uri) {
        page_line(&page, uri, strlen(uri));
    } else {
        haft_buffer_printf(&page.text, "the list of %s has changed", list);
    }
    haft_buffer_puts(&page.text, "\n");
    return page_print(&page);
}

static void on_changed(void *context, haft_client *client, haft_offer kind, const char *uri)
{
    const struct watch_state *state = context;
    int code;

    (void)client;
    code = watch_print(state->call, watch_lists[kind], uri);
    if (code)
        peer_stop(state->peer, code);
}

/* ---- what is watched ---- */

/* Whether the server declares it; a server that has declared nothing may offer everything. */
static bool watch_has(const struct peer *peer, const char *kind, const char *feature)
{
    haft_value *all = haft_client_capabilities(peer_client(peer));

    return !all || yyjson_is_true(yyjson_obj_get(yyjson_obj_get(all, kind), feature));
}

/* Tells on standard error what is watched, so that silence is not mistaken for a failure. A modern server has
 * said what it agrees to report (`agreed`), and may report less than it was asked for. Returns false if that is
 * nothing. */
static bool watch_announce(const struct watch_state *state, yyjson_val *agreed)
{
    static const char *const lists[][2] = {{"tools", "toolsListChanged"},
                                           {"resources", "resourcesListChanged"},
                                           {"prompts", "promptsListChanged"}};
    size_t n =
        agreed ? yyjson_arr_size(yyjson_obj_get(agreed, "resourceSubscriptions")) : state->n_uris;
    const char *before = "haft: watching the lists of ";

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (agreed ? yyjson_is_true(yyjson_obj_get(agreed, lists[i][1]))
                   : watch_has(state->peer, lists[i][0], "listChanged")) {
            fprintf(stderr, "%s%s", before, lists[i][0]);
            before = ", ";
        }
    if (n)
        fprintf(stderr, "%s%zu resource%s", *before == ',' ? " and " : "haft: watching ", n,
                n == 1 ? "" : "s");
    if (*before == ',' || n)
        fprintf(stderr, ", until interrupted\n");
    return *before == ',' || n;
}

static void on_answered(void *context, haft_client *client, int status, const haft_result *result)
{
    struct watch_state *state = context;

    if (status)
        state->status =
            peer_fail(state->peer, EXIT_PROTOCOL, "the server did not confirm the subscription: %s",
                      haft_client_error(client, NULL));
    else if (result->error_code)
        state->status =
            peer_fail(state->peer, EXIT_PROTOCOL, "the server refuses the subscription: %s (%d)",
                      result->error_message, result->error_code);
    else if (!watch_announce(state, yyjson_obj_get(result->value, "notifications")))
        state->status =
            peer_fail(state->peer, EXIT_PROTOCOL, "the server does not announce changes");
    if (state->status)
        peer_stop(state->peer, state->status);
}

static int watch_subscribe(struct watch_state *state, const haft_topics *topics)
{
    struct peer *peer = state->peer;

    if (topics->uris && !watch_has(peer, "resources", "subscribe"))
        return peer_fail(peer, EXIT_PROTOCOL, "the server does not announce changes of resources");
    if (!haft_client_subscribe(peer_client(peer), topics, on_changed, state))
        return peer_fail(peer, EXIT_PROTOCOL, "the server does not announce changes");
    return state->status;
}

/* ---- the reader ---- */

/* Nothing can be written to a pipe that nobody reads. */
static void watch_on_reader_gone(uv_poll_t *handle, int status, int events)
{
    (void)status, (void)events;
    peer_stop(handle->data, EXIT_LOCAL);
}

/* Watches the reader of standard output, if that is a pipe or a socket. */
static bool watch_reader(struct peer *peer, uv_poll_t *handle)
{
    struct stat file;
    int flags = fcntl(STDOUT_FILENO, F_GETFL);

    if (flags < 0 || fstat(STDOUT_FILENO, &file) ||
        (!S_ISFIFO(file.st_mode) && !S_ISSOCK(file.st_mode)) ||
        uv_poll_init(peer_loop(peer), handle, STDOUT_FILENO))
        return false;
    fcntl(STDOUT_FILENO, F_SETFL, flags); /* libuv has made it non-blocking */
    handle->data = peer;
    uv_poll_start(handle, UV_DISCONNECT, watch_on_reader_gone);
    return true;
}

/* Runs until the end. */
static int watch_run(const struct watch_state *state)
{
    struct peer *peer = state->peer;
    uv_poll_t reader;
    bool watched = watch_reader(peer, &reader);
    int status = peer_run(peer);

    if (watched) {
        uv_close((uv_handle_t *)&reader, NULL);
        uv_run(peer_loop(peer), UV_RUN_NOWAIT);
    }
    return state->status ? state->status : status;
}

int act_watch(struct invocation *call)
{
    struct watch_state state = {.call = call};
    haft_topics topics = HAFT_INIT(haft_topics, .tools = true, .resources = true, .prompts = true,
                                   .answered = on_answered);
    const char *url = NULL;
    int status;

    if (!call->child && !(url = ask_url(call)))
        return EXIT_USAGE;
    /* The operands after the URL are URIs; argv ends with NULL or with what follows the --. */
    if (call->n_operands > (call->child ? 0u : 1u)) {
        static const char *uris[PROGRAM_MAX_HEADERS + 1];
        size_t first = call->child ? 0 : 1, n = call->n_operands - first;

        if (n > PROGRAM_MAX_HEADERS)
            return complain(EXIT_USAGE, "watch takes at most %d URIs", PROGRAM_MAX_HEADERS);
        for (size_t i = 0; i < n; i++)
            uris[i] = call->operands[first + i];
        uris[n] = NULL;
        topics.uris = uris;
        state.n_uris = n;
    }
    status = ask_open(call, url, &state.peer);
    if (!status)
        status = watch_subscribe(&state, &topics);
    if (!status)
        status = watch_run(&state);
    return ask_end(state.peer, status);
}
