/* task_watch.h - what the program does while it waits for a task: it remembers the task before the user could
 * lose it, tells the user how to return to it, and forgets it when its result is there. */
#ifndef HAFT_TASK_WATCH_H
#define HAFT_TASK_WATCH_H

#include "peer.h"
#include "task_file.h"

struct task_watch {
    const struct invocation *call;
    struct peer *peer;
    const char *url;  /* NULL for a command, which is in `call` */
    const char *tool; /* may be NULL */
    char *id;         /* of the task that the file has; NULL before there is one */
};

/* Callbacks of a peer_request, whose context is a task_watch. */
void task_watch_begun(void *context, const char *task, yyjson_val *value);
void task_watch_left(void *context, const char *task);
/* The request has ended with that status and, if it is EXIT_DONE, that result: forgets the task, unless it may
 * still go on. */
void task_watch_end(struct task_watch *watch, int status, yyjson_val *result);

/* The entry of a task at the server of the command line. */
struct task_entry task_watch_entry(const struct task_watch *watch, const char *id);
/* Identifies the header Authorization of the command line: "" for none, otherwise a digest. */
void task_watch_access(const struct invocation *call, char ret_text[33]);

#endif
