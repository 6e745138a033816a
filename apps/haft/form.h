/* form.h - a server's question to the user. */
#ifndef HAFT_FORM_H
#define HAFT_FORM_H

#include "peer.h"

/* Answers a form: with its default values, or with what the user types for each field. Without a
 * terminal, declines. */
void form_ask(struct peer *peer, haft_question *question, bool accept_defaults);

#endif
