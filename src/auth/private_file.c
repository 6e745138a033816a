/* private_file.c - files with secrets: locked, read and replaced. */
#include "auth/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/sha256.h"

enum { PRIVATE_FILE_PAUSE = 4, PRIVATE_FILE_PATH = PATH_MAX + 16 };

int hf_private_file_fail(haft_reason *reason, const char *path)
{
    int code = errno == ENOMEM                                       ? HAFT_ENOMEM
               : errno == EACCES || errno == EPERM || errno == EROFS ? HAFT_EDENIED
                                                                     : HAFT_EFAIL;

    return hf_error_set(reason, code, path, "%s: %s", path, strerror(errno));
}

/* The path and an ending; false if that is too long. */
static bool private_file_name(char ret_name[PRIVATE_FILE_PATH], const char *path, const char *end)
{
    int size = snprintf(ret_name, PRIVATE_FILE_PATH, "%s%s", path, end);

    if (size > 0 && size < PRIVATE_FILE_PATH)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

int hf_private_file_lock(const char *path, unsigned ms, int *ret_fd, haft_reason *reterr_reason)
{
    struct timespec pause = {.tv_nsec = PRIVATE_FILE_PAUSE * 1000 * 1000};
    char name[PRIVATE_FILE_PATH];
    int fd = private_file_name(name, path, ".lock")
                 ? open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
                 : -1;

    if (fd < 0)
        return hf_private_file_fail(reterr_reason, name);
    for (unsigned waited = 0; flock(fd, LOCK_EX | LOCK_NB); waited += PRIVATE_FILE_PAUSE) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || waited >= ms) {
            hf_error_set(reterr_reason, HAFT_EBUSY, path, "%s: %s", name,
                         errno == EWOULDBLOCK ? "another program holds the lock" : strerror(errno));
            close(fd);
            return HAFT_EBUSY;
        }
        nanosleep(&pause, NULL);
    }
    *ret_fd = fd;
    return 0;
}

int hf_private_file_slurp(int fd, const char *path, haft_buffer *text, haft_reason *reterr_reason)
{
    char block[4096];
    ssize_t n;

    while ((n = read(fd, block, sizeof block)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            haft_buffer_add(text, block, (size_t)n);
    hf_secret_wipe(block, sizeof block);
    if (n < 0)
        return hf_private_file_fail(reterr_reason, path);
    if (text->status)
        return hf_error_set(reterr_reason, text->status, path, "%s: %s", path,
                            haft_strerror(text->status));
    return 0;
}

/* ---- writing ---- */

static bool private_file_put(int fd, const haft_buffer *text)
{
    for (size_t done = 0; done < text->size;) {
        ssize_t n = write(fd, text->data + done, text->size - done);

        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Those who could read the old file must be able to read the new one. */
static bool private_file_resemble(int fd, const struct stat *like)
{
    struct stat now;

    if (!like)
        return !fchmod(fd, S_IRUSR | S_IWUSR);
    if (fstat(fd, &now))
        return false;
    if ((now.st_uid != like->st_uid || now.st_gid != like->st_gid) &&
        fchown(fd, like->st_uid, like->st_gid))
        return false;
    return !fchmod(fd, like->st_mode & 07777);
}

/* A rename is on the disk when the directory is; where that cannot be asked for, it is in time. */
static void private_file_sync_directory(char *name)
{
    char *slash = strrchr(name, '/');
    int fd;

    if (slash)
        slash[slash == name] = '\0';
    fd = open(slash ? name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

int hf_private_file_replace(const char *path, const struct stat *like, const haft_buffer *text,
                            haft_reason *reterr_reason)
{
    char name[PRIVATE_FILE_PATH];
    int fd = private_file_name(name, path, ".XXXXXX") ? mkstemp(name) : -1; /* with mode 0600 */
    int status = 0;

    if (fd < 0)
        return hf_private_file_fail(reterr_reason, path);
    if (!private_file_put(fd, text) || !private_file_resemble(fd, like) || fsync(fd) ||
        rename(name, path)) {
        status = hf_private_file_fail(reterr_reason, path);
        unlink(name);
    } else {
        private_file_sync_directory(name);
    }
    close(fd);
    return status;
}
