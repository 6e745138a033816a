/* task_file.h - the tasks that the program has begun and whose result it has not shown, with their servers.
 *
 * The file is tasks.json in the program's state directory. Several processes may change it at once. */
#ifndef HAFT_TASK_FILE_H
#define HAFT_TASK_FILE_H

#include "json/json.h"
#include "program.h"

enum { TASK_FILE_LIMIT = 4 << 20, TASK_FILE_ENTRIES = 1000 };

/* A task. Exactly one of url and command is set. */
struct task_entry {
    const char *id;
    const char *url;
    const char **command;  /* NULL-terminated */
    const char *directory; /* in which the command was started */
    const char *tool;      /* may be NULL */
    /* Who may use it: "" for a server without credentials, "login" for the login of that URL, or a digest of the header
     * Authorization. */
    const char *access;
    int64_t begun, until; /* seconds since 1970; until is 0 for a task without a time to live */
};

struct task_entries {
    struct task_entry *list;
    size_t n;
};

/* Reads the file, whose entries live in the arena. Returns an exit code after reporting an error. */
int task_file_read(haft_arena *arena, struct task_entries *ret_entries);
/* Adds a task, or replaces it. Returns an exit code after reporting an error. */
int task_file_add(const struct task_entry *entry);
/* Removes a task of that id and server; nothing if there is none. */
int task_file_remove(const struct task_entry *entry);
/* Whether two are of the same server. */
bool task_file_is_same_server(const struct task_entry *one, const struct task_entry *other);

#endif
