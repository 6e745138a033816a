/* tree.c - opens, lists and reads below a directory that others may change meanwhile.
 *
 * A path is opened component by component with O_NOFOLLOW, so that no symbolic link is ever followed,
 * also not one that another process puts there between two calls. Files are opened with O_NONBLOCK: a pipe must
 * not stop the server. */
#include "skill/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TREE_BESIDE = O_CLOEXEC | O_NOFOLLOW };

static int tree_fail(int number, haft_reason *reterr_reason)
{
    int code = number == ENOENT || number == ENOTDIR ? HAFT_ENOTFOUND
               : number == ENOMEM                    ? HAFT_ENOMEM
               : number == ELOOP                     ? HAFT_EINVAL
                                                     : HAFT_EFAIL;

    return hf_error_set(reterr_reason, code, "", "%s",
                        number == ELOOP ? "it is a symbolic link" : strerror(number));
}

int hf_tree_open(const char *directory, haft_reason *reterr_reason)
{
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return descriptor < 0 ? tree_fail(errno, reterr_reason) : descriptor;
}

/* Opens a path below the root. Returns a descriptor, or an error with the reason. */
static int tree_open_below(int root, const char *path, int flags, haft_reason *reterr_reason)
{
    char component[256];
    int at = openat(root, ".", O_RDONLY | O_DIRECTORY | TREE_BESIDE);

    while (at >= 0 && *path) {
        size_t size = strcspn(path, "/");
        bool last = !path[size];
        int next;

        if (size >= sizeof component) {
            close(at);
            return tree_fail(ENAMETOOLONG, reterr_reason);
        }
        memcpy(component, path, size);
        component[size] = '\0';
        next = openat(at, component, (last ? flags : O_RDONLY | O_DIRECTORY) | TREE_BESIDE);
        if (next < 0) {
            int number = errno;

            close(at);
            return tree_fail(number, reterr_reason);
        }
        close(at);
        at = next;
        path += size + !last;
    }
    return at < 0 ? tree_fail(errno, reterr_reason) : at;
}

/* ---- directories ---- */

static const char *tree_judge_name(const char *name)
{
    size_t size = strlen(name);

    if (haft_utf8_valid(name, size) != size)
        return "its name is not valid UTF-8";
    for (const char *at = name; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            return "its name contains a control character";
    return NULL;
}

static int tree_add_name(int at, const char *name, haft_arena *arena, struct tree_name ***link,
                         haft_reason *reterr_reason)
{
    struct tree_name *added;
    struct stat facts;

    if (fstatat(at, name, &facts, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : tree_fail(errno, reterr_reason);
    added = haft_arena_zalloc(arena, 1, sizeof *added);
    if (added)
        added->name = haft_arena_copy(arena, name, strlen(name));
    if (!added || !added->name)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    added->directory = S_ISDIR(facts.st_mode);
    added->problem = tree_judge_name(name);
    if (S_ISLNK(facts.st_mode))
        added->problem = "it is a symbolic link";
    else if (!S_ISDIR(facts.st_mode) && !S_ISREG(facts.st_mode))
        added->problem = "it is not a regular file";
    **link = added;
    *link = &added->next;
    return 0;
}

int hf_tree_list(int root, const char *path, size_t *budget, haft_arena *arena,
                 struct tree_name **ret_names, haft_reason *reterr_reason)
{
    int at = tree_open_below(root, path, O_RDONLY | O_DIRECTORY, reterr_reason), status = 0;
    struct tree_name **link = ret_names;
    const struct dirent *entry;
    DIR *directory;

    *ret_names = NULL;
    if (at < 0)
        return at;
    directory = fdopendir(at);
    if (!directory) {
        close(at);
        return tree_fail(ENOMEM, reterr_reason);
    }
    while (!status && (errno = 0, entry = readdir(directory))) {
        if (entry->d_name[0] == '.')
            continue;
        status = *budget ? tree_add_name(at, entry->d_name, arena, &link, reterr_reason)
                         : hf_error_set(reterr_reason, HAFT_ETOOBIG, "",
                                        "there are too many files and directories");
        *budget -= *budget > 0;
    }
    if (!status && errno)
        status = tree_fail(errno, reterr_reason);
    closedir(directory);
    return status;
}

/* ---- files ---- */

/* Reads `size` bytes, which must be all. */
static int tree_read_all(int at, char *bytes, size_t size, haft_reason *reterr_reason)
{
    size_t done = 0;
    ssize_t n = 1;
    char more;

    while (done < size && n > 0) {
        n = read(at, bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            done += (size_t)n;
    }
    if (n < 0)
        return tree_fail(errno, reterr_reason);
    if (done < size || read(at, &more, 1) != 0)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "it changed while it was read");
    bytes[size] = '\0';
    return 0;
}

static int tree_read_open(int at, size_t limit, haft_arena *arena, struct text *ret_contents,
                          haft_reason *reterr_reason)
{
    struct stat facts;
    char *bytes;
    int status;

    if (fstat(at, &facts))
        return tree_fail(errno, reterr_reason);
    if (!S_ISREG(facts.st_mode))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "it is not a regular file");
    if (facts.st_size < 0 || (uint64_t)facts.st_size > limit)
        return hf_error_set(reterr_reason, HAFT_ETOOBIG, "",
                            "it has %lld bytes, and at most %zu are possible here",
                            (long long)facts.st_size, limit);
    bytes = haft_arena_alloc(arena, (size_t)facts.st_size + 1);
    if (!bytes)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    status = tree_read_all(at, bytes, (size_t)facts.st_size, reterr_reason);
    if (!status)
        *ret_contents = (struct text){bytes, (size_t)facts.st_size};
    return status;
}

int hf_tree_read(int root, const char *path, size_t limit, haft_arena *arena,
                 struct text *ret_contents, haft_reason *reterr_reason)
{
    int at = tree_open_below(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, reterr_reason), status;

    if (at < 0)
        return at;
    status = tree_read_open(at, limit, arena, ret_contents, reterr_reason);
    close(at);
    return status;
}
