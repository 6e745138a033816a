/* soak_driver.c - the server of the fault tests as a program, for those who load it for long.
 *
 * What haft has asked its allocator for and not given back is in a file that whoever started it
 * names, and can read at any moment without the server being asked: what the process has, libc's
 * share of it included, is another matter, and shows in /proc. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fault/peer.h"
#include "support/counting.h"

static struct counts *map_counts(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    void *page = MAP_FAILED;

    if (fd < 0)
        return NULL;
    if (!ftruncate(fd, sizeof(struct counts)))
        page = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return page == MAP_FAILED ? NULL : page;
}

int main(int argc, char **argv)
{
    static char site[] = "isolated";
    const char *path = getenv("HAFT_SOAK_COUNTS");
    struct counts *counts = path ? map_counts(path) : NULL;
    struct counting counting;

    if (path && !counts) {
        perror(path);
        return 1;
    }
    counting_init(&counting, counts);
    if (argc > 0)
        argv[0] = site;
    return site_run(argc, argv, &counting.allocator);
}
