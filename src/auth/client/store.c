/* store.c - the store of an OAuth client. */
#include "auth/client/store.h"

#include "auth/wiping.h"

struct auth_entry {
    struct auth_entry *next;
    char *key, *value;
};

static struct auth_entry **auth_store_find(struct auth_store *store, const char *key)
{
    struct auth_entry **place = &store->entries;

    while (*place && strcmp((*place)->key, key) != 0)
        place = &(*place)->next;
    return place;
}

static void auth_store_drop(struct auth_store *store, struct auth_entry **place)
{
    const haft_allocator *allocator = store->allocator;
    struct auth_entry *entry = *place;

    *place = entry->next;
    hf_wiping_free(allocator, entry->key);
    hf_wiping_free(allocator, entry->value);
    allocator->release(allocator->context, entry, sizeof *entry);
    store->n_entries--;
}

static int auth_store_keep(struct auth_store *store, const char *key, const char *value)
{
    const haft_allocator *allocator = store->allocator;
    struct auth_entry **place = auth_store_find(store, key);
    struct auth_entry *entry;
    char *copy;

    if (!*place) {
        if (store->n_entries == AUTH_STORE_ENTRIES)
            return HAFT_ETOOBIG;
        entry = allocator->alloc(allocator->context, sizeof *entry);
        if (!entry)
            return HAFT_ENOMEM;
        *entry = (struct auth_entry){.key = hf_wiping_copy(allocator, key)};
        *place = entry;
        store->n_entries++;
        if (!entry->key) {
            auth_store_drop(store, place);
            return HAFT_ENOMEM;
        }
    }
    copy = hf_wiping_copy(allocator, value);
    if (!copy) {
        if (!(*place)->value)
            auth_store_drop(store, place);
        return HAFT_ENOMEM;
    }
    hf_wiping_free(allocator, (*place)->value);
    (*place)->value = copy;
    return 0;
}

int hf_auth_store_load(struct auth_store *store, const char *key, haft_buffer *ret_value,
                       haft_reason *reterr_reason)
{
    struct auth_entry *entry;
    int status;

    if (store->load) {
        status = store->load(store->context, key, ret_value);
        status = status ? status : ret_value->status;
        if (status && status != HAFT_ENOTFOUND)
            hf_error_set(reterr_reason, status, "load", "the tokens cannot be loaded: %s",
                         haft_strerror(status));
        return status;
    }
    if (store->file)
        return hf_auth_file_load(store->file, key, store->allocator, ret_value, reterr_reason);
    entry = *auth_store_find(store, key);
    if (!entry)
        return HAFT_ENOTFOUND;
    haft_buffer_puts(ret_value, entry->value);
    return ret_value->status ? hf_error_set(reterr_reason, ret_value->status, "", "%s",
                                            haft_strerror(ret_value->status))
                             : 0;
}

int hf_auth_store_save(struct auth_store *store, const char *key, const char *value, size_t size,
                       haft_reason *reterr_reason)
{
    struct auth_entry **place;
    int status = 0;

    if (store->save) {
        status = store->save(store->context, key, value, size);
        return status == HAFT_ENOTFOUND && !value ? 0
               : status                           ? hf_error_set(reterr_reason, status, "save",
                                                                 "the tokens cannot be saved: %s", haft_strerror(status))
                                                  : 0;
    }
    if (store->file)
        return hf_auth_file_save(store->file, key, value, size, store->allocator, reterr_reason);
    if (value) {
        status = auth_store_keep(store, key, value);
    } else {
        place = auth_store_find(store, key);
        if (*place)
            auth_store_drop(store, place);
    }
    return status ? hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status)) : 0;
}

void hf_auth_store_finish(struct auth_store *store)
{
    while (store->entries)
        auth_store_drop(store, &store->entries);
}
