/* read-file.c - hints about behaviour, an enum with a default, options of the program's own, and
 * errors from the system.
 *
 *     read-file --root DIR    reads files below DIR, and no others
 *
 * Without --root it reads whatever the process may read.  The check and the opening of a file are two
 * steps: if others can write below DIR, also pass --sandbox --sandbox-read DIR. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

HAFT_OPTION_STRUCT(reader,
                   HAFT_OPTION_PATH(root, "--root", "read only files below this directory",
                                    .takes = "DIR", .variable = "READ_FILE_ROOT"),
                   HAFT_OPTION_SIZE(largest, "--max-size", "maximum size of a file", .min = 1,
                                    .max = 64 << 20, .initial = "1MiB"));

HAFT_ENUMERATION(encoding, utf8, ascii);

HAFT_STRUCT(read_args,
    HAFT_STRING(path, "File path to read"),
    HAFT_DEFAULT(HAFT_ENUM(encoding, encoding, "How its bytes become text"), encoding_utf8));

static int failed(haft_call *call, const char *path, const char *why)
{
    return haft_error(call, "Error reading file: %s: %s", path, why);
}

/* Opens a file whose path, with all links resolved, is below the directory.  NULL with the reason in
 * errno. */
static FILE *open_below(const char *root, const char *path)
{
    char *base = realpath(root, NULL), *whole = NULL;
    size_t room = base ? strlen(base) + strlen(path) + 2 : 0;
    char *joined = base ? malloc(room) : NULL;
    FILE *file = NULL;

    if (joined) {
        snprintf(joined, room, "%s/%s", base, path);
        whole = realpath(joined, NULL);
    }
    if (whole && !strncmp(whole, base, strlen(base)) && whole[strlen(base)] == '/')
        file = fopen(whole, "rb");
    else if (whole)
        errno = EACCES;
    free(whole);
    free(joined);
    free(base);
    return file;
}

static int read_file(haft_call *call, const read_args *in)
{
    const reader *options = haft_call_options(call);
    size_t largest = (size_t)options->largest;
    char *text = haft_call_alloc(call, largest + 1);
    FILE *file = !text           ? NULL
                 : options->root ? open_below(options->root, in->path)
                                 : fopen(in->path, "rb");
    size_t size;
    int error;

    if (!text)
        return HAFT_ENOMEM;
    if (!file)
        return failed(call, in->path, strerror(errno));
    size = fread(text, 1, largest + 1, file);
    error = ferror(file) ? errno : 0;
    fclose(file);
    if (error)
        return failed(call, in->path, strerror(error));
    if (size > largest)
        return failed(call, in->path, "it is larger than --max-size allows");
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
    static reader options;
    haft_server *server = haft_server_new("file-server", "1.0.0");

    if (server && !haft_options_add(server, &reader_table, &options))
        haft_add(server, &read_file_tool);
    return haft_main(server, argc, argv);
}
