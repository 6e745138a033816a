/* engine/offer/uri_template.h - RFC 6570 templates, read backwards: from an address to the variables.
 *
 * Expansion loses what it was made from, so several readings of an address can be right.  haft's
 * rule:
 *
 *   - {var} is one or more characters other than / ? #.  {+var} is one or more of any.
 *   - {#var} {.var} {/var} {;var} {?var} {&var} may be missing altogether, and then leave their variables
 *     unset; so may every variable of a list but the first ({a,b}).  What can be there is taken to be.
 *   - Of what is left to choose, the first variable is as short as it can be, then the second, and so on.
 *   - {?a,b}, {&a,b} and {;a,b} are taken in any order; names that the template does not have are passed
 *     over; one that is there twice is no match, unless it is exploded ({?a*}): then its values are
 *     joined by commas.
 *   - {/var*} takes several segments and keeps the slashes between them.
 *   - {var:3} is at most three characters.
 *   - Values are percent-decoded once, and are UTF-8.  An address with a % that encodes nothing, with
 *     bytes that are not UTF-8 or with U+0000 matches nothing.
 *   - A variable that cannot hold a slash holds no encoded one (%2F) either: what is one segment of an
 *     address is never two of a path.  {+var}, {#var} and query parameters can hold both.  Dots (..) are
 *     values like any other: a handler that opens files has to look at them.
 *
 * The work is bounded by the size of the address times the size of the template. */
#ifndef HAFT_SRC_ENGINE_OFFER_URI_TEMPLATE_H
#define HAFT_SRC_ENGINE_OFFER_URI_TEMPLATE_H

#include "engine/offer/server.h"

/* An address over this many bytes matches no template. */
enum { ADDRESS_LIMIT = 8192 };

/* An address as characters: code points, with ADDRESS_ENCODED on those ASCII characters that mean
 * something else unless they are encoded, and are. */
#define ADDRESS_ENCODED UINT32_C(0x80000000)

struct address {
    const uint32_t *units;
    size_t n;
};

/* A kind of expression. */
struct expression {
    char sign;         /* after the brace; 0 for none */
    char first, next;  /* before the first value, and before the others */
    bool named;        /* values come with their names */
    const char *stops; /* what a value cannot hold */
};

enum { MAX_PARTS = 64 };

struct variable {
    struct text name;
    struct address units; /* the name as it stands in an address */
    size_t longest;       /* characters; 0 for any number */
    bool exploded;
};

struct part {
    const struct expression *expression; /* NULL for a literal */
    struct address literal;
    char before;     /* what stands before it, and lets it be missing; 0 for nothing */
    bool segments;   /* slashes are part of the value */
    size_t first, n; /* of the variables: one, or all of a named group */
};

struct uri_template {
    struct part parts[MAX_PARTS];
    size_t n_parts;
    struct variable variables[MAX_PARTS];
    size_t n_variables;
};

/* Takes an address apart, into the arena.  0, HAFT_ENOMEM, HAFT_ETOOBIG, or HAFT_EINVAL when it is
 * none that a template can match. */
int hf_address_read(haft_arena *arena, const char *text, size_t size, struct address *ret_address);

/* Compiles a template into the arena.  0, or an error with the place and a sentence. */
int hf_uri_template_compile(haft_arena *arena, const char *text, size_t size,
                            const struct uri_template **ret_template, haft_reason *reterr_error);

/* 1 when the address matches, with the variables that are set as name, value, name, value in
 * *ret_pairs; 0 when it does not; HAFT_ENOMEM. */
int hf_uri_template_match(const struct uri_template *uri_template, const struct address *address,
                          haft_arena *arena, const struct text **ret_pairs, size_t *ret_n);

/* Whether it has a variable of that name. */
bool hf_uri_template_has(const struct uri_template *uri_template, const char *name);

#endif
