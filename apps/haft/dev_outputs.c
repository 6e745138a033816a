/* dev_outputs.c - what a build writes, learned from the builds. */
#include <stdlib.h>

#include "dev_watch.h"

static bool dev_paths_have(const struct dev_paths *paths, const char *path)
{
    for (size_t i = 0; i < paths->n; i++)
        if (!strcmp(paths->at[i], path))
            return true;
    return false;
}

/* Drops a path that does not fit, which causes one build more or less. */
static void dev_paths_add(struct dev_paths *paths, const char *path)
{
    char *copy;

    if (paths->n == DEV_MAX_PATHS || dev_paths_have(paths, path))
        return;
    copy = strdup(path);
    if (copy)
        paths->at[paths->n++] = copy;
}

static void dev_paths_clear(struct dev_paths *paths)
{
    while (paths->n)
        free(paths->at[--paths->n]);
}

bool dev_outputs_change(struct dev_outputs *outputs, const char *path, bool building)
{
    if (!building) {
        outputs->repeats = 0;
        return true;
    }
    if (!dev_paths_have(&outputs->known, path))
        dev_paths_add(&outputs->during, path);
    return false;
}

bool dev_outputs_built(struct dev_outputs *outputs)
{
    struct dev_paths *suspected = &outputs->suspected, *during = &outputs->during;
    struct dev_paths fresh = {.n = 0};

    for (size_t i = 0; i < during->n; i++)
        if (dev_paths_have(suspected, during->at[i]))
            dev_paths_add(&outputs->known, during->at[i]);
        else
            dev_paths_add(&fresh, during->at[i]);
    dev_paths_clear(suspected);
    dev_paths_clear(during);
    *suspected = fresh;
    if (suspected->n && outputs->repeats++ < DEV_MAX_REPEATS)
        return true;
    dev_paths_clear(suspected);
    outputs->repeats = 0;
    return false;
}

void dev_outputs_finish(struct dev_outputs *outputs)
{
    dev_paths_clear(&outputs->known);
    dev_paths_clear(&outputs->suspected);
    dev_paths_clear(&outputs->during);
}
