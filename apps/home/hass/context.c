/* context.c - which client a call is for. */
#include <stdatomic.h>

#include "home.h"

/* Set while a plugin is loaded: the servers that call its tools belong to the program, and so does their data. */
static _Atomic(struct hass *) context_lent;

void hass_lend(struct hass *hass)
{
    atomic_store(&context_lent, hass);
}

struct hass *home_hass(const haft_call *call)
{
    struct hass *lent = atomic_load(&context_lent);

    return lent ? lent : haft_server_data(call);
}
