/* import/found.h - operations as they are found in a document, before they are converted. */
#ifndef HAFT_SRC_IMPORT_FOUND_H
#define HAFT_SRC_IMPORT_FOUND_H

#include "import/shape.h"

enum { IMPORT_OPERATIONS = 10000 /* default of import_options.max_operations */ };

/* An operation, or a path without operations, which can only be refused. */
struct import_found {
    const char *path;     /* as in the document */
    const char *method;   /* "GET"; NULL for a path that cannot be read */
    const char *place;    /* "GET /pets" */
    const char *id;       /* NULL if it has none */
    const char *name;     /* of its tool */
    const char *own_name; /* the same without prefix and hash, uncut */
    yyjson_val *item, *operation;
    const struct import_change *change; /* NULL if there is none */
    const char *failure;                /* why it is refused; NULL if it is not */
};

/* Finds the operations, in order, and gives them names.  Returns 0, or an error with the reason:
 * HAFT_ENOMEM, or HAFT_EINVAL for a change of an operation that is not there. */
int hf_import_find(const struct import_document *document, struct import_found **ret_found,
                   size_t *ret_n, haft_reason *reterr_reason);

/* Why an operation is left out by the options; NULL if it is not, or without memory, which *ret_status
 * tells. */
const char *hf_import_left_out(const struct import_document *document,
                               const struct import_found *found, int *ret_status);

/* Adds an operation to the import.  Returns 0, HAFT_ENOMEM, or another error with the reason to refuse it. */
int hf_import_convert(const struct import_document *document, const struct import_found *found,
                      struct import_operation *target, haft_reason *reterr_reason);

/* ---- security (security.c) ---- */

struct import_schemes {
    struct import_scheme *items;
    size_t n;
};

/* Reads the security schemes of the document.  Returns 0 or HAFT_ENOMEM. */
int hf_import_schemes(const struct import_document *document, struct import_schemes *ret_schemes);

/* Sets the requirements of an operation.  Returns 0 or HAFT_ENOMEM. */
int hf_import_requirements(const struct import_document *document, yyjson_val *operation,
                           struct import_operation *target);

/* ---- servers (server.c) ---- */

/* The first URL of a list of servers, with the defaults of its variables; NULL if there is none, or without
 * memory, which *ret_status tells. */
const char *hf_import_server(const struct import_document *document, yyjson_val *servers,
                             int *ret_status);
/* The same for the whole document of any version. */
const char *hf_import_document_server(const struct import_document *document, int *ret_status);
/* The path of 2.0's basePath without a "/" at its end; "" if there is none. */
const char *hf_import_base_path(const struct import_document *document);

#endif
