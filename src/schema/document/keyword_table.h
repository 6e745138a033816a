/* schema/document/keyword_table.h - the keywords of all drafts, as one table.
 *
 * A row has a keyword's name, the drafts and the vocabulary that contain it, where its value
 * contains schemas, and the function that compiles it. The scan for ids, the choice of a dialect
 * and the compiler all read the table. Rows are in order of compilation: the type first. */
#ifndef HAFT_SRC_KEYWORD_TABLE_H
#define HAFT_SRC_KEYWORD_TABLE_H

#include "schema/document/dialect.h"

/* Where a keyword's value contains schemas. */
enum shape {
    SHAPE_NONE,
    SHAPE_SCHEMA,
    SHAPE_SWITCH, /* a schema; in draft-04, which has no boolean schemas, also a boolean */
    SHAPE_LIST,   /* a non-empty list of schemas */
    SHAPE_SCHEMA_OR_LIST,
    SHAPE_MAP,         /* an object of schemas */
    SHAPE_MAP_OR_NAMES /* an object of schemas or lists of names */
};

#define DRAFTS_ALL (DRAFT_4 | DRAFT_6 | DRAFT_7 | DRAFT_2019 | DRAFT_2020)
#define DRAFTS_SINCE_6 (DRAFT_6 | DRAFT_7 | DRAFT_2019 | DRAFT_2020)
#define DRAFTS_SINCE_7 (DRAFT_7 | DRAFT_2019 | DRAFT_2020)
#define DRAFTS_SINCE_2019 (DRAFT_2019 | DRAFT_2020)
#define DRAFTS_TO_2019 (DRAFT_4 | DRAFT_6 | DRAFT_7 | DRAFT_2019)

/* X(constant, name, drafts, vocabulary, shape, compiled by, its argument) */
#define KEYWORDS(X)                                                                                \
    X(ID, "$id", DRAFTS_SINCE_6, CORE, NONE, hf_keyword_text, 0)                                      \
    X(ID_4, "id", DRAFT_4, CORE, NONE, hf_keyword_text, 0)                                            \
    X(SCHEMA, "$schema", DRAFTS_ALL, CORE, NONE, hf_keyword_text, 0)                                  \
    X(ANCHOR, "$anchor", DRAFTS_SINCE_2019, CORE, NONE, hf_keyword_text, 0)                           \
    X(DYNAMIC_ANCHOR, "$dynamicAnchor", DRAFT_2020, CORE, NONE, hf_keyword_text, 0)                   \
    X(RECURSIVE_ANCHOR, "$recursiveAnchor", DRAFT_2019, CORE, NONE, hf_keyword_boolean, 0)            \
    X(COMMENT, "$comment", DRAFTS_SINCE_7, CORE, NONE, hf_keyword_text, 0)                            \
    X(VOCABULARY, "$vocabulary", DRAFTS_SINCE_2019, CORE, NONE, hf_keyword_object, 0)                 \
    X(DEFS, "$defs", DRAFTS_SINCE_2019, CORE, MAP, NULL, 0)                                        \
    X(DEFINITIONS, "definitions", DRAFTS_ALL, CORE, MAP, NULL, 0)                                  \
    X(TITLE, "title", DRAFTS_ALL, METADATA, NONE, hf_keyword_text, 0)                                 \
    X(DESCRIPTION, "description", DRAFTS_ALL, METADATA, NONE, hf_keyword_text, 0)                     \
    X(EXAMPLES, "examples", DRAFTS_SINCE_6, METADATA, NONE, hf_keyword_examples, 0)                   \
    X(DEPRECATED, "deprecated", DRAFTS_SINCE_2019, METADATA, NONE, hf_keyword_boolean, 0)             \
    X(READ_ONLY, "readOnly", DRAFTS_SINCE_7, METADATA, NONE, hf_keyword_boolean, 0)                   \
    X(WRITE_ONLY, "writeOnly", DRAFTS_SINCE_7, METADATA, NONE, hf_keyword_boolean, 0)                 \
    X(TYPE, "type", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_type, 0)                                 \
    X(ENUM, "enum", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_enum, 0)                                 \
    X(CONST, "const", DRAFTS_SINCE_6, VALIDATION, NONE, hf_keyword_const, 0)                          \
    X(MIN_LENGTH, "minLength", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_size, CHECK_MIN_LENGTH)       \
    X(MAX_LENGTH, "maxLength", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_size, CHECK_MAX_LENGTH)       \
    X(PATTERN, "pattern", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_pattern, 0)                        \
    X(FORMAT, "format", DRAFTS_ALL, FORMAT, NONE, hf_keyword_format, 0)                               \
    X(ENCODING, "contentEncoding", DRAFTS_SINCE_7, CONTENT, NONE, hf_keyword_content, 0)              \
    X(MEDIA_TYPE, "contentMediaType", DRAFTS_SINCE_7, CONTENT, NONE, hf_keyword_content, 0)           \
    X(CONTENT_SCHEMA, "contentSchema", DRAFTS_SINCE_2019, CONTENT, SCHEMA, NULL, 0)                \
    X(EXCLUSIVE_MINIMUM_4, "exclusiveMinimum", DRAFT_4, VALIDATION, NONE, hf_keyword_boolean, 0)      \
    X(EXCLUSIVE_MAXIMUM_4, "exclusiveMaximum", DRAFT_4, VALIDATION, NONE, hf_keyword_boolean, 0)      \
    X(MINIMUM, "minimum", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_bound, CHECK_MIN)                  \
    X(EXCLUSIVE_MINIMUM, "exclusiveMinimum", DRAFTS_SINCE_6, VALIDATION, NONE, hf_keyword_bound,      \
      CHECK_MIN)                                                                                   \
    X(MAXIMUM, "maximum", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_bound, CHECK_MAX)                  \
    X(EXCLUSIVE_MAXIMUM, "exclusiveMaximum", DRAFTS_SINCE_6, VALIDATION, NONE, hf_keyword_bound,      \
      CHECK_MAX)                                                                                   \
    X(MULTIPLE_OF, "multipleOf", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_bound, CHECK_MULTIPLE_OF)   \
    X(MIN_ITEMS, "minItems", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_size, CHECK_MIN_ITEMS)          \
    X(MAX_ITEMS, "maxItems", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_size, CHECK_MAX_ITEMS)          \
    X(UNIQUE_ITEMS, "uniqueItems", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_boolean, 0)               \
    X(PREFIX_ITEMS, "prefixItems", DRAFT_2020, APPLICATOR, LIST, hf_keyword_prefix, 0)                \
    X(ITEMS, "items", DRAFT_2020, APPLICATOR, SCHEMA, hf_keyword_items, 0)                            \
    X(ITEMS_2019, "items", DRAFTS_TO_2019, APPLICATOR, SCHEMA_OR_LIST, hf_keyword_items, 0)           \
    X(ADDITIONAL_ITEMS, "additionalItems", DRAFTS_TO_2019, APPLICATOR, SWITCH,                     \
      hf_keyword_additional_items, 0)                                                                 \
    X(CONTAINS, "contains", DRAFTS_SINCE_6, APPLICATOR, SCHEMA, hf_keyword_contains, 0)               \
    X(MIN_CONTAINS, "minContains", DRAFTS_SINCE_2019, VALIDATION, NONE, hf_keyword_contains_size, 0)  \
    X(MAX_CONTAINS, "maxContains", DRAFTS_SINCE_2019, VALIDATION, NONE, hf_keyword_contains_size, 0)  \
    X(UNEVALUATED_ITEMS, "unevaluatedItems", DRAFTS_SINCE_2019, UNEVALUATED, SCHEMA,               \
      hf_keyword_unevaluated, 0)                                                                      \
    X(MIN_PROPERTIES, "minProperties", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_size,                 \
      CHECK_MIN_PROPERTIES)                                                                        \
    X(MAX_PROPERTIES, "maxProperties", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_size,                 \
      CHECK_MAX_PROPERTIES)                                                                        \
    X(PROPERTIES, "properties", DRAFTS_ALL, APPLICATOR, MAP, hf_keyword_properties, 0)                \
    X(REQUIRED, "required", DRAFTS_ALL, VALIDATION, NONE, hf_keyword_required, 0)                     \
    X(PATTERN_PROPERTIES, "patternProperties", DRAFTS_ALL, APPLICATOR, MAP,                        \
      hf_keyword_pattern_properties, 0)                                                               \
    X(ADDITIONAL_PROPERTIES, "additionalProperties", DRAFTS_ALL, APPLICATOR, SWITCH,               \
      hf_keyword_additional_properties, 0)                                                            \
    X(PROPERTY_NAMES, "propertyNames", DRAFTS_SINCE_6, APPLICATOR, SCHEMA, hf_keyword_names, 0)       \
    X(DEPENDENT_REQUIRED, "dependentRequired", DRAFTS_SINCE_2019, VALIDATION, NONE,                \
      hf_keyword_dependents, 0)                                                                       \
    X(DEPENDENT_SCHEMAS, "dependentSchemas", DRAFTS_SINCE_2019, APPLICATOR, MAP,                   \
      hf_keyword_dependents, 0)                                                                       \
    X(DEPENDENCIES, "dependencies", DRAFTS_ALL, APPLICATOR, MAP_OR_NAMES, hf_keyword_dependents, 0)   \
    X(UNEVALUATED_PROPERTIES, "unevaluatedProperties", DRAFTS_SINCE_2019, UNEVALUATED, SCHEMA,     \
      hf_keyword_unevaluated, 0)                                                                      \
    X(REF, "$ref", DRAFTS_ALL, CORE, NONE, hf_keyword_ref, RULE_REF)                                  \
    X(DYNAMIC_REF, "$dynamicRef", DRAFT_2020, CORE, NONE, hf_keyword_ref, RULE_DYNAMIC_REF)           \
    X(RECURSIVE_REF, "$recursiveRef", DRAFT_2019, CORE, NONE, hf_keyword_ref, RULE_DYNAMIC_REF)       \
    X(ALL_OF, "allOf", DRAFTS_ALL, APPLICATOR, LIST, hf_keyword_logic, RULE_ALL)                      \
    X(ANY_OF, "anyOf", DRAFTS_ALL, APPLICATOR, LIST, hf_keyword_logic, RULE_ANY)                      \
    X(ONE_OF, "oneOf", DRAFTS_ALL, APPLICATOR, LIST, hf_keyword_logic, RULE_ONE)                      \
    X(NOT, "not", DRAFTS_ALL, APPLICATOR, SCHEMA, hf_keyword_not, 0)                                  \
    X(IF, "if", DRAFTS_SINCE_7, APPLICATOR, SCHEMA, hf_keyword_if, 0)                                 \
    X(THEN, "then", DRAFTS_SINCE_7, APPLICATOR, SCHEMA, NULL, 0)                                   \
    X(ELSE, "else", DRAFTS_SINCE_7, APPLICATOR, SCHEMA, NULL, 0)

#endif
