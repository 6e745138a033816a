/* follower.c - notification of sessions about changes. */
#include "engine/offer/server.h"

void hf_follower_link(haft_server *server, struct follower *follower)
{
    follower->previous = NULL;
    follower->next = server->followers;
    if (follower->next)
        follower->next->previous = follower;
    server->followers = follower;
}

void hf_follower_unlink(haft_server *server, struct follower *follower)
{
    if (follower->next)
        follower->next->previous = follower->previous;
    if (follower->previous)
        follower->previous->next = follower->next;
    else
        server->followers = follower->next;
}

void hf_server_wake(haft_server *server)
{
    hf_server_lock(server);
    for (struct follower *follower = server->followers; follower; follower = follower->next)
        follower->wake(follower);
    hf_server_unlock(server);
}
