/* show.h - prints what a server sends: tables, blocks, colours.
 *
 * Data of a server is not trusted: control characters, bidirectional controls and invisible
 * characters are removed. */
#ifndef HAFT_SHOW_H
#define HAFT_SHOW_H

#include <stdio.h>

#include "json/json.h"

enum { SHOW_LIMIT = 1 << 30 };

/* Text in a buffer, with or without colours. */
struct page {
    haft_buffer text;
    bool colours;
};

void page_init(struct page *page);
/* Prints and frees it; returns an exit code. */
int page_print(struct page *page);

/* The size of the character at `text`, which has `left` bytes; *ret_harmful is set if it is unsafe
 * in a terminal: hidden, or not UTF-8. */
size_t next_character(const char *text, size_t left, bool *ret_harmful);

/* Writes a value as JSON; for a terminal, hidden characters are escaped. */
void page_json(struct page *page, yyjson_val *value);

/* Writes one line of text: hidden characters and line ends become spaces. */
void page_line(struct page *page, const char *text, size_t size);

/* Whether a file supports colours. */
bool may_colour(FILE *file);

/* marks: for each tool a word such as "new", or NULL; may be NULL. */
void show_tools(struct page *page, yyjson_val *tools, const char *const *marks);
void show_prompts(struct page *page, yyjson_val *prompts);
void show_resources(struct page *page, yyjson_val *resources, yyjson_val *templates);
/* With `safe`, omits names that a shell would not read as a plain word. */
void show_names(struct page *page, yyjson_val *list, const char *member, bool safe);

/* Whether a shell reads the text as one word that it neither executes nor expands, and a program
 * does not take it for an option. */
bool is_plain_word(const char *text, size_t size);

/* Print notifications of a server on standard error: progress on a line that the next one replaces,
 * and log messages. */
/* total is 0 if it is unknown. */
void show_progress(double progress, double total, const char *message);
/* The status of a task and the time since it began: on a terminal a line that the next one replaces, and
 * elsewhere a line if `verbose`. */
void show_task(const char *message, uint64_t seconds, bool verbose);
void clear_progress(void);
void show_log(yyjson_val *params);

/* Prints the blocks of a result, and writes the first binary one to `out`, which may be NULL;
 * returns an exit code. */
int show_result(yyjson_val *result, const char *out);
/* The same for the contents of a resource, and the messages of a prompt. */
int show_contents(yyjson_val *result, const char *out);
int show_messages(yyjson_val *result);
int show_json(yyjson_val *value);

#endif
