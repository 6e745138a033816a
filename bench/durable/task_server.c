/* task_server.c - the server for the benchmarks of tasks, which are in a SQLite file.
 *
 *     task-server FILE [OPTION ...]
 *
 * A task of `job` ends at once. One of `park` ends when the server does, so that those created after the first
 * ones stay in the queue: then creating tasks is all that the server does. `commit` is not a task: its handler commits
 * the same entries with bare SQLite, to FILE-bare, on the thread that answers. The options are those of every
 * server. */
#include <haft/part.h>
#include <stdio.h>
#include <time.h>

#include "../add.h"
#include "bare.h"

enum { SERVER_MANY = 1000000 };

static int job(haft_call *call, const add_args *in, add_sum *out)
{
    return add(call, in, out);
}
HAFT_TOOL(job, add_args, add_sum, "Adds two numbers in a task", .task = HAFT_TASK_REQUIRED);

static int park(haft_call *call, const add_args *in, add_sum *out)
{
    const struct timespec pause = {0, 10000000};

    while (!haft_call_cancelled(call))
        nanosleep(&pause, NULL);
    return add(call, in, out);
}
HAFT_TOOL(park, add_args, add_sum, "Waits for the end of the server", .task = HAFT_TASK_REQUIRED);

static const char *commit_file;

static int commit(haft_call *call, const add_args *in, add_sum *out)
{
    static sqlite3 *db;
    static sqlite3_stmt *insert;
    static char file[512];
    static long total;

    if (!db) {
        snprintf(file, sizeof file, "%s-bare", commit_file);
        bare_open(file, &db, &insert);
    }
    bare_commit(db, insert, 1, total++);
    return add(call, in, out);
}
HAFT_TOOL(commit, add_args, add_sum, "Writes what a task needs with bare SQLite", .quick = true);

int main(int argc, char **argv)
{
    static const haft_tool *const tools[] = {&add_tool, &job_tool, &park_tool, &commit_tool};
    static const haft_store_space spaces[] = {
        {.name = "task", .max_entries = 10 * SERVER_MANY, .max_bytes = (size_t)4 << 30},
        {.name = "task.index", .max_entries = SERVER_MANY, .max_bytes = (size_t)1 << 30}};
    haft_server *server = haft_server_new("bench", "1.0.0");
    haft_reason reason = {0};
    haft_store *store;
    int status = argc < 2 ? HAFT_EINVAL : haft_part_register(&haft_sqlite_part);

    commit_file = argv[1];
    store = status ? NULL
                   : haft_sqlite_store_new(
                         argv[1], HAFT_WITH(haft_sqlite_options, .spaces = spaces, .n_spaces = 2),
                         &reason);
    if (!store) {
        fprintf(stderr, "task-server: %s\n", argc < 2 ? "which file?" : reason.text);
        return 1;
    }
    for (size_t i = 0; i < sizeof tools / sizeof *tools && !status; i++)
        status = haft_add(server, tools[i]);
    if (!status)
        status = haft_server_set_tasks(
            server, HAFT_WITH(haft_task_options, .store = store, .max_queued = SERVER_MANY,
                              .max_tasks = SERVER_MANY, .max_per_client = SERVER_MANY));
    status = status ? 1 : haft_main(server, argc - 1, argv + 1);
    haft_store_free(store);
    return status;
}
