/* checks.c - runs the ordered checks of a value that has the right type. */
#include <math.h>
#include <string.h>

#include "schema/walk/walk.h"

struct haft_refinement {
    struct walk *walk;
    const struct path *at;
    unsigned verdict;
};

static const char *checks_text_of(const yyjson_val *value)
{
    return unsafe_yyjson_get_str((void *)(uintptr_t)value);
}

static size_t checks_size_of(const yyjson_val *value)
{
    return unsafe_yyjson_get_len((void *)(uintptr_t)value);
}

/* ---- sizes ---- */

static unsigned checks_size(struct walk *w, const struct check *check, size_t size,
                            const char *origin, const struct path *at)
{
    switch ((enum check_op)check->op) {
    case CHECK_MIN_LENGTH:
    case CHECK_MIN_ITEMS:
    case CHECK_MIN_PROPERTIES:
        return size < check->size ? hf_report_size(w, at, check, origin, false, false) : PASS;
    case CHECK_MAX_LENGTH:
    case CHECK_MAX_ITEMS:
    case CHECK_MAX_PROPERTIES:
        return size > check->size ? hf_report_size(w, at, check, origin, true, false) : PASS;
    default:
        return size != check->size ? hf_report_size(w, at, check, origin, size > check->size, true)
                                   : PASS;
    }
}

/* ---- strings ---- */

static bool includes(const struct check *check, const char *text, size_t size)
{
    const char *end = text + size;

    for (size_t i = 0; i < check->size && text < end; i++)
        hf_utf8_next(&text);
    for (; (size_t)(end - text) >= check->text_size; text++)
        if (!memcmp(text, check->text, check->text_size))
            return true;
    return false;
}

static bool is_encoded(struct walk *w, const struct check *check, const char *text, size_t size)
{
    unsigned char *bytes = NULL;
    yyjson_val *value;
    const char *reason;
    size_t n = size, offset;

    if (check->text && !strcmp(check->text, "base64")) {
        bytes = haft_arena_alloc(w->arena, size / 4 * 3 + 1);
        if (!bytes) {
            hf_walk_stop(w, HAFT_ENOMEM);
            return false;
        }
        if (haft_base64_decode(text, size, bytes, &n))
            return false;
        text = (const char *)bytes;
    } else if (check->text) {
        return true;
    }
    return !check->size || !hf_json_parse(text, n, w->arena, &value, &offset, &reason);
}

/* Whether the unused bits of the last base64 character are zero: only then does encoding the bytes
 * give the same text. */
static bool is_canonical(const char *text, size_t size)
{
    if (size < 4 || text[size - 1] != '=')
        return true;
    return text[size - 2] == '=' ? strchr("AQgw", text[size - 3])
                                 : strchr("AEIMQUYcgkosw048", text[size - 2]);
}

/* Returns 1, 0, or the status that ends the walk. */
static int string_passes(struct walk *w, const struct check *check, const char *text, size_t size)
{
    int passes;

    switch ((enum check_op)check->op) {
    case CHECK_PATTERN:
        return hf_pattern_match(check->pattern, &w->scratch, text, size);
    case CHECK_FORMAT:
        passes = hf_format_match(check->format, check->pattern, &w->scratch, text, size);
        return passes == 1 && check->size ? is_canonical(text, size) : passes;
    case CHECK_STARTS:
        return size >= check->text_size && !memcmp(text, check->text, check->text_size);
    case CHECK_ENDS:
        return size >= check->text_size &&
               !memcmp(text + size - check->text_size, check->text, check->text_size);
    case CHECK_INCLUDES:
        return includes(check, text, size);
    case CHECK_CONTENT:
        return is_encoded(w, check, text, size);
    default:
        return 1;
    }
}

/* As Zod does, reports what is wrong with an HTTP URL, and the pattern that its host should
 * match. */
static void explain_url(struct walk *w, const char *text, size_t size)
{
    static const char host[] =
        "^(?=.{1,253}$)([a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.)+[a-zA-Z]{2,63}$";
    size_t at = 0, n = 0;

    while (at < size && (unsigned char)text[at] <= ' ')
        at++;
    while (n < 4 && at + n < size && (text[at + n] | 0x20) == "http"[n])
        n++;
    at += n;
    if (n == 4 && at < size && (text[at] | 0x20) == 's')
        at++;
    if (n < 4 || size - at < 3 || memcmp(text + at, "://", 3) != 0)
        hf_report_note(w, "Invalid URL format", NULL);
    else if (hf_format_of(HAFT_FORMAT_URL)->check(text, size))
        hf_report_note(w, "Invalid hostname", host);
}

static unsigned check_bytes(struct walk *w, const struct check *check, const yyjson_val *value,
                            const struct path *at)
{
    size_t size = checks_size_of(value);

    if (size <= check->size || haft_utf8_length(checks_text_of(value), size) > check->size)
        return PASS;
    return hf_report_size(w, at, check, "string", true, false);
}

static unsigned check_string(struct walk *w, const struct check *check, const yyjson_val *value,
                             const struct path *at)
{
    int passes;

    if (check->op <= CHECK_LENGTH)
        return checks_size(w, check, haft_utf8_length(checks_text_of(value), checks_size_of(value)),
                           "string", at);
    if (check->op == CHECK_MAX_BYTES)
        return check_bytes(w, check, value, at);
    passes = string_passes(w, check, checks_text_of(value), checks_size_of(value));
    if (passes < 0)
        return hf_walk_stop(w, passes);
    if (passes)
        return PASS;
    hf_report_format(w, at, check);
    if (check->format && check->format == hf_format_of(HAFT_FORMAT_HTTP_URL))
        explain_url(w, checks_text_of(value), checks_size_of(value));
    return FAIL;
}

/* ---- numbers ---- */

static bool to_decimal(const yyjson_val *number, struct decimal *ret_decimal)
{
    yyjson_val *value = (yyjson_val *)(uintptr_t)number;
    bool negative = unsafe_yyjson_is_sint(value) && value->uni.i64 < 0;

    if (unsafe_yyjson_is_real(value))
        return hf_number_to_decimal(value->uni.f64, ret_decimal);
    *ret_decimal = (struct decimal){negative ? 0 - value->uni.u64 : value->uni.u64, 0};
    return true;
}

/* Exact, as JSON Schema requires. (Zod and Ajv divide doubles and accept near results.) */
static bool is_multiple(const yyjson_val *value, const yyjson_val *divisor)
{
    struct decimal number, by;

    return to_decimal(value, &number) && to_decimal(divisor, &by) &&
           hf_decimal_is_multiple(number, by);
}

/* Integers of a named width: integral, in JavaScript's safe range where Zod requires it, and within
 * bounds. */
static unsigned check_width(struct walk *w, const struct check *check, const yyjson_val *value,
                            const struct path *at)
{
    static const char note[] = "Integers must be within the safe integer range.";
    bool integer = check->op == CHECK_INT_FORMAT;
    bool safe =
        integer && check->text && strcmp(check->text, "int64") && strcmp(check->text, "uint64");
    double real = hf_json_double(value);

    if (integer && !hf_json_is_integral(value)) {
        hf_report_type(w, at, NULL, "int", check->text, value, ABORT_ALL);
        hf_report_message(w, check->message);
        return ABORT_ALL;
    }
    if (safe && fabs(real) > 9007199254740991.0) {
        yyjson_val bound = {0};

        yyjson_set_sint(&bound, real > 0 ? INT64_C(9007199254740991) : INT64_C(-9007199254740991));
        return hf_report_bound(w, at, check, &bound, "int", real > 0, note);
    }
    if (hf_json_compare(value, &check->bound) < 0)
        return hf_report_bound(w, at, check, &check->bound, "number", false, NULL);
    if (hf_json_compare(value, &check->bound2) > 0)
        return hf_report_bound(w, at, check, &check->bound2, "number", true, NULL);
    return PASS;
}

static unsigned check_number(struct walk *w, const struct check *check, const yyjson_val *value,
                             const struct path *at)
{
    int order;

    switch ((enum check_op)check->op) {
    case CHECK_MIN:
        order = hf_json_compare(value, &check->bound);
        return order < 0 || (check->exclusive && !order)
                   ? hf_report_bound(w, at, check, &check->bound, "number", false, NULL)
                   : PASS;
    case CHECK_MAX:
        order = hf_json_compare(value, &check->bound);
        return order > 0 || (check->exclusive && !order)
                   ? hf_report_bound(w, at, check, &check->bound, "number", true, NULL)
                   : PASS;
    case CHECK_MULTIPLE_OF:
        return is_multiple(value, &check->bound) ? PASS : hf_report_multiple(w, at, check);
    default:
        return check_width(w, check, value, at);
    }
}

/* ---- arrays ---- */

struct hashed {
    uint64_t hash;
    yyjson_val *item;
};

static void sift_down(struct hashed *items, size_t root, size_t n)
{
    for (size_t child; (child = root * 2 + 1) < n; root = child) {
        struct hashed swap = items[root];

        if (child + 1 < n && items[child + 1].hash > items[child].hash)
            child++;
        if (items[child].hash <= swap.hash)
            return;
        items[root] = items[child];
        items[child] = swap;
    }
}

/* Heap sort: no recursion, no quadratic case. */
static void sort_hashed(struct hashed *items, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift_down(items, i, n);
    for (size_t i = n; i-- > 1;) {
        struct hashed swap = items[0];

        items[0] = items[i];
        items[i] = swap;
        sift_down(items, 0, i);
    }
}

/* Returns 1 if no two items are equal; only items with equal hashes are compared. */
static int is_unique(struct walk *w, yyjson_val *array)
{
    size_t n = yyjson_arr_size(array), i, max;
    struct hashed *items = haft_arena_alloc(w->arena, n * sizeof *items + 1);
    yyjson_val *item;

    if (!items)
        return HAFT_ENOMEM;
    yyjson_arr_foreach(array, i, max, item)
        items[i] = (struct hashed){hf_json_hash(item), item};
    sort_hashed(items, n);
    for (i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n && items[k].hash == items[i].hash; k++) {
            int equal = hf_json_equal(items[i].item, items[k].item, w->arena);

            if (equal)
                return equal < 0 ? equal : 0;
            if (!w->steps)
                return HAFT_ESTEPS;
            w->steps--;
        }
    }
    return 1;
}

static unsigned check_array(struct walk *w, const struct check *check, yyjson_val *value,
                            size_t size, const struct path *at)
{
    int unique;

    if (check->op != CHECK_UNIQUE)
        return checks_size(w, check, size, "array", at);
    unique = is_unique(w, value);
    if (unique < 0)
        return hf_walk_stop(w, unique);
    return unique
               ? PASS
               : hf_report_custom(
                     w, at, check->message ? check->message : "Invalid input: items must be unique",
                     FAIL);
}

/* ---- all of them ---- */

static unsigned check_refine(struct walk *w, const struct check *check, const yyjson_val *value,
                             const struct path *at, struct place place)
{
    struct haft_refinement refinement = {w, at, PASS};
    const char *in = place.base ? place.base + place.member->offset : NULL;

    check->refine(&refinement, value, in, check->refine_data);
    return refinement.verdict;
}

/* The yyjson type that a check applies to; 0 for any. */
static const uint8_t check_types[] = {
    [CHECK_MIN_LENGTH] = YYJSON_TYPE_STR,
    [CHECK_MAX_LENGTH] = YYJSON_TYPE_STR,
    [CHECK_LENGTH] = YYJSON_TYPE_STR,
    [CHECK_PATTERN] = YYJSON_TYPE_STR,
    [CHECK_FORMAT] = YYJSON_TYPE_STR,
    [CHECK_STARTS] = YYJSON_TYPE_STR,
    [CHECK_ENDS] = YYJSON_TYPE_STR,
    [CHECK_INCLUDES] = YYJSON_TYPE_STR,
    [CHECK_CONTENT] = YYJSON_TYPE_STR,
    [CHECK_MAX_BYTES] = YYJSON_TYPE_STR,
    [CHECK_MIN] = YYJSON_TYPE_NUM,
    [CHECK_MAX] = YYJSON_TYPE_NUM,
    [CHECK_MULTIPLE_OF] = YYJSON_TYPE_NUM,
    [CHECK_INT_FORMAT] = YYJSON_TYPE_NUM,
    [CHECK_FLOAT_FORMAT] = YYJSON_TYPE_NUM,
    [CHECK_MIN_ITEMS] = YYJSON_TYPE_ARR,
    [CHECK_MAX_ITEMS] = YYJSON_TYPE_ARR,
    [CHECK_ITEMS] = YYJSON_TYPE_ARR,
    [CHECK_UNIQUE] = YYJSON_TYPE_ARR,
    [CHECK_MIN_PROPERTIES] = YYJSON_TYPE_OBJ,
    [CHECK_MAX_PROPERTIES] = YYJSON_TYPE_OBJ,
    [CHECK_REFINE] = 0,
};

/* Whether a check needs only the size, so that it also runs on a value with invalid parts. */
static bool is_size(enum check_op op)
{
    return op <= CHECK_LENGTH || (op >= CHECK_MIN_ITEMS && op <= CHECK_ITEMS);
}

unsigned hf_walk_checks(struct walk *w, const struct node *node, yyjson_val *value,
                        const struct path *at, unsigned verdict, size_t size, struct place place)
{
    uint8_t type = value ? unsafe_yyjson_get_type(value) : YYJSON_TYPE_NONE;
    /* Invalid fields are not stored, so a struct with issues must not be read. */
    bool whole = !verdict || !place.base;

    for (size_t i = 0; i < node->n_checks && (w->issues || !verdict); i++) {
        const struct check *check = &node->checks[i];
        uint8_t about = check_types[check->op];
        unsigned found = PASS;

        if (about ? about != type : !whole)
            continue;
        if (verdict) {
            unsigned stops = is_size((enum check_op)check->op) ? ABORT_ALL : ABORT;

            if ((verdict & stops) == stops)
                continue;
        }
        switch (about) {
        case YYJSON_TYPE_STR:
            found = check_string(w, check, value, at);
            break;
        case YYJSON_TYPE_NUM:
            found = check_number(w, check, value, at);
            break;
        case YYJSON_TYPE_ARR:
            found = check_array(w, check, value, size, at);
            break;
        case YYJSON_TYPE_OBJ:
            found = checks_size(w, check, size, "object", at);
            break;
        default:
            found = check_refine(w, check, value, at, place);
            break;
        }
        verdict |= found && check->aborts ? ABORT_ALL : found;
    }
    return verdict;
}

/* ---- for refinements ---- */

/* Extends the path of the refined value by the path of the issue, as "items.0.name". */
static void refine_at(struct haft_refinement *refinement, const struct path *at, const char *path,
                      const char *message)
{
    size_t size = path ? strcspn(path, ".") : 0, index = 0, digits = 0;
    struct path here = {at, NULL, 0};

    if (!size || refinement->walk->frames > 512) {
        refinement->verdict |= hf_report_custom(refinement->walk, at, message, FAIL);
        return;
    }
    while (digits < size && path[digits] >= '0' && path[digits] <= '9' && digits < 18)
        index = index * 10 + (size_t)(path[digits++] - '0');
    here.index = index;
    if (digits < size)
        here.key = haft_arena_copy(refinement->walk->arena, path, size);
    if (digits < size && !here.key) {
        hf_walk_stop(refinement->walk, HAFT_ENOMEM);
        return;
    }
    refinement->walk->frames++;
    refine_at(refinement, &here, path[size] ? path + size + 1 : NULL, message);
    refinement->walk->frames--;
}

/* Text cut by a refinement may end in a partial character, which is not valid in JSON. */
static void checks_mend_text(char *text)
{
    size_t left = strlen(text), valid;

    for (; (valid = haft_utf8_valid(text, left)) < left; text += valid + 1, left -= valid + 1)
        text[valid] = '?';
}

void haft_refinement_add_issue(haft_refinement *refinement, const char *path, const char *format,
                               ...)
{
    char *message;
    va_list args;

    refinement->verdict |= FAIL;
    if (!refinement->walk->issues)
        return;
    va_start(args, format);
    message = haft_arena_vprintf(refinement->walk->arena, format, args);
    va_end(args);
    if (!message) {
        hf_walk_stop(refinement->walk, HAFT_ENOMEM);
        return;
    }
    checks_mend_text(message);
    refine_at(refinement, refinement->at, path, message);
}
