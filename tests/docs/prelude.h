/* prelude.h - what a fragment in the documentation may take for granted. */
#include <haft.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern haft_arena *arena;
extern haft_schema *schema;
extern haft_builder *b;
extern haft_issues issues;
extern haft_reason error;
extern haft_buffer buffer;
extern const char *text;
extern size_t size;
extern int status;
