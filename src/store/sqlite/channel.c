/* channel.c - messages: delivered in this process after the commit, and read from the file by other
 * processes, which look whether it has changed. */
#include "store/sqlite/channel.h"

#include <string.h>

int hf_channels_init(struct channels *channels)
{
    *channels = (struct channels){0};
    return pthread_mutex_init(&channels->lock, NULL) ? HAFT_EFAIL : 0;
}

void hf_channels_finish(struct channels *channels)
{
    pthread_mutex_destroy(&channels->lock);
}

void hf_channels_add(struct channels *channels, haft_store_subscriber *subscriber)
{
    pthread_mutex_lock(&channels->lock);
    subscriber->next = channels->first;
    channels->first = subscriber;
    pthread_mutex_unlock(&channels->lock);
}

void hf_channels_remove(struct channels *channels, haft_store_subscriber *subscriber)
{
    haft_store_subscriber **link = &channels->first;

    pthread_mutex_lock(&channels->lock);
    while (*link && *link != subscriber)
        link = &(*link)->next;
    if (*link)
        *link = subscriber->next;
    pthread_mutex_unlock(&channels->lock);
}

bool hf_channels_has_any(struct channels *channels)
{
    bool any;

    pthread_mutex_lock(&channels->lock);
    any = channels->first;
    pthread_mutex_unlock(&channels->lock);
    return any;
}

/* ---- delivery; the caller must hold the lock ---- */

static bool channel_same(haft_slice a, haft_slice b)
{
    return a.size == b.size && !memcmp(a.data, b.data, a.size);
}

static void channels_deliver(struct channels *channels, haft_slice space, haft_slice channel,
                             const haft_slice *value)
{
    for (haft_store_subscriber *at = channels->first; at; at = at->next) {
        if (!channel_same(HAFT_SLICE(at->space), space) ||
            (at->channel.size && !channel_same(at->channel, channel)))
            continue;
        if (value)
            at->message(at, channel, *value);
        else if (at->gap)
            at->gap(at);
    }
}

static void channels_report_gap(struct channels *channels)
{
    for (haft_store_subscriber *at = channels->first; at; at = at->next)
        if (at->gap)
            at->gap(at);
}

void hf_channels_publish(struct channels *channels, const haft_store_request *request,
                         const struct apply_names *names)
{
    for (size_t i = 0; i < request->n_ops; i++) {
        if (request->ops[i].kind != HAFT_STORE_PUBLISH)
            continue;
        pthread_mutex_lock(&channels->lock);
        channels_deliver(channels, HAFT_SLICE(names->space), names->keys[i], &names->values[i]);
        pthread_mutex_unlock(&channels->lock);
    }
}

void hf_channels_advance(struct channels *channels, int64_t message)
{
    pthread_mutex_lock(&channels->lock);
    if (!channels->first)
        channels->position = message;
    pthread_mutex_unlock(&channels->lock);
}

/* ---- other processes ---- */

/* Whether another connection has changed the file. */
static bool channels_changed(struct channels *channels, struct db *db)
{
    sqlite3_stmt *row;
    int64_t version;

    db->error = 0;
    if (hf_db_first(db, &row, DB_DATA_VERSION, "") < 1)
        return false;
    version = sqlite3_column_int64(row, 0);
    hf_db_end(row);
    if (channels->looked && version == channels->data_version)
        return false;
    channels->looked = true;
    channels->data_version = version;
    return true;
}

static void channels_read(struct channels *channels, struct db *db)
{
    sqlite3_stmt *rows;
    int64_t lost = db->message - channels->position;

    if (lost > DB_KEPT_MESSAGES || lost < 0) /* or an older file was restored */
        channels_report_gap(channels);
    rows = hf_db_start(db, DB_MESSAGES, "ii", channels->position, db->origin);
    while (hf_db_step(db, rows) > 0) {
        bool known = sqlite3_column_type(rows, 2) != SQLITE_NULL;
        haft_slice value = hf_db_slice(rows, 2);

        channels_deliver(channels, hf_db_slice(rows, 0), hf_db_slice(rows, 1),
                         known ? &value : NULL);
    }
    if (!db->error)
        channels->position = db->message;
}

int hf_channels_poll(struct channels *channels, struct db *db)
{
    if (!channels_changed(channels, db))
        return db->error ? -1 : 0;
    if (hf_db_begin(db, false, false)) {
        channels->looked = false;
        return -1;
    }
    pthread_mutex_lock(&channels->lock);
    if (db->message != channels->position)
        channels_read(channels, db);
    pthread_mutex_unlock(&channels->lock);
    channels->looked = !db->error;
    return hf_db_commit(db);
}
