/* task_file.c - reads and replaces the file of tasks, under a lock. */
#include "task_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "auth/private_file.h"
#include "json/writer.h"
#include "state.h"

enum {
    TASK_FILE_ARENA = 64 << 20,
    TASK_FILE_PATIENCE = 10000,
    TASK_FILE_WORDS = 1000,
    TASK_FILE_KEPT =
        86400 /* seconds after the time to live, in which a result may still be there */
};

/* ---- reading ---- */

static const char *task_file_text(yyjson_val *object, const char *name)
{
    return yyjson_get_str(yyjson_obj_get(object, name));
}

/* The words of a command, NULL if it is not one. Returns false without memory. */
static bool task_file_words(yyjson_val *array, haft_arena *arena, const char ***ret_words)
{
    size_t n = yyjson_arr_size(array), i, max;
    const char **words;
    yyjson_val *word;

    *ret_words = NULL;
    if (!n || n > TASK_FILE_WORDS)
        return true;
    words = haft_arena_zalloc(arena, n + 1, sizeof *words);
    if (!words)
        return false;
    yyjson_arr_foreach(array, i, max, word) {
        if (!yyjson_is_str(word))
            return true;
        words[i] = yyjson_get_str(word);
    }
    *ret_words = words;
    return true;
}

/* Reads an entry. Returns 1, 0 if it is not one, or HAFT_ENOMEM. */
static int task_file_read_entry(yyjson_val *value, haft_arena *arena, struct task_entry *ret_entry)
{
    const char *access = task_file_text(value, "access"), **command;

    if (!task_file_words(yyjson_obj_get(value, "command"), arena, &command))
        return HAFT_ENOMEM;
    *ret_entry = (struct task_entry){
        .id = task_file_text(value, "id"),
        .url = task_file_text(value, "url"),
        .command = command,
        .directory = task_file_text(value, "directory"),
        .tool = task_file_text(value, "tool"),
        .access = access ? access : "",
        .begun = yyjson_get_sint(yyjson_obj_get(value, "begun")),
        .until = yyjson_get_sint(yyjson_obj_get(value, "until")),
    };
    return ret_entry->id && *ret_entry->id && !ret_entry->url != !ret_entry->command;
}

/* Reads the text of the file, which may not exist. */
static int task_file_slurp(const char *path, haft_buffer *text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status = EXIT_DONE;
    haft_reason reason = {0};

    if (fd < 0)
        return errno == ENOENT ? EXIT_DONE
                               : complain(EXIT_LOCAL, "cannot read %s: %s", path, strerror(errno));
    if (hf_private_file_slurp(fd, path, text, &reason))
        status = complain(EXIT_LOCAL, "cannot read %s", reason.text);
    close(fd);
    return status;
}

/* Finds the list in the text of the file. */
static int task_file_parse_text(const char *path, const haft_buffer *text, haft_arena *arena,
                                yyjson_val **ret_all)
{
    haft_reason reason = {0};
    haft_value *value = haft_json_read(text->data, text->size, 0, arena, &reason);

    *ret_all = yyjson_obj_get(value, "tasks");
    if (!value && reason.code == HAFT_ENOMEM)
        return complain(EXIT_LOCAL, "cannot read %s: out of memory", path);
    return yyjson_is_arr(*ret_all)
               ? EXIT_DONE
               : complain(EXIT_LOCAL, "%s is not a file of tasks; move it away", path);
}

/* An entry that memory does not suffice for is an error: task_file_change would lose it. */
static int task_file_parse(const char *path, haft_arena *arena, struct task_entries *ret_entries)
{
    haft_buffer text;
    yyjson_val *all = NULL, *one;
    size_t i, n;
    int status, read;

    *ret_entries = (struct task_entries){0};
    haft_buffer_init(&text, NULL, TASK_FILE_LIMIT);
    status = task_file_slurp(path, &text);
    if (!status && text.size)
        status = task_file_parse_text(path, &text, arena, &all);
    haft_buffer_finish(&text);
    if (status)
        return status;
    ret_entries->list =
        haft_arena_zalloc(arena, yyjson_arr_size(all) + 1, sizeof *ret_entries->list);
    read = ret_entries->list ? 0 : HAFT_ENOMEM;
    yyjson_arr_foreach(all, i, n, one) {
        if (read >= 0)
            read = task_file_read_entry(one, arena, &ret_entries->list[ret_entries->n]);
        ret_entries->n += read > 0;
    }
    return read < 0 ? complain(EXIT_LOCAL, "cannot read %s: out of memory", path) : EXIT_DONE;
}

static int task_file_path(char *ret_path, size_t room)
{
    int error = state_check("tasks.json", ret_path, room);

    if (error && !*ret_path)
        return complain(EXIT_LOCAL, "tasks cannot be remembered: there is no home directory; set "
                                    "XDG_STATE_HOME");
    return error == 0 || error == EACCES || error == EROFS
               ? EXIT_DONE /* it may be readable */
               : complain(EXIT_LOCAL, "tasks cannot be remembered in %s: %s", ret_path,
                          strerror(error));
}

int task_file_read(haft_arena *arena, struct task_entries *ret_entries)
{
    char path[PATH_MAX];
    int status = task_file_path(path, sizeof path);

    return status ? status : task_file_parse(path, arena, ret_entries);
}

/* ---- changing ---- */

bool task_file_is_same_server(const struct task_entry *one, const struct task_entry *other)
{
    size_t i = 0;

    if (one->url || other->url)
        return one->url && other->url && !strcmp(one->url, other->url);
    if (strcmp(one->directory ? one->directory : "", other->directory ? other->directory : "") != 0)
        return false;
    while (one->command[i] && other->command[i] && !strcmp(one->command[i], other->command[i]))
        i++;
    return !one->command[i] && !other->command[i];
}

static void task_file_put_member(struct json_writer *w, const char *name, const char *text)
{
    if (text)
        hf_json_text(hf_json_name(w, name, strlen(name)), text);
}

static void task_file_put_entry(struct json_writer *w, const struct task_entry *entry)
{
    haft_buffer_puts(w->out, w->comma ? "" : "\n");
    hf_json_begin_object(w);
    task_file_put_member(w, "id", entry->id);
    task_file_put_member(w, "url", entry->url);
    if (entry->command) {
        hf_json_begin_array(json_key(w, "command"));
        for (const char **word = entry->command; *word; word++)
            hf_json_text(w, *word);
        hf_json_end_array(w);
    }
    task_file_put_member(w, "directory", entry->directory);
    task_file_put_member(w, "tool", entry->tool);
    task_file_put_member(w, "access", entry->access);
    hf_json_integer(json_key(w, "begun"), entry->begun);
    hf_json_integer(json_key(w, "until"), entry->until);
    hf_json_end_object(w);
}

/* Writes all entries but one, and the new one; the oldest are left out if there are too many. */
static int task_file_write(const char *path, const struct task_entries *entries,
                           const struct task_entry *but, const struct task_entry *new_one)
{
    int64_t now = (int64_t)time(NULL);
    size_t first = entries->n >= TASK_FILE_ENTRIES ? entries->n - TASK_FILE_ENTRIES + 1 : 0;
    haft_reason reason = {0};
    haft_buffer text;
    struct json_writer w = {.out = &text};
    int status;

    haft_buffer_init(&text, NULL, TASK_FILE_LIMIT);
    hf_json_begin_object(&w);
    hf_json_begin_array(json_key(&w, "tasks"));
    for (size_t i = first; i < entries->n; i++) {
        const struct task_entry *one = &entries->list[i];

        if (!(one->until && one->until + TASK_FILE_KEPT < now) &&
            !(!strcmp(one->id, but->id) && task_file_is_same_server(one, but)))
            task_file_put_entry(&w, one);
    }
    if (new_one)
        task_file_put_entry(&w, new_one);
    hf_json_end_array(&w);
    hf_json_end_object(&w);
    haft_buffer_puts(&text, "\n");
    status = text.status
                 ? complain(EXIT_LOCAL, "cannot write %s: %s", path, haft_strerror(text.status))
             : hf_private_file_replace(path, NULL, &text, &reason)
                 ? complain(EXIT_LOCAL, "cannot write %s", reason.text)
                 : EXIT_DONE;
    haft_buffer_finish(&text);
    return status;
}

static int task_file_change(const struct task_entry *but, const struct task_entry *new_one)
{
    haft_arena *arena = haft_arena_new(NULL, TASK_FILE_ARENA);
    struct task_entries entries;
    haft_reason reason = {0};
    char path[PATH_MAX];
    int lock = -1,
        status = arena ? task_file_path(path, sizeof path) : complain(EXIT_LOCAL, "out of memory");

    if (!status && !new_one && access(path, F_OK)) {
        haft_arena_free(arena);
        return EXIT_DONE; /* nothing to remove */
    }
    if (!status && hf_private_file_lock(path, TASK_FILE_PATIENCE, &lock, &reason))
        status = complain(EXIT_LOCAL, "cannot write %s", reason.text);
    if (!status)
        status = task_file_parse(path, arena, &entries);
    if (!status)
        status = task_file_write(path, &entries, but, new_one);
    if (lock >= 0)
        close(lock);
    haft_arena_free(arena);
    return status;
}

int task_file_add(const struct task_entry *entry)
{
    return task_file_change(entry, entry);
}

int task_file_remove(const struct task_entry *entry)
{
    return task_file_change(entry, NULL);
}
