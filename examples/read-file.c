/* read-file.c - annotations about behaviour, an enum with a default, and system errors.
 *
 * It reads any file that the process can read, as a demonstration: a real tool would open a
 * directory and stay below it. */
#include <errno.h>
#include <haft.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST = 1 << 20 };

HAFT_ENUMERATION(encoding, utf8, ascii);

HAFT_STRUCT(read_args,
    HAFT_STRING(path, "File path to read"),
    HAFT_DEFAULT(HAFT_ENUM(encoding, encoding, "How its bytes become text"), encoding_utf8));

static int failed(haft_call *call, const char *path, const char *why)
{
    return haft_error(call, "Error reading file: %s: %s", path, why);
}

static int read_file(haft_call *call, const read_args *in)
{
    char *text = haft_call_alloc(call, LARGEST + 1);
    FILE *file = text ? fopen(in->path, "rb") : NULL;
    size_t size;
    int error;

    if (!text)
        return HAFT_ENOMEM;
    if (!file)
        return failed(call, in->path, strerror(errno));
    size = fread(text, 1, LARGEST + 1, file);
    error = ferror(file) ? errno : 0;
    fclose(file);
    if (error)
        return failed(call, in->path, strerror(error));
    if (size > LARGEST)
        return failed(call, in->path, "it is larger than 1 MiB");
    for (size_t i = 0; in->encoding == encoding_ascii && i < size; i++)
        text[i] = (char)(text[i] & 0x7f);
    if (haft_utf8_valid(text, size) != size)
        return failed(call, in->path, "it is not UTF-8 text");
    return haft_text_bytes(call, text, size);
}
HAFT_TOOL_IN(read_file, read_args, "Read contents of a text file", .name = "read-file",
             .annotations = {.title = "File Reader",
                             .read_only = HAFT_YES,
                             .destructive = HAFT_NO,
                             .idempotent = HAFT_YES,
                             .open_world = HAFT_NO});

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("file-server", "1.0.0");

    if (server)
        haft_add(server, &read_file_tool);
    return haft_main(server, argc, argv);
}
