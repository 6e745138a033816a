/* store/sqlite/writer.h - the thread that does all work of a store. */
#ifndef HAFT_SRC_SQLITE_WRITER_H
#define HAFT_SRC_SQLITE_WRITER_H

#include "store/sqlite/channel.h"
#include "store/sqlite/file.h"
#include "store/sqlite/report.h"

struct sqlite_store {
    haft_store store; /* must be first: others hold a pointer to it */
    struct db db;
    struct queue queue;
    struct channels channels;
    struct report report;
    pthread_t thread;
    unsigned poll_ms;
    int64_t polled_at;   /* when messages of other processes were read last */
    int64_t swept_at;    /* time of the requests when expired entries were removed last */
    bool more_expired;   /* there are entries to remove */
    int64_t clean_after; /* when to try again after removing them has failed */
    bool gives_up;       /* it is being closed and the file is locked */
    char *file;
};

/* Main function of the thread; its argument is a sqlite_store. Ends when the queue is closed and empty. */
void *hf_writer_run(void *context);

#endif
