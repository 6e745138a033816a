/* hass.c - the Home Assistant client: making one, and its end. */
#include "hass/client.h"

enum { HASS_TIMEOUT_MS = 30000 };

static char *hass_name_of(const haft_allocator *allocator, const char *url)
{
    static const char prefix[] = "Home Assistant at ";
    size_t size = url ? strlen(url) : 0;
    char *name;

    if (!url)
        return hass_keep(allocator, "The demo home");
    while (size && url[size - 1] == '/')
        size--;
    name = hass_alloc(allocator, sizeof prefix + size);
    if (name) {
        memcpy(name, prefix, sizeof prefix - 1);
        memcpy(name + sizeof prefix - 1, url, size);
        name[sizeof prefix - 1 + size] = '\0';
    }
    return name;
}

static bool hass_init_threads(struct hass *hass)
{
    if (hass_tasks_init(&hass->tasks))
        return false;
    if (uv_mutex_init(&hass->lock))
        goto no_lock;
    if (uv_mutex_init(&hass->reading))
        goto no_reading;
    if (uv_cond_init(&hass->moved))
        goto no_moved;
    if (uv_cond_init(&hass->changed))
        goto no_changed;
    if (!uv_cond_init(&hass->keep))
        return true;
    uv_cond_destroy(&hass->changed);
no_changed:
    uv_cond_destroy(&hass->moved);
no_moved:
    uv_mutex_destroy(&hass->reading);
no_reading:
    uv_mutex_destroy(&hass->lock);
no_lock:
    hass_tasks_finish(&hass->tasks);
    return false;
}

static void hass_free_names(struct hass *hass)
{
    hass_drop(hass->allocator, hass->name);
    hass_drop(hass->allocator, hass->entities);
    hass_drop(hass->allocator, hass->audio_dir);
    hass_release(hass->allocator, hass, sizeof *hass);
}

struct hass *hass_new_timed(const struct home_options *options, struct hass_link link,
                            const struct hass_times *times, haft_reason *reterr_reason)
{
    const haft_allocator *allocator = hf_allocator_or_default(options->allocator);
    struct hass *hass = link.context ? hass_alloc(allocator, sizeof *hass) : NULL;

    if (!hass)
        goto no_memory;
    *hass = (struct hass){.allocator = allocator, .link = link, .times = *times};
    hass->timeout_ms = options->timeout_ms ? options->timeout_ms : HASS_TIMEOUT_MS;
    hass->outbox.end = &hass->outbox.first;
    hass->name = hass_name_of(allocator, options->url);
    hass->entities = hass_keep(allocator, options->entities);
    hass->audio_dir = hass_keep(allocator, options->audio_dir);
    hass_table_init(&hass->states, allocator);
    if (!hass->name || (options->entities && !hass->entities) ||
        (options->audio_dir && !hass->audio_dir) || !hass_init_threads(hass)) {
        hass_free_names(hass);
        goto no_memory;
    }
    return hass;
no_memory:
    if (link.free)
        link.free(link.context);
    hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    return NULL;
}

const char *hass_audio_dir(const haft_call *call)
{
    return home_hass(call)->audio_dir;
}

struct hass *hass_new(const struct home_options *options, struct hass_link link,
                      haft_reason *reterr_reason)
{
    return hass_new_timed(options, link, &hass_usual_times, reterr_reason);
}

void hass_free(struct hass *hass)
{
    struct hass_schema *schema;

    if (!hass)
        return;
    hass_tasks_stop(hass);
    uv_mutex_lock(&hass->lock);
    hass->stopping = true;
    uv_cond_signal(&hass->keep);
    uv_mutex_unlock(&hass->lock);
    if (hass->kept)
        uv_thread_join(&hass->keeper);
    if (hass->link.free)
        hass->link.free(hass->link.context);
    while ((schema = hass->schemas)) {
        hass->schemas = schema->next;
        haft_schema_free(schema->schema);
        hass_release(hass->allocator, schema, sizeof *schema);
    }
    haft_arena_free(hass->message);
    hass_table_finish(&hass->states);
    hass_places_finish(&hass->places);
    uv_cond_destroy(&hass->keep);
    uv_cond_destroy(&hass->changed);
    uv_cond_destroy(&hass->moved);
    uv_mutex_destroy(&hass->reading);
    uv_mutex_destroy(&hass->lock);
    hass_tasks_finish(&hass->tasks);
    hass_free_names(hass);
}

int64_t hass_now(haft_call *call)
{
    int64_t (*now)(void) = home_hass(call)->times.now;
    uv_timeval64_t time = {0};

    if (now)
        return now();
    uv_gettimeofday(&time);
    return time.tv_sec * 1000 + time.tv_usec / 1000;
}

bool hass_is_watched(haft_call *call)
{
    struct hass *hass = home_hass(call);
    bool watched;

    uv_mutex_lock(&hass->reading);
    watched = hass->on_change;
    uv_mutex_unlock(&hass->reading);
    return watched;
}

void hass_watch(struct hass *hass, void (*on_change)(void *context, const char *entity_id),
                void *context)
{
    uv_mutex_lock(&hass->reading);
    hass->on_change = on_change;
    hass->on_change_context = context;
    uv_mutex_unlock(&hass->reading);
}
