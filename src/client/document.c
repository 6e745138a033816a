/* document.c - received messages.
 *
 * Each has an arena, so that a result can be given away, and a question kept, without copying.
 * Arenas are used again, with a little of their memory. */
#include "client/client.h"

#include <stdio.h>
#include <string.h>

enum {
    DOCUMENT_SPARE = 8,       /* documents that are kept for later */
    DOCUMENT_KEEP = 64 << 10, /* bytes of each */
    DOCUMENT_FACTOR = 20,     /* bytes of a parsed value for each byte of its text, at most */
    DOCUMENT_ROOM = 1 << 20   /* beyond that */
};

/* How much memory a message may need. */
static size_t document_limit(const haft_client *client)
{
    size_t size = client->options.max_message;

    return size < (SIZE_MAX - DOCUMENT_ROOM) / DOCUMENT_FACTOR
               ? size * DOCUMENT_FACTOR + DOCUMENT_ROOM
               : SIZE_MAX;
}

struct document *hf_document_new(haft_client *client)
{
    const haft_allocator *allocator = client->allocator;
    struct document *document = client->documents.spare;

    if (document) {
        client->documents.spare = document->next;
        client->documents.n_spare--;
    } else {
        haft_arena *arena = haft_arena_new(allocator, document_limit(client));

        document = arena ? allocator->alloc(allocator->context, sizeof *document) : NULL;
        if (!document) {
            haft_arena_free(arena);
            return NULL;
        }
        document->arena = arena;
    }
    *document = (struct document){.allocator = allocator, .arena = document->arena, .refs = 1};
    return document;
}

/* Keeps the beginning of a text that is not JSON, with nothing in it that a terminal would obey. */
static void document_quote(struct document *document, const char *text, size_t size)
{
    size_t room = sizeof document->start - 4, n = size < room ? size : room;

    for (size_t i = 0; i < n; i++)
        document->start[i] = text[i] >= 0x20 && text[i] < 0x7F ? text[i] : '?';
    snprintf(document->start + n, sizeof document->start - n, "%s", n < size ? "..." : "");
}

/* The id of a response that is refused for another reason than its syntax: the request that it answers need not wait. */
static int64_t document_find_id(const struct document *document, const char *text, size_t size)
{
    yyjson_val *root, *id;
    const char *reason;
    size_t offset;

    if (hf_json_parse(text, size, document->arena, &root, &offset, &reason))
        return 0;
    id = yyjson_obj_get(root, "id");
    return yyjson_is_int(id) && !yyjson_obj_get(root, "method") ? yyjson_get_sint(id) : 0;
}

struct document *hf_document_read(haft_client *client, const char *text, size_t size)
{
    struct document *document = hf_document_new(client);
    haft_reason reason = {.code = 0};

    if (!document)
        return NULL;
    document->root = haft_json_read(text, size, JSON_MAX_DEPTH, document->arena, &reason);
    if (document->root)
        return document;
    if (reason.code == HAFT_ENOMEM) {
        hf_document_drop(client, document);
        return NULL;
    }
    document->id = document_find_id(document, text, size);
    document_quote(document, text, size);
    snprintf(document->why, sizeof document->why, "%.*s", (int)sizeof document->why - 1,
             reason.text);
    return document;
}

struct document *hf_document_keep(struct document *document)
{
    document->refs++;
    return document;
}

static void document_free(struct document *document)
{
    const haft_allocator *allocator = document->allocator;

    haft_arena_free(document->arena);
    allocator->release(allocator->context, document, sizeof *document);
}

void hf_document_drop(haft_client *client, struct document *document)
{
    if (!document || --document->refs)
        return;
    if (!client || client->documents.n_spare == DOCUMENT_SPARE) {
        document_free(document);
        return;
    }
    hf_arena_trim(document->arena, DOCUMENT_KEEP);
    document->next = client->documents.spare;
    client->documents.spare = document;
    client->documents.n_spare++;
}

void hf_documents_finish(haft_client *client)
{
    struct documents *documents = &client->documents;

    while (documents->first) {
        struct document *document = documents->first;

        documents->first = document->next;
        hf_document_drop(NULL, document);
    }
    documents->last = NULL;
    while (documents->spare) {
        struct document *document = documents->spare;

        documents->spare = document->next;
        document_free(document);
    }
}
