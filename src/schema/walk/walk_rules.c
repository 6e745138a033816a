/* walk_rules.c - the logic that combines nodes: all, any, one, not, if, references, discriminators.
 *
 * Alternatives are tried quietly first. Only if all of them fail are they walked again, each with
 * its own list of issues, to report why. */
#include "schema/walk/walk.h"

#include <string.h>

/* Walks every option with its own list of issues; *ret_lists has n of them. */
static unsigned walk_rules_collect(struct walk *w, const struct rule *rule, yyjson_val *value,
                                   haft_issues **ret_lists, unsigned **ret_verdicts)
{
    haft_issues *outer = w->issues;
    haft_issues *lists = haft_arena_zalloc(w->arena, rule->n_nodes + 1, sizeof *lists);
    unsigned *verdicts = haft_arena_zalloc(w->arena, rule->n_nodes + 1, sizeof *verdicts);

    if (!lists || !verdicts)
        return hf_walk_stop(w, HAFT_ENOMEM);
    for (size_t i = 0; i < rule->n_nodes; i++) {
        w->issues = &lists[i];
        verdicts[i] = hf_walk(w, rule->nodes[i], value, NULL, NULL, NOWHERE);
    }
    w->issues = outer;
    *ret_lists = lists;
    *ret_verdicts = verdicts;
    return w->status ? ABORT_ALL : PASS;
}

/* Prepends the path of the union to an option's issues, which start at the union's value. */
static bool prefix_paths(struct walk *w, haft_issues *issues, const struct path *at)
{
    size_t n = 0;

    for (const struct path *up = at; up; up = up->up)
        n++;
    for (size_t i = 0; n && i < issues->count; i++) {
        haft_issue *issue = &issues->list[i];
        haft_step *path = haft_arena_alloc(w->arena, (n + issue->n_path) * sizeof *path);
        size_t left = n;

        if (!path)
            return false;
        for (const struct path *up = at; up; up = up->up)
            path[--left] = (haft_step){up->key, up->index};
        if (issue->n_path)
            memcpy(path + n, issue->path, issue->n_path * sizeof *path);
        issue->path = path;
        issue->n_path += n;
    }
    return true;
}

/* No option passed. If exactly one option matched the type, its issues are reported instead, but
 * not for an exclusive union. */
static unsigned fail_union(struct walk *w, const struct node *node, const struct rule *rule,
                           yyjson_val *value, const struct path *at)
{
    haft_issues *lists = NULL;
    unsigned *verdicts = NULL;
    size_t close = rule->n_nodes, n_close = 0;

    if (!w->issues)
        return ABORT;
    if (walk_rules_collect(w, rule, value, &lists, &verdicts) || !verdicts)
        return ABORT_ALL;
    for (size_t i = 0; i < rule->n_nodes; i++) {
        if ((verdicts[i] & ABORT) == FAIL) {
            close = i;
            n_close++;
        }
    }
    if (rule->n_nodes == 1) {
        close = 0;
    } else if (n_close != 1 || rule->op == RULE_ONE) {
        hf_report_union(w, at, lists, rule->n_nodes);
        hf_report_message(w, node->message);
        return ABORT;
    }
    if (!prefix_paths(w, &lists[close], at))
        return hf_walk_stop(w, HAFT_ENOMEM);
    hf_issues_append(w, &lists[close]);
    return verdicts[close];
}

/* Tries the options. If evaluated members are tracked, all options are tried, each with its own
 * set. */
static size_t count_passing(struct walk *w, const struct rule *rule, yyjson_val *value,
                            const struct path *at, struct seen *seen, size_t enough)
{
    size_t n = 0;

    for (size_t i = 0; i < rule->n_nodes && !w->status; i++) {
        struct seen own = {0};

        if (seen && !hf_seen_init(w, &own, value))
            hf_walk_stop(w, HAFT_ENOMEM);
        if (w->status || hf_walk_quiet(w, rule->nodes[i], value, at, seen ? &own : NULL))
            continue;
        n++;
        if (seen)
            hf_seen_merge(seen, &own);
        if (!seen && n == enough)
            break;
    }
    return n;
}

static unsigned walk_one(struct walk *w, const struct node *node, const struct rule *rule,
                         yyjson_val *value, const struct path *at, struct seen *seen)
{
    struct seen merged = {0};
    size_t n;

    if (seen && !hf_seen_copy(w, &merged, seen))
        return hf_walk_stop(w, HAFT_ENOMEM);
    n = count_passing(w, rule, value, at, seen ? &merged : NULL, 2);
    if (w->status)
        return ABORT_ALL;
    if (n == 0)
        return fail_union(w, node, rule, value, at);
    if (n > 1) {
        hf_report_overlap(w, at);
        hf_report_message(w, node->message);
        return ABORT;
    }
    if (seen)
        hf_seen_merge(seen, &merged);
    return PASS;
}

/* Stores the first case that matches. */
static unsigned walk_untagged(struct walk *w, const struct node *node, const struct rule *rule,
                              yyjson_val *value, const struct path *at, struct place place)
{
    struct member member;
    size_t i = 0;

    while (i < rule->n_nodes && !w->status && hf_walk_quiet(w, rule->nodes[i], value, at, NULL))
        i++;
    if (w->status)
        return ABORT_ALL;
    if (i == rule->n_nodes)
        return fail_union(w, node, rule, value, at);
    *(int *)(void *)(place.base + place.member->offset) = (int)i;
    member = hf_member_inside(&rule->members[i], place.member->offset);
    return hf_walk(w, rule->nodes[i], value, at, NULL, (struct place){place.base, &member});
}

static unsigned walk_any(struct walk *w, const struct node *node, const struct rule *rule,
                         yyjson_val *value, const struct path *at, struct seen *seen,
                         struct place place)
{
    size_t n;

    if (place.base && node->store == STORE_CHOICE)
        return walk_untagged(w, node, rule, value, at, place);
    n = count_passing(w, rule, value, at, seen, 1);

    if (w->status)
        return ABORT_ALL;
    return n ? PASS : fail_union(w, node, rule, value, at);
}

size_t hf_walk_find_tagged(struct walk *w, const struct rule *rule, yyjson_val *tag)
{
    for (size_t i = 0; tag && i < rule->n_nodes; i++) {
        size_t k, n;
        yyjson_val *accepted;

        yyjson_arr_foreach(rule->tags[i], k, n, accepted) {
            int equal = hf_json_equal(accepted, tag, w->arena);

            if (equal < 0)
                hf_walk_stop(w, equal);
            if (equal == 1)
                return i;
        }
    }
    return rule->n_nodes;
}

static unsigned walk_discriminated(struct walk *w, const struct node *node, const struct rule *rule,
                                   yyjson_val *value, const struct path *at, struct seen *seen,
                                   struct place place)
{
    struct place inside = NOWHERE;
    struct member member;
    size_t found;

    if (!yyjson_is_obj(value))
        return hf_report_type(w, at, node, "object", NULL, value, ABORT);
    found = hf_walk_find_tagged(w, rule, yyjson_obj_get(value, rule->text));
    if (w->status)
        return ABORT_ALL;
    if (found == rule->n_nodes) {
        hf_report_discriminator(w, at, rule);
        hf_report_message(w, node->message);
        return ABORT;
    }
    if (place.base && node->store == STORE_CHOICE) {
        member = rule->member;
        member.offset += place.member->offset;
        inside = (struct place){place.base, &member};
        *(int *)(void *)(place.base + place.member->offset) = (int)found;
    }
    return hf_walk(w, rule->nodes[found], value, at, seen, inside);
}

static unsigned walk_all(struct walk *w, const struct rule *rule, yyjson_val *value,
                         const struct path *at, struct seen *seen)
{
    unsigned verdict = PASS;

    for (size_t i = 0; i < rule->n_nodes && (w->issues || !verdict); i++)
        verdict |= hf_walk(w, rule->nodes[i], value, at, seen, NOWHERE);
    return verdict;
}

static unsigned walk_not(struct walk *w, const struct rule *rule, yyjson_val *value,
                         const struct path *at)
{
    unsigned verdict;

    if (!value)
        return PASS;
    verdict = hf_walk_quiet(w, rule->nodes[0], value, at, NULL);
    if (w->status)
        return ABORT_ALL;
    return verdict ? PASS
                   : hf_report_custom(w, at, "Invalid input: must not match the not schema", ABORT);
}

static unsigned walk_if(struct walk *w, const struct rule *rule, yyjson_val *value,
                        const struct path *at, struct seen *seen)
{
    struct seen own = {0};
    const struct node *next;

    if (!value)
        return PASS;
    if (seen && !hf_seen_init(w, &own, value))
        return hf_walk_stop(w, HAFT_ENOMEM);
    if (hf_walk_quiet(w, rule->nodes[0], value, at, seen ? &own : NULL)) {
        next = rule->nodes[2];
    } else {
        next = rule->nodes[1];
        if (seen)
            hf_seen_merge(seen, &own);
    }
    if (w->status)
        return ABORT_ALL;
    return next ? hf_walk(w, next, value, at, seen, NOWHERE) : PASS;
}

const struct node *hf_walk_find_dynamic(const struct walk *w, const struct rule *rule)
{
    const struct node *found = rule->nodes[0];

    for (const struct scope *scope = w->scope; scope; scope = scope->up)
        for (size_t i = 0; i < scope->resource->n_anchors; i++)
            if (!strcmp(scope->resource->anchors[i].name, rule->text))
                found = scope->resource->anchors[i].node;
    return found;
}

static unsigned walk_rule(struct walk *w, const struct node *node, const struct rule *rule,
                          yyjson_val *value, const struct path *at, struct seen *seen,
                          struct place place)
{
    switch ((enum rule_op)rule->op) {
    case RULE_ALL:
        return walk_all(w, rule, value, at, seen);
    case RULE_ANY:
        return walk_any(w, node, rule, value, at, seen, place);
    case RULE_ONE:
        return walk_one(w, node, rule, value, at, seen);
    case RULE_DISCRIMINATED:
        return walk_discriminated(w, node, rule, value, at, seen, place);
    case RULE_NOT:
        return walk_not(w, rule, value, at);
    case RULE_IF:
        return walk_if(w, rule, value, at, seen);
    case RULE_REF:
        return hf_walk(w, rule->nodes[0], value, at, seen, NOWHERE);
    case RULE_DYNAMIC_REF:
        return hf_walk(w, hf_walk_find_dynamic(w, rule), value, at, seen, NOWHERE);
    }
    return PASS;
}

unsigned hf_walk_rules(struct walk *w, const struct node *node, yyjson_val *value,
                       const struct path *at, struct seen *seen, struct place place)
{
    /* Evaluated members are tracked for containers only. */
    struct seen *track = value && yyjson_is_ctn(value) ? seen : NULL;
    unsigned verdict = PASS;

    for (size_t i = 0; i < node->n_rules && (w->issues || !verdict); i++)
        verdict |= walk_rule(w, node, &node->rules[i], value, at, track, place);
    return verdict;
}
