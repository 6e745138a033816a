/* form.h - a question of the server to the person at the terminal. */
#ifndef HAFT_FORM_H
#define HAFT_FORM_H

#include "remote.h"

/* A remote_elicit: asks for each field of the form; without a terminal it declines. */
int form_ask(void *context, struct remote *remote, yyjson_val *params, haft_buffer *ret_result);

#endif
