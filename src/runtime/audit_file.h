/* runtime/audit_file.h - the audit of servers as lines of a file. */
#ifndef HAFT_SRC_AUDIT_FILE_H
#define HAFT_SRC_AUDIT_FILE_H

#include <haft/pipeline.h>
#include <stdatomic.h>

struct audit_file {
    int fd; /* -1 when there is none */
    haft_server *server;
    atomic_size_t lost; /* lines, since the log was told */
    atomic_bool torn;   /* the last line in the file is not whole */
};

/* Opens it for appending; 0, or an error with its reason kept by the server, whose log is told what
 * goes wrong later. */
int audit_file_open(struct audit_file *file, haft_server *server, const char *path);
/* The server's calls are lines of it from now on. */
int audit_file_take(struct audit_file *file, haft_server *server);
/* Goes on in the file that is called so now, after the old one was moved away; lines that are being
 * written go to either.  0; or -errno, and the old one is kept. */
int audit_file_reopen(struct audit_file *file, const char *path);
void audit_file_close(struct audit_file *file);

#endif
