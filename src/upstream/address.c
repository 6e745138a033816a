/* address.c - which addresses a request may go to, if the configuration does not name the host.
 *
 * The HTTP client asks for each address that it is about to connect to, so that a name that resolves to
 * another address the next time is refused as well. */
#include "auth/web_url.h"
#include "upstream/http.h"

bool hf_http_allow_address(void *context, const struct sockaddr *address, socklen_t size)
{
    (void)context;
    (void)size;
    return hf_network_of(address) == NETWORK_PUBLIC;
}
