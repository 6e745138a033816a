/* store/sqlite/report.h - errors of SQLite as status codes, reasons and lines of the log. */
#ifndef HAFT_SRC_SQLITE_REPORT_H
#define HAFT_SRC_SQLITE_REPORT_H

#include "store/sqlite/sqlite.h"

enum { REPORT_KINDS = 8, REPORT_INTERVAL_MS = 60000 };

/* State of the log of a store. */
struct report {
    haft_log_function *log;
    void *context;
    const char *file;
    int64_t logged_at[REPORT_KINDS];  /* when each kind of error was logged last; 0 for never */
    unsigned long more[REPORT_KINDS]; /* errors since then */
    bool failed;                      /* the latest transaction failed */
};

/* The status code of an error of SQLite (a result code, extended or not). */
int hf_report_status(int error);
/* Its description and a hint, as one sentence. */
const char *hf_report_text(int error);
/* Whether a smaller transaction might succeed. */
bool hf_report_is_full(int error);

/* Logs an error, once a minute for each kind; then, that the store works again. */
void hf_report_error(struct report *report, int error);
void hf_report_success(struct report *report);
void hf_report_line(struct report *report, haft_level level, const char *format, ...)
    HAFT_PRINTF_(3, 4);

/* Fills in a reason; returns the code. */
int hf_report_reason(haft_reason *reterr_reason, int code, const char *format, ...)
    HAFT_PRINTF_(3, 4);

#endif
