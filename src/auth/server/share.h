/* auth/server/share.h - what an authenticator shares with the replicas of a server. */
#ifndef HAFT_SRC_AUTH_SHARE_H
#define HAFT_SRC_AUTH_SHARE_H

#include <haft/authenticate.h>

/* Makes an authenticator use the store of a server, and nonces that the server's replicas accept,
 * before its first use. The server must outlive it. */
void hf_authenticator_share(haft_authenticator *authenticator, haft_server *server);

#endif
