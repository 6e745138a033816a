/* key_file.h - the file of API keys: a line for each, "SHA256HEX NAME<TAB>SCOPES<TAB>CREATED", of
 * which the last two may be missing.  Comments and lines that cannot be read stay where they are. */
#ifndef HAFT_KEY_FILE_H
#define HAFT_KEY_FILE_H

#include <limits.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/sha256.h"

enum { KEY_ID = 12, KEY_NAME_LIMIT = 256, KEY_FILE_LIMIT = 1 << 20 };

struct key_file {
    const char *shown;   /* as it was given */
    char path[PATH_MAX]; /* without symbolic links */
    bool exists;
    struct stat status; /* if it exists */
    int lock;           /* -1 for none */
    haft_buffer text;
};

struct key_text {
    const char *text;
    size_t size;
};

/* A line. Its strings point into the file. */
struct key_line {
    struct key_text line; /* with its line end */
    unsigned number;
    bool is_key, is_bad; /* neither: a comment */
    struct key_text hash, name;
    struct key_text scopes;  /* NULL: all */
    struct key_text created; /* "" if it is not known */
};

/* Uses of the file: KEY_EDIT and KEY_CREATE lock it until key_file_close, and the latter creates its
 * directory. */
enum key_use { KEY_LOOK, KEY_EDIT, KEY_CREATE };

/* Reads the file, which may be missing. Returns 0 or an exit code after reporting the error. Close it in
 * any case. */
int key_file_open(struct key_file *file, const char *path, enum key_use use);
void key_file_close(struct key_file *file);

/* Takes the line at *at. Returns false at the end. Before the first call, *at and line->number are 0. */
bool key_file_next(const struct key_file *file, size_t *at, struct key_line *line);

/* Replaces the file. Returns 0 or an exit code after reporting the error: it is unchanged then. */
int key_file_write(const struct key_file *file, const haft_buffer *text);

/* Makes a key, and its hash as hexadecimal digits. Returns false if there are no random bytes or no
 * memory; the buffer is wiped when it is finished. */
bool key_make(haft_buffer *ret_key, char ret_hash[2 * SHA256_SIZE + 1]);

/* Why a name or scopes cannot be those of a key; NULL if they can. */
const char *key_name_fault(const char *name);
const char *key_scopes_fault(const char *scopes);

/* Whether the key is the one with this ID, its whole hash, or of that name. */
bool key_has_id(const struct key_line *line, const char *id);
bool key_has_name(const struct key_line *line, const char *name);

#endif
