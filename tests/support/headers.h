/* support/headers.h - the headers of a request as text: lines of "name: value", names in lower
 * case. */
#ifndef HAFT_TESTS_HEADERS_H
#define HAFT_TESTS_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

/* The `get` of haft_headers, whose context is the text; NULL for none. */
const char *headers_get(const void *text, const char *name, size_t *ret_size);
/* The `at`. */
bool headers_at(const void *text, size_t index, const char **ret_name, size_t *ret_name_size,
                const char **ret_value, size_t *ret_value_size);

#endif
