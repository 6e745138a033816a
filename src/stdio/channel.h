/* stdio/channel.h - the descriptors that messages go through, out of everybody else's way. */
#ifndef HAFT_SRC_CHANNEL_H
#define HAFT_SRC_CHANNEL_H

#include "base/base.h"

struct channel {
    int in, out;
    int in_flags, out_flags; /* as they were found */
};

/* Moves the wire to private descriptors.  If it was standard input, that reads nothing from now
 * on; if it was standard output, that writes to standard error.  0, or HAFT_ECLOSED. */
int hf_channel_open(struct channel *channel, int in, int out);

/* Others may hold the same files: gives them their flags back. */
void hf_channel_restore_flags(const struct channel *channel);
void hf_channel_close(struct channel *channel);

/* Sends what is printed to standard error, until the restore gets what this returns. */
int hf_stdout_divert(void);
void hf_stdout_restore(int diverted);

#endif
