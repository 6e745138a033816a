/* client/document.h - received messages: JSON in a separate arena, with a count of references. */
#ifndef HAFT_SRC_CLIENT_DOCUMENT_H
#define HAFT_SRC_CLIENT_DOCUMENT_H

#include <haft/client.h>

#include "json/json.h"

struct document {
    struct document *next; /* of the queue, or of those to use again */
    const haft_allocator *allocator;
    haft_arena *arena;
    yyjson_val *root; /* NULL if it is not JSON */
    void *tag;
    int64_t id; /* of a response that is JSON and yet refused, such as a deep one; 0 if unknown */
    unsigned refs;
    char start[64]; /* of a text that is not JSON, printable, */
    char why[128];  /* and what is wrong with it */
};

struct documents {
    struct document *first, *last; /* received, not processed */
    struct document *spare;
    struct document *current; /* of the result that is being reported, */
    yyjson_val *message;      /* which is this message in it */
    void *tag;                /* of the message that is being processed */
    unsigned n_spare;
    int lost;       /* HAFT_ENOMEM: a message could not be kept */
    char note[128]; /* about something else that the server has sent; for the next failure */
};

/* An empty document with one reference; NULL without memory. */
struct document *hf_document_new(haft_client *client);
/* Reads a text.  Returns NULL without memory; root is NULL if it is not JSON. */
struct document *hf_document_read(haft_client *client, const char *text, size_t size);
struct document *hf_document_keep(struct document *document);
/* Drops a reference; `client` is NULL once it is gone.  The document may be NULL. */
void hf_document_drop(haft_client *client, struct document *document);
void hf_documents_finish(haft_client *client);

#endif
