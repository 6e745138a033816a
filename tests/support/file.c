/* file.c - files under /tmp. */
#define _POSIX_C_SOURCE 200809L
#include "support/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"

void file_make(char ret_path[FILE_PATH], const char *text)
{
    int fd;

    snprintf(ret_path, FILE_PATH, "/tmp/haft-test-XXXXXX");
    fd = mkstemp(ret_path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}
