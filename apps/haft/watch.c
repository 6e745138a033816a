/* watch.c - the command that prints what changes at a server, until it is interrupted. */
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "json/writer.h"
#include "show.h"

struct watch_state {
    const struct invocation *call;
    struct peer *peer;
};

static const char *const watch_lists[] = {
    [HAFT_OFFER_TOOL] = "tools",
    [HAFT_OFFER_RESOURCE] = "resources",
    [HAFT_OFFER_TEMPLATE] = "resources",
    [HAFT_OFFER_PROMPT] = "prompts",
};

/* Prints a line, or a JSON object on a line. */
static void watch_print(const struct invocation *call, const char *list, const char *uri)
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
    page_print(&page);
}

static void on_changed(void *context, haft_client *client, haft_offer kind, const char *uri)
{
    const struct watch_state *state = context;

    (void)client;
    watch_print(state->call, watch_lists[kind], uri);
}

int act_watch(struct invocation *call)
{
    struct watch_state state = {.call = call};
    haft_topics topics = HAFT_INIT(haft_topics, .tools = true, .resources = true, .prompts = true);
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
    }
    status = ask_open(call, url, &state.peer);
    if (!status && !haft_client_subscribe(peer_client(state.peer), &topics, on_changed, &state))
        status = peer_fail(state.peer, EXIT_PROTOCOL, "the server announces no changes");
    if (!status) {
        if (call->verbose)
            fprintf(stderr, "haft: waiting for changes until interrupted\n");
        status = peer_run(state.peer);
    }
    return ask_end(state.peer, status);
}
