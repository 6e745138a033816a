/* ask.c - the commands that query a server: each connects, sends a request, prints the result, and
 * disconnects. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "ask.h"
#include "client/mirror.h"
#include "protocol/meta.h"
#include "protocol/rpc.h"
#include "seen.h"
#include "show.h"
#include "task_watch.h"

enum { ASK_TEXT_LIMIT = 128 << 20, ASK_ARENA_LIMIT = 1 << 30 };

/* ---- connecting ---- */

bool ask_is_url(const char *text)
{
    return !strncmp(text, "http://", 7) || !strncmp(text, "https://", 8) ||
           !strncmp(text, "unix:", 5);
}

int ask_open(struct invocation *call, const char *url, struct peer **ret_peer)
{
    int status = peer_open(ret_peer, call, url);

    if (!status && call->verbose)
        fprintf(stderr, "haft: speaking %s\n", haft_client_revision(peer_client(*ret_peer)));
    return status;
}

int ask_end(struct peer *peer, int status)
{
    bool said = status < 0;

    status = said ? -status : status;
    if (status && !said) {
        clear_progress();
        complain(status, "%s", peer_why(peer));
    }
    peer_close(peer);
    return status;
}

const char *ask_url(const struct invocation *call)
{
    const char *name = call->command->name;
    bool starts = call->command->forms[1]; /* its second form has a command */

    if (!call->n_operands)
        complain(EXIT_USAGE, "%s needs the URL of a server%s", name,
                 starts ? ", or -- and a command that starts one" : "");
    else if (!ask_is_url(call->operands[0]) && !starts)
        complain(EXIT_USAGE, "%s is not a URL; a URL begins with http:// or https://",
                 call->operands[0]);
    else if (!ask_is_url(call->operands[0]))
        complain(EXIT_USAGE,
                 "%s is not a URL; a command comes after --: haft %s -- %s, and a URL begins with "
                 "http://, https:// or unix:",
                 call->operands[0], name, call->operands[0]);
    else
        return call->operands[0];
    return NULL;
}

/* For commands whose only operand is the server. */
static int open_only(struct invocation *call, struct peer **ret_peer)
{
    const char *url = NULL;

    *ret_peer = NULL;
    if (!call->child && !(url = ask_url(call)))
        return -EXIT_USAGE;
    if (call->n_operands > (call->child ? 0 : 1)) {
        complain(EXIT_USAGE, "unexpected argument %s for %s", call->operands[call->child ? 0 : 1],
                 call->command->name);
        return -EXIT_USAGE;
    }
    return ask_open(call, url, ret_peer);
}

/* ---- lists ---- */

/* A list of a server. */
struct listing {
    const char *capability; /* required capability of the server */
    const char *method;
    const char *member; /* member of the result */
};

static const struct listing tools_list = {"tools", "tools/list", "tools"},
                            prompts_list = {"prompts", "prompts/list", "prompts"},
                            resources_list = {"resources", "resources/list", "resources"},
                            templates_list = {"resources", "resources/templates/list",
                                              "resourceTemplates"};

/* A tool that cannot be called is skipped. */
static bool is_taken(bool has_headers, const struct listing *listing, yyjson_val *one)
{
    yyjson_val *name = yyjson_obj_get(one, "name");
    const char *why;
    struct page line;

    if (listing != &tools_list || !has_headers)
        return true;
    why = hf_mirror_fault(yyjson_obj_get(one, "inputSchema"));
    if (!why)
        return true;
    page_init(&line);
    page_line(&line, yyjson_get_str(name), yyjson_get_len(name));
    fprintf(stderr, "haft: skipping the tool %.*s: it %s\n", (int)line.text.size,
            line.text.size ? line.text.data : "", why);
    haft_buffer_finish(&line.text);
    return false;
}

/* Fetches all pages of a list into one array. A list that the server does not offer is empty. */
static int fetch_list(struct peer *peer, bool has_headers, const struct listing *listing,
                      haft_arena *arena, yyjson_val **ret_list)
{
    haft_buffer all, params;
    struct json_writer w = {.out = &all}, next;
    yyjson_val *result, *one, *cursor;
    int status = 0, page = 0;
    size_t i, n;

    haft_buffer_init(&all, NULL, ASK_TEXT_LIMIT);
    haft_buffer_init(&params, NULL, ASK_TEXT_LIMIT);
    hf_json_begin_array(&w);
    do {
        struct peer_request request = {.method = listing->method,
                                       .params = params.size ? params.data : NULL};

        status = peer_ask(peer, &request, &result);
        cursor = status ? NULL : yyjson_obj_get(result, "nextCursor");
        if (status)
            break;
        yyjson_arr_foreach(yyjson_obj_get(result, listing->member), i, n, one)
            if (is_taken(has_headers, listing, one))
                hf_json_value(&w, one);
        haft_buffer_clear(&params);
        next = (struct json_writer){.out = &params};
        hf_json_begin_object(&next);
        hf_json_string(json_key(&next, "cursor"), yyjson_get_str(cursor), yyjson_get_len(cursor));
        hf_json_end_object(&next);
        haft_buffer_add(&params, "", 1);
    } while (yyjson_is_str(cursor) && !params.status && ++page < PROGRAM_MAX_PAGES);
    hf_json_end_array(&w);
    if (!status && page == PROGRAM_MAX_PAGES)
        status = -complain(EXIT_PROTOCOL, "the server's list has more than 1,000 pages");
    *ret_list = status || all.status ? NULL : haft_json_read(all.data, all.size, 512, arena, NULL);
    if (!status && !*ret_list)
        status = -complain(EXIT_LOCAL, "out of memory");
    haft_buffer_finish(&all);
    haft_buffer_finish(&params);
    return status;
}

/* Fetches a list that exists only if the server has the capability. */
static int fetch_offered(const struct invocation *call, struct peer *peer,
                         const struct listing *listing, haft_arena *arena, yyjson_val **ret_list)
{
    bool has_headers = !call->child && peer_is_modern(peer);
    int status = fetch_list(peer, has_headers, listing, arena, ret_list);

    if (status == EXIT_PROTOCOL && peer_error_code(peer) == RPC_METHOD_NOT_FOUND &&
        !yyjson_obj_get(haft_client_capabilities(peer_client(peer)), listing->capability)) {
        *ret_list = haft_json_read("[]", 2, 0, arena, NULL);
        status = *ret_list ? 0 : -complain(EXIT_LOCAL, "out of memory");
    }
    return status;
}

typedef int list_function(struct invocation *call, struct peer *peer, haft_arena *arena);

static int list(struct invocation *call, list_function *show)
{
    haft_arena *arena = haft_arena_new(NULL, ASK_ARENA_LIMIT);
    struct peer *peer = NULL;
    int status = arena ? open_only(call, &peer) : EXIT_LOCAL;

    if (!status)
        status = show(call, peer, arena);
    status = ask_end(peer, status);
    haft_arena_free(arena);
    return status;
}

/* Prints a list as names, JSON or a table. */
static int show_list(const struct invocation *call, yyjson_val *items, const char *name,
                     void (*show)(struct page *page, yyjson_val *items))
{
    struct page page;

    if (call->json)
        return -show_json(items);
    page_init(&page);
    if (call->names)
        show_names(&page, items, name, call->safe);
    else
        show(&page, items);
    return -page_print(&page);
}

/* Prints tools, with what has changed since the last time. */
static int show_seen(const struct invocation *call, yyjson_val *tools, haft_arena *arena)
{
    struct seen seen = seen_compare(call, tools, arena);
    struct page page;

    page_init(&page);
    show_tools(&page, tools, seen.marks);
    for (size_t i = 0; seen.removed && seen.removed[i]; i++) {
        page_line(&page, seen.removed[i], strlen(seen.removed[i]));
        haft_buffer_puts(&page.text, " (removed)\n");
    }
    return -page_print(&page);
}

static int list_tools(struct invocation *call, struct peer *peer, haft_arena *arena)
{
    yyjson_val *tools;
    int status = fetch_offered(call, peer, &tools_list, arena, &tools);

    if (status)
        return status;
    return call->json || call->names ? show_list(call, tools, "name", NULL)
                                     : show_seen(call, tools, arena);
}

static int list_prompts(struct invocation *call, struct peer *peer, haft_arena *arena)
{
    yyjson_val *prompts;
    int status = fetch_offered(call, peer, &prompts_list, arena, &prompts);

    return status ? status : show_list(call, prompts, "name", show_prompts);
}

static int print_resources(const struct invocation *call, yyjson_val *resources,
                           yyjson_val *templates)
{
    struct page page;
    struct json_writer w = {.out = &page.text};

    page_init(&page);
    if (call->json) {
        hf_json_begin_object(&w);
        hf_json_slot(json_key(&w, "resources"));
        page_json(&page, resources);
        hf_json_slot(json_key(&w, "resourceTemplates"));
        page_json(&page, templates);
        hf_json_end_object(&w);
        haft_buffer_puts(&page.text, "\n");
    } else if (call->names) {
        show_names(&page, resources, "uri", call->safe);
        show_names(&page, templates, "uriTemplate", call->safe);
    } else {
        show_resources(&page, resources, templates);
    }
    return -page_print(&page);
}

static int list_resources(struct invocation *call, struct peer *peer, haft_arena *arena)
{
    yyjson_val *resources, *templates;
    int status = fetch_offered(call, peer, &resources_list, arena, &resources);

    if (!status)
        status = fetch_offered(call, peer, &templates_list, arena, &templates);
    return status ? status : print_resources(call, resources, templates);
}

int act_tools(struct invocation *call)
{
    return list(call, list_tools);
}

int act_prompts(struct invocation *call)
{
    return list(call, list_prompts);
}

int act_resources(struct invocation *call)
{
    return list(call, list_resources);
}

/* ---- ping ---- */

/* The latest revision has no ping; its discovery request serves instead. */
static int ping(struct invocation *call, struct peer *peer, haft_arena *arena)
{
    struct peer_request request = {.method = peer_is_modern(peer) ? "server/discover" : "ping"};
    yyjson_val *info, *name, *version, *result;
    struct page page;
    int status = peer_ask(peer, &request, &result);

    (void)call;
    (void)arena;
    if (status)
        return status;
    info = yyjson_obj_get(yyjson_obj_get(result, "_meta"), META_SERVER_INFO);
    if (!info)
        info = haft_client_server_info(peer_client(peer));
    name = yyjson_obj_get(info, "name");
    version = yyjson_obj_get(info, "version");
    page_init(&page);
    page_line(&page, yyjson_get_len(name) ? yyjson_get_str(name) : "a server",
              yyjson_get_len(name) ? yyjson_get_len(name) : 8);
    haft_buffer_puts(&page.text, yyjson_get_len(version) ? " " : "");
    page_line(&page, yyjson_get_str(version), yyjson_get_len(version));
    haft_buffer_printf(&page.text, ", speaking %s\n", haft_client_revision(peer_client(peer)));
    return -page_print(&page);
}

int act_ping(struct invocation *call)
{
    return list(call, ping);
}

/* ---- call ---- */

struct ask_asked {
    struct invocation *call;
    const char *url;
    const char *tool;
    char **words;
    size_t n_words;
    haft_arena *arena;
};

static yyjson_val *ask_find_tool(yyjson_val *tools, const char *name)
{
    size_t i, n;
    yyjson_val *tool;

    yyjson_arr_foreach(tools, i, n, tool) {
        if (yyjson_equals_str(yyjson_obj_get(tool, "name"), name))
            return tool;
    }
    return NULL;
}

static int refuse_tool(yyjson_val *tools, const char *name)
{
    struct nearest search = hf_nearest_begin(name);
    size_t i, n;
    yyjson_val *tool;

    yyjson_arr_foreach(tools, i, n, tool) {
        const char *other = yyjson_get_str(yyjson_obj_get(tool, "name"));

        if (other)
            hf_nearest_offer(&search, other);
    }
    return -complain(EXIT_USAGE, "unknown tool %s%s%s%s", name,
                     search.name ? "; did you mean " : "; `haft tools` lists the server's tools",
                     search.name ? search.name : "", search.name ? "?" : "");
}

/* Whether a tool may be called: if the server declares it destructive, only if the user agrees.
 * Returns 0, or a negative exit code after reporting why. */
static int confirm_tool(const struct ask_asked *asked, struct peer *peer, yyjson_val *tool)
{
    yyjson_val *annotations = yyjson_obj_get(tool, "annotations");
    bool agreed = false;
    haft_buffer line;
    int got;

    if (asked->call->yes || !isatty(STDIN_FILENO) ||
        !yyjson_is_true(yyjson_obj_get(annotations, "destructiveHint")))
        return 0;
    fprintf(stderr, "haft: the server declares %s destructive; call it? (y/N) ", asked->tool);
    fflush(stderr);
    haft_buffer_init(&line, NULL, ASK_TEXT_LIMIT);
    got = peer_read_line(peer, &line);
    if (got > 0 && line.size)
        agreed = *line.data == 'y' || *line.data == 'Y';
    haft_buffer_finish(&line);
    if (got < 0)
        return got;
    return agreed ? 0 : -complain(EXIT_DECLINED, "%s was not called", asked->tool);
}

int ask_show(const struct invocation *call, struct peer *peer, yyjson_val *result)
{
    const char *task = yyjson_get_str(yyjson_obj_get(result, "taskId"));
    int status;

    if (!yyjson_is_arr(yyjson_obj_get(result, "content")) &&
        !yyjson_obj_get(result, "structuredContent")) {
        if (task)
            return peer_fail(peer, EXIT_PROTOCOL,
                             "the task %s requires input that haft cannot provide", task);
        return peer_fail(peer, EXIT_PROTOCOL,
                         "the server's answer to tools/call is malformed: content is missing");
    }
    clear_progress();
    status = -(call->json ? show_json(result) : show_result(result, call->out));
    return !status && yyjson_get_bool(yyjson_obj_get(result, "isError")) ? -EXIT_TOOL : status;
}

static int ask_call_tool(const struct ask_asked *asked, struct peer *peer, yyjson_val *tool)
{
    haft_buffer arguments;
    struct task_watch watch = {
        .call = asked->call, .peer = peer, .url = asked->url, .tool = asked->tool};
    struct peer_request request = {.tool = asked->tool,
                                   .with_progress = true,
                                   .as_task = asked->call->task.wanted,
                                   .begun = task_watch_begun,
                                   .left = task_watch_left,
                                   .context = &watch};
    yyjson_val *schema = yyjson_obj_get(tool, "inputSchema"), *result;
    haft_reason reason = {0};
    int status;

    haft_buffer_init(&arguments, NULL, ASK_TEXT_LIMIT);
    status = arguments_build(schema, asked->words, asked->n_words, &arguments, &reason);
    haft_buffer_add(&arguments, "", 1);
    if (!status && arguments.status)
        status =
            hf_error_set(&reason, arguments.status, NULL, "%s", haft_strerror(arguments.status));
    if (status) {
        status = -complain(status == HAFT_EINVAL ? EXIT_USAGE : EXIT_LOCAL, "%s%s%s", reason.path,
                           *reason.path ? ": " : "", reason.text);
        goto out;
    }
    request.arguments = arguments.data;
    status = peer_ask(peer, &request, &result);
    task_watch_end(&watch, status, status ? NULL : result);
    if (!status)
        status = ask_show(asked->call, peer, result);

out:
    haft_buffer_finish(&arguments);
    return status;
}

static int run_call(const struct ask_asked *asked, const char *url)
{
    struct peer *peer = NULL;
    yyjson_val *tools = NULL, *tool;
    int status = ask_open(asked->call, url, &peer);

    if (!status)
        status = fetch_offered(asked->call, peer, &tools_list, asked->arena, &tools);
    if (!status) {
        tool = ask_find_tool(tools, asked->tool);
        status = tool ? confirm_tool(asked, peer, tool) : refuse_tool(tools, asked->tool);
        if (!status)
            status = ask_call_tool(asked, peer, tool);
    }
    return ask_end(peer, status);
}

int act_call(struct invocation *call)
{
    struct ask_asked asked = {.call = call};
    const char *url = NULL;
    size_t at = call->child ? 0 : 1;
    int status;

    if (!call->child && !(url = ask_url(call)))
        return EXIT_USAGE;
    if (call->n_operands <= at)
        return complain(EXIT_USAGE, "call needs the name of a tool%s",
                        call->child ? " before the --" : " after the URL");
    if (call->task.wanted && call->task.refused)
        return complain(EXIT_USAGE, "--task and --no-task exclude each other");
    asked.url = url;
    asked.tool = call->operands[at];
    asked.words = call->operands + at + 1;
    asked.n_words = call->n_operands - at - 1;
    asked.arena = haft_arena_new(NULL, ASK_ARENA_LIMIT);
    status = asked.arena ? run_call(&asked, url) : complain(EXIT_LOCAL, "out of memory");
    haft_arena_free(asked.arena);
    return status;
}
