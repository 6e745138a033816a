/* report.c - issues as they are found: Zod's members, Zod's sentences.
 *
 * Two sentences go on where Zod's stop: unrecognised keys are told which keys are accepted and
 * which of them was probably meant, and a failed union says why by the option that came closest. */
#include "schema/walk.h"

#include <string.h>

enum { SHOWN = 120, MAX_LISTED = 24 }; /* bytes of a key that was sent; keys in a sentence */

const char *json_type_name(const yyjson_val *value)
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

/* Room for one more issue, or NULL when the limit is reached (it is counted all the same). */
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
            walk_stop(w, HAFT_ENOMEM);
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

/* Starts an issue; NULL when there is nothing to write to.  add() ends it. */
static haft_issue *start(struct walk *w, const struct path *at, haft_issue_code code,
                         unsigned verdict)
{
    haft_issue *issue = w->issues && !w->status ? next_issue(w) : NULL;

    if (!issue)
        return NULL;
    issue->code = code;
    issue->aborts = verdict == ABORT_ALL ? 2 : verdict == ABORT;
    if (!set_path(w, issue, at)) {
        walk_stop(w, HAFT_ENOMEM);
        return NULL;
    }
    return issue;
}

static void add(struct walk *w, haft_issue *issue, const char *message)
{
    issue->message = message;
    if (!message)
        walk_stop(w, HAFT_ENOMEM);
    else
        w->issues->count++;
}

void issues_append(struct walk *w, const haft_issues *from)
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

/* A number as JSON and as a sentence shows it: the same text. */
static const char *number_text(struct walk *w, const yyjson_val *number)
{
    yyjson_val *value = (yyjson_val *)(uintptr_t)number;
    char text[32];
    size_t size;

    if (unsafe_yyjson_is_uint(value) && value->uni.u64 > INT64_MAX)
        return haft_arena_printf(w->arena, "%llu", (unsigned long long)value->uni.u64);
    size = unsafe_yyjson_is_real(value) ? number_to_text(value->uni.f64, text)
                                        : integer_to_text(value->uni.i64, text);
    return haft_arena_copy(w->arena, text, size);
}

/* Text that grows in the walk's arena. */
struct sentence {
    haft_allocator memory;
    haft_buffer text;
};

static void *sentence_alloc(void *context, size_t size)
{
    return haft_arena_alloc(context, size);
}

static void *sentence_resize(void *context, void *memory, size_t old_size, size_t size)
{
    return arena_resize(context, memory, old_size, size);
}

static void sentence_keep(void *context, void *memory, size_t size)
{
    (void)context;
    (void)memory;
    (void)size;
}

static haft_buffer *sentence_start(struct sentence *sentence, struct walk *w)
{
    sentence->memory = (haft_allocator){sentence_alloc, sentence_resize, sentence_keep, w->arena};
    haft_buffer_init(&sentence->text, &sentence->memory, SIZE_MAX / 2);
    return &sentence->text;
}

/* The text, with what it did not need given back; NULL without memory. */
static const char *sentence_end(struct sentence *sentence)
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

    haft_json_write(value, sentence_start(&json, w));
    return sentence_end(&json);
}

/* A value as JavaScript's template strings show it: a string in quotes and unescaped. */
static void put_value(haft_buffer *text, yyjson_val *value)
{
    if (yyjson_is_str(value))
        haft_buffer_printf(text, "\"%s\"", yyjson_get_str(value));
    else
        haft_json_write(value, text);
}

/* Appends to a text in the arena; sticky: NULL stays NULL. */
static const char *join(struct walk *w, const char *left, const char *right)
{
    return left && right ? haft_arena_printf(w->arena, "%s%s", left, right) : NULL;
}

void report_message(struct walk *w, const char *message)
{
    haft_issues *issues = w->issues;

    if (message && issues && issues->count && issues->count == issues->total)
        issues->list[issues->count - 1].message = message;
}

void report_note(struct walk *w, const char *note, const char *pattern)
{
    haft_issues *issues = w->issues;

    if (!issues || !issues->count || issues->count != issues->total)
        return;
    issues->list[issues->count - 1].note = note;
    issues->list[issues->count - 1].pattern = pattern;
}

/* ---- one function a sentence ---- */

/* The name of the one type that passes, or of the ones.  As in Zod, an integer is a number first,
 * and an int then. */
static const char *expected_of(struct walk *w, const struct node *node, const yyjson_val *value)
{
    const char *names[TYPE_NAMES], *text = "";
    unsigned types = node->types;
    size_t n;

    if ((types & TYPE_NUMBER) == TYPE_INTEGER && !yyjson_is_num((void *)(uintptr_t)value))
        types |= TYPE_NUMBER;
    if (node->never || !types)
        return "never";
    n = type_names(types, names);
    for (size_t i = 0; i < n && text; i++) {
        const char *name = strcmp(names[i], "integer") ? names[i] : "int";

        text = i ? join(w, join(w, text, " or "), name) : name;
    }
    return text;
}

unsigned report_type(struct walk *w, const struct path *at, const struct node *node,
                     const char *expected, const char *format, const yyjson_val *value,
                     unsigned verdict)
{
    haft_issue *issue = start(w, at, HAFT_INVALID_TYPE, verdict);

    if (!issue)
        return verdict;
    if (node && !expected)
        expected = expected_of(w, node, value);
    issue->expected = expected;
    issue->format = format;
    add(w, issue,
        !expected ? NULL
        : node && node->message
            ? node->message
            : haft_arena_printf(w->arena, "Invalid input: expected %s, received %s", expected,
                                json_type_name(value)));
    return verdict;
}

unsigned report_value(struct walk *w, const struct path *at, const struct node *node)
{
    haft_issue *issue = start(w, at, HAFT_INVALID_VALUE, ABORT);
    struct sentence sentence;
    haft_buffer *text;
    size_t i, n;
    yyjson_val *value;

    if (!issue)
        return ABORT;
    issue->values = value_json(w, node->values);
    text = sentence_start(&sentence, w);
    haft_buffer_puts(text, yyjson_arr_size(node->values) == 1 ? "Invalid input: expected "
                                                              : "Invalid option: expected one of ");
    yyjson_arr_foreach(node->values, i, n, value) {
        haft_buffer_puts(text, i ? "|" : "");
        put_value(text, value);
    }
    add(w, issue, !issue->values ? NULL : node->message ? node->message : sentence_end(&sentence));
    return ABORT;
}

/* "Too small: expected string to have >=2 characters". */
unsigned report_size(struct walk *w, const struct path *at, const struct check *check,
                     const char *origin, bool big, bool exact)
{
    unsigned verdict = check->aborts ? ABORT_ALL : FAIL;
    haft_issue *issue = start(w, at, big ? HAFT_TOO_BIG : HAFT_TOO_SMALL, verdict);
    const char *unit = origin[0] == 's' ? "characters" : origin[0] == 'a' ? "items" : "properties";

    if (!issue)
        return verdict;
    issue->origin = origin;
    issue->bound = haft_arena_printf(w->arena, "%zu", check->size);
    issue->inclusive = true;
    issue->exact = exact;
    add(w, issue,
        !issue->bound    ? NULL
        : check->message ? check->message
                         : haft_arena_printf(w->arena, "Too %s: expected %s to have %s%s %s",
                                             big ? "big" : "small", origin,
                                             exact ? "exactly "
                                             : big ? "<="
                                                   : ">=",
                                             issue->bound, unit));
    return verdict;
}

unsigned report_bound(struct walk *w, const struct path *at, const struct check *check,
                      const yyjson_val *bound, const char *origin, bool big, const char *note)
{
    haft_issue *issue = start(w, at, big ? HAFT_TOO_BIG : HAFT_TOO_SMALL, FAIL);

    if (!issue)
        return FAIL;
    issue->origin = origin;
    issue->bound = number_text(w, bound);
    issue->inclusive = !check->exclusive;
    issue->note = note;
    add(w, issue,
        !issue->bound    ? NULL
        : check->message ? check->message
                         : haft_arena_printf(w->arena, "Too %s: expected %s to be %s%s%s",
                                             big ? "big" : "small", origin, big ? "<" : ">",
                                             issue->inclusive ? "=" : "", issue->bound));
    return FAIL;
}

unsigned report_multiple(struct walk *w, const struct path *at, const struct check *check)
{
    haft_issue *issue = start(w, at, HAFT_NOT_MULTIPLE_OF, FAIL);

    if (!issue)
        return FAIL;
    issue->origin = "number";
    issue->bound = number_text(w, &check->bound);
    add(w, issue,
        !issue->bound    ? NULL
        : check->message ? check->message
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
        return join(w, "Invalid string: must match pattern ", issue->pattern);
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

unsigned report_format(struct walk *w, const struct path *at, const struct check *check)
{
    haft_issue *issue = start(w, at, HAFT_INVALID_FORMAT, FAIL);
    const char *sentence;

    if (!issue)
        return FAIL;
    /* Zod says where a format comes from when a pattern decides it. */
    if (check->op != CHECK_FORMAT || check->format->shown)
        issue->origin = "string";
    sentence = format_sentence(w, issue, check);
    add(w, issue, sentence && check->message ? check->message : sentence);
    return FAIL;
}

unsigned report_custom(struct walk *w, const struct path *at, const char *message, unsigned verdict)
{
    haft_issue *issue = start(w, at, HAFT_CUSTOM, verdict);

    if (issue)
        add(w, issue, message);
    return verdict;
}

/* ---- keys ---- */

/* The accepted key that was probably meant; NULL when none is near. */
static const char *nearest(const struct object *object, const char *key)
{
    struct nearest search = nearest_begin(key);

    for (size_t i = 0; i < object->n_properties; i++)
        nearest_offer(&search, object->properties[i].name);
    return search.name;
}

static bool list_keys(struct walk *w, haft_issue *issue, const struct object *object,
                      yyjson_val **keys, size_t n)
{
    const char **names = haft_arena_alloc(w->arena, n * sizeof *names + 1);
    const char **accepted = haft_arena_alloc(w->arena, object->n_properties * sizeof *accepted + 1);

    if (!names || !accepted)
        return false;
    for (size_t i = 0; i < n; i++)
        names[i] = yyjson_get_str(keys[i]);
    for (size_t i = 0; i < object->n_properties; i++)
        accepted[i] = object->properties[i].name;
    issue->keys = names;
    issue->n_keys = n;
    issue->accepted = accepted;
    issue->n_accepted = object->n_properties;
    return true;
}

/* What a client sent, cut to a length that fits a sentence. */
static void put_key(haft_buffer *text, const char *key)
{
    size_t size = strlen(key), cut = size;

    if (size > SHOWN)
        for (cut = SHOWN; ((unsigned char)key[cut] & 0xC0) == 0x80;)
            cut--;
    haft_buffer_printf(text, "\"%.*s%s\"", (int)cut, key, cut < size ? "..." : "");
}

/* The names in quotes, as many as a sentence can bear. */
static void put_keys(haft_buffer *text, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n && i < MAX_LISTED; i++) {
        haft_buffer_puts(text, i ? ", " : "");
        put_key(text, keys[i]);
    }
    haft_buffer_puts(text, n > MAX_LISTED ? ", ..." : "");
}

unsigned report_keys(struct walk *w, const struct path *at, const struct object *object,
                     yyjson_val **keys, size_t n)
{
    haft_issue *issue = start(w, at, HAFT_UNRECOGNIZED_KEYS, FAIL);
    const char *meant = NULL;
    struct sentence sentence;
    haft_buffer *text;

    if (!issue)
        return FAIL;
    if (!list_keys(w, issue, object, keys, n))
        return walk_stop(w, HAFT_ENOMEM);
    for (size_t i = 0; i < n && i < MAX_LISTED && !meant; i++)
        meant = nearest(object, issue->keys[i]);
    text = sentence_start(&sentence, w);
    haft_buffer_puts(text, n > 1 ? "Unrecognized keys: " : "Unrecognized key: ");
    put_keys(text, issue->keys, n);
    haft_buffer_puts(text, object->n_properties ? " (accepted: " : " (no keys are accepted");
    put_keys(text, issue->accepted, object->n_properties);
    if (meant) {
        haft_buffer_puts(text, "; did you mean ");
        put_key(text, meant);
        haft_buffer_puts(text, "?");
    }
    haft_buffer_puts(text, ")");
    add(w, issue, sentence_end(&sentence));
    return FAIL;
}

unsigned report_duplicate(struct walk *w, const struct path *at, yyjson_val *key)
{
    haft_issue *issue = start(w, at, HAFT_CUSTOM, ABORT);
    struct sentence sentence;
    haft_buffer *text;

    if (!issue)
        return ABORT;
    text = sentence_start(&sentence, w);
    haft_buffer_puts(text, "Duplicate key: ");
    put_key(text, unsafe_yyjson_get_str(key));
    add(w, issue, sentence_end(&sentence));
    return ABORT;
}

unsigned report_key(struct walk *w, const struct path *at, const char *origin,
                    const haft_issues *issues)
{
    haft_issue *issue = start(w, at, HAFT_INVALID_KEY, ABORT);
    haft_issues *list;

    if (!issue)
        return ABORT;
    list = haft_arena_alloc(w->arena, sizeof *list);
    if (!list)
        return walk_stop(w, HAFT_ENOMEM);
    *list = *issues;
    issue->origin = origin;
    issue->branches = list;
    issue->n_branches = 1;
    add(w, issue, haft_arena_printf(w->arena, "Invalid key in %s", origin));
    return ABORT;
}

/* ---- unions ---- */

/* How far an option got: the depth at which it failed first, and how little is wrong with it. */
static bool is_closer(const haft_issues *left, const haft_issues *right)
{
    size_t ours = left->count ? left->list[0].n_path : 0;
    size_t theirs = right->count ? right->list[0].n_path : 0;

    return ours != theirs ? ours > theirs : left->total < right->total;
}

/* Whether every option failed on the type of the value itself. */
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
    haft_buffer *text = sentence_start(&sentence, w);
    const haft_issue *issue;
    const char *received;
    size_t closest = 0;

    if (all_types(branches, n)) {
        haft_buffer_puts(text, "Invalid input: expected ");
        for (size_t i = 0; i < n; i++)
            haft_buffer_printf(text, "%s%s", i ? " or " : "", branches[i].list[0].expected);
        /* The sentence of every one ends in the same type. */
        received = strstr(branches[0].list[0].message, ", received ");
        haft_buffer_puts(text, received ? received : "");
        return sentence_end(&sentence);
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
    return sentence_end(&sentence);
}

unsigned report_union(struct walk *w, const struct path *at, const haft_issues *branches, size_t n)
{
    haft_issue *issue = start(w, at, HAFT_INVALID_UNION, ABORT);

    if (!issue)
        return ABORT;
    issue->branches = branches;
    issue->n_branches = n;
    issue->inclusive = true;
    add(w, issue, union_sentence(w, branches, n));
    return ABORT;
}

unsigned report_overlap(struct walk *w, const struct path *at)
{
    haft_issue *issue = start(w, at, HAFT_INVALID_UNION, ABORT);

    if (issue)
        add(w, issue, "Invalid input: more than one option matched");
    return ABORT;
}

/* The accepted tags: as JSON, or in quotes as a sentence lists them. */
static const char *list_tags(struct walk *w, const struct rule *rule, const char *between,
                             const char *quote)
{
    struct sentence sentence;
    haft_buffer *text = sentence_start(&sentence, w);
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
    return sentence_end(&sentence);
}

unsigned report_discriminator(struct walk *w, const struct path *at, const struct rule *rule)
{
    struct path here = {at, rule->text, 0};
    haft_issue *issue = start(w, &here, HAFT_INVALID_UNION, ABORT);

    if (!issue)
        return ABORT;
    issue->note = "No matching discriminator";
    issue->discriminator = rule->text;
    issue->inclusive = true;
    issue->values = list_tags(w, rule, ",", "");
    if (issue->values)
        issue->values = haft_arena_printf(w->arena, "[%s]", issue->values);
    add(w, issue,
        issue->values
            ? join(w, "Invalid discriminator value. Expected ", list_tags(w, rule, " | ", "'"))
            : NULL);
    return ABORT;
}
