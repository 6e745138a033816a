/* dev_watch.c - directories by inotify, one handle each. */
#include "dev_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

struct dev_directory {
    struct dev_directory *next;
    struct dev_watch *watch;
    uv_fs_event_t event;
    bool only;   /* for one file of it */
    bool listed; /* those below it are watched */
    char path[];
};

/* ---- names ---- */

static bool dev_name_is(const char *name, const char *const *patterns)
{
    for (; *patterns; patterns++)
        if (hf_glob_match(*patterns, strlen(*patterns), name))
            return true;
    return false;
}

bool dev_watch_skips_directory(const char *name)
{
    static const char *const patterns[] = {
        ".*",     "build",      "build-*", "build_*",      "cmake-build*", "_build",  "out", "dist",
        "target", "CMakeFiles", "Testing", "node_modules", "__pycache__",  "bazel-*", NULL};

    return dev_name_is(name, patterns);
}

bool dev_watch_skips_file(const char *name)
{
    static const char *const patterns[] = {
        ".*",       "#*",        "*~",     "*.o",    "*.obj",      "*.a",         "*.so",
        "*.so.*",   "*.d",       "*.gch",  "*.pyc",  "*.class",    "*.swp",       "*.swx",
        "*.tmp",    "*.bak",     "*.log",  "*.pid",  "*.lock",     "*.db",        "*.db-*",
        "*.sqlite", "*.sqlite3", "*.gcda", "*.gcno", "*.sqlite-*", "*.sqlite3-*", "4913",
        "core",     "core.*",    NULL};

    return dev_name_is(name, patterns);
}

/* A program or library that was built, wherever it lies. */
static bool dev_is_built(const char *path)
{
    char magic[4] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, magic, sizeof magic) : -1;

    if (fd >= 0)
        close(fd);
    return n == sizeof magic && !memcmp(magic, "\177ELF", sizeof magic);
}

/* ---- directories ---- */

static void dev_on_directory_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void dev_directory_close(struct dev_watch *watch, struct dev_directory **link)
{
    struct dev_directory *directory = *link;

    *link = directory->next;
    watch->n_directories--;
    uv_close((uv_handle_t *)&directory->event, dev_on_directory_closed);
}

/* A directory that is gone, and all below it. */
static void dev_watch_forget(struct dev_watch *watch, const char *path)
{
    size_t size = strlen(path);

    for (struct dev_directory **link = &watch->directories; *link;) {
        const char *each = (*link)->path;

        if (!(*link)->only && !strncmp(each, path, size) && (!each[size] || each[size] == '/'))
            dev_directory_close(watch, link);
        else
            link = &(*link)->next;
    }
}

static bool dev_watch_has(const struct dev_watch *watch, const char *path)
{
    for (const struct dev_directory *each = watch->directories; each; each = each->next)
        if (!each->only && !strcmp(each->path, path))
            return true;
    return false;
}

static void dev_watch_complain(struct dev_watch *watch, const char *path, int status)
{
    if (!watch->complained)
        complain(0, "cannot watch %s: %s%s", path, uv_strerror(status),
                 status == UV_ENOSPC ? "; raise fs.inotify.max_user_watches" : "");
    watch->complained = true;
}

static bool dev_join(char ret_path[PATH_MAX], const char *directory, const char *name)
{
    const char *slash = directory[strlen(directory) - 1] == '/' ? "" : "/";
    int size = strcmp(directory, ".")
                   ? snprintf(ret_path, PATH_MAX, "%s%s%s", directory, slash, name)
                   : snprintf(ret_path, PATH_MAX, "%s", name);

    return size > 0 && size < PATH_MAX;
}

/* ---- events ---- */

static void dev_watch_found(struct dev_watch *watch, const char *path);

static void dev_watch_look(struct dev_watch *watch, const char *path, const char *name)
{
    struct stat status;

    if (lstat(path, &status)) {
        dev_watch_forget(watch, path);
    } else if (S_ISDIR(status.st_mode)) {
        /* Files that were created before the new directory is watched cause no event. */
        if (dev_watch_skips_directory(name) || dev_watch_has(watch, path))
            return;
        dev_watch_found(watch, path);
    }
    if (!dev_watch_skips_file(name) && !dev_is_built(path))
        watch->changed(watch->context, path);
}

static void dev_on_event(uv_fs_event_t *handle, const char *name, int events, int status)
{
    struct dev_directory *directory = handle->data;
    struct dev_watch *watch = directory->watch;
    char path[PATH_MAX];

    (void)events;
    if (status || !name || !*name || !dev_join(path, directory->path, name))
        return;
    if (!directory->only)
        dev_watch_look(watch, path, name);
    else if (!strcmp(path, watch->only))
        watch->changed(watch->context, path);
}

static int dev_watch_add(struct dev_watch *watch, const char *path, bool only)
{
    struct dev_directory *directory;
    size_t size = strlen(path) + 1;
    int status;

    if (watch->n_directories == DEV_MAX_DIRECTORIES)
        return UV_ENOSPC;
    directory = calloc(1, sizeof *directory + size);
    if (!directory)
        return UV_ENOMEM;
    memcpy(directory->path, path, size);
    directory->watch = watch;
    directory->only = only;
    directory->event.data = directory;
    uv_fs_event_init(watch->loop, &directory->event);
    status = uv_fs_event_start(&directory->event, dev_on_event, path, 0);
    directory->next = watch->directories;
    watch->directories = directory;
    watch->n_directories++;
    if (status)
        dev_directory_close(watch, &watch->directories);
    return status;
}

/* ---- what is below ---- */

static void dev_directory_list(struct dev_watch *watch, struct dev_directory *directory)
{
    DIR *stream = opendir(directory->path);
    const struct dirent *entry;
    char below[PATH_MAX];
    struct stat status;
    int failed;

    directory->listed = true;
    while (stream && (entry = readdir(stream))) {
        if (dev_watch_skips_directory(entry->d_name) ||
            !dev_join(below, directory->path, entry->d_name) || lstat(below, &status) ||
            !S_ISDIR(status.st_mode) || dev_watch_has(watch, below))
            continue;
        failed = dev_watch_add(watch, below, false);
        if (failed)
            dev_watch_complain(watch, below, failed);
    }
    if (stream)
        closedir(stream);
}

/* Lists directories until all are listed: those that it finds are put in front. */
static void dev_watch_list(struct dev_watch *watch)
{
    struct dev_directory *each = watch->directories;

    while (each) {
        bool waits = !each->listed && !each->only;

        if (waits)
            dev_directory_list(watch, each);
        each = waits ? watch->directories : each->next;
    }
}

static void dev_watch_found(struct dev_watch *watch, const char *path)
{
    int status = dev_watch_add(watch, path, false);

    if (status)
        dev_watch_complain(watch, path, status);
    dev_watch_list(watch);
}

int dev_watch_start(struct dev_watch *watch, uv_loop_t *loop, const char *path)
{
    int status;

    watch->loop = loop;
    status = dev_watch_add(watch, path, false);
    if (!status)
        dev_watch_list(watch);
    return status;
}

int dev_watch_file(struct dev_watch *watch, const char *path)
{
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];

    if (!slash || slash == path || slash - path >= PATH_MAX)
        return 0;
    memcpy(directory, path, (size_t)(slash - path));
    directory[slash - path] = '\0';
    watch->only = path;
    return dev_watch_add(watch, directory, true);
}

void dev_watch_stop(struct dev_watch *watch)
{
    while (watch->directories)
        dev_directory_close(watch, &watch->directories);
}
