/* config/tasks.h - tasks of the servers of a command line (tasks.c). */
#ifndef HAFT_SRC_CONFIG_TASKS_H
#define HAFT_SRC_CONFIG_TASKS_H

#include "config/settings.h"

struct logger;

/* Opens the store of tasks in a SQLite database. It reports errors of the file to the logger, or, without one, to the
 * log of the server. Returns 0, or an error with the reason. Free it with haft_store_free. */
int hf_task_store_open(const char *file, haft_server *server, struct logger *logger,
                       haft_store **ret_store, haft_reason *reterr_reason);

/* Enables tasks if a tool of the server declares them, or if there is a store for them
 * (settings->tasks.store). `path` is that of an endpoint beside others, which has its own tasks in the store; NULL for
 * the only server. Returns 0, or an error that has been reported. */
int hf_config_set_tasks(haft_server *server, const struct settings *settings, const char *path);

#endif
