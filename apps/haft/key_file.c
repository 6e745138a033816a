/* key_file.c - reads, checks and replaces the file of API keys. */
#include "key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auth/form.h"
#include "auth/wiping.h"
#include "auth/private_file.h"
#include "base/hex.h"
#include "program.h"
#include "show.h"
#include "state.h"

enum {
    KEY_BYTES = 32,
    KEY_ARENA = 1 << 16,
    KEY_FILE_PATIENCE = 10000,
    KEY_DIGITS = 2 * SHA256_SIZE
};

static int key_file_fail(const char *what, const char *path)
{
    return complain(EXIT_LOCAL, "cannot %s %s: %s", what, path, strerror(errno));
}

/* ---- the file ---- */

/* The file that a link leads to, or where a new one will be. */
static int key_file_resolve(struct key_file *file, const char *path, enum key_use use)
{
    if (realpath(path, file->path)) {
        file->exists = true;
        if (!stat(file->path, &file->status) && !S_ISREG(file->status.st_mode))
            return complain(EXIT_LOCAL, "%s is not a regular file", path);
        return EXIT_DONE;
    }
    if (errno != ENOENT)
        return key_file_fail("read", path);
    if (!lstat(path, &file->status))
        return complain(EXIT_LOCAL, "%s is a symbolic link to a file that does not exist", path);
    if (strlen(path) >= sizeof file->path)
        return complain(EXIT_LOCAL, "cannot write %s: %s", path, strerror(ENAMETOOLONG));
    memcpy(file->path, path, strlen(path) + 1);
    if (use == KEY_CREATE && !make_directories(file->path))
        return key_file_fail("create the directory of", path);
    return EXIT_DONE;
}

static int key_file_lock(struct key_file *file)
{
    haft_reason reason = {0};
    int status = hf_private_file_lock(file->path, KEY_FILE_PATIENCE, &file->lock, &reason);

    if (status == HAFT_EBUSY)
        return complain(EXIT_LOCAL, "another program is changing %s; try again", file->shown);
    return status ? complain(EXIT_LOCAL, "cannot write %s", reason.text) : EXIT_DONE;
}

static int key_file_read(struct key_file *file)
{
    int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status = EXIT_DONE;
    haft_reason reason = {0};

    file->exists = fd >= 0;
    if (fd < 0)
        return errno == ENOENT ? EXIT_DONE : key_file_fail("read", file->shown);
    if (fstat(fd, &file->status))
        status = key_file_fail("read", file->shown);
    else if (hf_private_file_slurp(fd, file->shown, &file->text, &reason))
        status = complain(EXIT_LOCAL, "cannot read %s", reason.text);
    close(fd);
    return status;
}

int key_file_open(struct key_file *file, const char *path, enum key_use use)
{
    int status;

    *file = (struct key_file){.shown = path, .lock = -1};
    haft_buffer_init(&file->text, NULL, KEY_FILE_LIMIT);
    status = key_file_resolve(file, path, use);
    if (!status && use != KEY_LOOK && (file->exists || use == KEY_CREATE))
        status = key_file_lock(file);
    return status ? status : key_file_read(file);
}

void key_file_close(struct key_file *file)
{
    if (file->lock >= 0)
        close(file->lock);
    haft_buffer_finish(&file->text);
}

int key_file_write(const struct key_file *file, const haft_buffer *text)
{
    haft_reason reason = {0};

    if (text->status)
        return complain(EXIT_LOCAL, "cannot write %s: %s", file->shown,
                        haft_strerror(text->status));
    if (hf_private_file_replace(file->path, file->exists ? &file->status : NULL, text, &reason))
        return complain(EXIT_LOCAL, "cannot write %s; nothing has changed", reason.text);
    return EXIT_DONE;
}

/* ---- lines ---- */

/* Takes what is before a TAB, or everything; *rest is what follows, or NULL. */
static struct key_text key_take_column(struct key_text *rest)
{
    struct key_text column = *rest;
    const char *tab = column.text ? memchr(column.text, '\t', column.size) : NULL;

    if (tab) {
        column.size = (size_t)(tab - column.text);
        *rest = (struct key_text){tab + 1, rest->size - column.size - 1};
    } else {
        *rest = (struct key_text){NULL, 0};
    }
    return column;
}

/* As servers read it: a TAB at the end begins an empty column, and is not removed. */
static bool key_line_read(struct key_line *line, struct key_text text)
{
    unsigned char digest[SHA256_SIZE];
    struct key_text rest;
    size_t gap = KEY_DIGITS;

    while (gap < text.size && (text.text[gap] == ' ' || text.text[gap] == '\t'))
        gap++;
    if (gap == KEY_DIGITS || gap >= text.size || !hf_hex_read_lower(text.text, KEY_DIGITS, digest))
        return false;
    line->hash = (struct key_text){text.text, KEY_DIGITS};
    rest = (struct key_text){text.text + gap, text.size - gap};
    line->name = key_take_column(&rest);
    line->scopes = key_take_column(&rest);
    line->created = key_take_column(&rest);
    if (!line->created.text)
        line->created.text = "";
    return true;
}

bool key_file_next(const struct key_file *file, size_t *at, struct key_line *line)
{
    const char *start = file->text.size ? file->text.data + *at : NULL, *end;
    size_t left = file->text.size - *at;
    struct key_text text;

    if (!left)
        return false;
    end = memchr(start, '\n', left);
    *line = (struct key_line){.line = {start, end ? (size_t)(end - start) + 1 : left},
                              .number = line->number + 1};
    *at += line->line.size;
    text = line->line;
    while (text.size && strchr(" \r\n", text.text[text.size - 1]))
        text.size--;
    while (text.size && strchr(" \t", *text.text)) {
        text.text++;
        text.size--;
    }
    line->is_key = key_line_read(line, text);
    line->is_bad = !line->is_key && text.size && *text.text != '#';
    return true;
}

bool key_has_id(const struct key_line *line, const char *id)
{
    size_t size = strlen(id);

    return (size == KEY_ID || size == KEY_DIGITS) && !memcmp(line->hash.text, id, size);
}

bool key_has_name(const struct key_line *line, const char *name)
{
    return strlen(name) == line->name.size && !memcmp(line->name.text, name, line->name.size);
}

/* ---- keys ---- */

bool key_make(haft_buffer *ret_key, char ret_hash[KEY_DIGITS + 1])
{
    haft_arena *arena = haft_arena_new(&hf_wiping_allocator, KEY_ARENA);
    const char *text = arena ? hf_random_text(arena, KEY_BYTES) : NULL;
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;

    haft_buffer_init(ret_key, &hf_wiping_allocator, KEY_ARENA);
    if (text)
        haft_buffer_printf(ret_key, "haft_%s", text);
    haft_arena_free(arena);
    if (!text || ret_key->status)
        return false;
    hf_sha256_init(&hash);
    hf_sha256_add(&hash, ret_key->data, ret_key->size);
    hf_sha256_finish(&hash, digest);
    hf_hex_put(digest, sizeof digest, ret_hash);
    ret_hash[KEY_DIGITS] = '\0';
    return true;
}

const char *key_name_fault(const char *name)
{
    size_t size = strlen(name), hex = strspn(name, "0123456789abcdef");

    if (!size || size > KEY_NAME_LIMIT)
        return "a name has 1 to 256 bytes";
    if (name[0] == ' ' || name[size - 1] == ' ')
        return "a name does not begin or end with a space";
    if (hex == size && (size == KEY_ID || size == KEY_DIGITS))
        return "it looks like the ID of a key";
    for (size_t at = 0; at < size;) {
        bool harmful;

        at += next_character(name + at, size - at, &harmful);
        if (harmful || name[at - 1] == '\n' || name[at - 1] == '\t')
            return "a name consists of visible characters and spaces, in UTF-8";
    }
    return NULL;
}

const char *key_scopes_fault(const char *scopes)
{
    bool after_space = true;

    for (const char *c = scopes; *c; c++) {
        if (*c == ' ' ? after_space : *c < '!' || *c > '~' || *c == '"' || *c == '\\')
            return "scopes consist of visible ASCII characters except \" and \\, with one space "
                   "between two";
        after_space = *c == ' ';
    }
    return *scopes && after_space ? "a space follows the last scope" : NULL;
}
