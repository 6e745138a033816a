/* multi-tool.c - several tools in one server: with structured output, with text, with a default. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

HAFT_STRUCT(add_args,
    HAFT_NUMBER(a, "First number"),
    HAFT_NUMBER(b, "Second number"));

HAFT_STRUCT(add_result,
    HAFT_NUMBER(result, "Both together"));

static int add(haft_call *call, const add_args *in, add_result *out)
{
    haft_buffer text;
    int status;

    out->result = in->a + in->b;
    haft_buffer_init(&text, NULL, 256);
    haft_buffer_json_number(&text, in->a);
    haft_buffer_puts(&text, " + ");
    haft_buffer_json_number(&text, in->b);
    haft_buffer_puts(&text, " = ");
    haft_buffer_json_number(&text, out->result);
    status = text.status ? text.status : haft_text_bytes(call, text.data, text.size);
    haft_buffer_finish(&text);
    return status;
}
HAFT_TOOL(add, add_args, add_result, "Add two numbers", .quick = true);

HAFT_STRUCT(reverse_args,
    HAFT_STRING(text, "What to turn around"));

/* By code points: a character of several bytes stays whole. */
static int reverse_string(haft_call *call, const reverse_args *in)
{
    size_t size = strlen(in->text), at = size;
    char *reversed = haft_call_alloc(call, size + 1);

    if (!reversed)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < size;) {
        size_t n = 1;

        while (((unsigned char)in->text[i + n] & 0xc0) == 0x80)
            n++;
        at -= n;
        memcpy(reversed + at, in->text + i, n);
        i += n;
    }
    return haft_text_bytes(call, reversed, size);
}
HAFT_TOOL_IN(reverse_string, reverse_args, "Reverse a string", .name = "reverse-string",
             .quick = true);

HAFT_STRUCT(time_args,
    HAFT_DEFAULT(HAFT_STRING(timezone, "A name such as Europe/Oslo"), "UTC"));

static bool is_zone(haft_call *call, const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
    const char *file = haft_call_printf(call, "/usr/share/zoneinfo/%s", name);

    return !strcmp(name, "UTC") ||
           (file && *name && strspn(name, allowed) == strlen(name) && !access(file, R_OK));
}

/* The C library has one time zone for the whole process, so this tool must be quick: quick tools
 * run on one thread, one call after the other. */
static int current_time(haft_call *call, const time_args *in)
{
    time_t now = time(NULL);
    struct tm tm;

    if (!is_zone(call, in->timezone))
        return haft_error(call, "Invalid time zone specified: %s", in->timezone);
    setenv("TZ", in->timezone, 1);
    tzset();
    if (!localtime_r(&now, &tm))
        return haft_error(call, "The clock cannot be read");
    return haft_text(call, "%d/%d/%d, %d:%02d:%02d %s", tm.tm_mon + 1, tm.tm_mday,
                     tm.tm_year + 1900, (tm.tm_hour + 11) % 12 + 1, tm.tm_min, tm.tm_sec,
                     tm.tm_hour < 12 ? "AM" : "PM");
}
HAFT_TOOL_IN(current_time, time_args, "Get current time in specified timezone",
             .name = "current-time", .quick = true);

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("multi-tool-server", "1.0.0");

    if (server) {
        haft_add(server, &add_tool);
        haft_add(server, &reverse_string_tool);
        haft_add(server, &current_time_tool);
    }
    return haft_main(server, argc, argv);
}
