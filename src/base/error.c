/* error.c - the messages of the status codes, and the function that fills in an error. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

static const char *sentence(int status)
{
    switch (status) {
    case HAFT_OK:
        return "no error";
#define HAFT_ERROR_(name, value, text)                                                             \
    case name:                                                                                     \
        return text;
        HAFT_ERRORS(HAFT_ERROR_)
#undef HAFT_ERROR_
    default:
        return NULL;
    }
}

bool hf_status_is_known(int status)
{
    return sentence(status);
}

const char *haft_strerror(int status)
{
    const char *text = sentence(status);

    return text ? text : "unknown error";
}

/* The new error is built in a separate struct because `args` may refer to the text of the old
 * one. */
int hf_error_vset(haft_reason *error, int code, const char *path, const char *format, va_list args)
{
    haft_reason fresh = {.code = code};

    if (!error)
        return code;
    snprintf(fresh.path, sizeof fresh.path, "%s", path ? path : "");
    vsnprintf(fresh.text, sizeof fresh.text, format, args);
    /* Removes a partial character at the end of truncated text. */
    fresh.path[haft_utf8_valid(fresh.path, strlen(fresh.path))] = '\0';
    fresh.text[haft_utf8_valid(fresh.text, strlen(fresh.text))] = '\0';
    *error = fresh;
    return code;
}

int hf_error_set(haft_reason *error, int code, const char *path, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    hf_error_vset(error, code, path, format, args);
    va_end(args);
    return code;
}
