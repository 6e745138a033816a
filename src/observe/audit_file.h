/* observe/audit_file.h - the audit of servers as lines of a file.
 *
 * Calls never wait for it: see spool.h. */
#ifndef HAFT_SRC_AUDIT_FILE_H
#define HAFT_SRC_AUDIT_FILE_H

#include <haft/pipeline.h>

#include "observe/spool.h"

/* Bytes of lines that wait for the file, and how long the end of the process waits for them. */
enum { AUDIT_QUEUE = 4 << 20, AUDIT_FLUSH_MS = 2000 };

struct audit_file {
    struct spool *spool; /* NULL when there is none */
    haft_server *server;
};

/* Opens it for appending; 0, or an error with its reason kept by the server, whose log is told what
 * goes wrong later. */
int hf_audit_file_open(struct audit_file *file, haft_server *server, const char *path);
/* The server's calls are lines of it from now on. */
int hf_audit_file_take(struct audit_file *file, haft_server *server);
/* Starts the thread that writes them, after what forks; 0, or HAFT_EBUSY. */
int hf_audit_file_start(struct audit_file *file, haft_reason *reterr_reason);
/* Goes on in the file that is called so now, after the old one was moved away: lines of calls that
 * end from now on go there.  When it cannot be opened the log says so, and the old one is kept. */
void hf_audit_file_reopen(struct audit_file *file);
/* Waits for what is queued, but not for long: for a process that ends in the midst of it. */
void hf_audit_file_flush(struct audit_file *file);
/* The same at an orderly end.  The server is there still, for its log. */
void hf_audit_file_close(struct audit_file *file);

#endif
