/* schema_suite.c - runs folders of the official JSON Schema test suite against haft.
 *
 *     schema-suite [--remotes DIR] [--exceptions FILE] [--without WORD] [--formats] [--complete]
 *                  [DIR-or-FILE...]
 *
 * The dialect of a file is that of the draft folder it lies in, unless a case names another; what
 * lies in remotes/ is given as documents at http://localhost:1234/.  Everything under optional/ is
 * run with formats that decide, except for what tests that the dialect alone makes them decide.
 * Rows of the table in the exceptions file (docs/json-schema.md) may fail, and must: an exception
 * that passes is a failure too.  Files whose name has the word in it are left out.  With --complete
 * a draft with fewer cases than it is known to have is a failure, so that nothing passes because it
 * was not there. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <haft/schema.h>
#include <yyjson.h>

/* Where Debian has the suite: all drafts in libtest-json-schema-acceptance-perl, those up to draft 7
 * in json-schema-test-suite. */
static const char *const installed[] = {
    "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests",
    "/usr/share/json-schema-test-suite/tests",
};

enum { MAX_REMOTES = 1024, MAX_EXCEPTIONS = 256, MAX_PATH = 1024 };

enum kind { REQUIRED, OPTIONAL, FORMAT, KINDS };

static const char *const kind_names[KINDS] = {"required", "optional", "format"};

/* The least number of cases of each kind: what Debian 12 has. */
static const struct draft {
    const char *folder, *dialect;
    size_t least[KINDS];
} drafts[] = {
    {"draft2020-12", "https://json-schema.org/draft/2020-12/schema", {1176, 145, 467}},
    {"latest", "https://json-schema.org/draft/2020-12/schema", {0}},
    {"draft2019-09", "https://json-schema.org/draft/2019-09/schema", {1176, 142, 460}},
    {"draft7", "http://json-schema.org/draft-07/schema#", {861, 108, 414}},
    {"draft6", "http://json-schema.org/draft-06/schema#", {777, 96, 207}},
    {"draft4", "http://json-schema.org/draft-04/schema#", {578, 97, 146}},
};

enum { DRAFTS = sizeof drafts / sizeof *drafts };

struct exception {
    char *draft, *file, *group, *test, *reason;
};

struct run {
    haft_document remotes[MAX_REMOTES];
    size_t n_remotes;
    size_t remotes_root; /* the length of the folder that they are named from */
    struct exception exceptions[MAX_EXCEPTIONS];
    size_t n_exceptions;
    bool formats, complete;
    const char *without;
    size_t found[DRAFTS][KINDS]; /* cases, with those left out */
    size_t passed, failed, excepted, files;
    haft_arena *arena;
};

/* ---- reading ---- */

static char *read_file(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (text = malloc((size_t)size + 1))) {
        *ret_size = fread(text, 1, (size_t)size, file);
        text[*ret_size] = '\0';
    }
    fclose(file);
    return text;
}

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *out = malloc(size);

    if (out)
        memcpy(out, text, size);
    return out;
}

static bool is_json(const char *name)
{
    size_t size = strlen(name);

    return size > 5 && strcmp(name + size - 5, ".json") == 0;
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Calls `visit` for the JSON files under a path, in the order of their names.  Links to folders are
 * not followed: the suite's "latest" is one. */
static int each_file(struct run *run, const char *path, int depth,
                     int (*visit)(struct run *run, const char *path))
{
    struct dirent **entries = NULL;
    struct stat status;
    int n, result = 0;

    if (stat(path, &status) != 0) {
        fprintf(stderr, "schema-suite: %s is not there\n", path);
        return -1;
    }
    if (!S_ISDIR(status.st_mode))
        return is_json(path) ? visit(run, path) : 0;
    n = depth < 8 ? scandir(path, &entries, not_hidden, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        char below[MAX_PATH];

        if (snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name) < MAX_PATH &&
            lstat(below, &status) == 0 && !S_ISLNK(status.st_mode) && !result)
            result = each_file(run, below, depth + 1, visit);
        free(entries[i]);
    }
    free(entries);
    return result;
}

/* ---- remotes ---- */

static int add_remote(struct run *run, const char *path)
{
    char uri[MAX_PATH + 32];
    haft_document *remote = &run->remotes[run->n_remotes];

    if (run->n_remotes == MAX_REMOTES)
        return -1;
    snprintf(uri, sizeof uri, "http://localhost:1234%s", path + run->remotes_root);
    remote->uri = copy(uri);
    remote->json = read_file(path, &remote->size);
    if (!remote->uri || !remote->json)
        return -1;
    run->n_remotes++;
    return 0;
}

/* ---- exceptions ---- */

/* The next cell of a Markdown row, trimmed; NULL at the end of the row. */
static char *cell(char **row)
{
    char *start = *row, *end = start ? strchr(start, '|') : NULL;

    if (!end)
        return NULL;
    *row = end + 1;
    while (*start == ' ' || *start == '`')
        start++;
    while (end > start && (end[-1] == ' ' || end[-1] == '`'))
        end--;
    *end = '\0';
    return start;
}

/* A row is an exception when its first cell is the name of a draft's folder. */
static void add_exception(struct run *run, char *row)
{
    struct exception one = {0};

    one.draft = cell(&row);
    if (!one.draft || strncmp(one.draft, "draft", 5) != 0 || run->n_exceptions == MAX_EXCEPTIONS)
        return;
    one.file = cell(&row);
    one.group = cell(&row);
    one.test = cell(&row);
    one.reason = cell(&row);
    if (one.reason)
        run->exceptions[run->n_exceptions++] = one;
}

/* The text stays: the rows point into it. */
static char *read_exceptions(struct run *run, const char *path)
{
    size_t size = 0;
    char *text = read_file(path, &size), *line = text, *end;

    if (!text)
        fprintf(stderr, "schema-suite: %s cannot be read\n", path);
    for (; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        else
            end = line + strlen(line);
        if (line[0] == '|')
            add_exception(run, line + 1);
    }
    return text;
}

static bool matches(const char *pattern, const char *text)
{
    return strcmp(pattern, "*") == 0 || strcmp(pattern, text) == 0;
}

static struct exception *exception_of(struct run *run, const char *draft, const char *file,
                                      const char *group, const char *test)
{
    for (size_t i = 0; i < run->n_exceptions; i++) {
        struct exception *one = &run->exceptions[i];

        if (matches(one->draft, draft) && matches(one->file, file) && matches(one->group, group) &&
            matches(one->test, test))
            return one;
    }
    return NULL;
}

/* ---- cases ---- */

struct file {
    const struct draft *draft;
    const char *name; /* "optional/bignum.json" */
    haft_schema_options options;
};

static void count(struct run *run, const struct file *file, const char *group, const char *test,
                  bool passed, const char *why)
{
    struct exception *exception = exception_of(run, file->draft->folder, file->name, group, test);

    if (exception) {
        run->excepted++;
        run->failed += passed;
        printf("%s: %s/%s: %s: %s: %s\n",
               passed ? "FAILED (passes, but is an exception)" : "exception", file->draft->folder,
               file->name, group, test, exception->reason);
    } else if (passed) {
        run->passed++;
    } else {
        run->failed++;
        printf("FAILED: %s/%s: %s: %s: %s\n", file->draft->folder, file->name, group, test, why);
    }
}

static void run_test(struct run *run, const struct file *file, const char *group,
                     const haft_schema *schema, yyjson_val *test)
{
    bool valid = yyjson_get_bool(yyjson_obj_get(test, "valid"));
    haft_issues issues = {0};
    char why[512];
    int status;

    haft_arena_reset(run->arena);
    status = haft_schema_validate(schema, yyjson_obj_get(test, "data"), run->arena, &issues);
    if (status && status != HAFT_EISSUES)
        snprintf(why, sizeof why, "%s", haft_strerror(status));
    else if (status)
        snprintf(why, sizeof why, "refused: %s", issues.count ? issues.list[0].message : "");
    else
        snprintf(why, sizeof why, "accepted");
    count(run, file, group, yyjson_get_str(yyjson_obj_get(test, "description")),
          valid ? status == 0 : status == HAFT_EISSUES, why);
}

static void run_group(struct run *run, const struct file *file, yyjson_val *group)
{
    const char *name = yyjson_get_str(yyjson_obj_get(group, "description"));
    haft_schema *schema = NULL;
    haft_reason error = {0};
    int status =
        haft_schema_parse_json(yyjson_obj_get(group, "schema"), &file->options, &schema, &error);
    size_t i, n;
    yyjson_val *test;

    yyjson_arr_foreach(yyjson_obj_get(group, "tests"), i, n, test) {
        char why[512];

        if (!status) {
            run_test(run, file, name, schema, test);
            continue;
        }
        snprintf(why, sizeof why, "%s: %s", error.path, error.text);
        count(run, file, name, yyjson_get_str(yyjson_obj_get(test, "description")), false, why);
    }
    haft_schema_free(status ? NULL : schema);
}

/* The draft of a path, with the part after its folder in *ret_name. */
static const struct draft *draft_of(const char *path, const char **ret_name)
{
    for (size_t i = 0; i < DRAFTS; i++) {
        char part[64];
        const char *found;

        snprintf(part, sizeof part, "/%s/", drafts[i].folder);
        found = strstr(path, part);
        if (!found)
            continue;
        *ret_name = found + strlen(part);
        return &drafts[i];
    }
    return NULL;
}

static enum kind kind_of(const char *name)
{
    if (strncmp(name, "optional/", 9) != 0)
        return REQUIRED;
    return strncmp(name, "optional/format/", 16) == 0 ? FORMAT : OPTIONAL;
}

static int run_file(struct run *run, const char *path)
{
    struct file file = {.options = {.struct_size = sizeof(haft_schema_options),
                                    .documents = run->remotes,
                                    .n_documents = run->n_remotes}};
    bool asserts;
    yyjson_doc *doc;
    yyjson_val *group;
    size_t i, n;

    file.draft = draft_of(path, &file.name);
    if (!file.draft)
        return 0;
    file.options.dialect = file.draft->dialect;
    asserts = run->formats || (kind_of(file.name) != REQUIRED &&
                               strcmp(file.name, "optional/format-assertion.json") != 0);
    file.options.defaults = HAFT_DEFAULTS_ANNOTATE;
    file.options.formats = asserts ? HAFT_FORMATS_ASSERT : HAFT_FORMATS_ANNOTATE;
    doc = yyjson_read_file(path, 0, NULL, NULL);
    if (!doc) {
        fprintf(stderr, "schema-suite: %s cannot be read\n", path);
        return -1;
    }
    run->files++;
    yyjson_arr_foreach(yyjson_doc_get_root(doc), i, n, group) {
        run->found[file.draft - drafts][kind_of(file.name)] +=
            yyjson_arr_size(yyjson_obj_get(group, "tests"));
        if (!run->without || !strstr(file.name, run->without))
            run_group(run, &file, group);
    }
    yyjson_doc_free(doc);
    return 0;
}

/* Counts a kind of cases that is not there, or not all there, as a failure. */
static void check_complete(struct run *run)
{
    for (size_t i = 0; i < DRAFTS; i++) {
        for (size_t k = 0; k < KINDS; k++) {
            if (run->found[i][k] >= drafts[i].least[k])
                continue;
            run->failed++;
            printf("FAILED: %s: %zu %s cases, at least %zu expected\n", drafts[i].folder,
                   run->found[i][k], kind_names[k], drafts[i].least[k]);
        }
    }
}

/* ---- the program ---- */

/* The remotes folder beside the tests folder of a path. */
static bool remotes_beside(const char *path, char *ret_remotes, size_t size)
{
    const char *tests = NULL;

    for (const char *at = path; (at = strstr(at, "/tests")); at++)
        if (at[6] == '/' || !at[6])
            tests = at;
    return tests &&
           snprintf(ret_remotes, size, "%.*s/remotes", (int)(tests - path), path) < (int)size;
}

static int load_remotes(struct run *run, const char *given, const char *first)
{
    char beside[MAX_PATH];
    struct stat status;

    if (!given && remotes_beside(first, beside, sizeof beside) && stat(beside, &status) == 0)
        given = beside;
    if (!given)
        return 0;
    run->remotes_root = strlen(given);
    return each_file(run, given, 0, add_remote);
}

/* The installed suite with the most drafts. */
static const char *find_installed(void)
{
    struct stat status;

    return stat(installed[0], &status) == 0 ? installed[0] : installed[1];
}

static int finish(struct run *run, int status)
{
    for (size_t i = 0; i < run->n_remotes; i++) {
        free((void *)(size_t)run->remotes[i].uri);
        free((void *)(size_t)run->remotes[i].json);
    }
    haft_arena_free(run->arena);
    if (!run->files && !status)
        fprintf(stderr, "schema-suite: no tests were found\n");
    if (run->complete)
        check_complete(run);
    if (run->excepted)
        printf("%zu named exceptions\n", run->excepted);
    printf("%zu passed, %zu failed\n", run->passed, run->failed);
    status = status || run->failed || !run->files;
    free(run);
    return status ? 1 : 0;
}

int main(int argc, char **argv)
{
    const char *const standard[] = {find_installed()};
    struct run *run = calloc(1, sizeof *run);
    const char *remotes = NULL, *exceptions = NULL, *const *paths = standard;
    char *table = NULL;
    int at = 1, n = 1, status;

    if (!run || !(run->arena = haft_arena_new(NULL, 256 << 20)))
        return 2;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--formats") == 0)
            run->formats = true;
        else if (strcmp(argv[at], "--complete") == 0)
            run->complete = true;
        else if (strcmp(argv[at], "--remotes") == 0 && at + 1 < argc)
            remotes = argv[++at];
        else if (strcmp(argv[at], "--exceptions") == 0 && at + 1 < argc)
            exceptions = argv[++at];
        else if (strcmp(argv[at], "--without") == 0 && at + 1 < argc)
            run->without = argv[++at];
        else
            return fprintf(stderr, "schema-suite: %s is no option\n", argv[at]), 2;
    }
    if (at < argc) {
        paths = (const char *const *)(argv + at);
        n = argc - at;
    }
    if (exceptions)
        table = read_exceptions(run, exceptions);
    status = exceptions && !table ? -1 : load_remotes(run, remotes, paths[0]);
    for (int i = 0; i < n && !status; i++)
        status = each_file(run, paths[i], 0, run_file);
    status = finish(run, status);
    free(table);
    return status;
}
