/* config/program_options.h - the options that a program declares, as rows like those of the table.
 *
 * They are read, checked and printed as haft's own are.  Their values are a block of memory in the
 * settings, laid out as the program's struct is; once they are right, they are copied there. */
#ifndef HAFT_SRC_PROGRAM_OPTIONS_H
#define HAFT_SRC_PROGRAM_OPTIONS_H

#include <haft/option.h>

#include "config/option.h"

#define PROGRAM_OPTIONS_SECTION "options" /* of the configuration file */

enum { PROGRAM_OPTIONS_SINCE = 0x000200 }; /* the version since which programs have them */

struct program_options {
    struct option
        *rows; /* in the server's arena, as is all that they point to and is not the program's */
    size_t n, size; /* the latter of the program's struct */
    void *values;   /* that struct */
    bool filled;
    haft_reason refusal; /* why there are none; its code is 0 if there are */
};

/* Whether haft has taken a name otherwise, as it was in some version. */
typedef bool program_options_taken(const char *name, int version);

/* Makes the rows of a table, and has the server know them.  0, or an error that is logged and kept. */
int hf_program_options_make(haft_server *server, const haft_option_table *table, void *values,
                            program_options_taken *taken);

/* By what it is called; NULL when there is none, or no program. */
const struct option *hf_program_options_by_key(const struct program_options *own, const char *key);
const struct option *hf_program_options_by_flag(const struct program_options *own, const char *flag,
                                                size_t size);
/* The row that the i-th operand belongs to; NULL if there are too many operands. */
const struct option *hf_program_options_operand(const struct program_options *own, size_t i);

/* Reads a secret from its variable, or from the file that another variable names.  0 or
 * HAFT_ENOMEM. */
int hf_program_options_read_secret(struct settings *settings, const struct option *option,
                                   struct complaints *complaints);
/* Complains of what is required and was not given. */
void hf_program_options_require(const struct settings *settings, struct complaints *complaints);

/* Copies the values to the program, once; strings go to the server's arena.  Returns 0 or HAFT_ENOMEM. */
int hf_program_options_fill(haft_server *server, const struct settings *settings);

#endif
