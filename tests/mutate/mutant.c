/* Which fault is switched on: HAFT_MUTANT is its number.  HAFT_MUTANT_MAP is a file with a byte for each fault;
 * what this process and those forked from it reach is marked there.  Weak, because a program may have it twice. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((weak)) int mutant_chosen;
__attribute__((weak)) unsigned char *mutant_reached;

__attribute__((constructor)) static void mutant_start(void)
{
    const char *number = getenv("HAFT_MUTANT"), *path = getenv("HAFT_MUTANT_MAP");
    struct stat status;
    void *map;
    int file;

    if (number)
        mutant_chosen = (int)strtol(number, NULL, 10);
    if (!path || (file = open(path, O_RDWR | O_CLOEXEC)) < 0)
        return;
    if (!fstat(file, &status)) {
        map = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (map != MAP_FAILED)
            mutant_reached = map;
    }
    close(file);
}
