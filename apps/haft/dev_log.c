/* dev_log.c - what `haft dev` prints on standard error: a line for each request, and notes. */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "dev.h"

enum { DEV_NOTE_TEXT = 512, DEV_TEXT = 160 };

/* The local time of day, as people compare it with a clock. */
static void dev_put_time(char ret_text[16])
{
    struct timespec now;
    struct tm parts;
    size_t n = 0;

    clock_gettime(CLOCK_REALTIME, &now);
    if (localtime_r(&now.tv_sec, &parts))
        n = strftime(ret_text, 16, "%H:%M:%S", &parts);
    snprintf(ret_text + n, 16 - n, ".%03ld", now.tv_nsec / 1000000);
}

void dev_note(void *context, const char *format, ...)
{
    char text[DEV_NOTE_TEXT], time[16];
    va_list args;

    (void)context;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dev_put_time(time);
    fprintf(stderr, "%s haft dev: %s\n", time, text);
}

void dev_log_request(uint64_t now, const struct dev_request *request, enum dev_outcome outcome,
                     const char *text, size_t size)
{
    static const char *const outcomes[] = {[DEV_OK] = "ok",
                                           [DEV_TOOL_ERROR] = "tool error",
                                           [DEV_ERROR] = "error",
                                           [DEV_CANCELLED] = "cancelled",
                                           [DEV_LOST] = "failed"};
    char time[16], shown[DEV_TEXT] = "";
    bool cut = false;

    if (text)
        shown[hf_text_escape(text, size, false, shown, sizeof shown - 1, &cut)] = '\0';
    dev_put_time(time);
    fprintf(stderr, "%s %s%s%s %llu ms %s%s%s%s\n", time, request->method,
            *request->name ? " " : "", request->name, (unsigned long long)(now - request->began),
            outcomes[outcome], *shown ? ": " : "", shown, cut ? "..." : "");
}
