/* option_value.c - the values of options: read from text or JSON, compared, and written back.
 *
 * A value that is written reads back the same.  Numbers go through one function each way, whatever
 * their member's width is, and have units that are tables. */
#include "config/option.h"

#include <math.h>
#include <string.h>

#include "config/unit.h"

enum { MAX_CALLS = 1000000, MAX_PERIOD = 24 * 60 * 60 * 1000 };

/* ---- types ---- */

static const struct {
    const struct unit *units;
    const char *takes, *expected;
} types[OPTION_TYPES] = {
    [OPTION_SWITCH] = {NULL, NULL, "true or false"},
    [OPTION_NUMBER] = {hf_unit_none, "N", "a whole number"},
    [OPTION_SIZE] = {hf_unit_sizes, "SIZE", "a size"},
    [OPTION_DURATION] = {hf_unit_times, "TIME", "a time"},
    [OPTION_INTEGER] = {NULL, "N", "a whole number"},
    [OPTION_REAL] = {NULL, "NUMBER", "a number"},
    [OPTION_RATE] = {NULL, "RATE", "a number of calls per minute, or per interval as in 10/1s"},
    [OPTION_WORD] = {NULL, "WORD", "one of"},
    [OPTION_TEXT] = {NULL, "TEXT", "text"},
    [OPTION_FILE] = {NULL, "FILE", "a file name"},
    [OPTION_PATH] = {NULL, "PATH", "a path that begins with /"},
    [OPTION_ADDRESS] = {NULL, "[HOST:]PORT", "an address, HOST:PORT, PORT or unix:PATH"},
    [OPTION_SECRET] = {NULL, "SECRET", "text"},
    [OPTION_LIST] = {NULL, "NAME", "a list of strings"},
};

const char *hf_option_takes(const struct option *option)
{
    return option->takes ? option->takes : types[option->type].takes;
}

static void *member(const struct option *option, struct settings *settings)
{
    return (char *)(option->own ? settings->own : settings) + option->offset;
}

static const void *value_stored(const struct option *option, const struct settings *settings)
{
    return (const char *)(option->own ? settings->own : settings) + option->offset;
}

static uint64_t get_number(const struct option *option, const struct settings *settings)
{
    unsigned narrow;
    uint64_t wide;

    if (option->size == sizeof narrow) {
        memcpy(&narrow, value_stored(option, settings), sizeof narrow);
        return narrow;
    }
    memcpy(&wide, value_stored(option, settings), sizeof wide);
    return wide;
}

static void set_number(const struct option *option, struct settings *settings, uint64_t number)
{
    unsigned narrow = (unsigned)number;

    if (option->size == sizeof narrow)
        memcpy(member(option, settings), &narrow, sizeof narrow);
    else
        memcpy(member(option, settings), &number, sizeof number);
}

static int64_t get_integer(const struct option *option, const struct settings *settings)
{
    int64_t number;

    memcpy(&number, value_stored(option, settings), sizeof number);
    return number;
}

static double get_real(const struct option *option, const struct settings *settings)
{
    double number;

    memcpy(&number, value_stored(option, settings), sizeof number);
    return number;
}

static const char *get_text(const struct option *option, const struct settings *settings)
{
    const char *text;

    memcpy(&text, value_stored(option, settings), sizeof text);
    return text;
}

static const char *const *get_list(const struct option *option, const struct settings *settings)
{
    const char *const *list;

    memcpy(&list, value_stored(option, settings), sizeof list);
    return list;
}

static int set_rate(const struct option *option, struct settings *settings, uint64_t calls,
                    uint64_t per_ms)
{
    haft_rate rate = {(unsigned)calls, calls ? (unsigned)per_ms : 0};

    if (calls > MAX_CALLS || !per_ms || per_ms > MAX_PERIOD)
        return HAFT_EINVAL;
    memcpy(member(option, settings), &rate, sizeof rate);
    return 0;
}

/* ---- reading ---- */

static int store_number(const struct option *option, uint64_t number, struct settings *settings)
{
    if (number < option->min || number > option->max)
        return HAFT_EINVAL;
    set_number(option, settings, number);
    return 0;
}

static int read_number(const struct option *option, const char *text, struct settings *settings)
{
    uint64_t number;

    if (!hf_unit_read_digits(&text, &number) ||
        !hf_unit_read(types[option->type].units, text, &number))
        return HAFT_EINVAL;
    return store_number(option, number, settings);
}

/* ---- numbers with a sign, and others ---- */

static bool is_bounded(const struct option *option)
{
    return option->least < 0 || option->least > 0 || option->most < 0 || option->most > 0;
}

static bool is_within(double number, const struct option *option)
{
    return !is_bounded(option) || (number >= option->least && number <= option->most);
}

static int store_integer(const struct option *option, int64_t number, struct settings *settings)
{
    if (!is_within((double)number, option))
        return HAFT_EINVAL;
    memcpy(member(option, settings), &number, sizeof number);
    return 0;
}

static int value_read_integer(const struct option *option, const char *text,
                              struct settings *settings)
{
    bool negative = *text == '-';
    uint64_t size;

    text += negative;
    if (!hf_unit_read_digits(&text, &size) || *text || size > (uint64_t)INT64_MAX + negative)
        return HAFT_EINVAL;
    return store_integer(option, negative && size ? -(int64_t)(size - 1) - 1 : (int64_t)size,
                         settings);
}

static int store_real(const struct option *option, double number, struct settings *settings)
{
    if (!is_within(number, option))
        return HAFT_EINVAL;
    memcpy(member(option, settings), &number, sizeof number);
    return 0;
}

/* As JSON has numbers. */
static int read_real(const struct option *option, const char *text, struct settings *settings)
{
    haft_reason reason = {0};
    yyjson_val *number = haft_json_read(text, strlen(text), 0, settings->arena, &reason);

    if (!number && reason.code == HAFT_ENOMEM)
        return HAFT_ENOMEM;
    return yyjson_is_num(number) ? store_real(option, yyjson_get_num(number), settings)
                                 : HAFT_EINVAL;
}

/* "60", "60/1m", "60/m" */
static int value_read_rate(const struct option *option, const char *text, struct settings *settings)
{
    uint64_t calls, period = 1;

    if (!hf_unit_read_digits(&text, &calls))
        return HAFT_EINVAL;
    if (!*text)
        return set_rate(option, settings, calls, UNIT_MINUTE);
    if (*text++ != '/' || !*text)
        return HAFT_EINVAL;
    if (*text >= '0' && *text <= '9' && !hf_unit_read_digits(&text, &period))
        return HAFT_EINVAL;
    if (!hf_unit_read(hf_unit_times, text, &period))
        return HAFT_EINVAL;
    return set_rate(option, settings, calls, period);
}

static int read_switch(const struct option *option, const char *text, struct settings *settings)
{
    bool on = !strcmp(text, "true") || !strcmp(text, "1");

    if (!on && strcmp(text, "false") && strcmp(text, "0"))
        return HAFT_EINVAL;
    memcpy(member(option, settings), &on, sizeof on);
    return 0;
}

static int read_word(const struct option *option, const char *text, struct settings *settings)
{
    for (int i = 0; option->words[i]; i++)
        if (!strcmp(option->words[i], text)) {
            int number = option->numbers ? option->numbers[i] : i;

            memcpy(member(option, settings), &number, sizeof number);
            return 0;
        }
    return HAFT_EINVAL;
}

static bool is_address(const char *text)
{
    static const char local[] = "unix:";
    const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
    uint64_t number;

    if (!strncmp(text, local, sizeof local - 1))
        return text[sizeof local - 1];
    return hf_unit_read_digits(&port, &number) && !*port && number <= 65535;
}

static bool value_fits(enum option_type type, const char *text)
{
    if (!*text || haft_utf8_valid(text, strlen(text)) != strlen(text))
        return false;
    if (type == OPTION_PATH)
        return *text == '/';
    return type != OPTION_ADDRESS || is_address(text);
}

static int value_read_text(const struct option *option, const char *text, struct settings *settings)
{
    const char *copy;

    if (!value_fits(option->type, text))
        return HAFT_EINVAL;
    copy = haft_arena_copy(settings->arena, text, strlen(text));
    if (!copy)
        return HAFT_ENOMEM;
    memcpy(member(option, settings), &copy, sizeof copy);
    return 0;
}

static int value_append(const struct option *option, const char *text, size_t size,
                        struct settings *settings)
{
    const char *const *before = get_list(option, settings);
    const char **after, *copy;
    size_t n = 0;

    while (before && before[n])
        n++;
    if (!size || n == OPTION_LIST_LIMIT || haft_utf8_valid(text, size) != size)
        return HAFT_EINVAL;
    after = haft_arena_zalloc(settings->arena, n + 2, sizeof *after);
    copy = haft_arena_copy(settings->arena, text, size);
    if (!after || !copy)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < n; i++)
        after[i] = before[i];
    after[n] = copy;
    memcpy(member(option, settings), &after, sizeof after);
    return 0;
}

int hf_option_append(const struct option *option, const char *text, struct settings *settings)
{
    return value_append(option, text, strlen(text), settings);
}

void hf_option_clear(const struct option *option, struct settings *settings)
{
    memset(member(option, settings), 0, option->size);
}

static int read_list(const struct option *option, const char *text, struct settings *settings)
{
    const char separator[] = {option->separator ? option->separator : ',', '\0'};
    int status = 0;

    hf_option_clear(option, settings);
    for (bool more = true; more && !status;) {
        size_t size = strcspn(text, separator);

        status = value_append(option, text, size, settings);
        more = text[size];
        text += size + 1;
    }
    return status;
}

int hf_option_read(const struct option *option, const char *text, struct settings *settings)
{
    static int (*const readers[OPTION_TYPES])(const struct option *option, const char *text,
                                              struct settings *settings) = {
        [OPTION_SWITCH] = read_switch,         [OPTION_NUMBER] = read_number,
        [OPTION_SIZE] = read_number,           [OPTION_DURATION] = read_number,
        [OPTION_INTEGER] = value_read_integer, [OPTION_REAL] = read_real,
        [OPTION_RATE] = value_read_rate,       [OPTION_WORD] = read_word,
        [OPTION_TEXT] = value_read_text,       [OPTION_FILE] = value_read_text,
        [OPTION_PATH] = value_read_text,       [OPTION_ADDRESS] = value_read_text,
        [OPTION_SECRET] = value_read_text,     [OPTION_LIST] = read_list,
    };

    return readers[option->type](option, text, settings);
}

static int read_json_list(const struct option *option, yyjson_val *value, struct settings *settings)
{
    size_t i, n;
    yyjson_val *item;
    int status = 0;

    hf_option_clear(option, settings);
    yyjson_arr_foreach(value, i, n, item) {
        const char *text = yyjson_get_str(item);

        if (!status)
            status = text && strlen(text) == yyjson_get_len(item)
                         ? value_append(option, text, strlen(text), settings)
                         : HAFT_EINVAL;
    }
    return status;
}

int hf_option_read_json(const struct option *option, yyjson_val *value, struct settings *settings)
{
    const char *text = yyjson_get_str(value);

    if (text && strlen(text) != yyjson_get_len(value))
        return HAFT_EINVAL;
    if (option->type == OPTION_LIST)
        return yyjson_is_arr(value) ? read_json_list(option, value, settings) : HAFT_EINVAL;
    if (option->type == OPTION_SWITCH)
        return yyjson_is_bool(value)
                   ? read_switch(option, yyjson_get_bool(value) ? "true" : "false", settings)
                   : HAFT_EINVAL;
    if (option->type == OPTION_RATE && yyjson_is_uint(value))
        return set_rate(option, settings, yyjson_get_uint(value), UNIT_MINUTE);
    if (types[option->type].units && yyjson_is_uint(value))
        return store_number(option, yyjson_get_uint(value), settings);
    if (option->type == OPTION_INTEGER)
        return yyjson_is_int(value) &&
                       (yyjson_is_sint(value) || yyjson_get_uint(value) <= INT64_MAX)
                   ? store_integer(option, yyjson_get_sint(value), settings)
                   : HAFT_EINVAL;
    if (option->type == OPTION_REAL)
        return yyjson_is_num(value) ? store_real(option, yyjson_get_num(value), settings)
                                    : HAFT_EINVAL;
    return text && option->type != OPTION_NUMBER ? hf_option_read(option, text, settings)
                                                 : HAFT_EINVAL;
}

/* ---- comparing ---- */

bool hf_option_is_set(const struct option *option, const struct settings *settings)
{
    static const char zero[sizeof(haft_rate)] = {0};

    return memcmp(value_stored(option, settings), zero, option->size) != 0;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static bool same_list(const char *const *a, const char *const *b)
{
    if (!a || !b)
        return (a && *a) == (b && *b);
    while (*a && *b && !strcmp(*a, *b)) {
        a++;
        b++;
    }
    return !*a && !*b;
}

bool hf_option_equal(const struct option *option, const struct settings *a,
                     const struct settings *b)
{
    if (option->type == OPTION_LIST)
        return same_list(get_list(option, a), get_list(option, b));
    if (option->type >= OPTION_TEXT)
        return same_text(get_text(option, a), get_text(option, b));
    return !memcmp(value_stored(option, a), value_stored(option, b), option->size);
}

/* ---- writing ---- */

static void put_rate(const struct option *option, const struct settings *settings,
                     haft_buffer *buffer)
{
    haft_rate rate;

    memcpy(&rate, value_stored(option, settings), sizeof rate);
    haft_buffer_printf(buffer, "%u", rate.calls);
    if (rate.calls) {
        haft_buffer_puts(buffer, "/");
        hf_unit_put(hf_unit_times, rate.per_ms, buffer);
    }
}

static const char *word_of(const struct option *option, const struct settings *settings)
{
    int number, i = 0;

    memcpy(&number, value_stored(option, settings), sizeof number);
    while (option->numbers && option->words[i] && option->numbers[i] != number)
        i++;
    return option->words[option->numbers ? i : number];
}

void hf_option_put(const struct option *option, const struct settings *settings,
                   haft_buffer *buffer)
{
    const char *const *list;

    if (option->type == OPTION_SWITCH) {
        haft_buffer_puts(buffer, hf_option_is_set(option, settings) ? "true" : "false");
    } else if (types[option->type].units) {
        hf_unit_put(types[option->type].units, get_number(option, settings), buffer);
    } else if (option->type == OPTION_RATE) {
        put_rate(option, settings, buffer);
    } else if (option->type == OPTION_WORD) {
        haft_buffer_puts(buffer, word_of(option, settings));
    } else if (option->type == OPTION_INTEGER) {
        haft_buffer_json_integer(buffer, get_integer(option, settings));
    } else if (option->type == OPTION_REAL) {
        haft_buffer_json_number(buffer, get_real(option, settings));
    } else if (option->type == OPTION_SECRET) {
        haft_buffer_puts(buffer, get_text(option, settings) ? "***" : "");
    } else if (option->type != OPTION_LIST) {
        haft_buffer_puts(buffer, get_text(option, settings) ? get_text(option, settings) : "");
    } else {
        list = get_list(option, settings);
        for (size_t i = 0; list && list[i]; i++)
            haft_buffer_printf(buffer, "%.*s%s", i ? 1 : 0,
                               option->separator ? &option->separator : ",", list[i]);
    }
}

static void put_json_text(const struct option *option, const struct settings *settings,
                          haft_buffer *buffer)
{
    haft_buffer text;

    haft_buffer_init(&text, buffer->allocator, buffer->limit);
    hf_option_put(option, settings, &text);
    if (text.status)
        buffer->status = text.status;
    else
        haft_buffer_json_string(buffer, text.size ? text.data : "", text.size);
    haft_buffer_finish(&text);
}

void hf_option_put_json(const struct option *option, const struct settings *settings,
                        haft_buffer *buffer)
{
    const char *const *list;

    if (option->type == OPTION_SWITCH || option->type == OPTION_NUMBER ||
        option->type == OPTION_INTEGER || option->type == OPTION_REAL) {
        hf_option_put(option, settings, buffer);
    } else if (option->type == OPTION_LIST) {
        list = get_list(option, settings);
        haft_buffer_puts(buffer, "[");
        for (size_t i = 0; list && list[i]; i++) {
            haft_buffer_puts(buffer, i ? ", " : "");
            haft_buffer_json_string(buffer, list[i], strlen(list[i]));
        }
        haft_buffer_puts(buffer, "]");
    } else {
        put_json_text(option, settings, buffer);
    }
}

static void value_put_bound(const struct option *option, double bound, uint64_t number,
                            haft_buffer *buffer)
{
    const struct unit *units = types[option->type].units;

    if (units)
        hf_unit_put(units, number, buffer);
    else
        haft_buffer_json_number(buffer, bound);
}

bool hf_option_put_bounds(const struct option *option, const char *both, const char *least,
                          haft_buffer *buffer)
{
    bool counts = types[option->type].units;
    bool has_most = counts ? option->max < INT64_MAX : option->most < INFINITY;

    if (counts ? !option->min && !has_most : !is_bounded(option))
        return false;
    haft_buffer_puts(buffer, has_most ? both : least);
    value_put_bound(option, option->least, option->min, buffer);
    if (has_most) {
        haft_buffer_puts(buffer, " to ");
        value_put_bound(option, option->most, option->max, buffer);
    }
    return true;
}

void hf_option_put_expected(const struct option *option, haft_buffer *buffer)
{
    haft_buffer_puts(buffer, types[option->type].expected);
    if (!hf_option_put_bounds(option, " from ", " of at least ", buffer) &&
        types[option->type].units)
        haft_buffer_puts(buffer, option->type == OPTION_SIZE ? " such as 64KiB" : " such as 30s");
    for (size_t i = 0; option->words && option->words[i]; i++)
        haft_buffer_printf(buffer, "%s%s", i ? ", " : " ", option->words[i]);
}
