/* follower.c - those who want to know that something has changed. */
#include "engine/offer/server.h"

void follower_link(haft_server *server, struct follower *follower)
{
    follower->previous = NULL;
    follower->next = server->followers;
    if (follower->next)
        follower->next->previous = follower;
    server->followers = follower;
}

void follower_unlink(haft_server *server, struct follower *follower)
{
    if (follower->next)
        follower->next->previous = follower->previous;
    if (follower->previous)
        follower->previous->next = follower->next;
    else
        server->followers = follower->next;
}

void server_wake(haft_server *server)
{
    server_lock(server);
    for (struct follower *follower = server->followers; follower; follower = follower->next)
        follower->wake(follower);
    server_unlock(server);
}
