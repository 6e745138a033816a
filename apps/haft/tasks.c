/* tasks.c - the command that lists tasks, shows their state, cancels them and waits for their results. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "json/writer.h"
#include "protocol/rpc.h"
#include "show.h"
#include "task_watch.h"

enum { TASKS_ARENA = 64 << 20, TASKS_PARAMS = 1 << 16, TASKS_WIDEST = 44 };

/* ---- one request ---- */

/* Sends a request about a task. */
static int tasks_ask(struct peer *peer, const char *method, const char *id, yyjson_val **ret_result)
{
    haft_buffer params;
    struct json_writer w = {.out = &params};
    int status;

    haft_buffer_init(&params, NULL, TASKS_PARAMS);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "taskId"), id);
    hf_json_end_object(&w);
    haft_buffer_add(&params, "", 1);
    status = params.status
                 ? peer_fail(peer, EXIT_USAGE, "the ID of the task is not valid UTF-8, or too long")
                 : peer_ask(peer, &(struct peer_request){.method = method, .params = params.data},
                            ret_result);
    haft_buffer_finish(&params);
    return status;
}

/* Forgets a task that the server has ended, or does not know. */
static void tasks_forget(const struct task_watch *watch, const char *id)
{
    struct task_entry entry = task_watch_entry(watch, id);

    task_file_remove(&entry);
}

static int tasks_get(const struct task_watch *watch, const char *id)
{
    struct peer *peer = watch->peer;
    yyjson_val *result, *status, *message;
    struct page page;
    int code = tasks_ask(peer, "tasks/get", id, &result);

    if (code == EXIT_PROTOCOL && peer_error_code(peer) == RPC_INVALID_PARAMS)
        tasks_forget(watch, id);
    if (code)
        return code;
    if (watch->call->json)
        return -show_json(result);
    status = yyjson_obj_get(result, "status");
    message = yyjson_obj_get(result, "statusMessage");
    page_init(&page);
    page_line(&page, yyjson_get_str(status), yyjson_get_len(status));
    if (yyjson_get_len(message)) {
        haft_buffer_puts(&page.text, ": ");
        page_line(&page, yyjson_get_str(message), yyjson_get_len(message));
    }
    haft_buffer_puts(&page.text, "\n");
    return -page_print(&page);
}

static int tasks_cancel(const struct task_watch *watch, const char *id)
{
    struct peer *peer = watch->peer;
    yyjson_val *result;
    int code = tasks_ask(peer, "tasks/cancel", id, &result);

    if (!code || (code == EXIT_PROTOCOL && peer_error_code(peer) == RPC_INVALID_PARAMS))
        tasks_forget(watch, id);
    if (code)
        return code;
    if (watch->call->json)
        return -show_json(result);
    fprintf(stderr, "haft: the server was asked to cancel the task\n");
    return EXIT_DONE;
}

static int tasks_wait(struct task_watch *watch, const char *id)
{
    struct peer_request request = {
        .task = id, .with_progress = true, .left = task_watch_left, .context = watch};
    yyjson_val *result = NULL;
    int code;

    watch->id = strdup(id);
    code = peer_ask(watch->peer, &request, &result);
    task_watch_end(watch, code, result);
    return code ? code : ask_show(watch->call, watch->peer, result);
}

/* ---- the server ---- */

/* Finds the server of a task that the command line does not name. */
static int tasks_remember(struct invocation *call, const char *id, haft_arena *arena,
                          const char **ret_url)
{
    struct task_entries all;
    const struct task_entry *found = NULL;
    int status = task_file_read(arena, &all);

    if (status)
        return status;
    for (size_t i = 0; i < all.n; i++)
        if (!strcmp(all.list[i].id, id))
            found = &all.list[i];
    if (!found)
        return complain(EXIT_USAGE,
                        "haft does not remember the task %s; name its server: a URL, or -- and a "
                        "command",
                        id);
    *ret_url = found->url;
    if (found->url)
        return EXIT_DONE;
    if (found->directory && *found->directory && chdir(found->directory))
        return complain(EXIT_LOCAL, "cannot change to %s, where the server was started: %s",
                        found->directory, strerror(errno));
    call->child = (char **)(uintptr_t)found->command;
    return EXIT_DONE;
}

/* The ID and the server of the command line. */
static int tasks_target(struct invocation *call, haft_arena *arena, const char **ret_id,
                        const char **ret_url)
{
    size_t at = 1;

    *ret_id = call->task.id;
    *ret_url = NULL;
    if (!*ret_id && call->n_operands > at)
        *ret_id = call->operands[at++];
    if (!*ret_id || !**ret_id)
        return complain(EXIT_USAGE, "tasks %s needs the ID of a task", call->operands[0]);
    if (haft_utf8_valid(*ret_id, strlen(*ret_id)) != strlen(*ret_id))
        return complain(EXIT_USAGE, "the ID of the task is not valid UTF-8");
    if (call->n_operands > at && !call->child)
        *ret_url = call->operands[at++];
    if (call->n_operands > at)
        return complain(EXIT_USAGE, "unexpected argument %s for tasks", call->operands[at]);
    if (*ret_url && !ask_is_url(*ret_url))
        return complain(EXIT_USAGE,
                        "%s is not a URL; a command comes after --, and a URL begins with http://, "
                        "https:// or unix:",
                        *ret_url);
    return *ret_url || call->child ? EXIT_DONE : tasks_remember(call, *ret_id, arena, ret_url);
}

static int tasks_one(struct invocation *call, haft_arena *arena)
{
    struct task_watch watch = {.call = call};
    const char *verb = call->operands[0], *id;
    int status = tasks_target(call, arena, &id, &watch.url);

    if (status)
        return status;
    status = ask_open(call, watch.url, &watch.peer);
    if (!status)
        status = !strcmp(verb, "get")      ? tasks_get(&watch, id)
                 : !strcmp(verb, "cancel") ? tasks_cancel(&watch, id)
                                           : tasks_wait(&watch, id);
    return ask_end(watch.peer, status);
}

/* ---- list ---- */

/* What a server says about a task now. */
struct tasks_row {
    const struct task_entry *entry;
    const char *status;
    const char *message; /* may be NULL */
    bool asked, over;    /* over: there is nothing more to get */
};

static const char *tasks_copy(haft_arena *arena, const char *text)
{
    const char *copy = text ? haft_arena_copy(arena, text, strlen(text)) : NULL;

    return copy ? copy : "";
}

/* Asks for one task. Returns false after an interrupt. */
static bool tasks_look(struct peer *peer, struct tasks_row *row, haft_arena *arena)
{
    yyjson_val *result;
    int code = tasks_ask(peer, "tasks/get", row->entry->id, &result);

    row->asked = true;
    if (!code) {
        row->status = tasks_copy(arena, yyjson_get_str(yyjson_obj_get(result, "status")));
        row->message = tasks_copy(arena, yyjson_get_str(yyjson_obj_get(result, "statusMessage")));
        row->over = !strcmp(row->status, "failed") || !strcmp(row->status, "cancelled");
        return true;
    }
    row->over = code == EXIT_PROTOCOL && peer_error_code(peer) == RPC_INVALID_PARAMS;
    row->status = row->over               ? "expired"
                  : code == EXIT_DENIED   ? "denied"
                  : code == EXIT_PROTOCOL ? "error"
                                          : "unreachable";
    row->message = tasks_copy(arena, peer_why(peer));
    return code != EXIT_INTERRUPTED;
}

/* Asks the server of a row for all its tasks. Returns false after an interrupt. */
static bool tasks_look_all(const struct invocation *call, struct tasks_row *rows, size_t n,
                           size_t first, haft_arena *arena)
{
    const struct task_entry *server = rows[first].entry;
    struct invocation own = *call;
    struct peer *peer = NULL;
    char access[33];
    bool goes_on = true;
    int code = EXIT_DONE;

    own.child = (char **)(uintptr_t)server->command;
    task_watch_access(call, access);
    if (server->directory && *server->directory && chdir(server->directory))
        code = EXIT_LOCAL;
    if (!code)
        code = peer_open(&peer, &own, server->url);
    for (size_t i = first; i < n && goes_on; i++) {
        if (rows[i].asked || !task_file_is_same_server(rows[i].entry, server))
            continue;
        if (!code && strlen(rows[i].entry->access) == 32 && strcmp(rows[i].entry->access, access)) {
            rows[i].asked = true;
            rows[i].status = "not asked";
            rows[i].message = "it was begun with another Authorization header";
        } else if (!code) {
            goes_on = tasks_look(peer, &rows[i], arena);
        } else {
            rows[i].asked = true;
            rows[i].status = code == EXIT_DENIED ? "denied" : "unreachable";
            rows[i].message = tasks_copy(arena, peer ? peer_why(peer) : strerror(errno));
        }
    }
    peer_close(peer);
    return goes_on && code != EXIT_INTERRUPTED;
}

static void tasks_put_json(struct json_writer *w, const struct tasks_row *row)
{
    const struct task_entry *entry = row->entry;

    hf_json_begin_object(w);
    hf_json_text(json_key(w, "taskId"), entry->id);
    hf_json_text(json_key(w, "status"), row->status);
    if (row->message && *row->message)
        hf_json_text(json_key(w, "statusMessage"), row->message);
    if (entry->tool)
        hf_json_text(json_key(w, "tool"), entry->tool);
    if (entry->url)
        hf_json_text(json_key(w, "url"), entry->url);
    for (const char **word = entry->command; word && *word; word++) {
        if (word == entry->command)
            hf_json_begin_array(json_key(w, "command"));
        hf_json_text(w, *word);
        if (!word[1])
            hf_json_end_array(w);
    }
    hf_json_integer(json_key(w, "begun"), entry->begun);
    if (entry->until)
        hf_json_integer(json_key(w, "until"), entry->until);
    hf_json_end_object(w);
}

/* Writes a column, with spaces up to its width. */
static void tasks_put_column(struct page *page, const char *text, size_t width)
{
    size_t before = page->text.size, used;

    page_line(page, text, strlen(text));
    for (used = page->text.size - before; used < width; used++)
        haft_buffer_puts(&page->text, " ");
    haft_buffer_puts(&page->text, "  ");
}

static void tasks_put_row(struct page *page, const struct tasks_row *row, size_t width)
{
    const struct task_entry *entry = row->entry;

    tasks_put_column(page, entry->id, width);
    tasks_put_column(page, row->status, 14);
    tasks_put_column(page, entry->tool ? entry->tool : "-", 16);
    if (entry->url)
        page_line(page, entry->url, strlen(entry->url));
    for (const char **word = entry->command; word && *word; word++) {
        haft_buffer_puts(&page->text, word == entry->command ? "-- " : " ");
        page_line(page, *word, strlen(*word));
    }
    haft_buffer_puts(&page->text, "\n");
    if (!row->message || !*row->message)
        return;
    haft_buffer_puts(&page->text, "    ");
    page_line(page, row->message, strlen(row->message));
    haft_buffer_puts(&page->text, "\n");
}

static int tasks_print(const struct invocation *call, const struct tasks_row *rows, size_t n)
{
    size_t width = 0;
    struct page page;
    struct json_writer w = {.out = &page.text};

    page_init(&page);
    for (size_t i = 0; i < n; i++)
        if (strlen(rows[i].entry->id) > width)
            width = strlen(rows[i].entry->id);
    if (call->json)
        hf_json_begin_array(&w);
    for (size_t i = 0; i < n; i++)
        if (call->json)
            tasks_put_json(&w, &rows[i]);
        else
            tasks_put_row(&page, &rows[i], width < TASKS_WIDEST ? width : TASKS_WIDEST);
    if (call->json) {
        hf_json_end_array(&w);
        haft_buffer_puts(&page.text, "\n");
    }
    return page_print(&page);
}

static int tasks_list(struct invocation *call, haft_arena *arena)
{
    struct task_entries all;
    struct tasks_row *rows;
    int status;

    if (call->n_operands > 1 || call->child)
        return complain(EXIT_USAGE,
                        "tasks list takes no server: it shows the tasks that haft remembers");
    status = task_file_read(arena, &all);
    if (status)
        return status;
    rows = haft_arena_zalloc(arena, all.n + 1, sizeof *rows);
    if (!rows)
        return complain(EXIT_LOCAL, "out of memory");
    for (size_t i = 0; i < all.n; i++)
        rows[i].entry = &all.list[i];
    for (size_t i = 0; i < all.n; i++)
        if (!rows[i].asked && !tasks_look_all(call, rows, all.n, i, arena))
            return complain(EXIT_INTERRUPTED, "interrupted");
    status = tasks_print(call, rows, all.n);
    for (size_t i = 0; i < all.n && !status; i++)
        if (rows[i].over)
            task_file_remove(rows[i].entry);
    return status;
}

int act_tasks(struct invocation *call)
{
    const char *verb = call->n_operands ? call->operands[0] : "";
    haft_arena *arena;
    int status;

    if (strcmp(verb, "list") && strcmp(verb, "get") && strcmp(verb, "cancel") &&
        strcmp(verb, "wait"))
        return complain(EXIT_USAGE, "tasks needs one of list, get, cancel and wait");
    arena = haft_arena_new(NULL, TASKS_ARENA);
    status = !arena                  ? complain(EXIT_LOCAL, "out of memory")
             : !strcmp(verb, "list") ? tasks_list(call, arena)
                                     : tasks_one(call, arena);
    haft_arena_free(arena);
    return status;
}
