/* show.h - what a server says, for people: tables, blocks, colours.
 *
 * What a server says is never trusted with a terminal: characters that it would obey, that change
 * the direction of text or that people do not see are taken out. */
#ifndef HAFT_SHOW_H
#define HAFT_SHOW_H

#include <stdio.h>

#include "json/json.h"

enum { SHOW_LIMIT = 1 << 30 };

/* Text in a buffer, with colours or without. */
struct page {
    haft_buffer text;
    bool colours;
};

void page_init(struct page *page);
/* Prints and frees it; an exit code. */
int page_print(struct page *page);

/* Bytes of the character at `text`, of which `left` are there; *ret_harmful says whether a terminal
 * must not get it: it is hidden, or not UTF-8. */
size_t next_character(const char *text, size_t left, bool *ret_harmful);

/* A value as JSON; for a terminal, hidden characters are escaped. */
void page_json(struct page *page, yyjson_val *value);

/* One line of text: hidden characters and line ends become spaces. */
void page_line(struct page *page, const char *text, size_t size);

/* Whether colours may be used on a file. */
bool may_colour(FILE *file);

void show_tools(struct page *page, yyjson_val *tools);
void show_prompts(struct page *page, yyjson_val *prompts);
void show_resources(struct page *page, yyjson_val *resources, yyjson_val *templates);
/* `safe` leaves out the names that are not plain words to a shell. */
void show_names(struct page *page, yyjson_val *list, const char *member, bool safe);

/* Whether a shell takes the text for one word that it neither runs nor expands, and a program takes
 * it for no option. */
bool is_plain_word(const char *text, size_t size);

/* Notifications of a server, on standard error: progress on a line that the next one replaces, and
 * messages of its log. */
void show_progress(yyjson_val *params);
void clear_progress(void);
void show_log(yyjson_val *params);

/* Prints the blocks of a result, and writes the first that is a file to `out`, which may be NULL;
 * an exit code. */
int show_result(yyjson_val *result, const char *out);
int show_json(yyjson_val *value);

#endif
