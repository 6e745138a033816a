/* schema/walk/report.h - how an issue is written: begun, given its members, and ended by its sentence. */
#ifndef HAFT_SRC_REPORT_H
#define HAFT_SRC_REPORT_H

#include "schema/walk/walk.h"

/* Starts an issue; NULL when there is nothing to write to. */
haft_issue *hf_report_begin(struct walk *w, const struct path *at, haft_issue_code code,
                            unsigned verdict);

/* Counts it.  A message that is NULL is one for which there was no memory. */
void hf_report_end(struct walk *w, haft_issue *issue, const char *message);

/* Text that grows in the walk's arena. */
struct sentence {
    haft_allocator memory;
    haft_buffer text;
};

haft_buffer *hf_sentence_start(struct sentence *sentence, struct walk *w);
/* The text, with what it did not need given back; NULL without memory. */
const char *hf_sentence_end(struct sentence *sentence);

/* Both texts in one; sticky: NULL stays NULL. */
const char *hf_report_join(struct walk *w, const char *left, const char *right);

#endif
