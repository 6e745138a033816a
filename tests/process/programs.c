/* programs.c - programs that tests start. */
#define _GNU_SOURCE
#include "programs.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void program_words(int argc, char **argv)
{
    putchar('[');
    for (int i = 2; i < argc; i++) {
        printf("%s\"", i > 2 ? "," : "");
        for (const unsigned char *c = (const unsigned char *)argv[i]; *c; c++)
            if (*c < ' ' || *c == '"' || *c == '\\')
                printf("\\u%04x", *c);
            else
                putchar(*c);
        putchar('"');
    }
    puts("]");
}

static void print_line_of(const char *file, const char *name)
{
    FILE *stream = fopen(file, "r");
    char line[256];

    while (stream && fgets(line, sizeof line, stream))
        if (!strncmp(line, name, strlen(name)))
            fputs(line, stdout);
    if (stream)
        fclose(stream);
}

static void program_facts(void)
{
    DIR *directory = opendir("/proc/self/fd");
    const struct dirent *entry;

    while (directory && (entry = readdir(directory)))
        if (*entry->d_name != '.' && (int)strtol(entry->d_name, NULL, 10) != dirfd(directory))
            printf("%s ", entry->d_name);
    if (directory)
        closedir(directory);
    printf("%s %s\n", getsid(0) == getpid() ? "session" : "", getpgrp() == getpid() ? "group" : "");
    print_line_of("/proc/self/status", "SigBlk");
    print_line_of("/proc/self/status", "SigIgn");
}

static void leave_and_wait(int depth)
{
    if (fork())
        return;
    setsid();
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (depth)
        leave_and_wait(depth - 1);
    for (;;)
        pause();
}

/* One stays in the group, one has left it, and one is the child of a process that has ended. */
static void program_tree(void)
{
    signal(SIGTERM, SIG_IGN);
    if (!fork())
        for (;;)
            pause();
    leave_and_wait(2);
    if (!fork()) {
        leave_and_wait(1);
        _exit(0);
    }
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}

static void program_flood(void)
{
    char block[4096];

    memset(block, 'x', sizeof block);
    while (write(1, block, sizeof block) > 0)
        ;
}

static void program_silent(void)
{
    for (int i = 0; i < 3; i++)
        close(i);
    for (;;)
        pause();
}

void programs_run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    if (!strcmp(name, "program-words"))
        program_words(argc, argv);
    else if (!strcmp(name, "program-facts"))
        program_facts();
    else if (!strcmp(name, "program-tree"))
        program_tree();
    else if (!strcmp(name, "program-flood"))
        program_flood();
    else if (!strcmp(name, "program-silent"))
        program_silent();
    else
        return;
    fflush(stdout);
    _exit(0);
}

int programs_count(const char *word)
{
    DIR *directory = opendir("/proc");
    const struct dirent *entry;
    int n = 0;

    while (directory && (entry = readdir(directory))) {
        char path[300], text[4096] = "";
        int file;
        ssize_t size;

        if (*entry->d_name < '0' || *entry->d_name > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        file = open(path, O_RDONLY | O_CLOEXEC);
        size = file >= 0 ? read(file, text, sizeof text - 1) : 0;
        if (file >= 0)
            close(file);
        n += size > 0 && memmem(text, (size_t)size, word, strlen(word));
    }
    if (directory)
        closedir(directory);
    return n;
}
