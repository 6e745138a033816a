/* bench/schema_values.c - nanoseconds for validate and decode, compared with a bare yyjson parse.
 *
 * Prints one JSON line per measurement: {"name": ..., "ns": [...]} with a value per round, so that
 * the reader can compute the median and the spread. The first argument is the number of rounds. */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yyjson.h>

HAFT_STRUCT(add_args,
    HAFT_NUMBER(a, "First number"),
    HAFT_NUMBER(b, "Second number"));

HAFT_STRUCT(order_item,
    HAFT_STRING(productId, "Product", .format = HAFT_FORMAT_UUID),
    HAFT_INTEGER(quantity, "How many", .above = 0));

HAFT_STRUCT(order_args,
    HAFT_STRING(customerId, "Customer"),
    HAFT_ARRAY(items, HAFT_OBJECT(item, order_item, "One line"), "Lines", .min = 1));

static size_t allocations;

static void *count_alloc(void *context, size_t size)
{
    (void)context;
    allocations++;
    return malloc(size);
}

static void *count_resize(void *context, void *memory, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    allocations++;
    return realloc(memory, size);
}

static void count_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

static const haft_allocator counting = {count_alloc, count_resize, count_release, NULL};

struct work {
    const char *name;
    const haft_schema *schema;
    const char *text;
    size_t size;
    haft_arena *arena;
    void *out;
    size_t sink;
};

/* yyjson as in its documentation. */
static void parse(struct work *w)
{
    yyjson_doc *doc = yyjson_read(w->text, w->size, 0);

    w->sink += yyjson_doc_get_val_count(doc);
    yyjson_doc_free(doc);
}

static void decode(struct work *w)
{
    haft_issues issues;

    haft_arena_reset(w->arena);
    w->sink +=
        (size_t)haft_schema_decode_text(w->schema, w->text, w->size, w->arena, w->out, &issues);
}

static void validate_text(struct work *w)
{
    haft_issues issues;

    haft_arena_reset(w->arena);
    w->sink += (size_t)haft_schema_validate_text(w->schema, w->text, w->size, w->arena, &issues);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void measure(struct work *w, const char *what, void (*call)(struct work *), int rounds)
{
    size_t n = 1, before;

    call(w);
    for (double spent = 0; spent < 2e7; n *= 2) {
        double start = now();

        for (size_t i = 0; i < n; i++)
            call(w);
        spent = now() - start;
    }
    before = allocations;
    printf("{\"name\":\"%s %s\",\"ns\":[", w->name, what);
    for (int r = 0; r < rounds; r++) {
        double start = now();

        for (size_t i = 0; i < n; i++)
            call(w);
        printf("%s%.1f", r ? "," : "", (now() - start) / (double)n);
    }
    printf("],\"allocations\":%zu}\n", allocations - before);
}

static void run(struct work w, int rounds)
{
    w.arena = haft_arena_new(&counting, 16 << 20);
    w.out = malloc(4096);
    if (!w.arena || !w.out)
        exit(1);
    measure(&w, "parse", parse, rounds);
    measure(&w, "decode", decode, rounds);
    measure(&w, "parse+validate", validate_text, rounds);
    haft_arena_free(w.arena);
    free(w.out);
}

/* The values are in files, so that all contestants get the same bytes. */
static char *read_all(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(1 << 20);

    if (!file || !text)
        exit(1);
    *ret_size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    haft_schema *add, *order;
    haft_reason error;
    struct work w = {0};
    int rounds;

    if (argc != 4) {
        fprintf(stderr, "usage: schema-values ROUNDS ADD.json ORDER.json\n");
        return 2;
    }
    rounds = (int)strtol(argv[1], NULL, 10);
    if (haft_schema_compile(&add_args_type, NULL, &add, &error) ||
        haft_schema_compile(&order_args_type, NULL, &order, &error)) {
        fprintf(stderr, "%s: %s\n", error.path, error.text);
        return 1;
    }
    w.name = "add";
    w.schema = add;
    w.text = read_all(argv[2], &w.size);
    run(w, rounds);
    free((void *)(uintptr_t)w.text);
    w.name = "order";
    w.schema = order;
    w.text = read_all(argv[3], &w.size);
    run(w, rounds);
    free((void *)(uintptr_t)w.text);
    haft_schema_free(add);
    haft_schema_free(order);
    return 0;
}
