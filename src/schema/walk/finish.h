/* schema/walk/finish.h - the last step of every front end. */
#ifndef HAFT_SRC_FINISH_H
#define HAFT_SRC_FINISH_H

#include "schema/model/node.h"

/* The last step of every front end: numbers the nodes, indexes the properties, marks what recurses,
 * checks that defaults fit.  Frees the schema when it fails. */
int hf_schema_finish(haft_schema *schema, struct node *root, haft_reason *reterr_error);

#endif
