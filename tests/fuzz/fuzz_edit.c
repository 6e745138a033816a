/* fuzz_edit.c - any file as a client's configuration: an entry is put in and taken out again, and the rest means the same
 * as before. */
#include "install_edit.h"
#include "json/json.h"
#include "scan.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static yyjson_val *parse(const char *text, size_t size, haft_arena *arena)
{
    yyjson_val *root = NULL;
    const char *reason;
    size_t offset;

    require(!hf_json_parse(text, size, arena, &root, &offset, &reason));
    return root;
}

/* The texts without the entry, if the section was there before. */
static void compare(const char *text, size_t size, const haft_buffer *undone,
                    const struct install_entry *entry)
{
    haft_arena *arena = haft_arena_new(NULL, 64 << 20);
    haft_reason reason;
    haft_buffer without;
    int removed;

    haft_buffer_init(&without, NULL, INSTALL_FILE_LIMIT);
    removed = install_remove(text, size, entry, &without, &reason);
    require(removed >= 0);
    if (!removed)
        haft_buffer_add(&without, text, size);
    if (yyjson_obj_get(parse(without.data, without.size, arena), entry->section))
        require(hf_json_equal(parse(without.data, without.size, arena),
                              parse(undone->data, undone->size, arena), arena) == 1);
    haft_buffer_finish(&without);
    haft_arena_free(arena);
}

static bool is_blank(const char *text, size_t size)
{
    while (size && memchr(" \t\r\n", *text, 4)) {
        text++;
        size--;
    }
    return !size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *const args[] = {NULL};
    const struct install_entry entry = {"m", "s", NULL, NULL, "/s", args};
    const struct install_entry none = {"m", "s", NULL, NULL, NULL, NULL};
    const char *text = (const char *)data;
    haft_buffer put, again, undone, diff;
    haft_reason reason;
    int status;

    haft_buffer_init(&put, NULL, INSTALL_FILE_LIMIT);
    haft_buffer_init(&again, NULL, INSTALL_FILE_LIMIT);
    haft_buffer_init(&undone, NULL, INSTALL_FILE_LIMIT);
    haft_buffer_init(&diff, NULL, INSTALL_FILE_LIMIT);
    status = install_set(text, size, &entry, &put, &reason);
    if (status == 1) {
        install_diff(text, size, put.data, put.size, &diff);
        require(diff.size);
        require(install_has(put.data, put.size, &entry));
        require(!install_set(put.data, put.size, &entry, &again, &reason));
        require(install_remove(put.data, put.size, &none, &undone, &reason) == 1);
        require(!install_has(undone.data, undone.size, &entry));
        if (!is_blank(text, size))
            compare(text, size, &undone, &none);
    }
    haft_buffer_finish(&put);
    haft_buffer_finish(&again);
    haft_buffer_finish(&undone);
    haft_buffer_finish(&diff);
    return 0;
}
