/* gateway/router.h - finds the route of a path.
 *
 * Paths form a tree of segments. At each level a literal segment is preferred to a variable; the
 * search visits each node at most once, so its cost is bounded by the number of routes. */
#ifndef HAFT_SRC_ROUTER_H
#define HAFT_SRC_ROUTER_H

#include "base/base.h"

enum { MAX_SEGMENTS = 32, MAX_METHODS = 16 };

/* The path of a route. */
struct template
{
    const char *segments[MAX_SEGMENTS]; /* literal text, or name of a variable */
    bool variable[MAX_SEGMENTS];
    size_t n, n_variables;
};

struct leaf {
    struct leaf *next;
    const char *method;
    void *route;
};

struct place {
    struct place *next; /* sibling */
    const char *text;   /* NULL for a variable */
    struct place *below, *variable;
    struct leaf *leaves;
};

struct router {
    haft_arena *arena;
    struct place root;
};

/* The result of a lookup. */
struct match {
    void *route;                      /* NULL if there is none */
    const char *values[MAX_SEGMENTS]; /* values of its variables, decoded */
    const char *methods[MAX_METHODS]; /* methods of the path, if the requested one is not among
                                       * them */
    size_t n_methods;
};

/* Parses a path. Returns 0, or HAFT_EINVAL or HAFT_ENOMEM with the reason. */
int hf_template_read(haft_arena *arena, const char *path, struct template *ret_template,
                     haft_reason *reterr_reason);

/* Whether a decoded segment contains "." or ".." between slashes. */
bool hf_segment_is_upward(const char *text);

/* Returns 0, HAFT_ENOMEM, or HAFT_EEXISTS with the existing route in *reterr_route. */
int hf_router_add(struct router *router, const char *method, const struct template *path,
                  void *route, void **reterr_route);

/* Returns 1 with the route; 0 if there is none, with the methods of the path if it has any;
 * HAFT_EINVAL for a path that is malformed or contains ".."; or HAFT_ENOMEM. HEAD matches GET. */
int hf_router_find(const struct router *router, const char *method, const char *path,
                   haft_arena *arena, struct match *ret_match);

#endif
