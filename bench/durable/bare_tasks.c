/* bare_tasks.c - what SQLite alone does with the entries of tasks: the peer of task-server.
 *
 *     bare-tasks FILE N SECONDS
 *
 * Inserts the four entries of each task into a new file, in transactions of N tasks, waits for the disk after each
 * commit, and prints the number of tasks per second. */
#include <time.h>

#include "bare.h"

static double bare_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    sqlite3 *db;
    sqlite3_stmt *insert;
    double start, end;
    long n = argc == 4 ? strtol(argv[2], NULL, 10) : 0, total = 0;

    if (n < 1) {
        fputs("usage: bare-tasks FILE N SECONDS\n", stderr);
        return 2;
    }
    bare_open(argv[1], &db, &insert);
    start = bare_seconds();
    do {
        bare_commit(db, insert, n, total);
        total += n;
        end = bare_seconds();
    } while (end - start < strtod(argv[3], NULL));
    printf("%.1f\n", (double)total / (end - start));
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return 0;
}
