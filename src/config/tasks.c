/* tasks.c - enables tasks for the servers of a command line. */
#include "config/tasks.h"

#include "engine/offer/catalogue.h"
#include "observe/log.h"
#include "part/sqlite.h"

static void tasks_log_to_logger(void *context, haft_level level, const char *text, size_t size)
{
    hf_logger_record(context, &(haft_record){.level = level, .text = text, .size = size});
}

static void tasks_log_to_server(void *context, haft_level level, const char *text, size_t size)
{
    hf_server_log(context, level, "%.*s", (int)size, text);
}

int hf_task_store_open(const char *file, haft_server *server, struct logger *logger,
                       haft_store **ret_store, haft_reason *reterr_reason)
{
    haft_sqlite_options options = HAFT_INIT(haft_sqlite_options, .allocator = server->allocator,
                                            .log = tasks_log_to_server, .log_context = server);

    if (logger) {
        options.log = tasks_log_to_logger;
        options.log_context = logger;
    } else if (server->options.log) { /* outlives the server, as the store does */
        options.log = server->options.log;
        options.log_context = server->options.log_context;
    }
    *ret_store = hf_sqlite_open(file, &options, "--tasks", reterr_reason);
    return *ret_store ? 0 : reterr_reason->code;
}

/* Whether a tool of the server declares tasks. */
static bool config_has_tasks(haft_server *server)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    const struct offer_list *offers = &catalogue->lists[HAFT_OFFER_TOOL];
    bool found = false;

    for (size_t i = 0; i < offers->n && !found; i++)
        found = offers->entries[i].item->tool->task;
    hf_catalogue_drop(catalogue);
    return found;
}

int hf_config_set_tasks(haft_server *server, const struct settings *settings, const char *path)
{
    haft_task_options options = settings->tasks;

    if (server->tasks.hooks || (!options.store && !config_has_tasks(server)))
        return 0;
    options.struct_size = sizeof options;
    options.endpoint = path;
    if (!options.store)
        options.store = server->options.store; /* that replicas share; NULL: memory */
    return haft_server_set_tasks(server, &options);
}
