/* shelf.c - a plugin with tools whose results are shaped, cached and shared: lists, and how often each ran. */
#include <haft.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

HAFT_STRUCT(shelf_args, HAFT_DEFAULT(HAFT_INTEGER(limit, "Maximum number of books", .min = 1, .max = 100), 100));
HAFT_STRUCT(shelf_book, HAFT_STRING(title, "Its title"), HAFT_STRING(notes, "What nobody asked for"));
HAFT_STRUCT(shelf_books, HAFT_ARRAY(books, HAFT_OBJECT(book, shelf_book, "A book"), "The books"),
            HAFT_INTEGER(total, "How many there are"));

static int list_books(haft_call *call, const shelf_args *in, shelf_books *out)
{
    shelf_book *books = haft_call_alloc(call, (size_t)in->limit * sizeof *books);

    if (!books)
        return HAFT_ENOMEM;
    for (int64_t i = 0; i < in->limit; i++) {
        books[i].title = haft_call_printf(call, "Book %d", (int)i + 1);
        books[i].notes = "a very long text";
        if (!books[i].title)
            return HAFT_ENOMEM;
    }
    out->books = books;
    out->n_books = (size_t)in->limit;
    out->total = 100;
    return 0;
}
HAFT_TOOL(list_books, shelf_args, shelf_books, "Lists books",
          .annotations = {.read_only = HAFT_YES});

HAFT_STRUCT(count_key, HAFT_OPTIONAL(HAFT_JSON(key, "Anything")));

static int count_runs(haft_call *call, const count_key *in)
{
    static atomic_int runs;

    (void)in;
    return haft_text(call, "run %d", atomic_fetch_add(&runs, 1) + 1);
}
HAFT_TOOL_IN(count_runs, count_key, "Counts how often it ran",
             .annotations = {.read_only = HAFT_YES});

/* ---- a call that waits for another ---- */

static pthread_mutex_t shelf_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t shelf_released = PTHREAD_COND_INITIALIZER;
static int shelf_runs, shelf_releases;

static int wait_for_release(haft_call *call)
{
    int run, releases;

    pthread_mutex_lock(&shelf_lock);
    run = ++shelf_runs;
    releases = shelf_releases;
    while (releases == shelf_releases)
        pthread_cond_wait(&shelf_released, &shelf_lock);
    pthread_mutex_unlock(&shelf_lock);
    return haft_text(call, "run %d", run);
}
HAFT_TOOL_BARE(wait_for_release, "Waits", .annotations = {.read_only = HAFT_YES});

static int release_all(haft_call *call)
{
    pthread_mutex_lock(&shelf_lock);
    shelf_releases++;
    pthread_cond_broadcast(&shelf_released);
    pthread_mutex_unlock(&shelf_lock);
    return haft_text(call, "%d", shelf_runs);
}
HAFT_TOOL_BARE(release_all, "Ends the waiting", .quick = true);

HAFT_PLUGIN(&list_books_tool, &count_runs_tool, &wait_for_release_tool, &release_all_tool);
