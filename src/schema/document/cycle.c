/* cycle.c - detects schemas that refer back to themselves for the same value.
 *
 * `{"$ref": "#"}` never terminates, and neither does any cycle of references and keywords that
 * apply a schema to the same value. A cycle that descends into the value (a tree of nodes) ends
 * with the value. A dynamic reference with several possible anchors may lead elsewhere each time;
 * cycles through these are stopped by the limits of validation. */
#include <string.h>

#include "schema/document/document.h"

enum cycle_colour { CYCLE_WHITE, CYCLE_GREY, CYCLE_BLACK };

struct cycle_visit {
    const struct node *node;
    size_t next;
};

/* Whether a dynamic reference to the anchor has only one possible target. */
static bool is_static(const struct document *doc, const char *anchor)
{
    size_t found = 0;

    for (const struct base *base = doc->bases; base; base = base->next)
        for (size_t i = 0; base->resource && i < base->resource->n_anchors; i++)
            found += strcmp(base->resource->anchors[i].name, anchor) == 0;
    return found == 1;
}

/* The i-th schema that the node applies to the same value; *ret_more is false after the last. */
static const struct node *cycle_same_value(const struct document *doc, const struct node *node,
                                           size_t i, bool *ret_more)
{
    const struct object *object = node->object;

    *ret_more = true;
    if (object && i < object->n_dependents)
        return object->dependents[i].node;
    i -= object ? object->n_dependents : 0;
    for (size_t r = 0; r < node->n_rules; r++) {
        const struct rule *rule = &node->rules[r];

        if (i < rule->n_nodes)
            return rule->op == RULE_DYNAMIC_REF && !is_static(doc, rule->text) ? NULL
                                                                               : rule->nodes[i];
        i -= rule->n_nodes;
    }
    *ret_more = false;
    return NULL;
}

static int cycle_report(struct document *doc, const struct node *node)
{
    const struct location *location = doc->first;

    while (location && location->node != node)
        location = location->next;
    return hf_document_fail(doc, location, NULL, HAFT_ESCHEMA,
                            "the schema refers to itself without descending into the value");
}

static int search(struct document *doc, const struct node *from, unsigned char *colours,
                  struct cycle_visit *stack)
{
    size_t depth = 0;

    stack[depth++] = (struct cycle_visit){from, 0};
    colours[from->id] = CYCLE_GREY;
    while (depth) {
        struct cycle_visit *top = &stack[depth - 1];
        bool more;
        const struct node *next = cycle_same_value(doc, top->node, top->next++, &more);

        if (!more) {
            colours[top->node->id] = CYCLE_BLACK;
            depth--;
        } else if (next && colours[next->id] == CYCLE_GREY) {
            return cycle_report(doc, next);
        } else if (next && colours[next->id] == CYCLE_WHITE) {
            colours[next->id] = CYCLE_GREY;
            stack[depth++] = (struct cycle_visit){next, 0};
        }
    }
    return 0;
}

int hf_check_cycles(struct document *doc)
{
    size_t n = doc->schema->n_nodes;
    unsigned char *colours = haft_arena_zalloc(doc->scratch, n, 1);
    struct cycle_visit *stack = haft_arena_zalloc(doc->scratch, n, sizeof *stack);
    int status = 0;

    if (!colours || !stack)
        return hf_document_no_memory(doc);
    for (const struct node *node = doc->schema->nodes; node && !status; node = node->all)
        if (colours[node->id] == CYCLE_WHITE)
            status = search(doc, node, colours, stack);
    return status;
}
