/* dev_watch.h - which files of a directory have changed.
 *
 * A directory and those below it are watched, but for directories that hold no sources.  The
 * output of a build is ignored: dev_outputs distinguishes it from edits during the build. */
#ifndef HAFT_DEV_WATCH_H
#define HAFT_DEV_WATCH_H

#include <uv.h>

#include "base/base.h"

enum {
    DEV_MAX_DIRECTORIES = 8192,
    DEV_MAX_PATHS = 1024, /* that are remembered of a build */
    DEV_MAX_REPEATS = 3   /* of a build because files changed during it */
};

struct dev_directory;

struct dev_watch {
    uv_loop_t *loop;
    struct dev_directory *directories;
    size_t n_directories;
    bool complained;  /* that there are too many */
    const char *only; /* a file that is watched though its directory may not be; or NULL */
    void (*changed)(void *context, const char *path);
    void *context;
};

/* Watches the directory; 0, or an error of libuv for the directory itself.  Those below it that
 * cannot be watched are reported on standard error. */
int dev_watch_start(struct dev_watch *watch, uv_loop_t *loop, const char *path);
/* Also watches that file. */
int dev_watch_file(struct dev_watch *watch, const char *path);
/* Closes all handles: the loop has to run once more. */
void dev_watch_stop(struct dev_watch *watch);

/* Whether a directory of that name holds no sources: hidden, or a usual name for what is built. */
bool dev_watch_skips_directory(const char *name);
/* Whether to ignore a file of that name: a temporary file of an editor, an object, a log. */
bool dev_watch_skips_file(const char *name);

/* Paths that changed during builds.  A path that changes during a build, and again when the build
 * is repeated though nothing else has changed, is an output of the build. */
struct dev_paths {
    char *at[DEV_MAX_PATHS];
    size_t n;
};

struct dev_outputs {
    struct dev_paths known, suspected, during;
    unsigned repeats;
};

/* A path has changed; returns whether to act on it now. */
bool dev_outputs_change(struct dev_outputs *outputs, const char *path, bool building);
/* A build has ended; returns whether it must be repeated. */
bool dev_outputs_built(struct dev_outputs *outputs);
void dev_outputs_finish(struct dev_outputs *outputs);

#endif
