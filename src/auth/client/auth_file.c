/* auth_file.c - tokens in a file. Each change reads the file again under a lock and replaces it as a
 * whole, so that programs that share it do not lose each other's entries, and a crash leaves the old
 * file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "auth/client/store.h"
#include "json/json.h"
#include "json/writer.h"

enum { AUTH_FILE_TRIES = 50, AUTH_FILE_PAUSE = 4 * 1000 * 1000, AUTH_FILE_ARENA = 64 << 20 };

static const char auth_file_format[] = "haft-tokens-1";

static int auth_file_refuse(haft_reason *reason, int code, const char *path, const char *what)
{
    return hf_error_set(reason, code, path, "%s: %s", path, what);
}

static int auth_file_fail(haft_reason *reason, const char *path)
{
    int code = errno == ENOMEM                                       ? HAFT_ENOMEM
               : errno == EACCES || errno == EPERM || errno == EROFS ? HAFT_EDENIED
                                                                     : HAFT_EFAIL;

    return auth_file_refuse(reason, code, path, strerror(errno));
}

/* Whether only its owner, the user of this process, can read and write it. */
static int auth_file_check(int fd, const char *path, haft_reason *reterr_reason)
{
    struct stat file;

    if (fstat(fd, &file))
        return auth_file_fail(reterr_reason, path);
    if (!S_ISREG(file.st_mode))
        return auth_file_refuse(reterr_reason, HAFT_EDENIED, path, "it is not a regular file");
    if (file.st_uid != geteuid())
        return auth_file_refuse(reterr_reason, HAFT_EDENIED, path, "it belongs to another user");
    if (file.st_mode & (S_IRWXG | S_IRWXO))
        return hf_error_set(reterr_reason, HAFT_EDENIED, path,
                            "%s: its mode %04o lets other users access the tokens; run chmod 600 "
                            "on it, and log in again if another user may have read it",
                            path, (unsigned)(file.st_mode & 07777));
    if (file.st_size > AUTH_STORE_FILE)
        return auth_file_refuse(reterr_reason, HAFT_ETOOBIG, path, "it is too large");
    return 0;
}

/* Appends the whole file. */
static int auth_file_slurp(int fd, const char *path, haft_buffer *text, haft_reason *reterr_reason)
{
    char block[4096];
    ssize_t n;

    while ((n = read(fd, block, sizeof block)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            haft_buffer_add(text, block, (size_t)n);
    if (n < 0)
        return auth_file_fail(reterr_reason, path);
    if (text->status)
        return auth_file_refuse(reterr_reason, text->status, path, haft_strerror(text->status));
    return 0;
}

/* Reads the entries, an object; NULL if there is no file. */
static int auth_file_read(const char *path, haft_arena *arena, const haft_allocator *allocator,
                          yyjson_val **ret_entries, haft_reason *reterr_reason)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), status;
    yyjson_val *root, *entries;
    haft_reason reason = {0};
    haft_buffer text;

    *ret_entries = NULL;
    if (fd < 0)
        return errno == ENOENT ? 0 : auth_file_fail(reterr_reason, path);
    haft_buffer_init(&text, allocator, AUTH_STORE_FILE);
    status = auth_file_check(fd, path, reterr_reason);
    if (!status)
        status = auth_file_slurp(fd, path, &text, reterr_reason);
    close(fd);
    if (!status) {
        root = haft_json_read(text.data ? text.data : "", text.size, 8, arena, &reason);
        entries = yyjson_obj_get(root, auth_file_format);
        if (yyjson_is_obj(entries))
            *ret_entries = entries;
        else if (reason.code == HAFT_ENOMEM)
            status = auth_file_refuse(reterr_reason, HAFT_ENOMEM, path, "out of memory");
        else
            status = auth_file_refuse(reterr_reason, HAFT_EPARSE, path,
                                      "it is not a token file of haft; move it away");
    }
    haft_buffer_finish(&text);
    return status;
}

int hf_auth_file_load(const char *path, const char *key, const haft_allocator *allocator,
                      haft_buffer *ret_value, haft_reason *reterr_reason)
{
    haft_arena *arena = haft_arena_new(allocator, AUTH_FILE_ARENA);
    yyjson_val *entries, *value = NULL;
    int status = arena ? auth_file_read(path, arena, allocator, &entries, reterr_reason)
                       : auth_file_refuse(reterr_reason, HAFT_ENOMEM, path, "out of memory");

    if (!status) {
        value = yyjson_obj_get(entries, key);
        status = value ? 0 : HAFT_ENOTFOUND;
    }
    if (value) {
        haft_json_write(value, ret_value);
        if (ret_value->status)
            status = auth_file_refuse(reterr_reason, ret_value->status, path,
                                      haft_strerror(ret_value->status));
    }
    haft_arena_free(arena);
    return status;
}

/* ---- writing ---- */

/* Locks the file beside it, which is never replaced, for at most a fifth of a second. */
static int auth_file_lock(const char *path, haft_arena *arena, int *ret_fd,
                          haft_reason *reterr_reason)
{
    const char *name = haft_arena_printf(arena, "%s.lock", path);
    struct timespec pause = {.tv_nsec = AUTH_FILE_PAUSE};
    int fd;

    if (!name)
        return auth_file_refuse(reterr_reason, HAFT_ENOMEM, path, "out of memory");
    fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return auth_file_fail(reterr_reason, name);
    for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || i == AUTH_FILE_TRIES) {
            auth_file_fail(reterr_reason, name);
            close(fd);
            return HAFT_EBUSY;
        }
        nanosleep(&pause, NULL);
    }
    *ret_fd = fd;
    return 0;
}

static void auth_file_render(haft_buffer *text, yyjson_val *entries, const char *key,
                             const char *value, size_t size)
{
    struct json_writer w = {.out = text};
    yyjson_val *name, *old;
    size_t i, max;

    hf_json_begin_object(&w);
    hf_json_name(&w, auth_file_format, sizeof auth_file_format - 1);
    hf_json_begin_object(&w);
    if (entries)
        yyjson_obj_foreach(entries, i, max, name, old) {
            if (!strcmp(yyjson_get_str(name), key))
                continue;
            hf_json_name(&w, yyjson_get_str(name), yyjson_get_len(name));
            hf_json_value(&w, old);
        }
    if (value) {
        hf_json_name(&w, key, strlen(key));
        hf_json_raw(&w, value, size);
    }
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    haft_buffer_add(text, "\n", 1);
}

static bool auth_file_put(int fd, const haft_buffer *text)
{
    for (size_t done = 0; done < text->size;) {
        ssize_t n = write(fd, text->data + done, text->size - done);

        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return !fsync(fd);
}

/* Writes a new file and puts it in the place of the old one. */
static int auth_file_replace(const char *path, haft_arena *arena, const haft_buffer *text,
                             haft_reason *reterr_reason)
{
    char *name = haft_arena_printf(arena, "%s.XXXXXX", path);
    int fd = name ? mkstemp(name) : -1; /* with mode 0600 */
    int status = 0;

    if (!name)
        return auth_file_refuse(reterr_reason, HAFT_ENOMEM, path, "out of memory");
    if (fd < 0)
        return auth_file_fail(reterr_reason, path);
    if (!auth_file_put(fd, text) || fchmod(fd, S_IRUSR | S_IWUSR) || rename(name, path)) {
        status = auth_file_fail(reterr_reason, path);
        unlink(name);
    }
    close(fd);
    return status;
}

int hf_auth_file_save(const char *path, const char *key, const char *value, size_t size,
                      const haft_allocator *allocator, haft_reason *reterr_reason)
{
    haft_arena *arena = haft_arena_new(allocator, AUTH_FILE_ARENA);
    yyjson_val *entries = NULL;
    haft_buffer text;
    int lock = -1, status;

    if (!arena)
        return auth_file_refuse(reterr_reason, HAFT_ENOMEM, path, "out of memory");
    haft_buffer_init(&text, allocator, AUTH_STORE_FILE);
    status = auth_file_lock(path, arena, &lock, reterr_reason);
    if (!status)
        status = auth_file_read(path, arena, allocator, &entries, reterr_reason);
    if (!status && (value || entries)) {
        auth_file_render(&text, entries, key, value, size);
        status = text.status ? auth_file_refuse(reterr_reason, text.status, path,
                                                haft_strerror(text.status))
                             : auth_file_replace(path, arena, &text, reterr_reason);
    }
    if (lock >= 0)
        close(lock);
    haft_buffer_finish(&text);
    haft_arena_free(arena);
    return status;
}
