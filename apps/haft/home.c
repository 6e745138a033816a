/* home.c - the command home. */
#include "program.h"

#if HAFT_HOME
#include "serve/serve.h"

/* Passes the name of the command and the words after it. */
int act_home(struct invocation *call)
{
    char name[] = "haft home";

    call->words[0] = name;
    return home_main((int)call->n_words, call->words, EXIT_LOCAL);
}
#endif
