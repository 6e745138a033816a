/* observe/audit_file.h - the audit of servers as lines of a file.
 *
 * Calls never wait for the file: see spool.h. */
#ifndef HAFT_SRC_AUDIT_FILE_H
#define HAFT_SRC_AUDIT_FILE_H

#include <haft/pipeline.h>

#include "observe/spool.h"

/* The size of the queue in bytes, and how long the end of the process waits for it. */
enum { AUDIT_QUEUE = 4 << 20, AUDIT_FLUSH_MS = 2000 };

struct audit_file {
    struct spool *spool; /* NULL if there is none */
    haft_server *server;
};

/* Opens the file for appending. Returns 0, or an error with its reason kept by the server. Later
 * problems are logged by the server. */
int hf_audit_file_open(struct audit_file *file, haft_server *server, const char *path);
/* Adds the calls of a server to the file from now on. */
int hf_audit_file_take(struct audit_file *file, haft_server *server);
/* Starts the thread that writes, after processes have been forked. Returns 0 or HAFT_EBUSY. */
int hf_audit_file_start(struct audit_file *file, haft_reason *reterr_reason);
/* Opens the file again under its name, after the old one was moved away: lines of calls that end
 * from now on go there. On failure the old file is kept, and the error logged. */
void hf_audit_file_reopen(struct audit_file *file);
/* Waits briefly for queued lines, in a process that is about to exit. */
void hf_audit_file_flush(struct audit_file *file);
/* The same at a regular shutdown. The server must still exist, for its log. */
void hf_audit_file_close(struct audit_file *file);

#endif
