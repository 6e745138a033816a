/* support/resident.h - the memory of a process. Independent of the other test files, because
 * benchmarks use it. */
#ifndef HAFT_TESTS_RESIDENT_H
#define HAFT_TESTS_RESIDENT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* In KiB; 0 if unknown. */
static inline size_t resident_kib(pid_t pid)
{
    char path[64], line[256];
    size_t kib = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "VmRSS:", 6))
            kib = strtoul(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return kib;
}

#endif
