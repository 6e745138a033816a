/* report.c - creates issues with Zod's members and messages. Those about keys and unions say more
 * than Zod's and are in separate files. */
#include "schema/walk/report.h"

#include <string.h>

const char *hf_json_type_name(const yyjson_val *value)
{
    if (!value)
        return "undefined";
    switch (unsafe_yyjson_get_type((void *)(uintptr_t)value)) {
    case YYJSON_TYPE_STR:
        return "string";
    case YYJSON_TYPE_NUM:
        return "number";
    case YYJSON_TYPE_BOOL:
        return "boolean";
    case YYJSON_TYPE_ARR:
        return "array";
    case YYJSON_TYPE_OBJ:
        return "object";
    default:
        return "null";
    }
}

/* ---- lists ---- */

/* Returns a new issue, or NULL if the limit is reached (it is still counted). */
static haft_issue *next_issue(struct walk *w)
{
    haft_issues *issues = w->issues;
    haft_issue *list;

    issues->total++;
    if (issues->count == w->schema->max_issues)
        return NULL;
    /* The list doubles at every power of two. */
    if (!(issues->count & (issues->count - 1))) {
        list = haft_arena_alloc(w->arena, (issues->count ? issues->count * 2 : 1) * sizeof *list);
        if (!list) {
            hf_walk_stop(w, HAFT_ENOMEM);
            return NULL;
        }
        if (issues->count)
            memcpy(list, issues->list, issues->count * sizeof *list);
        issues->list = list;
    }
    list = &issues->list[issues->count];
    memset(list, 0, sizeof *list);
    return list;
}

static bool set_path(struct walk *w, haft_issue *issue, const struct path *at)
{
    haft_step *path;
    size_t n = 0;

    for (const struct path *up = at; up; up = up->up)
        n++;
    path = haft_arena_alloc(w->arena, n * sizeof *path + 1);
    if (!path)
        return false;
    issue->path = path;
    issue->n_path = n;
    for (; at; at = at->up)
        path[--n] = (haft_step){at->key, at->index};
    return true;
}

haft_issue *hf_report_begin(struct walk *w, const struct path *at, haft_issue_code code,
                            unsigned verdict)
{
    haft_issue *issue = w->issues && !w->status ? next_issue(w) : NULL;

    if (!issue)
        return NULL;
    issue->code = code;
    issue->aborts = verdict == ABORT_ALL ? 2 : verdict == ABORT;
    if (!set_path(w, issue, at)) {
        hf_walk_stop(w, HAFT_ENOMEM);
        return NULL;
    }
    return issue;
}

void hf_report_end(struct walk *w, haft_issue *issue, const char *message)
{
    issue->message = message;
    if (!message)
        hf_walk_stop(w, HAFT_ENOMEM);
    else
        w->issues->count++;
}

void hf_issues_append(struct walk *w, const haft_issues *from)
{
    for (size_t i = 0; i < from->count; i++) {
        haft_issue *issue = next_issue(w);

        if (!issue)
            continue;
        *issue = from->list[i];
        w->issues->count++;
    }
    w->issues->total += from->total - from->count;
}

/* ---- text ---- */

/* A number as text, the same in JSON and in messages. */
static const char *number_text(struct walk *w, const yyjson_val *number)
{
    yyjson_val *value = (yyjson_val *)(uintptr_t)number;
    char text[32];
    size_t size;

    if (unsafe_yyjson_is_uint(value) && value->uni.u64 > INT64_MAX)
        return haft_arena_printf(w->arena, "%llu", (unsigned long long)value->uni.u64);
    size = unsafe_yyjson_is_real(value) ? hf_number_to_text(value->uni.f64, text)
                                        : hf_integer_to_text(value->uni.i64, text);
    return haft_arena_copy(w->arena, text, size);
}

static void *sentence_alloc(void *context, size_t size)
{
    return haft_arena_alloc(context, size);
}

static void *sentence_resize(void *context, void *memory, size_t old_size, size_t size)
{
    return hf_arena_resize(context, memory, old_size, size);
}

static void sentence_keep(void *context, void *memory, size_t size)
{
    (void)context;
    (void)memory;
    (void)size;
}

haft_buffer *hf_sentence_start(struct sentence *sentence, struct walk *w)
{
    sentence->memory = (haft_allocator){sentence_alloc, sentence_resize, sentence_keep, w->arena};
    haft_buffer_init(&sentence->text, &sentence->memory, SIZE_MAX / 2);
    return &sentence->text;
}

const char *hf_sentence_end(struct sentence *sentence)
{
    haft_buffer *text = &sentence->text;

    haft_buffer_add(text, "", 1);
    return text->status
               ? NULL
               : sentence_resize(sentence->memory.context, text->data, text->capacity, text->size);
}

static const char *value_json(struct walk *w, const yyjson_val *value)
{
    struct sentence json;

    haft_json_write(value, hf_sentence_start(&json, w));
    return hf_sentence_end(&json);
}

/* A value as JavaScript's template strings show it, with strings in quotes and unescaped. */
static void report_put_value(haft_buffer *text, yyjson_val *value)
{
    if (yyjson_is_str(value))
        haft_buffer_printf(text, "\"%s\"", yyjson_get_str(value));
    else
        haft_json_write(value, text);
}

const char *hf_report_join(struct walk *w, const char *left, const char *right)
{
    return left && right ? haft_arena_printf(w->arena, "%s%s", left, right) : NULL;
}

void hf_report_message(struct walk *w, const char *message)
{
    haft_issues *issues = w->issues;

    if (message && issues && issues->count && issues->count == issues->total)
        issues->list[issues->count - 1].message = message;
}

void hf_report_note(struct walk *w, const char *note, const char *pattern)
{
    haft_issues *issues = w->issues;

    if (!issues || !issues->count || issues->count != issues->total)
        return;
    issues->list[issues->count - 1].note = note;
    issues->list[issues->count - 1].pattern = pattern;
}

/* ---- one function per message ---- */

/* The names of the accepted types. As in Zod, an integer is "number" if the value is not a number,
 * and "int" if it is one with a fraction. */
static const char *expected_of(struct walk *w, const struct node *node, const yyjson_val *value)
{
    const char *names[TYPE_NAMES], *text = "";
    unsigned types = node->types;
    size_t n;

    if ((types & TYPE_NUMBER) == TYPE_INTEGER && !yyjson_is_num((void *)(uintptr_t)value))
        types |= TYPE_NUMBER;
    if (node->never || !types)
        return "never";
    n = hf_type_names(types, names);
    for (size_t i = 0; i < n && text; i++) {
        const char *name = strcmp(names[i], "integer") ? names[i] : "int";

        text = i ? hf_report_join(w, hf_report_join(w, text, " or "), name) : name;
    }
    return text;
}

unsigned hf_report_type(struct walk *w, const struct path *at, const struct node *node,
                        const char *expected, const char *format, const yyjson_val *value,
                        unsigned verdict)
{
    haft_issue *issue = hf_report_begin(w, at, HAFT_INVALID_TYPE, verdict);

    if (!issue)
        return verdict;
    if (node && !expected)
        expected = expected_of(w, node, value);
    issue->expected = expected;
    issue->format = format;
    hf_report_end(w, issue,
                  !expected ? NULL
                  : node && node->message
                      ? node->message
                      : haft_arena_printf(w->arena, "Invalid input: expected %s, received %s",
                                          expected, hf_json_type_name(value)));
    return verdict;
}

unsigned hf_report_value(struct walk *w, const struct path *at, const struct node *node)
{
    haft_issue *issue = hf_report_begin(w, at, HAFT_INVALID_VALUE, ABORT);
    struct sentence sentence;
    haft_buffer *text;
    size_t i, n;
    yyjson_val *value;

    if (!issue)
        return ABORT;
    issue->values = value_json(w, node->values);
    text = hf_sentence_start(&sentence, w);
    haft_buffer_puts(text, yyjson_arr_size(node->values) == 1 ? "Invalid input: expected "
                                                              : "Invalid option: expected one of ");
    yyjson_arr_foreach(node->values, i, n, value) {
        haft_buffer_puts(text, i ? "|" : "");
        report_put_value(text, value);
    }
    hf_report_end(w, issue,
                  !issue->values  ? NULL
                  : node->message ? node->message
                                  : hf_sentence_end(&sentence));
    return ABORT;
}

/* "Too small: expected string to have >=2 characters". */
unsigned hf_report_size(struct walk *w, const struct path *at, const struct check *check,
                        const char *origin, bool big, bool exact)
{
    unsigned verdict = check->aborts ? ABORT_ALL : FAIL;
    haft_issue *issue = hf_report_begin(w, at, big ? HAFT_TOO_BIG : HAFT_TOO_SMALL, verdict);
    const char *unit = check->op == CHECK_MAX_BYTES ? "bytes of UTF-8"
                       : origin[0] == 's'           ? "characters"
                       : origin[0] == 'a'           ? "items"
                                                    : "properties";

    if (!issue)
        return verdict;
    issue->origin = origin;
    issue->bound = haft_arena_printf(w->arena, "%zu", check->size);
    issue->inclusive = true;
    issue->exact = exact;
    hf_report_end(w, issue,
                  !issue->bound ? NULL
                  : check->message
                      ? check->message
                      : haft_arena_printf(w->arena, "Too %s: expected %s to have %s%s %s",
                                          big ? "big" : "small", origin,
                                          exact ? "exactly "
                                          : big ? "<="
                                                : ">=",
                                          issue->bound, unit));
    return verdict;
}

unsigned hf_report_bound(struct walk *w, const struct path *at, const struct check *check,
                         const yyjson_val *bound, const char *origin, bool big, const char *note)
{
    haft_issue *issue = hf_report_begin(w, at, big ? HAFT_TOO_BIG : HAFT_TOO_SMALL, FAIL);

    if (!issue)
        return FAIL;
    issue->origin = origin;
    issue->bound = number_text(w, bound);
    issue->inclusive = !check->exclusive;
    issue->note = note;
    hf_report_end(w, issue,
                  !issue->bound ? NULL
                  : check->message
                      ? check->message
                      : haft_arena_printf(w->arena, "Too %s: expected %s to be %s%s%s",
                                          big ? "big" : "small", origin, big ? "<" : ">",
                                          issue->inclusive ? "=" : "", issue->bound));
    return FAIL;
}

unsigned hf_report_multiple(struct walk *w, const struct path *at, const struct check *check)
{
    haft_issue *issue = hf_report_begin(w, at, HAFT_NOT_MULTIPLE_OF, FAIL);

    if (!issue)
        return FAIL;
    issue->origin = "number";
    issue->bound = number_text(w, &check->bound);
    hf_report_end(w, issue,
                  !issue->bound ? NULL
                  : check->message
                      ? check->message
                      : haft_arena_printf(w->arena, "Invalid number: must be a multiple of %s",
                                          issue->bound));
    return FAIL;
}

static const char *format_sentence(struct walk *w, haft_issue *issue, const struct check *check)
{
    switch ((enum check_op)check->op) {
    case CHECK_PATTERN:
        issue->format = "regex";
        issue->pattern =
            haft_arena_printf(w->arena, "/%s/%s", check->pattern->source, check->pattern->flags);
        return hf_report_join(w, "Invalid string: must match pattern ", issue->pattern);
    case CHECK_STARTS:
        issue->format = "starts_with";
        issue->operand = check->text;
        return haft_arena_printf(w->arena, "Invalid string: must start with \"%s\"", check->text);
    case CHECK_ENDS:
        issue->format = "ends_with";
        issue->operand = check->text;
        return haft_arena_printf(w->arena, "Invalid string: must end with \"%s\"", check->text);
    case CHECK_INCLUDES:
        issue->format = "includes";
        issue->operand = check->text;
        return haft_arena_printf(w->arena, "Invalid string: must include \"%s\"", check->text);
    case CHECK_CONTENT:
        issue->format = check->text ? check->text : "json_string";
        return check->size ? "Invalid JSON string" : "Invalid base64-encoded string";
    default:
        issue->format = check->format->name;
        if (check->format->shown)
            issue->pattern =
                haft_arena_printf(w->arena, "/%s/%s", check->format->shown,
                                  check->format->shown_flags ? check->format->shown_flags : "");
        return haft_arena_printf(w->arena, "Invalid %s", check->format->noun);
    }
}

unsigned hf_report_format(struct walk *w, const struct path *at, const struct check *check)
{
    haft_issue *issue = hf_report_begin(w, at, HAFT_INVALID_FORMAT, FAIL);
    const char *sentence;

    if (!issue)
        return FAIL;
    /* Zod names the format if a pattern decides it. */
    if (check->op != CHECK_FORMAT || check->format->shown)
        issue->origin = "string";
    sentence = format_sentence(w, issue, check);
    hf_report_end(w, issue, sentence && check->message ? check->message : sentence);
    return FAIL;
}

unsigned hf_report_custom(struct walk *w, const struct path *at, const char *message,
                          unsigned verdict)
{
    haft_issue *issue = hf_report_begin(w, at, HAFT_CUSTOM, verdict);

    if (issue)
        hf_report_end(w, issue, message);
    return verdict;
}
