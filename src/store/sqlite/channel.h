/* store/sqlite/channel.h - subscribers in this process, and messages of other processes. */
#ifndef HAFT_SRC_SQLITE_CHANNEL_H
#define HAFT_SRC_SQLITE_CHANNEL_H

#include <pthread.h>

#include "store/sqlite/queue.h"

struct channels {
    pthread_mutex_t lock;
    haft_store_subscriber *first;
    int64_t position;     /* number of the latest message that subscribers need no more */
    int64_t data_version; /* of the file at the last look */
    bool looked;
};

int hf_channels_init(struct channels *channels);
void hf_channels_finish(struct channels *channels);
void hf_channels_add(struct channels *channels, haft_store_subscriber *subscriber);
void hf_channels_remove(struct channels *channels, haft_store_subscriber *subscriber);
bool hf_channels_has_any(struct channels *channels);

/* Delivers what a request has published. */
void hf_channels_publish(struct channels *channels, const haft_store_request *request,
                         const struct apply_names *names);
/* Notes the number of the latest message after a transaction: without subscribers, nobody needs earlier
 * ones. */
void hf_channels_advance(struct channels *channels, int64_t message);
/* Delivers messages of other processes. Returns 0, or -1 with db->error set. */
int hf_channels_poll(struct channels *channels, struct db *db);

#endif
