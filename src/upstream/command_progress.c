/* command_progress.c - what a program writes to its standard error: progress, and the text of errors. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>
#include <yyjson.h>

#include "engine/call/notify.h"
#include "upstream/command.h"

enum {
    PROGRESS_STEPS = 100000, /* of one match */
    PROGRESS_GROUPS = 16,    /* of a pattern */
    PROGRESS_NUMBER = 32,    /* characters of a number */
    PROGRESS_CLEAN = 3       /* bytes that one invalid byte becomes */
};

struct command_pattern {
    pcre2_code *code;
    pcre2_match_data *match; /* outbound thread */
    pcre2_match_context *context;
    int done, total, message; /* numbers of the groups; negative for none */
};

/* ---- patterns ---- */

static int progress_group(const pcre2_code *code, const char *name)
{
    return pcre2_substring_number_from_name(code, (PCRE2_SPTR)name);
}

int hf_command_pattern_new(haft_arena *arena, const char *pattern,
                           const struct command_pattern **ret_pattern, haft_reason *reterr_reason)
{
    struct command_pattern *made = haft_arena_zalloc(arena, 1, sizeof *made);
    PCRE2_UCHAR text[128];
    PCRE2_SIZE offset;
    int error;

    if (!made)
        return HAFT_ENOMEM;
    made->code =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &error, &offset, NULL);
    if (!made->code) {
        pcre2_get_error_message(error, text, sizeof text);
        return hf_error_set(reterr_reason, HAFT_EPATTERN, "", "%s at offset %zu",
                            (const char *)text, (size_t)offset);
    }
    made->match = pcre2_match_data_create(PROGRESS_GROUPS, NULL);
    made->context = pcre2_match_context_create(NULL);
    *ret_pattern = made;
    if (!made->match || !made->context)
        return HAFT_ENOMEM;
    pcre2_set_match_limit(made->context, PROGRESS_STEPS);
    made->done = progress_group(made->code, "done");
    made->total = progress_group(made->code, "total");
    made->message = progress_group(made->code, "message");
    if (made->done < 0 && made->message < 0)
        return hf_error_set(reterr_reason, HAFT_EPATTERN, "",
                            "expected a group (?<done>...) or (?<message>...)");
    return 0;
}

void hf_command_pattern_free(const struct command_pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_match_context_free(pattern->context);
    pcre2_match_data_free(pattern->match);
    pcre2_code_free(pattern->code);
}

/* ---- lines ---- */

/* Makes valid UTF-8 of bytes, with room for PROGRESS_CLEAN times as many; returns its size. */
static size_t progress_clean(const char *bytes, size_t size, char *clean)
{
    static const char replacement[PROGRESS_CLEAN + 1] = "\xef\xbf\xbd";
    size_t used = 0;

    while (size) {
        size_t valid = haft_utf8_valid(bytes, size);

        memcpy(clean + used, bytes, valid);
        used += valid;
        if (valid < size) {
            memcpy(clean + used, replacement, PROGRESS_CLEAN);
            used += PROGRESS_CLEAN;
            valid++;
        }
        bytes += valid;
        size -= valid;
    }
    return used;
}

/* The text of a group; empty if it has not matched. */
static struct text progress_text(const struct command_pattern *pattern, const char *line,
                                 int groups, int number)
{
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(pattern->match);

    if (number < 0 || number >= groups || ends[2 * number] == PCRE2_UNSET)
        return (struct text){"", 0};
    return (struct text){line + ends[2 * number], ends[2 * number + 1] - ends[2 * number]};
}

/* Numbers as in JSON, whatever the locale; 0 for anything else. */
static double progress_number(struct text written)
{
    struct text trimmed = text_trim(written.data, written.size);
    char text[PROGRESS_NUMBER];
    yyjson_val value;

    if (!trimmed.size || trimmed.size >= sizeof text)
        return 0;
    memcpy(text, trimmed.data, trimmed.size);
    text[trimmed.size] = '\0';
    return yyjson_read_number(text, &value, 0, NULL, NULL) == text + trimmed.size
               ? yyjson_get_num(&value)
               : 0;
}

static void progress_match(struct command_run *run, struct text line)
{
    const struct command_pattern *pattern = run->tool->progress;
    int groups = pcre2_match(pattern->code, (PCRE2_SPTR)line.data, line.size, 0, 0, pattern->match,
                             pattern->context);
    struct text message;
    double done;

    if (groups <= 0)
        return;
    message = progress_text(pattern, line.data, groups, pattern->message);
    done = pattern->done < 0
               ? (double)++run->errors.n_lines
               : progress_number(progress_text(pattern, line.data, groups, pattern->done));
    haft_progress(run->call, done,
                  progress_number(progress_text(pattern, line.data, groups, pattern->total)),
                  message.size ? "%.*s" : NULL, (int)message.size, message.data);
}

/* A program may write any number of lines: they use no memory of the call. */
static void progress_line(struct command_run *run)
{
    char room[COMMAND_LINE * PROGRESS_CLEAN];
    struct text line = {room, progress_clean(run->errors.line, run->errors.line_size, room)};

    run->errors.line_size = 0;
    if (!line.size)
        return;
    if (run->tool->progress)
        progress_match(run, line);
    else
        haft_progress(run->call, (double)++run->errors.n_lines, 0, "%.*s", (int)line.size,
                      line.data);
}

void hf_command_take_errors(struct command_run *run, const char *bytes, size_t size)
{
    bool reports = run->tool->entry->has_progress && hf_progress_is_wanted(run->call);

    for (size_t i = 0; i < size; i++) {
        run->errors.tail[run->errors.size++ % COMMAND_ERRORS] = bytes[i];
        if (!reports)
            continue;
        /* Programs that draw a bar return to the beginning of the line. */
        if (bytes[i] == '\n' || bytes[i] == '\r')
            progress_line(run);
        else if (run->errors.line_size < COMMAND_LINE)
            run->errors.line[run->errors.line_size++] = bytes[i];
    }
}

/* ---- the text of errors ---- */

struct text hf_command_errors(struct command_run *run)
{
    size_t size = run->errors.size < COMMAND_ERRORS ? run->errors.size : COMMAND_ERRORS;
    size_t start = run->errors.size - size;
    char *text = haft_call_alloc(run->call, size + 1);
    struct text clean;

    if (!text)
        return (struct text){"", 0};
    for (size_t i = 0; i < size; i++)
        text[i] = run->errors.tail[(start + i) % COMMAND_ERRORS];
    /* A character that was cut at the start is left out. */
    for (; start && size && ((unsigned char)*text & 0xc0) == 0x80; size--)
        text++;
    while (size && (text[size - 1] == '\n' || text[size - 1] == ' ' || text[size - 1] == '\r'))
        size--;
    clean = hf_command_clean(run->call, text, size);
    return clean.data ? clean : (struct text){"", 0};
}

struct text hf_command_clean(haft_call *call, const char *bytes, size_t size)
{
    char *clean;

    if (haft_utf8_valid(bytes, size) == size)
        return (struct text){bytes ? bytes : "", size};
    clean = haft_call_alloc(call, size * PROGRESS_CLEAN);
    if (!clean)
        return (struct text){NULL, 0};
    return (struct text){clean, progress_clean(bytes, size, clean)};
}
