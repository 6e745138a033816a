/* error_log - the latest entries of Home Assistant's log, with their stack traces.
 *
 * An entry begins with a time; lines without one belong to the entry before them.  On systems with a
 * Supervisor there is no file, and the log comes, with colours, from the Supervisor. */
#include <string.h>

#include "tools/records.h"

enum { LOG_MESSAGE = 1000, LOG_DETAILS = 3000, LOG_TIME = 19 };

HAFT_ENUMERATION(log_level, debug, info, warning, error, critical);
HAFT_STRUCT(error_log_args,
    HAFT_DEFAULT(HAFT_ENUM(level, log_level, "At least this"), log_level_warning),
    HAFT_DEFAULT(HAFT_INTEGER(limit, "Entries", .min = 1, .max = 200), 50),
    HAFT_OPTIONAL(HAFT_STRING(since, "Local time: 2026-01-31 12:00")));
HAFT_STRUCT(log_entry,
    HAFT_STRING(when, NULL),
    HAFT_STRING(level, NULL),
    HAFT_STRING(source, NULL),
    HAFT_STRING(message, NULL),
    HAFT_OPTIONAL(HAFT_STRING(details, NULL)));
HAFT_STRUCT(error_log_result,
    HAFT_ARRAY(entries, HAFT_OBJECT(entry, log_entry, NULL), "Latest first"),
    HAFT_INTEGER(total, NULL));

struct log_span {
    const char *at;
    size_t size;
};

/* A part of the log. */
struct log_part {
    struct log_span when, level, source, message, details;
    int severity;
};

/* ---- the text ---- */

/* Takes out colours and other sequences of terminals: ESC [ ... letter. */
static char *log_plain(haft_call *call, const char *text, size_t size, size_t *ret_size)
{
    char *plain = haft_call_alloc(call, size + 1);
    size_t n = 0;

    for (size_t i = 0; plain && i < size; i++) {
        if (text[i] == '\033' && i + 1 < size && text[i + 1] == '[') {
            i += 2;
            while (i < size && (text[i] < '@' || text[i] > '~'))
                i++;
        } else if (text[i] != '\r' && text[i] != '\0') {
            plain[n++] = text[i];
        }
    }
    if (plain)
        plain[n] = '\0';
    *ret_size = n;
    return plain;
}

/* "2026-06-01 12:00:00", whatever follows. */
static bool log_is_time(const char *at, size_t size)
{
    static const char form[] = "dddd-dd-dd dd:dd:dd";

    for (size_t i = 0; i < LOG_TIME; i++)
        if (i >= size || (form[i] == 'd' ? at[i] < '0' || at[i] > '9' : at[i] != form[i]))
            return false;
    return true;
}

/* Takes the characters up to one of the stops, and the stop with them. */
static struct log_span log_word(struct log_span *line, char stop)
{
    const char *end = memchr(line->at, stop, line->size);
    size_t size = end ? (size_t)(end - line->at) : line->size;
    struct log_span word = {line->at, size};

    line->at += size + (end ? 1 : 0);
    line->size -= size + (end ? 1 : 0);
    return word;
}

static void log_skip(struct log_span *line)
{
    while (line->size && *line->at == ' ') {
        line->at++;
        line->size--;
    }
}

static int log_severity(const struct log_span *level)
{
    static const char *const names[] = {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"};

    for (int i = 0; i < 5; i++)
        if (level->size == strlen(names[i]) && !memcmp(level->at, names[i], level->size))
            return i;
    return -1;
}

/* "TIME LEVEL (Thread) [source] message"; false if the line is not the first of an entry. */
static bool log_read(struct log_span line, struct log_part *ret_part)
{
    struct log_part part = {.severity = -1};

    if (!log_is_time(line.at, line.size))
        return false;
    part.when = (struct log_span){line.at, LOG_TIME};
    line.at += LOG_TIME;
    line.size -= LOG_TIME;
    log_word(&line, ' ');
    log_skip(&line);
    part.level = log_word(&line, ' ');
    part.severity = log_severity(&part.level);
    if (part.severity < 0)
        return false;
    log_skip(&line);
    if (line.size && *line.at == '(') {
        log_word(&line, ')');
        log_skip(&line);
    }
    part.source = (struct log_span){line.at, 0};
    if (line.size && *line.at == '[') {
        log_word(&line, '[');
        part.source = log_word(&line, ']');
        log_skip(&line);
    }
    part.message = line;
    *ret_part = part;
    return true;
}

/* Reads the entry at *text, and the lines that belong to it; false at the end. */
static bool log_next(struct log_span *text, struct log_part *ret_part)
{
    struct log_part next;

    while (text->size && !log_read(log_word(text, '\n'), ret_part))
        ;
    if (!ret_part->when.at)
        return false;
    ret_part->details = (struct log_span){text->at, 0};
    while (text->size) {
        struct log_span after = *text, line = log_word(&after, '\n');

        if (log_read(line, &next))
            break;
        ret_part->details.size = (size_t)(line.at + line.size - ret_part->details.at);
        *text = after;
    }
    return true;
}

/* ---- entries ---- */

/* Whether a part of an entry names a hidden entity: the rest of it can tell its state. */
static bool log_names_hidden(struct log_span part)
{
    static const char mark[] = "[hidden"; /* a source ends with the first bracket */
    size_t size = sizeof mark - 1;

    for (size_t i = 0; i + size <= part.size; i++)
        if (!memcmp(part.at + i, mark, size))
            return true;
    return false;
}

/* Times of the log are local ones, without a zone: they are compared as text, up to what was given. */
static bool log_is_wanted(const error_log_args *in, const char *since, const struct log_part *part)
{
    size_t size = strlen(since);

    return part->severity >= (int)in->level && !log_names_hidden(part->source) &&
           !log_names_hidden(part->message) &&
           memcmp(part->when.at, since, size < LOG_TIME ? size : LOG_TIME) >= 0;
}

static int log_copy(haft_call *call, const struct log_part *part, log_entry *out)
{
    haft_arena *arena = haft_call_arena(call);

    *out =
        (log_entry){.when = haft_arena_copy(arena, part->when.at, part->when.size),
                    .level = HOME_NAME(log_level, part->severity),
                    .source = home_short(call, part->source.at, part->source.size, LOG_MESSAGE),
                    .message = home_short(call, part->message.at, part->message.size, LOG_MESSAGE),
                    .has_details = part->details.size > 0,
                    .details = home_short(call, part->details.at, part->details.size, LOG_DETAILS)};
    return out->when && out->source && out->message && out->details ? 0 : HAFT_ENOMEM;
}

/* The latest of those that match are kept in a ring, and copied from its end. */
static int log_select(haft_call *call, const error_log_args *in, const char *since,
                      struct log_span text, error_log_result *out)
{
    size_t most = (size_t)in->limit, n = 0;
    struct log_part *ring = haft_call_alloc(call, most * sizeof *ring), part = {.severity = 0};
    int status = 0;

    out->entries = haft_call_alloc(call, most * sizeof *out->entries);
    if (!ring || !out->entries)
        return HAFT_ENOMEM;
    while (log_next(&text, &part)) {
        if (log_is_wanted(in, since, &part))
            ring[n++ % most] = part;
        part = (struct log_part){.severity = 0};
    }
    out->total = (int64_t)n;
    while (!status && out->n_entries < most && out->n_entries < n) {
        status =
            log_copy(call, &ring[(n - 1 - out->n_entries) % most], &out->entries[out->n_entries]);
        out->n_entries++;
    }
    return status;
}

/* "2026-01-31", with as much of the time as is wanted, and a T or a space before it; "" if it is not. */
static const char *log_since(haft_call *call, const char *text)
{
    char form[] = "0000-00-00 00:00:00";
    size_t size = strlen(text);
    char *copy = haft_call_printf(call, "%s", text);

    if (!copy)
        return NULL;
    if (size > LOG_TIME && copy[LOG_TIME] == '.' &&
        strspn(copy + LOG_TIME + 1, "0123456789") == size - LOG_TIME - 1)
        size = LOG_TIME;
    if (size < 10 || size > LOG_TIME)
        return "";
    if (copy[10] == 'T')
        copy[10] = ' ';
    memcpy(form, copy, size);
    return log_is_time(form, LOG_TIME) ? copy : "";
}

static int error_log(haft_call *call, const error_log_args *in, error_log_result *out)
{
    const char *since = in->has_since ? log_since(call, in->since) : "0";
    struct hass_answer answer;
    struct log_span text;
    int status;

    if (!since)
        return HAFT_ENOMEM;
    if (!*since)
        return home_fail(call,
                         "\"%s\" is not a time of the log. Use local time without a zone, such as "
                         "\"2026-01-31 12:00\".",
                         in->since);
    status = hass_request(call, "GET", "/api/error_log", NULL, "404", &answer);
    if (!status && answer.status == 404)
        status = hass_request(call, "GET", "/api/hassio/core/logs", NULL, "404", &answer);
    if (status)
        return status;
    if (answer.status == 404)
        return home_fail(call, "Home Assistant has neither a log file nor a Supervisor, so its log "
                               "cannot be read.");
    text.at = log_plain(call, answer.body, answer.size, &text.size);
    if (text.at && hass_is_filtered(call)) { /* again, now that no colours are within an id */
        text.at = hass_redact_text(call, text.at, text.size);
        text.size = text.at ? strlen(text.at) : 0;
    }
    return text.at ? log_select(call, in, since, text, out) : HAFT_ENOMEM;
}
HAFT_TOOL(error_log, error_log_args, error_log_result,
          "Read errors and stack traces in Home Assistant's log.", HOME_READS_AGAIN);
HOME_EXPORT(error_log);
