/* import/answer.h - what the files that read responses share. */
#ifndef HAFT_SRC_IMPORT_ANSWER_H
#define HAFT_SRC_IMPORT_ANSWER_H

#include "base/base.h"
#include "import/import.h"

/* A media type as a header has it: "text/plain; charset=utf-8". */
struct answer_type {
    const char *name;    /* in lower case, without parameters; "" if there is none */
    const char *charset; /* in lower case; "" if there is none */
};

/* Reads a media type.  HAFT_ENOMEM, or 0. */
int hf_answer_read_type(haft_arena *arena, const char *header, struct answer_type *ret_type);

/* The body as UTF-8 without a byte order mark.  *ret_text.data is NULL if it is not text in that character set or
 * the character set is not known.  Returns 0 or HAFT_ENOMEM. */
int hf_answer_decode(haft_arena *arena, const char *charset, const char *body, size_t size,
                     struct text *ret_text);

/* The address of the next page in the Link headers of a response (RFC 8288); no data if there is none. */
struct text hf_answer_next_page(const haft_header *headers, size_t n);

#endif
