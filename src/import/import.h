/* import/import.h - OpenAPI documents as operations that can be offered as tools.
 *
 * Reads documents of versions 2.0, 3.0 and 3.1, without any I/O: a document is a parsed JSON value.
 * Each operation becomes a name, a description, two JSON Schemas of 2020-12, and a plan by which
 * arguments become an HTTP request and an HTTP response becomes a result.  An operation that cannot
 * be offered is refused by itself, with its place and the reason; the others remain.
 *
 * Nothing here changes once it has been imported, so operations may be used on several threads. */
#ifndef HAFT_SRC_IMPORT_H
#define HAFT_SRC_IMPORT_H

#include <haft/call.h>
#include <haft/http.h>
#include <haft/json.h>
#include <haft/schema.h>

struct import;        /* a document, imported */
struct import_plan;   /* how arguments of an operation become a request */
struct import_answer; /* what a response of an operation means */

/* ---- options ---- */

/* A rule of a selection: globs, of which NULL matches everything.  The first rule that matches an
 * operation decides; without a match it is included if there are no rules or the last one excludes. */
struct import_rule {
    const char *tag, *path, *method, *id;
    bool exclude;
};

/* Changes to one operation. */
struct import_change {
    const char *operation;                  /* its operationId, or "GET /pets/{id}" */
    const char *name, *title, *description; /* in place of those of the document; NULL keeps them */
    haft_annotations annotations; /* those that are set replace the ones from the method */
    haft_task_mode task;          /* whether calls become tasks */
    haft_value
        *arguments; /* object of constants: these arguments are sent and not shown; or NULL */
};

struct import_options {
    const haft_allocator *allocator; /* malloc */
    const char *prefix;              /* begins every name, with "__" after it; NULL for none */
    const struct import_rule *rules;
    size_t n_rules;
    const struct import_change *changes;
    size_t n_changes;
    bool read_only;        /* only GET and HEAD */
    size_t max_operations; /* 10,000 */
    unsigned max_depth;    /* nesting of schemas and references: 64 */
};

/* ---- what a document contains ---- */

/* One way to present a credential, from a security scheme. */
enum import_scheme_kind {
    IMPORT_HEADER,  /* an API key in a header, */
    IMPORT_QUERY,   /* in the query, */
    IMPORT_COOKIE,  /* or in a cookie */
    IMPORT_BASIC,   /* user name and password */
    IMPORT_BEARER,  /* a bearer token, also OAuth and OpenID Connect */
    IMPORT_UNUSABLE /* anything else */
};

struct import_scheme {
    const char *name; /* in the document */
    enum import_scheme_kind kind;
    const char *parameter; /* name of the header, parameter or cookie; NULL otherwise */
    const char *token_url; /* of the OAuth flow client credentials; NULL if there is none */
};

/* Schemes that are needed together. */
struct import_requirement {
    const struct import_scheme *const *schemes;
    size_t n;
};

struct import_operation {
    const char *id;     /* operationId; NULL if it has none */
    const char *method; /* "GET" */
    const char *path;   /* template, as in the document, with 2.0's basePath */
    const char *server; /* its own URL in the document, or NULL: used only if it is the base URL's
                         * origin, or allowed */
    const char *name, *title, *description; /* of the tool; the title may be NULL */
    const char *own_name;                   /* name without prefix and hash, uncut */
    haft_annotations annotations;
    haft_task_mode task;
    const char *input; /* JSON Schema of the arguments: an object */
    size_t input_size;
    const char
        *output; /* JSON Schema of the structured content: an object; NULL if there is none */
    size_t output_size;
    bool wrapped; /* the response is not an object: structured content is {"result": ...} */
    const struct import_requirement *requirements; /* alternatives; an empty one needs nothing */
    size_t n_requirements;
    const char *note; /* part that was left out, for people; NULL if it is complete */
    const struct import_plan *plan;
    const struct import_answer *answer;
};

struct import_refusal {
    const char *place;  /* "GET /pets/{id}" */
    const char *id;     /* operationId; NULL if it has none */
    const char *reason; /* "external reference pets.yaml#/Pet", ... */
    bool selected;      /* false: left out by the selection, which is not an error */
};

struct import {
    haft_arena *arena;   /* holds everything */
    const char *version; /* "3.0.3" */
    const char *title;
    const char *server; /* the first URL of the document; NULL if there is none */
    struct import_operation *operations;
    size_t n_operations;
    struct import_refusal *refusals;
    size_t n_refusals;
    size_t n_found; /* operations in the document: tools and refusals */
};

/* Imports a document, which must live as long as the import.  Returns 0, or an error with the reason
 * if the document is of another kind.  hf_import_free accepts NULL. */
int hf_import_document(haft_value *document, const struct import_options *options,
                       struct import **ret_import, haft_reason *reterr_reason);
void hf_import_free(struct import *import);

/* ---- reading (read.c) ---- */

enum { IMPORT_DOCUMENT_MAX = 64 << 20 };

/* Reads a document: JSON, or YAML with the optional part.  `name` is that of the file, for errors.  Returns
 * the value, which belongs to the arena, or NULL with the reason.  The arena needs about eight times the size of the text. */
haft_value *hf_import_read(const char *text, size_t size, const char *name, haft_arena *arena,
                           haft_reason *reterr_reason);

/* Compiles the input or the output of an operation.  Defaults are annotations: an API fills them in
 * itself, and sending them could overwrite values, in a PATCH for example.  Returns as haft_schema_parse. */
int hf_import_compile(const char *schema, size_t size, const haft_allocator *allocator,
                      haft_schema **ret_schema, haft_reason *reterr_reason);

/* ---- names (name.c) ---- */

enum { IMPORT_NAME_MAX = 60 };

/* Makes the name of a tool from a prefix, which may be NULL, and a name: characters of clients' pattern
 * [A-Za-z0-9_-] only, at most IMPORT_NAME_MAX; longer ones are cut at a word and end with "_" and 6
 * digits of a hash of the whole.  The same at every run.  NULL without memory. */
const char *hf_import_name(haft_arena *arena, const char *prefix, const char *name);

/* ---- calling an operation (request.c, answer.c) ---- */

struct import_request {
    const char *method;
    const char *target;   /* path and query, encoded, relative to the base URL: "/pets/1?a=b" */
    haft_header *headers; /* without credentials */
    size_t n_headers;
    const char *body; /* NULL if there is none */
    size_t body_size;
};

/* Makes the request for arguments that the input schema has accepted.  Everything is in the arena.
 * Returns 0, HAFT_ENOMEM, or HAFT_EINVAL with the reason, whose path is the argument's. */
int hf_import_request(const struct import_operation *operation, haft_value *arguments,
                      haft_arena *arena, struct import_request *ret_request,
                      haft_reason *reterr_reason);

/* A response of the API. */
struct import_response {
    int status;
    const haft_header *headers;
    size_t n_headers;
    const char *body;
    size_t size;
};

/* Answers a call with the response: structured content, text, a picture, a sound or a blob; an error
 * for a status other than 2xx, with at most 4 KiB of the body.  Returns 0 or an error. */
int hf_import_respond(const struct import_operation *operation, haft_call *call,
                      const struct import_response *response);

#endif
