/* schema/walk/finish.h - the last step of every front end. */
#ifndef HAFT_SRC_FINISH_H
#define HAFT_SRC_FINISH_H

#include "schema/model/node.h"

/* Numbers the nodes, indexes the properties, marks recursion and checks that defaults match. Frees
 * the schema on failure. */
int hf_schema_finish(haft_schema *schema, struct node *root, haft_reason *reterr_error);

#endif
