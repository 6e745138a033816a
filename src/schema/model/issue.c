/* issue.c - issues as JSON and as one line of text. */
#include <haft/issue.h>

#include <string.h>

#include "base/base.h"

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

static void issue_put_text(haft_buffer *buffer, const char *key, const char *text)
{
    if (!text)
        return;
    haft_buffer_printf(buffer, "\"%s\":", key);
    haft_buffer_json_string(buffer, text, strlen(text));
    haft_buffer_add(buffer, ",", 1);
}

static void put_raw(haft_buffer *buffer, const char *key, const char *json)
{
    if (json)
        haft_buffer_printf(buffer, "\"%s\":%s,", key, json);
}

static void issue_put_flag(haft_buffer *buffer, const char *key, bool value)
{
    put_raw(buffer, key, value ? "true" : "false");
}

static void issue_put_names(haft_buffer *buffer, const char *key, const char *const *names,
                            size_t n)
{
    haft_buffer_printf(buffer, "\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        if (i)
            haft_buffer_add(buffer, ",", 1);
        haft_buffer_json_string(buffer, names[i], strlen(names[i]));
    }
    haft_buffer_puts(buffer, "],");
}

static void issue_put_path(haft_buffer *buffer, const haft_issue *issue)
{
    haft_buffer_puts(buffer, "\"path\":[");
    for (size_t i = 0; i < issue->n_path; i++) {
        if (i)
            haft_buffer_add(buffer, ",", 1);
        if (issue->path[i].key)
            haft_buffer_json_string(buffer, issue->path[i].key, strlen(issue->path[i].key));
        else
            haft_buffer_printf(buffer, "%zu", issue->path[i].index);
    }
    haft_buffer_puts(buffer, "],");
}

static void put_list(haft_buffer *buffer, const haft_issues *issues, size_t depth);

static void put_bound(haft_buffer *buffer, const haft_issue *issue)
{
    if (issue->code == HAFT_NOT_MULTIPLE_OF) {
        put_raw(buffer, "divisor", issue->bound);
        return;
    }
    put_raw(buffer, issue->code == HAFT_TOO_BIG ? "maximum" : "minimum", issue->bound);
    if (issue->code == HAFT_TOO_BIG || issue->code == HAFT_TOO_SMALL)
        issue_put_flag(buffer, "inclusive", issue->inclusive);
    if (issue->exact)
        issue_put_flag(buffer, "exact", true);
}

static void put_union(haft_buffer *buffer, const haft_issue *issue, size_t depth)
{
    haft_buffer_puts(buffer, "\"errors\":[");
    for (size_t i = 0; i < issue->n_branches; i++) {
        if (i)
            haft_buffer_add(buffer, ",", 1);
        put_list(buffer, &issue->branches[i], depth + 1);
    }
    haft_buffer_puts(buffer, "],");
    if (!issue->inclusive)
        issue_put_flag(buffer, "inclusive", false);
    put_raw(buffer, "options", issue->values);
}

static const char *operand_name(const haft_issue *issue)
{
    if (!strcmp(issue->format, "starts_with"))
        return "prefix";
    return !strcmp(issue->format, "ends_with") ? "suffix" : "includes";
}

/* The members that a code brings along, in one order for all. */
static void issue_put_members(haft_buffer *buffer, const haft_issue *issue, size_t depth)
{
    issue_put_text(buffer, "expected", issue->expected);
    issue_put_text(buffer, "origin", issue->origin);
    issue_put_text(buffer, "format", issue->format);
    issue_put_text(buffer, "code", haft_issue_code_name(issue->code));
    put_bound(buffer, issue);
    issue_put_text(buffer, "pattern", issue->pattern);
    if (issue->operand)
        issue_put_text(buffer, operand_name(issue), issue->operand);
    issue_put_text(buffer, "note", issue->note);
    issue_put_text(buffer, "discriminator", issue->discriminator);
    if (issue->code == HAFT_INVALID_VALUE)
        put_raw(buffer, "values", issue->values);
    if (issue->code == HAFT_UNRECOGNIZED_KEYS) {
        issue_put_names(buffer, "keys", issue->keys, issue->n_keys);
        issue_put_names(buffer, "accepted", issue->accepted, issue->n_accepted);
    }
    if (issue->code == HAFT_INVALID_UNION)
        put_union(buffer, issue, depth);
    if (issue->code == HAFT_INVALID_KEY && issue->n_branches) {
        haft_buffer_puts(buffer, "\"issues\":");
        put_list(buffer, &issue->branches[0], depth + 1);
        haft_buffer_add(buffer, ",", 1);
    }
}

/* Unions in unions are written as deep as a reader will look. */
static void put_list(haft_buffer *buffer, const haft_issues *issues, size_t depth)
{
    haft_buffer_add(buffer, "[", 1);
    for (size_t i = 0; depth < MAX_NESTING && i < issues->count; i++) {
        const haft_issue *issue = &issues->list[i];

        haft_buffer_puts(buffer, i ? ",{" : "{");
        issue_put_members(buffer, issue, depth);
        issue_put_path(buffer, issue);
        haft_buffer_puts(buffer, "\"message\":");
        haft_buffer_json_string(buffer, issue->message, strlen(issue->message));
        haft_buffer_add(buffer, "}", 1);
    }
    haft_buffer_add(buffer, "]", 1);
}

void haft_issues_json(const haft_issues *issues, haft_buffer *buffer)
{
    put_list(buffer, issues, 0);
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
