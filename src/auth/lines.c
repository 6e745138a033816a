/* lines.c - line-based files. */
#include "auth/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINES_FILE = 1 << 20 };

/* Reads up to `size` bytes; -1 on failure. */
static ssize_t lines_read_bytes(int fd, char *bytes, size_t size)
{
    size_t done = 0;
    ssize_t n = 1;

    while (n > 0 && done < size) {
        n = read(fd, bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            done += (size_t)n;
    }
    return n < 0 ? -1 : (ssize_t)done;
}

/* Opens without blocking, as a FIFO otherwise would. */
char *hf_auth_read_file(haft_arena *arena, const char *path, haft_reason *reason)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    char *text = NULL;
    ssize_t size = 0;

    if (fd < 0) {
        hf_error_set(reason, HAFT_ENOTFOUND, path, "cannot open %s", path);
        return NULL;
    }
    if (fstat(fd, &about))
        hf_error_set(reason, HAFT_EFAIL, path, "cannot read %s", path);
    else if (S_ISREG(about.st_mode) && about.st_mode & S_IWOTH)
        hf_error_set(reason, HAFT_EINVAL, path,
                     "%s can be changed by every user; run chmod o-w on it", path);
    else if (S_ISFIFO(about.st_mode))
        hf_error_set(reason, HAFT_EINVAL, path, "%s is a FIFO, not a file", path);
    else if (!(text = haft_arena_alloc(arena, LINES_FILE + 1)))
        hf_error_set(reason, HAFT_ENOMEM, path, "out of memory");
    else
        size = lines_read_bytes(fd, text, LINES_FILE + 1);
    close(fd);
    if (size < 0 || size > LINES_FILE) {
        hf_error_set(reason, HAFT_ETOOBIG, path, "cannot read %s, or it exceeds %d bytes", path,
                     LINES_FILE);
        return NULL;
    }
    if (text && memchr(text, '\0', (size_t)size)) {
        hf_error_set(reason, HAFT_EINVAL, path, "%s contains a NUL byte", path);
        return NULL;
    }
    if (text)
        text[size] = '\0';
    return text;
}

char *hf_auth_next_line(char **text, unsigned *number, const char *blank)
{
    while (**text) {
        char *line = *text + strspn(*text, " \t");
        size_t size = strcspn(line, "\n");

        *text = line + size + (line[size] == '\n');
        ++*number;
        while (size && strchr(blank, line[size - 1]))
            size--;
        line[size] = '\0';
        if (size && line[0] != '#')
            return line;
    }
    return NULL;
}
