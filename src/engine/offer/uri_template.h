/* engine/offer/uri_template.h - RFC 6570 templates in reverse: from a URI to the variables.
 *
 * Expansion loses information, so a URI can have several interpretations. haft's rules:
 *
 *   - {var} matches one or more characters other than / ? #. {+var} matches one or more of any.
 *   - {#var} {.var} {/var} {;var} {?var} {&var} may be missing, and their variables are then
 *     unset; so may every variable of a list but the first ({a,b}). What can match is matched.
 *   - If several matches remain, the first variable is as short as possible, then the second, and
 *     so on.
 *   - {?a,b}, {&a,b} and {;a,b} match in any order. Names that are not in the template are
 *     ignored. A repeated name does not match, unless it is exploded ({?a*}): then its values are
 *     joined by commas.
 *   - {/var*} matches several segments and keeps the slashes between them.
 *   - {var:3} matches at most three characters.
 *   - Values are percent-decoded once, and are UTF-8. A URI with an invalid percent escape,
 *     invalid UTF-8 or U+0000 matches nothing.
 *   - A variable that cannot contain a slash cannot contain an encoded one (%2F) either: a single
 *     segment of a URI never becomes two of a path. {+var}, {#var} and query parameters can
 *     contain both. Dots (..) are not special: a handler that opens files has to check for them.
 *
 * The work is bounded by the size of the URI times the size of the template. */
#ifndef HAFT_SRC_ENGINE_OFFER_URI_TEMPLATE_H
#define HAFT_SRC_ENGINE_OFFER_URI_TEMPLATE_H

#include "engine/offer/server.h"

/* A URI longer than this many bytes matches no template. */
enum { ADDRESS_LIMIT = 8192 };

/* A URI as code points. ADDRESS_ENCODED is set on ASCII characters that were percent-encoded and
 * would otherwise be delimiters. */
#define ADDRESS_ENCODED UINT32_C(0x80000000)

struct address {
    const uint32_t *units;
    size_t n;
};

/* A kind of expression. */
struct expression {
    char sign;         /* after the brace; 0 if there is none */
    char first, next;  /* before the first value, and before the others */
    bool named;        /* values have names */
    const char *stops; /* characters that end a value */
};

enum { MAX_PARTS = 64 };

struct variable {
    struct text name;
    struct address units; /* name as it appears in a URI */
    size_t longest;       /* maximum characters; 0 for any number */
    bool exploded;
};

struct part {
    const struct expression *expression; /* NULL for a literal */
    struct address literal;
    char before;     /* optional prefix, with which it may be missing; 0 if it is required */
    bool segments;   /* the value may contain slashes */
    size_t first, n; /* its variables: one, or all of a named group */
};

struct uri_template {
    struct part parts[MAX_PARTS];
    size_t n_parts;
    struct variable variables[MAX_PARTS];
    size_t n_variables;
};

/* Decodes a URI into the arena. Returns 0, HAFT_ENOMEM, HAFT_ETOOBIG, or HAFT_EINVAL if no template
 * can match it. */
int hf_address_read(haft_arena *arena, const char *text, size_t size, struct address *ret_address);

/* Compiles a template into the arena. Returns 0, or an error with its position and message. */
int hf_uri_template_compile(haft_arena *arena, const char *text, size_t size,
                            const struct uri_template **ret_template, haft_reason *reterr_error);

/* Returns 1 if the URI matches, with the variables that are set as name, value, name, value in
 * *ret_pairs; 0 if not; or HAFT_ENOMEM. */
int hf_uri_template_match(const struct uri_template *uri_template, const struct address *address,
                          haft_arena *arena, const struct text **ret_pairs, size_t *ret_n);

/* Whether the template has a variable of that name. */
bool hf_uri_template_has(const struct uri_template *uri_template, const char *name);

#endif
