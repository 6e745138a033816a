/* new.c - the command new: creates a project with one tool and its test.
 *
 * The files are written to a temporary directory beside the destination, which is then renamed:
 * either the whole project exists, or nothing. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"
#include "show.h"
#include "template.h"

enum { NEW_LONGEST_NAME = 64, NEW_PATH = 256, NEW_FILE_LIMIT = 1 << 20 };

/* ---- kinds of project ---- */

struct new_kind {
    const char *name;      /* its folder of templates */
    const char *extension; /* extension of its sources */
    const char *product;   /* output of the build, after build/NAME */
    const char *trial;     /* a command that demonstrates it */
};

static const struct new_kind new_kinds[] = {
    {"c", "c", "", "haft call add a=2 b=40 -- build/@NAME@"},
    {"cpp", "cpp", "", "haft call add a=2 b=40 -- build/@NAME@"},
    {"plugin", "c", ".so", "haft call add a=2 b=40 -- haft serve --stdio build/@NAME@.so"},
    {"gateway", "c", ".so", "haft call greet name=Ada -- haft serve --stdio --config serve.json"},
};

/* A build system. */
struct new_build {
    const char *file, *other; /* its file, and that of the other one, which is omitted */
    const char *first, *again, *test;
};

static const struct new_build new_cmake = {"CMakeLists.txt", "Makefile",
                                           "cmake -S . -B build\ncmake --build build",
                                           "cmake --build build",
                                           "ctest --test-dir build --output-on-failure"},
                              new_make = {"Makefile", "CMakeLists.txt", "make", "make",
                                          "make test"};

struct new_project {
    const char *name;
    const struct new_kind *kind;
    const struct new_build *build;
    struct template_word words[8];
    char directory[NEW_PATH]; /* temporary directory of the files */
};

/* Names reserved by CMake, or used in its build directory. */
static const char *const new_taken[] = {
    "all",        "all_build",      "clean",         "cmakefiles",
    "edit_cache", "help",           "install",       "list_install_components",
    "package",    "package_source", "rebuild_cache", "run_tests",
    "test",       "testing",        "zero_check",    NULL,
};

const char *new_name_fault(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    if (!*name || !strchr(letters, *name))
        return "it must begin with a letter from a to z";
    if (name[strspn(name, others)])
        return "it may contain only letters, digits, - and _; haft new writes to the current directory";
    if (strlen(name) > NEW_LONGEST_NAME)
        return "it may have at most 64 characters";
    for (size_t i = 0; new_taken[i]; i++)
        if (hf_text_same_ignoring_case(name, new_taken[i]))
            return "CMake uses this name itself";
    return NULL;
}

/* ---- files ---- */

static int new_fail(const char *path, const char *what)
{
    return complain(EXIT_LOCAL, "cannot %s %s: %s", what, path, strerror(errno));
}

/* `shown` is the final path of the file. */
static int new_write_file(const char *path, const char *shown, const haft_buffer *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int failed;

    if (fd < 0)
        return new_fail(shown, "write");
    failed = write_all(fd, text->data, text->size);
    if (failed) {
        new_fail(shown, "write");
        close(fd);
        return EXIT_LOCAL;
    }
    return close(fd) ? new_fail(shown, "write") : EXIT_DONE;
}

static const char *new_shown(const char *name)
{
    return strcmp(name, "gitignore") ? name : ".gitignore";
}

static const char *new_name_of(const struct new_project *project, const struct template *row)
{
    const char *name = template_name(row, project->kind->name);

    return name && strcmp(name, project->build->other) ? name : NULL;
}

static int new_write_row(const struct new_project *project, const struct template *row,
                         const char *name)
{
    char path[2 * NEW_PATH], shown[2 * NEW_PATH];
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, NEW_FILE_LIMIT);
    template_fill(row->text, project->words, &text);
    snprintf(path, sizeof path, "%s/%s", project->directory, new_shown(name));
    snprintf(shown, sizeof shown, "%s/%s", project->name, new_shown(name));
    status =
        text.status ? complain(EXIT_LOCAL, "out of memory") : new_write_file(path, shown, &text);
    haft_buffer_finish(&text);
    return status;
}

static void new_remove(const struct new_project *project)
{
    char path[2 * NEW_PATH];

    for (const struct template *row = template_rows; row->path; row++) {
        const char *name = new_name_of(project, row);

        if (!name)
            continue;
        snprintf(path, sizeof path, "%s/%s", project->directory, new_shown(name));
        unlink(path);
    }
    rmdir(project->directory);
}

/* mkdtemp creates a private directory; a project has the mode of the umask. */
static int new_give_mode(const char *directory)
{
    mode_t mask = umask(0);

    umask(mask);
    return chmod(directory, 0777 & ~mask);
}

static int new_write(struct new_project *project)
{
    int status = EXIT_DONE;

    snprintf(project->directory, sizeof project->directory, ".%s.XXXXXX", project->name);
    if (!mkdtemp(project->directory))
        return complain(EXIT_LOCAL, "cannot create the directory %s: %s", project->name,
                        strerror(errno));
    for (const struct template *row = template_rows; row->path && !status; row++) {
        const char *name = new_name_of(project, row);

        if (name)
            status = new_write_row(project, row, name);
    }
    if (!status && (new_give_mode(project->directory) || rename(project->directory, project->name)))
        status = complain(EXIT_LOCAL, "cannot create the directory %s: %s", project->name,
                          strerror(errno));
    if (status)
        new_remove(project);
    return status;
}

/* ---- the command ---- */

/* An empty directory may be filled; rename would reject a non-empty one too, less clearly. */
static int new_check_place(const char *name)
{
    DIR *directory = opendir(name);
    const struct dirent *entry = NULL;

    if (!directory) {
        if (errno == ENOENT)
            return EXIT_DONE;
        if (errno == ENOTDIR)
            return complain(EXIT_USAGE, "%s already exists and is not a directory", name);
        return new_fail(name, "read");
    }
    do
        entry = readdir(directory);
    while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
    closedir(directory);
    return entry ? complain(EXIT_USAGE, "the directory %s already exists and is not empty", name)
                 : EXIT_DONE;
}

/* Writes the lines of a text, indented by two spaces. */
static void new_put_lines(haft_buffer *out, const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "\n");

        haft_buffer_printf(out, "  %.*s\n", (int)size, text);
        text += size + (text[size] == '\n');
    }
}

static int new_report(const struct new_project *project)
{
    struct page page;

    page_init(&page);
    haft_buffer_printf(&page.text, "Created %s:\n", project->name);
    for (const struct template *row = template_rows; row->path; row++) {
        const char *name = new_name_of(project, row);

        if (name)
            haft_buffer_printf(&page.text, "  %s/%s\n", project->name, new_shown(name));
    }
    haft_buffer_printf(&page.text, "\nBuild it, test it and call its tool:\n  cd %s\n",
                       project->name);
    new_put_lines(&page.text, project->build->first);
    new_put_lines(&page.text, project->build->test);
    haft_buffer_puts(&page.text, "  ");
    template_fill(project->kind->trial, project->words, &page.text);
    haft_buffer_puts(&page.text, "\n");
    return page_print(&page);
}

static const struct new_kind *new_kind_named(const char *name)
{
    for (size_t i = 0; i < sizeof new_kinds / sizeof *new_kinds; i++)
        if (name && !strcmp(new_kinds[i].name, name))
            return &new_kinds[i];
    return &new_kinds[0];
}

int act_new(struct invocation *call)
{
    struct new_project project = {.kind = new_kind_named(call->project.kind),
                                  .build = call->project.make ? &new_make : &new_cmake};
    char version[32];
    const char *fault;
    int status;

    if (call->n_operands != 1 || call->child)
        return complain(EXIT_USAGE, "new needs one operand, the name of the project");
    if (call->project.kind && !*call->project.kind)
        return complain(EXIT_USAGE, "choose one of --cpp, --plugin and --gateway");
    project.name = call->operands[0];
    fault = new_name_fault(project.name);
    if (fault)
        return complain(EXIT_USAGE, "invalid project name %s: %s", project.name, fault);
    snprintf(version, sizeof version, "%d.%d", HAFT_VERSION_MAJOR, HAFT_VERSION_MINOR);
    memcpy(project.words,
           (const struct template_word[]){{"NAME", project.name},
                                          {"EXTENSION", project.kind->extension},
                                          {"HAFT", version},
                                          {"BUILD", project.build->first},
                                          {"REBUILD", project.build->again},
                                          {"TEST", project.build->test},
                                          {NULL, NULL}},
           7 * sizeof *project.words);
    status = new_check_place(project.name);
    if (!status)
        status = new_write(&project);
    return status ? status : new_report(&project);
}
