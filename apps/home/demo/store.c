/* store.c - records of registries: JSON objects by id, in the order in which they were made. */
#include "demo/model.h"

struct demo_record *demo_record(struct demo *demo, enum demo_registry which, const char *id)
{
    struct demo_store *store = &demo->stores[which];

    for (size_t i = 0; i < store->n; i++)
        if (!strcmp(store->at[i].id, id))
            return &store->at[i];
    return NULL;
}

haft_value *demo_record_value(struct demo *demo, enum demo_registry which, const char *id)
{
    struct demo_record *record = demo_record(demo, which, id);

    return record ? demo_parse(demo, record->json) : NULL;
}

int demo_record_put(struct demo *demo, enum demo_registry which, const char *id, const char *json)
{
    struct demo_store *store = &demo->stores[which];
    struct demo_record *record = demo_record(demo, which, id);
    char *copy = json ? demo_dup(demo, json) : NULL, *name;

    if (!copy)
        return HAFT_ENOMEM;
    if (record) {
        demo_drop(demo, record->json);
        record->json = copy;
        record->modified = demo->now;
        return 0;
    }
    name = demo_dup(demo, id);
    if (!name ||
        !demo_grow(demo, (void **)&store->at, store->n, &store->capacity, sizeof *store->at)) {
        demo_drop(demo, name);
        demo_drop(demo, copy);
        return HAFT_ENOMEM;
    }
    store->at[store->n++] = (struct demo_record){name, copy, demo->now, demo->now};
    return 0;
}

void demo_record_remove(struct demo *demo, enum demo_registry which, const char *id)
{
    struct demo_store *store = &demo->stores[which];
    struct demo_record *record = demo_record(demo, which, id);
    size_t after;

    if (!record)
        return;
    demo_drop(demo, record->id);
    demo_drop(demo, record->json);
    after = (size_t)(store->at + store->n - record - 1);
    memmove(record, record + 1, after * sizeof *record);
    store->n--;
}

void demo_stores_free(struct demo *demo)
{
    for (size_t i = 0; i < DEMO_REGISTRIES; i++) {
        struct demo_store *store = &demo->stores[i];

        for (size_t k = 0; k < store->n; k++) {
            demo_drop(demo, store->at[k].id);
            demo_drop(demo, store->at[k].json);
        }
        demo_release(demo, store->at, store->capacity * sizeof *store->at);
    }
}
