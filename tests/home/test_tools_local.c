/* test_tools_local.c - runs the table rows_local.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "home/rows_local.h"
#include "support/test.h"

enum { RATE = 8000, SECONDS = 4, BEAT = RATE / 2, CLICK = 200 };

static void put_number(FILE *file, unsigned value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        fputc((int)(value >> 8 * i & 255), file);
}

/* Four seconds with a click every half of one. */
static void write_beat(const char *path)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs("RIFF", file);
    put_number(file, 36 + RATE * SECONDS * 2, 4);
    fputs("WAVEfmt ", file);
    put_number(file, 16, 4);
    put_number(file, 1, 2);
    put_number(file, 1, 2);
    put_number(file, RATE, 4);
    put_number(file, RATE * 2, 4);
    put_number(file, 2, 2);
    put_number(file, 16, 2);
    fputs("data", file);
    put_number(file, RATE * SECONDS * 2, 4);
    for (unsigned i = 0; i < RATE * SECONDS; i++)
        put_number(file, i % BEAT < CLICK ? (i & 4 ? 20000 : 45536) : 0, 2);
    assert_int_equal(fclose(file), 0);
}

int main(void)
{
    char directory[] = "/tmp/home-audio-XXXXXX", path[64];
    int failed;

    house_audio_dir = mkdtemp(directory);
    if (!house_audio_dir)
        return 1;
    snprintf(path, sizeof path, "%s/beat.wav", directory);
    write_beat(path);
    failed = tools_run("home/tools_local", rows_local, COUNT_OF(rows_local));
    unlink(path);
    rmdir(directory);
    return failed;
}
