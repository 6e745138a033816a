/* router.c - a tree of path segments.
 *
 * A path is split before it is decoded, and each segment is decoded once: an encoded slash is part
 * of a value and never a separator. Path traversal (".."), in any encoding, is rejected. */
#include "gateway/router.h"

#include <string.h>

#include "base/percent.h"
#include "gateway/gateway.h"

/* ---- templates ---- */

static bool is_name(const char *text, size_t size)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

    return size && strspn(text, allowed) >= size;
}

bool hf_segment_is_upward(const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "/\\");

        if ((size == 1 && text[0] == '.') || (size == 2 && text[0] == '.' && text[1] == '.'))
            return true;
        text += size + (text[size] != '\0');
    }
    return false;
}

static int add_segment(haft_arena *arena, const char *text, size_t size, struct template *path,
                       haft_reason *reason)
{
    bool variable = size && text[0] == '{' && text[size - 1] == '}';
    const char *copy;

    if (path->n == MAX_SEGMENTS)
        return hf_error_set(reason, HAFT_EINVAL, "", "the path has more than %d segments",
                            MAX_SEGMENTS);
    if (variable) {
        text++;
        size -= 2;
    }
    copy = haft_arena_copy(arena, text, size);
    if (!copy)
        return hf_error_set(reason, HAFT_ENOMEM, "", "out of memory");
    if (variable ? !is_name(copy, size)
                 : !size || strcspn(copy, "{}%?#") != size || hf_segment_is_upward(copy))
        return hf_error_set(reason, HAFT_EINVAL, "", "\"%s\" is not a valid path segment", copy);
    for (size_t i = 0; variable && i < path->n; i++)
        if (path->variable[i] && !strcmp(path->segments[i], copy))
            return hf_error_set(reason, HAFT_EINVAL, "", "{%s} occurs more than once", copy);
    path->segments[path->n] = copy;
    path->variable[path->n++] = variable;
    path->n_variables += variable;
    return 0;
}

int hf_template_read(haft_arena *arena, const char *path, struct template *ret_template,
                     haft_reason *reterr_reason)
{
    *ret_template = (struct template){.n = 0};
    if (!path || path[0] != '/')
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "a path must begin with a slash");
    if (haft_utf8_valid(path, strlen(path)) != strlen(path))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "a path must be valid UTF-8");
    for (path++; *path;) {
        size_t size = strcspn(path, "/");
        int status = add_segment(arena, path, size, ret_template, reterr_reason);

        if (status)
            return status;
        path += size;
        if (*path == '/' && !*++path)
            return hf_error_set(reterr_reason, HAFT_EINVAL, "", "a path must not end with a slash");
    }
    return 0;
}

/* ---- adding ---- */

static struct place *below(struct router *router, struct place *place, const char *text)
{
    struct place **link = text ? &place->below : &place->variable;

    while (*link && text && strcmp((*link)->text, text))
        link = &(*link)->next;
    if (!*link) {
        *link = haft_arena_zalloc(router->arena, 1, sizeof **link);
        if (*link)
            (*link)->text = text;
    }
    return *link;
}

static struct leaf *leaf_of(const struct place *place, const char *method)
{
    struct leaf *leaf = place->leaves;

    while (leaf && strcmp(leaf->method, method))
        leaf = leaf->next;
    return leaf;
}

int hf_router_add(struct router *router, const char *method, const struct template *path,
                  void *route, void **reterr_route)
{
    struct place *place = &router->root;
    struct leaf *leaf;

    for (size_t i = 0; place && i < path->n; i++)
        place = below(router, place, path->variable[i] ? NULL : path->segments[i]);
    if (!place)
        return HAFT_ENOMEM;
    leaf = leaf_of(place, method);
    if (leaf) {
        *reterr_route = leaf->route;
        return HAFT_EEXISTS;
    }
    leaf = haft_arena_zalloc(router->arena, 1, sizeof *leaf);
    if (!leaf)
        return HAFT_ENOMEM;
    *leaf = (struct leaf){place->leaves, method, route};
    place->leaves = leaf;
    return 0;
}

/* ---- lookup ---- */

struct router_search {
    const char *method;
    const char *segments[MAX_SEGMENTS]; /* decoded */
    size_t n, n_values;
    struct match *match;
};

/* Returns 0, HAFT_ENOTFOUND for a path that no route can match, HAFT_EINVAL or HAFT_ENOMEM. */
static int split(haft_arena *arena, const char *path, struct router_search *search)
{
    bool possible = true;
    int status;

    if (*path++ != '/')
        return HAFT_EINVAL;
    while (*path) {
        size_t size = strcspn(path, "/");
        const char *segment = hf_percent_decode(arena, path, size, false, &status);

        if (!segment)
            return status;
        if (hf_segment_is_upward(segment))
            return HAFT_EINVAL;
        if (!*segment || search->n == MAX_SEGMENTS)
            possible = false;
        else
            search->segments[search->n++] = segment;
        path += size;
        if (*path == '/' && !*++path)
            possible = false;
    }
    return possible ? 0 : HAFT_ENOTFOUND;
}

static void note_methods(struct match *match, const struct place *place)
{
    for (const struct leaf *leaf = place->leaves; leaf; leaf = leaf->next) {
        size_t i = 0;

        while (i < match->n_methods && strcmp(match->methods[i], leaf->method))
            i++;
        if (i == match->n_methods && i < MAX_METHODS)
            match->methods[match->n_methods++] = leaf->method;
    }
}

/* Searches the tree recursively, at most MAX_SEGMENTS deep. */
static bool descend(struct router_search *search, const struct place *place, size_t depth)
{
    const struct leaf *leaf;

    if (depth == search->n) {
        leaf = leaf_of(place, search->method);
        if (!leaf && !strcmp(search->method, "HEAD"))
            leaf = leaf_of(place, "GET");
        if (!leaf)
            note_methods(search->match, place);
        search->match->route = leaf ? leaf->route : NULL;
        return leaf;
    }
    for (const struct place *next = place->below; next; next = next->next)
        if (!strcmp(next->text, search->segments[depth]) && descend(search, next, depth + 1))
            return true;
    if (!place->variable)
        return false;
    search->match->values[search->n_values++] = search->segments[depth];
    if (descend(search, place->variable, depth + 1))
        return true;
    search->n_values--;
    return false;
}

int hf_router_find(const struct router *router, const char *method, const char *path,
                   haft_arena *arena, struct match *ret_match)
{
    struct router_search search = {.method = method, .match = ret_match};
    int status;

    *ret_match = (struct match){.route = NULL};
    status = split(arena, path, &search);
    if (status)
        return status == HAFT_ENOTFOUND ? 0 : status;
    return descend(&search, &router->root, 0);
}
