/* report.c - errors of SQLite: what callers and operators get to know. */
#include "store/sqlite/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/sqlite/db.h"

static const struct report_row {
    int error; /* primary result code */
    int status;
    const char *text;
} report_rows[REPORT_KINDS] = {
    {SQLITE_FULL, HAFT_EFAIL,
     "the disk is full; reading still works, and writing continues when there is space again"},
    {SQLITE_BUSY, HAFT_EBUSY,
     "another process has locked the file for too long; look for one that keeps a transaction open"},
    {SQLITE_READONLY, HAFT_EDENIED,
     "the file is read-only; check the permissions of the file and of its directory"},
    {SQLITE_CORRUPT, HAFT_EFAIL, "the file is damaged; restore it from a backup"},
    {SQLITE_NOMEM, HAFT_ENOMEM, "out of memory"},
    {SQLITE_TOOBIG, HAFT_ETOOBIG, "a value is too large"},
    {SQLITE_CANTOPEN, HAFT_EDENIED,
     "the file or its -wal and -shm files cannot be opened; check the permissions of the directory"},
    {SQLITE_IOERR, HAFT_EFAIL, "the disk reports an error; check the system's log"},
};

static size_t report_find(int error)
{
    int primary = error & 0xff;

    if (primary == SQLITE_LOCKED)
        primary = SQLITE_BUSY;
    if (primary == SQLITE_NOTADB)
        primary = SQLITE_CORRUPT;
    if (primary == SQLITE_PERM || primary == SQLITE_AUTH)
        primary = SQLITE_READONLY;
    if (error == SQLITE_IOERR_NOMEM)
        primary = SQLITE_NOMEM;
    for (size_t i = 0; i < REPORT_KINDS; i++)
        if (report_rows[i].error == primary)
            return i;
    return REPORT_KINDS - 1;
}

int hf_report_status(int error)
{
    return report_rows[report_find(error)].status;
}

const char *hf_report_text(int error)
{
    size_t i = report_find(error);

    /* A row for each of the rare ones would not help anyone. */
    return report_rows[i].error == SQLITE_IOERR && (error & 0xff) != SQLITE_IOERR
               ? sqlite3_errstr(error)
               : report_rows[i].text;
}

bool hf_report_is_full(int error)
{
    return (error & 0xff) == SQLITE_FULL;
}

void hf_report_line(struct report *report, haft_level level, const char *format, ...)
{
    char text[1024], *line = text;
    va_list args;
    int n = snprintf(text, sizeof text, "store %.400s: ", report->file);

    if (!report->log || n < 0)
        return;
    va_start(args, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    for (char *at = line; *at; at++) /* the name of a file may contain anything */
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
    report->log(report->context, level, text, strlen(text));
}

void hf_report_error(struct report *report, int error)
{
    size_t i = report_find(error);
    int64_t now = hf_db_time();

    report->failed = true;
    if (report->logged_at[i] && now - report->logged_at[i] < REPORT_INTERVAL_MS) {
        report->more[i]++;
        return;
    }
    if (report->more[i])
        hf_report_line(report, HAFT_ERROR, "requests fail: %s (SQLite: %d; %lu more times)",
                       hf_report_text(error), error, report->more[i]);
    else
        hf_report_line(report, HAFT_ERROR, "requests fail: %s (SQLite: %d)", hf_report_text(error),
                       error);
    report->logged_at[i] = now ? now : 1;
    report->more[i] = 0;
}

void hf_report_success(struct report *report)
{
    if (!report->failed)
        return;
    report->failed = false;
    hf_report_line(report, HAFT_NOTICE, "requests succeed again");
    memset(report->more, 0, sizeof report->more);
}

int hf_report_reason(haft_reason *reterr_reason, int code, const char *format, ...)
{
    va_list args;

    if (!reterr_reason)
        return code;
    reterr_reason->code = code;
    reterr_reason->path[0] = '\0';
    va_start(args, format);
    vsnprintf(reterr_reason->text, sizeof reterr_reason->text, format, args);
    va_end(args);
    return code;
}
