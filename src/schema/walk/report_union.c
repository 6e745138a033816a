/* report_union.c - issues about values that match no option, or more than one. The message extends
 * Zod's with the reason from the option that came closest. */
#include "schema/walk/report.h"

#include <string.h>

/* Compares how close two options came: by the depth of the first failure, then by the number of
 * issues. */
static bool is_closer(const haft_issues *left, const haft_issues *right)
{
    size_t ours = left->count ? left->list[0].n_path : 0;
    size_t theirs = right->count ? right->list[0].n_path : 0;

    return ours != theirs ? ours > theirs : left->total < right->total;
}

/* Whether every option failed because of the value's type. */
static bool all_types(const haft_issues *branches, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (branches[i].count != 1 || branches[i].list[0].code != HAFT_INVALID_TYPE ||
            branches[i].list[0].n_path)
            return false;
    return n > 0;
}

static const char *union_sentence(struct walk *w, const haft_issues *branches, size_t n)
{
    struct sentence sentence;
    haft_buffer *text = hf_sentence_start(&sentence, w);
    const haft_issue *issue;
    const char *received;
    size_t closest = 0;

    if (all_types(branches, n)) {
        haft_buffer_puts(text, "Invalid input: expected ");
        for (size_t i = 0; i < n; i++)
            haft_buffer_printf(text, "%s%s", i ? " or " : "", branches[i].list[0].expected);
        /* All messages end with the same type. */
        received = strstr(branches[0].list[0].message, ", received ");
        haft_buffer_puts(text, received ? received : "");
        return hf_sentence_end(&sentence);
    }
    for (size_t i = 1; i < n; i++)
        if (is_closer(&branches[i], &branches[closest]))
            closest = i;
    if (!n || !branches[closest].count)
        return "Invalid input";
    issue = &branches[closest].list[0];
    haft_buffer_printf(text, "Invalid input (option %zu came closest: ", closest + 1);
    haft_issue_path(issue, text);
    haft_buffer_printf(text, "%s%s)", issue->n_path ? ": " : "", issue->message);
    return hf_sentence_end(&sentence);
}

unsigned hf_report_union(struct walk *w, const struct path *at, const haft_issues *branches,
                         size_t n)
{
    haft_issue *issue = hf_report_begin(w, at, HAFT_INVALID_UNION, ABORT);

    if (!issue)
        return ABORT;
    issue->branches = branches;
    issue->n_branches = n;
    issue->inclusive = true;
    hf_report_end(w, issue, union_sentence(w, branches, n));
    return ABORT;
}

unsigned hf_report_overlap(struct walk *w, const struct path *at)
{
    haft_issue *issue = hf_report_begin(w, at, HAFT_INVALID_UNION, ABORT);

    if (issue)
        hf_report_end(w, issue, "Invalid input: more than one option matched");
    return ABORT;
}

/* Writes the accepted tags, as JSON or quoted for a message. */
static const char *list_tags(struct walk *w, const struct rule *rule, const char *between,
                             const char *quote)
{
    struct sentence sentence;
    haft_buffer *text = hf_sentence_start(&sentence, w);
    size_t n_listed = 0;

    for (size_t i = 0; i < rule->n_nodes; i++) {
        size_t k, n;
        yyjson_val *tag;

        yyjson_arr_foreach(rule->tags[i], k, n, tag) {
            haft_buffer_puts(text, n_listed++ ? between : "");
            haft_buffer_puts(text, quote);
            if (*quote && yyjson_is_str(tag))
                haft_buffer_puts(text, yyjson_get_str(tag));
            else
                haft_json_write(tag, text);
            haft_buffer_puts(text, quote);
        }
    }
    return hf_sentence_end(&sentence);
}

unsigned hf_report_discriminator(struct walk *w, const struct path *at, const struct rule *rule)
{
    struct path here = {at, rule->text, 0};
    haft_issue *issue = hf_report_begin(w, &here, HAFT_INVALID_UNION, ABORT);

    if (!issue)
        return ABORT;
    issue->note = "No matching discriminator";
    issue->discriminator = rule->text;
    issue->inclusive = true;
    issue->values = list_tags(w, rule, ",", "");
    if (issue->values)
        issue->values = haft_arena_printf(w->arena, "[%s]", issue->values);
    hf_report_end(w, issue,
                  issue->values ? hf_report_join(w, "Invalid discriminator value. Expected ",
                                                 list_tags(w, rule, " | ", "'"))
                                : NULL);
    return ABORT;
}
