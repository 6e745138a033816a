/* form.h - a server's question to the user. */
#ifndef HAFT_FORM_H
#define HAFT_FORM_H

#include "remote.h"

/* A remote_elicit: prompts for each field of the form; declines without a terminal. */
int form_ask(void *context, struct remote *remote, yyjson_val *params, haft_buffer *ret_result);

#endif
