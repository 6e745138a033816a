/* observe/spool.h - lines on their way to a file, written by a thread of their own.
 *
 * A FIFO without a reader, a pipe that is full and a disk that hangs stop whoever writes to them.
 * So that this is never a thread that serves, lines are copied to a queue with a limit; the thread
 * opens, writes and waits.  What the file refuses stays in the queue and is tried again; what does
 * not fit in the queue is lost and counted. */
#ifndef HAFT_SRC_SPOOL_H
#define HAFT_SRC_SPOOL_H

#include <haft/base.h>

struct spool;

/* What there is to tell, on any thread: */
enum spool_event {
    SPOOL_FAILS,  /* the file cannot be written, and `why` */
    SPOOL_LOSES,  /* the queue is full: lines are lost from now on */
    SPOOL_WRITES, /* after one of these: everything is written again; so many lines were `lost` */
    SPOOL_STAYS,  /* the file could not be opened again, and `why`: the old one is kept */
    SPOOL_ENDS    /* so many lines are `lost` at the end */
};

typedef void spool_report(void *context, enum spool_event event, const char *why, size_t lost);

struct spool_options {
    const haft_allocator *allocator; /* NULL for the default */
    const char *path;                /* copied */
    size_t limit;                    /* of the queue, in bytes */
    spool_report *report;
    void *context;
};

/* Opens the file for appending, without waiting; a FIFO that nobody reads is opened when somebody
 * does.  Lines can be put from now on.  0, or -errno. */
int hf_spool_open(struct spool **ret_spool, const struct spool_options *options);

/* Starts the thread; what forks comes before that.  0, or HAFT_EBUSY when there is none. */
int hf_spool_start(struct spool *spool);

/* A line without its end, and without one inside; in their order, from any thread, without waiting. */
void hf_spool_put(struct spool *spool, const char *line, size_t size);

/* What is put from now on goes to the file that has the name then; and so does what the old one does
 * not take.  Does not wait. */
void hf_spool_reopen(struct spool *spool);

/* Waits until everything is written, at most so long, and not for a file that fails. */
void hf_spool_flush(struct spool *spool, unsigned ms);

/* The same, and frees it.  A thread that the system does not give back by then is left behind with
 * what it uses.  NULL is fine. */
void hf_spool_close(struct spool *spool, unsigned ms);

#endif
