/* observe/spool.h - writes lines to a file on a separate thread.
 *
 * A FIFO without a reader, a full pipe and a hanging disk block the writing thread. So that this is
 * never a serving thread, lines are copied to a bounded queue; the spool's thread opens, writes and
 * waits. Lines that cannot be written stay in the queue for another attempt; lines that do not fit
 * in the queue are lost and counted. */
#ifndef HAFT_SRC_SPOOL_H
#define HAFT_SRC_SPOOL_H

#include <haft/base.h>

struct spool;

/* Events, reported on any thread: */
enum spool_event {
    SPOOL_FAILS,  /* the file cannot be written, with `why` */
    SPOOL_LOSES,  /* the queue is full: lines are lost from now on */
    SPOOL_WRITES, /* after one of these: everything is written again; `lost` lines were lost */
    SPOOL_STAYS,  /* the file could not be reopened, with `why`: the old one is kept */
    SPOOL_ENDS    /* `lost` lines are lost at the end */
};

typedef void spool_report(void *context, enum spool_event event, const char *why, size_t lost);

struct spool_options {
    const haft_allocator *allocator; /* NULL for the default */
    const char *path;                /* copied */
    size_t limit;                    /* size of the queue in bytes */
    spool_report *report;
    void *context;
};

/* Opens the file for appending, without blocking; a FIFO is opened as soon as it has a reader.
 * Lines can be added from now on. Returns 0 or -errno. */
int hf_spool_open(struct spool **ret_spool, const struct spool_options *options);

/* Starts the thread, after processes have been forked. Returns 0, or HAFT_EBUSY if that failed. */
int hf_spool_start(struct spool *spool);

/* Adds a line, without line breaks; keeps the order, callable on any thread, never blocks. */
void hf_spool_put(struct spool *spool, const char *line, size_t size);

/* Opens the file again under its name: lines added from now on, and lines that the old file does
 * not accept, go there. Does not block. */
void hf_spool_reopen(struct spool *spool);

/* Waits up to `ms` until everything is written, but not for a file that fails. */
void hf_spool_flush(struct spool *spool, unsigned ms);

/* The same, and frees the spool. If the thread is blocked in the system, it is abandoned with the
 * memory it uses. NULL is ignored. */
void hf_spool_close(struct spool *spool, unsigned ms);

#endif
