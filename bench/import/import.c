/* import.c - the processor time to import an OpenAPI document, beside that of yyjson's bare parse of the same text, and
 * the peak of memory; bench/openapi runs it.
 *
 *     openapi-import FILE [ROUNDS]
 *
 * The rounds of both alternate, and the fastest of each is printed, so that other work on the machine matters less.
 * Memory is that of a process which does nothing but read the file and import it once.  Prints one line of JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <yyjson.h>

#include "config/file.h"
#include "import/import.h"

enum { ROUNDS = 10, MEMORY = 1 << 30 };

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "openapi-import: %s: %s\n", what, why);
    exit(1);
}

/* Milliseconds of this process's processor time. */
static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void load(const char *path, haft_buffer *text)
{
    haft_buffer_init(text, NULL, IMPORT_DOCUMENT_MAX);
    if (hf_file_read(path, text))
        fail(path, "cannot be read");
}

/* Reads and imports a document, as a gateway does. */
static struct import *import_text(const char *path, const haft_buffer *text, haft_arena *arena)
{
    struct import *import = NULL;
    haft_reason reason = {0};
    haft_value *document = hf_import_read(text->data, text->size, path, arena, &reason);

    if (!document || hf_import_document(document, NULL, &import, &reason))
        fail(path, reason.text);
    return import;
}

/* KiB. */
static long measure_memory(const char *path)
{
    struct rusage usage;
    pid_t child = fork();
    int status;

    if (child < 0)
        fail("fork", "failed");
    if (!child) {
        haft_buffer text;

        load(path, &text);
        import_text(path, &text, haft_arena_new(NULL, MEMORY));
        _exit(0);
    }
    if (waitpid(child, &status, 0) < 0 || status)
        fail(path, "the import failed");
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS;
    double parse = 1e9, whole = 1e9;
    size_t found = 0, tools = 0, bytes = 0;
    haft_buffer text;
    long peak;

    if (argc < 2)
        fail("usage", "openapi-import FILE [ROUNDS]");
    peak = measure_memory(argv[1]);
    load(argv[1], &text);
    for (int i = 0; i < rounds; i++) {
        haft_arena *arena;
        struct import *import;
        yyjson_doc *doc;
        double start = now(), middle, end;

        doc = yyjson_read(text.data, text.size, 0);
        middle = now();
        yyjson_doc_free(doc);
        arena = haft_arena_new(NULL, MEMORY);
        if (middle - start < parse && doc)
            parse = middle - start;
        start = now();
        import = import_text(argv[1], &text, arena);
        end = now();
        whole = end - start < whole ? end - start : whole;
        found = import->n_found;
        tools = import->n_operations;
        bytes = 0;
        for (size_t j = 0; j < tools; j++)
            bytes += import->operations[j].input_size + import->operations[j].output_size;
        hf_import_free(import);
        haft_arena_free(arena);
    }
    printf(
        "{\"operations\":%zu,\"tools\":%zu,\"schema_bytes\":%zu,\"parse_ms\":%.3f,\"import_ms\":%.3f,"
        "\"peak_kib\":%ld}\n",
        found, tools, bytes, parse < 1e9 ? parse : 0, whole, peak);
    haft_buffer_finish(&text);
    return 0;
}
