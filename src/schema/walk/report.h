/* schema/walk/report.h - construction of issues: begin, set members, end with the message. */
#ifndef HAFT_SRC_REPORT_H
#define HAFT_SRC_REPORT_H

#include "schema/walk/walk.h"

/* Starts an issue; NULL if issues are not collected. */
haft_issue *hf_report_begin(struct walk *w, const struct path *at, haft_issue_code code,
                            unsigned verdict);

/* Adds the issue. A NULL message means that memory ran out. */
void hf_report_end(struct walk *w, haft_issue *issue, const char *message);

/* Text that grows in the walk's arena. */
struct sentence {
    haft_allocator memory;
    haft_buffer text;
};

haft_buffer *hf_sentence_start(struct sentence *sentence, struct walk *w);
/* Returns the text and releases unused memory; NULL without memory. */
const char *hf_sentence_end(struct sentence *sentence);

/* Concatenates two strings; NULL if either is. */
const char *hf_report_join(struct walk *w, const char *left, const char *right);

#endif
