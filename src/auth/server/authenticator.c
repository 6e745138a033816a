/* authenticator.c - who the clients of a server over HTTP are. */
#include <haft/authenticate.h>

haft_authenticator *haft_authenticator_new(const haft_authenticator_options *options,
                                           haft_reason *reterr_reason)
{
    (void)options;
    (void)reterr_reason;
    return NULL;
}

void haft_authenticator_free(haft_authenticator *authenticator)
{
    (void)authenticator;
}

int haft_authenticator_reload(haft_authenticator *authenticator, haft_reason *reterr_reason)
{
    (void)authenticator;
    (void)reterr_reason;
    return 0;
}
