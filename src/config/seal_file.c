/* seal_file.c - reads a secret from a file, because other users can see command lines and variables;
 * leaves no copy on the stack. */
#include "config/seal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/sha256.h"
#include "config/file.h"
#include "engine/offer/log.h"

enum { SEAL_FILE_KEY = 32, SEAL_FILE_DIGITS = 2 * SEAL_FILE_KEY };

static bool seal_file_read_digits(const char *text, size_t size, unsigned char key[SEAL_FILE_KEY])
{
    while (size > SEAL_FILE_DIGITS && (text[size - 1] == '\n' || text[size - 1] == '\r'))
        size--;
    return size == SEAL_FILE_DIGITS && hf_hex_read(text, size, key);
}

int hf_seal_file_read(haft_server *server, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status = 0;
    char text[SEAL_FILE_DIGITS + 3];
    unsigned char key[SEAL_FILE_KEY];
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);

    if (n < 0)
        status = hf_server_refuse(server, HAFT_EINVAL, path, "%s", strerror(errno));
    else if ((size_t)n == sizeof text || !seal_file_read_digits(text, (size_t)n, key))
        status = hf_server_refuse(server, HAFT_EINVAL, path, "a key must be %d hexadecimal digits",
                                  SEAL_FILE_DIGITS);
    else {
        haft_server_set_seal_key(server, key);
        hf_file_warn_of_mode(server, path, fd, "key");
    }
    if (fd >= 0)
        close(fd);
    hf_secret_wipe(text, sizeof text);
    hf_secret_wipe(key, sizeof key);
    return status;
}
