/* plugin_files.h - shared objects that come, go and change on the disk, and which of them are
 * loaded. */
#ifndef HAFT_TESTS_PLUGIN_FILES_H
#define HAFT_TESTS_PLUGIN_FILES_H

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/child.h"
#include "support/test.h"

/* A folder for copies. */
struct folder {
    char path[PATH_MAX / 4];
};

HAFT_MAYBE_UNUSED_ static void folder_open(struct folder *folder)
{
    snprintf(folder->path, sizeof folder->path, "%s/haft-plugins-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_non_null(mkdtemp(folder->path));
}

/* The name of a file in it, in one of a few buffers that are used in turn. */
HAFT_MAYBE_UNUSED_ static const char *folder_file(const struct folder *folder, const char *name)
{
    static char paths[8][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % COUNT_OF(paths)];

    snprintf(path, sizeof paths[0], "%s/%s", folder->path, name);
    return path;
}

/* Writes a plugin of the build over the file, in place; at most so many bytes of it. */
HAFT_MAYBE_UNUSED_ static void put_part(const char *path, const char *plugin, size_t size)
{
    char from[PATH_MAX], block[4096];
    int in, out;
    ssize_t n;

    snprintf(from, sizeof from, PLUGINS "%s.so", plugin);
    in = open(from, O_RDONLY);
    out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(in >= 0 && out >= 0);
    while (size && (n = read(in, block, size < sizeof block ? size : sizeof block)) > 0) {
        assert_int_equal(write(out, block, (size_t)n), n);
        size -= (size_t)n;
    }
    close(in);
    close(out);
}

HAFT_MAYBE_UNUSED_ static void put_plugin(const char *path, const char *plugin)
{
    put_part(path, plugin, SIZE_MAX);
}

/* Puts it in the place of the file, as those do who install software. */
HAFT_MAYBE_UNUSED_ static void swap_plugin(const char *path, const char *plugin)
{
    char beside[PATH_MAX + 8];

    snprintf(beside, sizeof beside, "%s.new", path);
    put_plugin(beside, plugin);
    assert_int_equal(rename(beside, path), 0);
}

HAFT_MAYBE_UNUSED_ static void folder_close(const struct folder *folder, const char *const *names)
{
    for (size_t i = 0; names[i]; i++)
        unlink(folder_file(folder, names[i]));
    assert_int_equal(rmdir(folder->path), 0);
}

/* Plugins whose code is mapped. */
HAFT_MAYBE_UNUSED_ static size_t mapped(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[PATH_MAX];
    size_t n = 0;

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        n += strstr(line, "haft-plugin") && strstr(line, " r-xp ");
    fclose(maps);
    return n;
}

/* Descriptors that are open. */
HAFT_MAYBE_UNUSED_ static size_t opened(void)
{
    size_t n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

#endif
