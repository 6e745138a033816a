/* show_notice.c - prints notifications of a server on standard error. */
#include "show.h"

#include <string.h>
#include <unistd.h>

void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

void show_progress(double progress, double total, const char *message)
{
    char now[32], most[32];
    struct page line;

    hf_number_to_text(progress, now);
    hf_number_to_text(total, most);
    page_init(&line);
    page_line(&line, message, strlen(message));
    fprintf(stderr, "\r\033[K%s%s%s %.*s", now, total > 0 ? "/" : "", total > 0 ? most : "",
            (int)line.text.size, line.text.size ? line.text.data : "");
    fflush(stderr);
    haft_buffer_finish(&line.text);
}

void show_task(const char *message, uint64_t seconds, bool verbose)
{
    bool terminal = isatty(STDERR_FILENO);
    struct page line;

    if (!terminal && !verbose)
        return;
    page_init(&line);
    page_line(&line, message, strlen(message));
    fprintf(
        stderr, "%s%.*s (%llu s)%s", terminal ? "\r\033[K" : "haft: task: ", (int)line.text.size,
        line.text.size ? line.text.data : "", (unsigned long long)seconds, terminal ? "" : "\n");
    fflush(stderr);
    haft_buffer_finish(&line.text);
}

void show_log(yyjson_val *params)
{
    yyjson_val *level = yyjson_obj_get(params, "level");
    yyjson_val *data = yyjson_obj_get(params, "data");
    struct page text, line;

    page_init(&text);
    page_init(&line);
    if (yyjson_is_str(data))
        haft_buffer_add(&text.text, yyjson_get_str(data), yyjson_get_len(data));
    else if (data)
        haft_json_write(data, &text.text);
    page_line(&line, yyjson_is_str(level) ? yyjson_get_str(level) : "log",
              yyjson_is_str(level) ? yyjson_get_len(level) : 3);
    haft_buffer_puts(&line.text, ": ");
    page_line(&line, text.text.size ? text.text.data : "", text.text.size);
    fprintf(stderr, "%.*s\n", (int)line.text.size, line.text.size ? line.text.data : "");
    haft_buffer_finish(&text.text);
    haft_buffer_finish(&line.text);
}
