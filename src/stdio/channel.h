/* stdio/channel.h - private descriptors for messages. */
#ifndef HAFT_SRC_CHANNEL_H
#define HAFT_SRC_CHANNEL_H

#include "base/base.h"

struct channel {
    int in, out;
    int in_flags, out_flags; /* original flags */
};

/* Moves messages to private descriptors. If they were on standard input, that is at end of file
 * from now on; if on standard output, that goes to standard error. Returns 0 or HAFT_ECLOSED. */
int hf_channel_open(struct channel *channel, int in, int out);

/* Restores the flags of the files, which other processes may share. */
void hf_channel_restore_flags(const struct channel *channel);
void hf_channel_close(struct channel *channel);

/* Redirects standard output to standard error, until the return value is passed to the restore
 * function. */
int hf_stdout_divert(void);
void hf_stdout_restore(int diverted);

#endif
