/* gateway/router.h - which route a path belongs to.
 *
 * Paths are a tree of segments.  At every step a segment that is written out goes before a
 * variable; the search looks at each place of the tree once at most, so a request costs no more
 * than the routes are. */
#ifndef HAFT_SRC_ROUTER_H
#define HAFT_SRC_ROUTER_H

#include "base/base.h"

enum { MAX_SEGMENTS = 32, MAX_METHODS = 16 };

/* A path as a route writes it. */
struct template
{
    const char *segments[MAX_SEGMENTS]; /* the text, or the name of a variable */
    bool variable[MAX_SEGMENTS];
    size_t n, n_variables;
};

struct leaf {
    struct leaf *next;
    const char *method;
    void *route;
};

struct place {
    struct place *next; /* beside it */
    const char *text;   /* NULL for a variable */
    struct place *below, *variable;
    struct leaf *leaves;
};

struct router {
    haft_arena *arena;
    struct place root;
};

/* What a path has come to. */
struct match {
    void *route;                      /* NULL when there is none */
    const char *values[MAX_SEGMENTS]; /* of its variables, decoded */
    const char *methods[MAX_METHODS]; /* that the path has, when the one asked for is not there */
    size_t n_methods;
};

/* Takes a path apart.  0, or HAFT_EINVAL or HAFT_ENOMEM with the reason. */
int hf_template_read(haft_arena *arena, const char *path, struct template *ret_template,
                     haft_reason *reterr_reason);

/* Whether a segment, decoded, has "." or ".." between its slashes. */
bool hf_segment_is_upward(const char *text);

/* 0, HAFT_ENOMEM, or HAFT_EEXISTS with the route that has the place in *reterr_route. */
int hf_router_add(struct router *router, const char *method, const struct template *path,
                  void *route, void **reterr_route);

/* 1 with the route; 0 when there is none, with the methods of the path if it has any; HAFT_EINVAL
 * for a path that is not well written or leads upwards; HAFT_ENOMEM.  HEAD finds GET. */
int hf_router_find(const struct router *router, const char *method, const char *path,
                   haft_arena *arena, struct match *ret_match);

#endif
