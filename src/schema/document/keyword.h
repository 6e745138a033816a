/* schema/document/keyword.h - the interface of the functions that compile one keyword. */
#ifndef HAFT_SRC_KEYWORD_H
#define HAFT_SRC_KEYWORD_H

#include <yyjson.h>

#include "schema/document/keyword_table.h"
#include "schema/model/node.h"

enum keyword {
#define KEYWORD_(constant, name, drafts, vocabulary, shape, compile, argument) KEYWORD_##constant,
    KEYWORDS(KEYWORD_)
#undef KEYWORD_
        KEYWORD_COUNT
};

struct document;
struct location;

/* The schema being compiled: its keyword values by row, NULL where absent. */
struct site {
    struct document *doc;
    struct location *location;
    struct node *node;
    const struct dialect *dialect;
    yyjson_val *values[KEYWORD_COUNT];
};

struct keyword_row {
    const char *name;
    size_t size;
    unsigned drafts, vocabulary; /* bits */
    enum shape shape;
    /* Compiles the value into the site's node; NULL if the scan or another row handles it. */
    int (*compile)(struct site *site, const struct keyword_row *row, yyjson_val *value);
    int argument;
    enum keyword keyword;
};

/* The rows, indexed by enum keyword. */
extern const struct keyword_row hf_keyword_rows[KEYWORD_COUNT];

/* Finds the row of a member name in a dialect; NULL if it is not a keyword there. */
const struct keyword_row *hf_keyword_named(const struct dialect *dialect, yyjson_val *name);

/* Whether `$ref` makes the other keywords of the schema irrelevant, as in drafts before 2019-09. */
bool hf_keyword_ref_only(const struct dialect *dialect, yyjson_val *schema);

/* keyword_value.c, keyword_array.c, keyword_object.c, keyword_logic.c */
#define KEYWORD_FUNCTION_(name)                                                                    \
    int name(struct site *site, const struct keyword_row *row, yyjson_val *value);
KEYWORD_FUNCTION_(hf_keyword_text)
KEYWORD_FUNCTION_(hf_keyword_boolean)
KEYWORD_FUNCTION_(hf_keyword_object)
KEYWORD_FUNCTION_(hf_keyword_examples)
KEYWORD_FUNCTION_(hf_keyword_type)
KEYWORD_FUNCTION_(hf_keyword_enum)
KEYWORD_FUNCTION_(hf_keyword_const)
KEYWORD_FUNCTION_(hf_keyword_size)
KEYWORD_FUNCTION_(hf_keyword_bound)
KEYWORD_FUNCTION_(hf_keyword_pattern)
KEYWORD_FUNCTION_(hf_keyword_format)
KEYWORD_FUNCTION_(hf_keyword_content)
KEYWORD_FUNCTION_(hf_keyword_prefix)
KEYWORD_FUNCTION_(hf_keyword_items)
KEYWORD_FUNCTION_(hf_keyword_additional_items)
KEYWORD_FUNCTION_(hf_keyword_contains)
KEYWORD_FUNCTION_(hf_keyword_contains_size)
KEYWORD_FUNCTION_(hf_keyword_unevaluated)
KEYWORD_FUNCTION_(hf_keyword_properties)
KEYWORD_FUNCTION_(hf_keyword_required)
KEYWORD_FUNCTION_(hf_keyword_pattern_properties)
KEYWORD_FUNCTION_(hf_keyword_additional_properties)
KEYWORD_FUNCTION_(hf_keyword_names)
KEYWORD_FUNCTION_(hf_keyword_dependents)
KEYWORD_FUNCTION_(hf_keyword_ref)
KEYWORD_FUNCTION_(hf_keyword_logic)
KEYWORD_FUNCTION_(hf_keyword_not)
KEYWORD_FUNCTION_(hf_keyword_if)
#undef KEYWORD_FUNCTION_

/* ---- what they share (site.c) ---- */

/* The node of a subschema in a keyword's value; NULL with the error set. */
struct node *hf_site_node(struct site *site, yyjson_val *schema);

/* An array of such nodes in the schema's arena. */
int hf_site_nodes(struct site *site, yyjson_val *list, const struct node ***ret_nodes, size_t *ret_n);

/* Returns HAFT_ESCHEMA at the keyword; `text` says what its value must be. */
int hf_site_refuse(struct site *site, const struct keyword_row *row, const char *text);
int hf_site_no_memory(struct site *site);

/* Reads a non-negative integer (also 1.0); values above SIZE_MAX become SIZE_MAX. */
int hf_site_size(struct site *site, const struct keyword_row *row, yyjson_val *value,
              size_t *ret_size);

/* Reads a list of names into the schema's arena. */
int hf_site_names(struct site *site, const struct keyword_row *row, yyjson_val *value,
               const char *const **ret_names, size_t *ret_n);

#endif
