/* support/headers.h - headers as text: lines of "name: value". */
#ifndef HAFT_TESTS_HEADERS_H
#define HAFT_TESTS_HEADERS_H

#include <haft/engine.h>

/* Headers parsed from lines. */
struct header_lines {
    char text[16384];
    haft_header list[64];
    size_t n;
};

/* Parses lines, or NULL; the headers point into *lines. */
void headers_read(struct header_lines *lines, const char *text, const haft_header **ret_headers,
                  size_t *ret_n);

/* Writes them as lines, each with CRLF. */
void headers_write(const haft_header *headers, size_t n, char *to, size_t room);

#endif
