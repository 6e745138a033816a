/* audit_file.c - writes complete lines to a file opened for appending, so that several processes
 * can share it and a reader never sees a partial line, except one truncated by a full disk, which
 * is terminated before the next. */
#include "observe/audit_file.h"

#include <errno.h>
#include <string.h>

#include "engine/offer/server.h"

static void audit_file_report(void *context, enum spool_event event, const char *why, size_t lost)
{
    struct audit_file *file = context;

    switch (event) {
    case SPOOL_FAILS:
        hf_server_log(file->server, HAFT_CRITICAL, "cannot write the audit file: %s", why);
        break;
    case SPOOL_LOSES:
        hf_server_log(file->server, HAFT_CRITICAL, "audit lines are being lost: the queue is full");
        break;
    case SPOOL_WRITES:
        hf_server_log(file->server, HAFT_WARNING, "writing the audit file again; lines lost: %zu",
                      lost);
        break;
    case SPOOL_STAYS:
        hf_server_log(file->server, HAFT_ERROR, "cannot reopen the audit file: %s", why);
        break;
    case SPOOL_ENDS:
        hf_server_log(file->server, HAFT_CRITICAL, "audit lines lost: %zu", lost);
        break;
    }
}

static void write_line(void *context, const char *line, size_t size)
{
    struct audit_file *file = context;

    hf_spool_put(file->spool, line, size);
}

int hf_audit_file_open(struct audit_file *file, haft_server *server, const char *path)
{
    struct spool_options options = {.allocator = server->allocator,
                                    .path = path,
                                    .limit = AUDIT_QUEUE,
                                    .report = audit_file_report,
                                    .context = file};
    int status;

    file->server = server;
    status = hf_spool_open(&file->spool, &options);
    /* The caller reports the error. */
    return status ? hf_error_set(&server->error, HAFT_EINVAL, path, "%s", strerror(-status)) : 0;
}

int hf_audit_file_take(struct audit_file *file, haft_server *server)
{
    return haft_audit_add(server, write_line, file);
}

int hf_audit_file_start(struct audit_file *file, haft_reason *reterr_reason)
{
    int status = file->spool ? hf_spool_start(file->spool) : 0;

    return status ? hf_error_set(reterr_reason, status, "audit", "cannot start a thread") : 0;
}

void hf_audit_file_reopen(struct audit_file *file)
{
    if (file->spool)
        hf_spool_reopen(file->spool);
}

void hf_audit_file_flush(struct audit_file *file)
{
    if (file->spool)
        hf_spool_flush(file->spool, AUDIT_FLUSH_MS);
}

void hf_audit_file_close(struct audit_file *file)
{
    hf_spool_close(file->spool, AUDIT_FLUSH_MS);
    file->spool = NULL;
}
