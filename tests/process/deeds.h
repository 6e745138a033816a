/* process/deeds.h - what a handler tries in the sandbox. */
#ifndef HAFT_TESTS_DEEDS_H
#define HAFT_TESTS_DEEDS_H

#include <stddef.h>

struct deed {
    const char *name;
    int (*act)(const char *path); /* 0, or what the system says */
};

extern const struct deed deeds[];
extern const size_t n_deeds;

struct sockaddr_un;

/* Makes the path the socket's. */
void name_socket(struct sockaddr_un *address, const char *path);

#endif
