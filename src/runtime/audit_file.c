/* audit_file.c - a line is one write to a file that is open for appending, so that several
 * processes can share it and a reader never sees half a line; but for one that a full disk has
 * torn, which ends before the next begins. */
#include "runtime/audit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "server/server.h"

/* Lines come from any thread.  Only the first that is lost is told, and how many were once there is
 * room again. */
static void tell_of_loss(struct audit_file *file, const char *why)
{
    if (!atomic_fetch_add(&file->lost, 1))
        server_log(file->server, HAFT_CRITICAL, "the audit cannot be written: %s", why);
}

static void tell_of_end(struct audit_file *file)
{
    size_t lost = atomic_load(&file->lost) ? atomic_exchange(&file->lost, 0) : 0;

    if (lost)
        server_log(file->server, HAFT_WARNING, "the audit is written again; lost: %zu", lost);
}

static void write_line(void *context, const char *line, size_t size)
{
    struct audit_file *file = context;
    bool torn = atomic_load(&file->torn) && atomic_exchange(&file->torn, false);
    ssize_t before = torn ? 1 : 0; /* bytes that end the line that is not whole */
    struct iovec parts[] = {{(void *)(uintptr_t) "\n", (size_t)before},
                            {(void *)(uintptr_t)line, size},
                            {(void *)(uintptr_t) "\n", 1}};
    ssize_t n;

    do
        n = writev(file->fd, parts, 3);
    while (n < 0 && errno == EINTR);
    if (n == (ssize_t)size + 1 + before) {
        tell_of_end(file);
        return;
    }
    if (n > before || (n <= 0 && torn))
        atomic_store(&file->torn, true);
    tell_of_loss(file, n < 0 ? strerror(errno) : "the disk is full");
}

static int open_file(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

int audit_file_reopen(struct audit_file *file, const char *path)
{
    int fd = file->fd < 0 ? -1 : open_file(path);

    if (file->fd < 0)
        return 0;
    if (fd < 0)
        return -errno;
    dup2(fd, file->fd);
    fcntl(file->fd, F_SETFD, FD_CLOEXEC);
    close(fd);
    return 0;
}

int audit_file_open(struct audit_file *file, haft_server *server, const char *path)
{
    file->server = server;
    file->fd = open_file(path);
    if (file->fd < 0)
        return server_refuse(server, HAFT_EINVAL, path, "%s", strerror(errno));
    return 0;
}

int audit_file_take(struct audit_file *file, haft_server *server)
{
    return haft_audit(server, write_line, file);
}

void audit_file_close(struct audit_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
}
