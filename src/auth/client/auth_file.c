/* auth_file.c - tokens in a file. Each change reads the file again under a lock and replaces it as a
 * whole, so that programs that share it do not lose each other's entries, and a crash leaves the old
 * file. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auth/client/store.h"
#include "auth/private_file.h"
#include "json/json.h"
#include "json/writer.h"

enum { AUTH_FILE_PATIENCE = 200, AUTH_FILE_ARENA = 64 << 20 }; /* milliseconds; bytes */

static const char auth_file_format[] = "haft-tokens-1";

static int auth_file_refuse(haft_reason *reason, int code, const char *path, const char *what)
{
    return hf_error_set(reason, code, path, "%s: %s", path, what);
}

/* Whether only its owner, the user of this process, can read and write it. */
static int auth_file_check(int fd, const char *path, haft_reason *reterr_reason)
{
    struct stat file;

    if (fstat(fd, &file))
        return hf_private_file_fail(reterr_reason, path);
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
        return errno == ENOENT ? 0 : hf_private_file_fail(reterr_reason, path);
    haft_buffer_init(&text, allocator, AUTH_STORE_FILE);
    status = auth_file_check(fd, path, reterr_reason);
    if (!status)
        status = hf_private_file_slurp(fd, path, &text, reterr_reason);
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

/* The file could not be locked or replaced, for this reason: never a refusal of a server. */
static int auth_file_not_saved(haft_reason *reterr_reason, const char *path, const haft_reason *why)
{
    int code = why->code == HAFT_ENOMEM || why->code == HAFT_EBUSY ? why->code : HAFT_EFAIL;

    return hf_error_set(reterr_reason, code, path, "the tokens cannot be saved: %s", why->text);
}

int hf_auth_file_save(const char *path, const char *key, const char *value, size_t size,
                      const haft_allocator *allocator, haft_reason *reterr_reason)
{
    haft_reason why = {0};
    haft_arena *arena = haft_arena_new(allocator, AUTH_FILE_ARENA);
    yyjson_val *entries = NULL;
    haft_buffer text;
    int lock = -1, status;

    if (!arena)
        return auth_file_refuse(reterr_reason, HAFT_ENOMEM, path, "out of memory");
    haft_buffer_init(&text, allocator, AUTH_STORE_FILE);
    status = hf_private_file_lock(path, AUTH_FILE_PATIENCE, &lock, &why);
    if (status)
        status = auth_file_not_saved(reterr_reason, path, &why);
    else
        status = auth_file_read(path, arena, allocator, &entries, reterr_reason);
    if (!status && (value || entries)) {
        auth_file_render(&text, entries, key, value, size);
        if (text.status)
            status = auth_file_refuse(reterr_reason, text.status, path, haft_strerror(text.status));
        else if (hf_private_file_replace(path, NULL, &text, &why))
            status = auth_file_not_saved(reterr_reason, path, &why);
    }
    if (lock >= 0)
        close(lock);
    haft_buffer_finish(&text);
    haft_arena_free(arena);
    return status;
}
