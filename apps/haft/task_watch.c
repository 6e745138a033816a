/* task_watch.c - remembers and forgets the task that the program waits for. */
#include "task_watch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/sha256.h"
#include "protocol/rpc.h"
#include "show.h"

enum { TASK_WATCH_ACCESS = 16 };

void task_watch_access(const struct invocation *call, char ret_text[33])
{
    static const char name[] = "Authorization:";
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;

    ret_text[0] = '\0';
    for (size_t i = 0; i < call->n_headers; i++)
        if (!strncasecmp(call->headers[i], name, sizeof name - 1)) {
            hf_sha256_init(&hash);
            hf_sha256_add(&hash, call->headers[i], strlen(call->headers[i]));
            hf_sha256_finish(&hash, digest);
            hf_hex_put(digest, TASK_WATCH_ACCESS, ret_text);
            ret_text[2 * TASK_WATCH_ACCESS] = '\0';
        }
}

struct task_entry task_watch_entry(const struct task_watch *watch, const char *id)
{
    static char directory[PATH_MAX];
    const struct invocation *call = watch->call;

    if (!watch->url && !getcwd(directory, sizeof directory))
        directory[0] = '\0';
    return (struct task_entry){.id = id,
                               .url = watch->url,
                               .command = watch->url ? NULL : (const char **)(uintptr_t)call->child,
                               .directory = watch->url ? NULL : directory,
                               .tool = watch->tool,
                               .access = ""};
}

void task_watch_begun(void *context, const char *task, yyjson_val *value)
{
    struct task_watch *watch = context;
    struct task_entry entry = task_watch_entry(watch, task);
    yyjson_val *life = yyjson_obj_get(value, "ttlMs");
    char access[33];

    free(watch->id);
    watch->id = NULL;
    entry.begun = (int64_t)time(NULL);
    if (!life)
        life = yyjson_obj_get(value, "ttl");
    if (yyjson_is_uint(life) && yyjson_get_uint(life) < INT64_MAX / 2)
        entry.until = entry.begun + (int64_t)(yyjson_get_uint(life) / 1000);
    task_watch_access(watch->call, access);
    entry.access = *access ? access
                   : watch->url && peer_access(watch->peer) &&
                           haft_authorizer_has_token(peer_access(watch->peer), watch->url)
                       ? "login"
                       : "";
    if (!task_file_add(&entry))
        watch->id = strdup(task);
}

/* ---- returning ---- */

/* Writes a word as a shell reads it. */
static void task_watch_put_word(haft_buffer *out, const char *word)
{
    const char *rest = word + strspn(word, "./-"); /* a path, or an option of the server */

    haft_buffer_puts(out, " ");
    if (is_plain_word(rest, strlen(rest))) {
        haft_buffer_puts(out, word);
        return;
    }
    haft_buffer_puts(out, "'");
    for (const char *c = word; *c; c++)
        haft_buffer_printf(out, *c == '\'' ? "'\\''" : "%c", *c);
    haft_buffer_puts(out, "'");
}

/* Whether a terminal shows the text as it is. */
static bool task_watch_is_visible(const char *text)
{
    bool harmful = false;

    for (size_t at = 0, size = strlen(text); at < size && !harmful;)
        at += next_character(text + at, size - at, &harmful);
    return !harmful && !strpbrk(text, "\n\t");
}

static void task_watch_put_command(const struct task_watch *watch, const char *verb,
                                   const char *task, haft_buffer *out)
{
    haft_buffer_printf(out, "haft tasks %s", verb);
    haft_buffer_puts(out, *task == '-' ? " --id" : "");
    task_watch_put_word(out, task);
    if (watch->url)
        task_watch_put_word(out, watch->url);
    else
        haft_buffer_puts(out, " --");
    for (char **word = watch->call->child; !watch->url && *word; word++)
        task_watch_put_word(out, *word);
}

void task_watch_left(void *context, const char *task)
{
    const struct task_watch *watch = context;
    haft_buffer line;

    haft_buffer_init(&line, NULL, TASK_FILE_LIMIT);
    task_watch_put_command(watch, "wait", task, &line);
    haft_buffer_add(&line, "", 1);
    if (line.status || !task_watch_is_visible(line.data))
        fprintf(stderr, "haft: the task goes on; `haft tasks list` shows it\n");
    else
        fprintf(
            stderr,
            "haft: the task %s goes on%s; interrupt again within a second to cancel it, or return "
            "to it with:\n%s\n",
            task, watch->url ? "" : " if the server keeps tasks when it exits", line.data);
    haft_buffer_finish(&line);
}

void task_watch_end(struct task_watch *watch, int status, yyjson_val *result)
{
    int code = peer_error_code(watch->peer);
    bool ended = status == EXIT_DONE ? yyjson_obj_get(result, "content") ||
                                           yyjson_obj_get(result, "structuredContent")
                 : status == EXIT_PROTOCOL ? code && code != RPC_INTERNAL_ERROR
                                           : status == EXIT_CANCELLED;

    if (watch->id && ended) {
        struct task_entry entry = task_watch_entry(watch, watch->id);

        task_file_remove(&entry);
    }
    free(watch->id);
    watch->id = NULL;
}
