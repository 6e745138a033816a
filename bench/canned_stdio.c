/* canned_stdio.c - the upper limit for a stdio server: it sends a fixed response.
 *
 *     canned-stdio ANSWER-FILE
 *
 * The file is one line with the id 1000000; every input line is answered with it, under the id of
 * the request. Nothing is parsed; all lines of a read are answered in one write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID_DIGITS = 7, IN_SIZE = 1 << 20 };

static void write_all(const char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(1, bytes, size);

        if (n <= 0)
            exit(0);
        bytes += n;
        size -= (size_t)n;
    }
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    char *answer = NULL, *at, *out = NULL;
    static char in[IN_SIZE];
    size_t room = 0, used = 0, out_room = 0;
    ssize_t size = file ? getline(&answer, &room, file) : -1;
    ssize_t n;

    if (size < 0 || !(at = strstr(answer, "1000000"))) {
        fputs("usage: canned-stdio ANSWER-FILE\n", stderr);
        return 2;
    }
    while ((n = read(0, in + used, IN_SIZE - used)) > 0) {
        char *line = in, *end;
        size_t filled = 0;

        used += (size_t)n;
        while ((end = memchr(line, '\n', used - (size_t)(line - in)))) {
            const char *id = memmem(line, (size_t)(end - line), "\"id\":", 5);

            if (id) {
                if (out_room - filled < (size_t)size) {
                    out_room = out_room * 2 + (size_t)size * 64;
                    out = realloc(out, out_room);
                    if (!out)
                        return 1;
                }
                memcpy(out + filled, answer, (size_t)size);
                if (id[5] >= '0' && id[5] <= '9')
                    for (int i = 0; i < ID_DIGITS && id[5 + i] >= '0' && id[5 + i] <= '9'; i++)
                        out[filled + (size_t)(at - answer) + (size_t)i] = id[5 + i];
                filled += (size_t)size;
            }
            line = end + 1;
        }
        write_all(out, filled);
        used -= (size_t)(line - in);
        memmove(in, line, used);
    }
    return 0;
}
