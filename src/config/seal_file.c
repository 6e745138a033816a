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
#include "engine/offer/server.h"

enum { SEAL_FILE_DIGITS = 2 * SEAL_KEY, SEAL_FILE_SIZE = SEAL_KEYS * (SEAL_FILE_DIGITS + 2) };

/* Reads one key to a line; the last line may lack its end. Returns their number, 0 if the text is not
 * right. */
static int seal_file_read_keys(const char *text, size_t size,
                               unsigned char keys[SEAL_KEYS][SEAL_KEY])
{
    int n = 0;

    for (; size; n++) {
        size_t end = SEAL_FILE_DIGITS;

        if (n == SEAL_KEYS || size < end || !hf_hex_read(text, end, keys[n]))
            return 0;
        end += end < size && text[end] == '\r';
        if (end < size && text[end] != '\n')
            return 0;
        end += end < size;
        text += end;
        size -= end;
    }
    return n;
}

int hf_seal_file_read(haft_server *server, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status = 0, n_keys = 0;
    char text[SEAL_FILE_SIZE + 1];
    unsigned char keys[SEAL_KEYS][SEAL_KEY];
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);

    if (n >= 0 && (size_t)n < sizeof text)
        n_keys = seal_file_read_keys(text, (size_t)n, keys);
    if (n < 0)
        status = hf_server_refuse(server, HAFT_EINVAL, path, "%s", strerror(errno));
    else if (!n_keys)
        status = hf_server_refuse(server, HAFT_EINVAL, path,
                                  "a key must be %d hexadecimal digits; a second line may have "
                                  "another key that is accepted",
                                  SEAL_FILE_DIGITS);
    else {
        haft_server_set_seal_key(server, keys[0]);
        haft_server_set_other_seal_key(server, n_keys > 1 ? keys[1] : NULL);
        hf_file_warn_of_mode(server, path, fd, "key");
    }
    if (fd >= 0)
        close(fd);
    hf_secret_wipe(text, sizeof text);
    hf_secret_wipe(keys, sizeof keys);
    return status;
}
