/* issue.c - formats issues as JSON and as one line of text. */
#include <haft/issue.h>

#include <string.h>

#include "json/writer.h"

enum { MAX_NESTING = 32 };

const char *haft_issue_code_name(haft_issue_code code)
{
    static const char *const names[] = {
#define HAFT_ISSUE_CODE_(name, text) [name] = text,
        HAFT_ISSUE_CODES(HAFT_ISSUE_CODE_)
#undef HAFT_ISSUE_CODE_
    };

    return (size_t)code < sizeof names / sizeof *names ? names[code] : "unknown";
}

static void issue_put_text(struct json_writer *w, const char *key, const char *text)
{
    if (text)
        hf_json_text(hf_json_name(w, key, strlen(key)), text);
}

static void put_raw(struct json_writer *w, const char *key, const char *json)
{
    if (json)
        hf_json_raw(hf_json_name(w, key, strlen(key)), json, strlen(json));
}

static void issue_put_names(struct json_writer *w, const char *key, const char *const *names,
                            size_t n)
{
    hf_json_begin_array(hf_json_name(w, key, strlen(key)));
    for (size_t i = 0; i < n; i++)
        hf_json_text(w, names[i]);
    hf_json_end_array(w);
}

static void issue_put_path(struct json_writer *w, const haft_issue *issue)
{
    hf_json_begin_array(json_key(w, "path"));
    for (size_t i = 0; i < issue->n_path; i++) {
        if (issue->path[i].key)
            hf_json_text(w, issue->path[i].key);
        else
            hf_json_unsigned(w, issue->path[i].index);
    }
    hf_json_end_array(w);
}

static void put_list(struct json_writer *w, const haft_issues *issues, size_t depth);

static void put_bound(struct json_writer *w, const haft_issue *issue)
{
    if (issue->code == HAFT_NOT_MULTIPLE_OF) {
        put_raw(w, "divisor", issue->bound);
        return;
    }
    put_raw(w, issue->code == HAFT_TOO_BIG ? "maximum" : "minimum", issue->bound);
    if (issue->code == HAFT_TOO_BIG || issue->code == HAFT_TOO_SMALL)
        hf_json_bool(json_key(w, "inclusive"), issue->inclusive);
    if (issue->exact)
        hf_json_bool(json_key(w, "exact"), true);
}

static void put_union(struct json_writer *w, const haft_issue *issue, size_t depth)
{
    hf_json_begin_array(json_key(w, "errors"));
    for (size_t i = 0; i < issue->n_branches; i++)
        put_list(w, &issue->branches[i], depth + 1);
    hf_json_end_array(w);
    if (!issue->inclusive)
        hf_json_bool(json_key(w, "inclusive"), false);
    put_raw(w, "options", issue->values);
}

static const char *operand_name(const haft_issue *issue)
{
    if (!strcmp(issue->format, "starts_with"))
        return "prefix";
    return !strcmp(issue->format, "ends_with") ? "suffix" : "includes";
}

/* Writes the members that belong to the issue's code, in a fixed order. */
static void issue_put_members(struct json_writer *w, const haft_issue *issue, size_t depth)
{
    json_text_member(w, "expected", issue->expected);
    json_text_member(w, "origin", issue->origin);
    json_text_member(w, "format", issue->format);
    json_text_member(w, "code", haft_issue_code_name(issue->code));
    put_bound(w, issue);
    json_text_member(w, "pattern", issue->pattern);
    if (issue->operand)
        issue_put_text(w, operand_name(issue), issue->operand);
    json_text_member(w, "note", issue->note);
    json_text_member(w, "discriminator", issue->discriminator);
    if (issue->code == HAFT_INVALID_VALUE)
        put_raw(w, "values", issue->values);
    if (issue->code == HAFT_UNRECOGNIZED_KEYS) {
        issue_put_names(w, "keys", issue->keys, issue->n_keys);
        issue_put_names(w, "accepted", issue->accepted, issue->n_accepted);
    }
    if (issue->code == HAFT_INVALID_UNION)
        put_union(w, issue, depth);
    if (issue->code == HAFT_INVALID_KEY && issue->n_branches) {
        json_key(w, "issues");
        put_list(w, &issue->branches[0], depth + 1);
    }
}

/* Nested unions are written up to a maximum depth. */
static void put_list(struct json_writer *w, const haft_issues *issues, size_t depth)
{
    hf_json_begin_array(w);
    for (size_t i = 0; depth < MAX_NESTING && i < issues->count; i++) {
        const haft_issue *issue = &issues->list[i];

        hf_json_begin_object(w);
        issue_put_members(w, issue, depth);
        issue_put_path(w, issue);
        hf_json_text(json_key(w, "message"), issue->message);
        hf_json_end_object(w);
    }
    hf_json_end_array(w);
}

void haft_issues_json(const haft_issues *issues, haft_buffer *buffer)
{
    put_list(&(struct json_writer){.out = buffer}, issues, 0);
}

void haft_issue_path(const haft_issue *issue, haft_buffer *buffer)
{
    for (size_t i = 0; i < issue->n_path; i++) {
        if (i)
            haft_buffer_add(buffer, ".", 1);
        if (issue->path[i].key)
            haft_buffer_puts(buffer, issue->path[i].key);
        else
            haft_buffer_printf(buffer, "%zu", issue->path[i].index);
    }
}

void haft_issues_text(const haft_issues *issues, haft_buffer *buffer)
{
    for (size_t i = 0; i < issues->count; i++) {
        if (i)
            haft_buffer_puts(buffer, ", ");
        haft_issue_path(&issues->list[i], buffer);
        if (issues->list[i].n_path)
            haft_buffer_puts(buffer, ": ");
        haft_buffer_puts(buffer, issues->list[i].message);
    }
    if (issues->total > issues->count)
        haft_buffer_printf(buffer, ", and %zu more", issues->total - issues->count);
}
