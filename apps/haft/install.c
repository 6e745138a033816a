/* install.c - the command install: adds a server to the configuration of a client.
 *
 * The change is shown first, and made if the user agrees. */
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install_edit.h"
#include "install_file.h"
#include "program.h"
#include "show.h"

enum { INSTALL_NAME = 64 };

/* The base of a client's file: the current directory, the home directory, or the configuration
 * directory. */
enum install_place { INSTALL_HERE, INSTALL_HOME, INSTALL_CONFIG };

struct install_client {
    const char *name, *title;
    enum install_place place;
    const char *file, *section;
    bool typed; /* entries have a type */
    bool urls;  /* entries may have a URL */
    const char *next;
};

static const struct install_client install_clients[] = {
#if defined __APPLE__
    {"claude", "Claude Desktop", INSTALL_HOME,
     "Library/Application Support/Claude/claude_desktop_config.json", "mcpServers", false, false,
     "Quit Claude Desktop and start it again."},
#else
    {"claude", "Claude Desktop", INSTALL_CONFIG, "Claude/claude_desktop_config.json", "mcpServers",
     false, false, "Quit Claude Desktop and start it again."},
#endif
    {"claude-code", "Claude Code", INSTALL_HERE, ".mcp.json", "mcpServers", true, true,
     "Start Claude Code in this directory; /mcp shows the server."},
    {"vscode", "Visual Studio Code", INSTALL_HERE, ".vscode/mcp.json", "servers", true, true,
     "Open this directory in Visual Studio Code; \"MCP: List Servers\" shows the server."},
    {"cursor", "Cursor", INSTALL_HOME, ".cursor/mcp.json", "mcpServers", false, true,
     "Cursor shows the server in its settings, under MCP."},
};

static const struct install_client *install_client_named(const char *name)
{
    for (size_t i = 0; i < sizeof install_clients / sizeof *install_clients; i++)
        if (!strcmp(install_clients[i].name, name))
            return &install_clients[i];
    complain(EXIT_USAGE, "unknown client %s; choose claude, claude-code, vscode or cursor", name);
    return NULL;
}

/* ---- paths ---- */

static const char *install_home(void)
{
    const char *home = getenv("HOME");
    const struct passwd *user;

    if (home && *home == '/')
        return home;
    user = getpwuid(getuid());
    return user ? user->pw_dir : NULL;
}

/* The client's file, unless the command line names another. */
static int install_find_file(const struct install_client *client, const char *given,
                             char ret_path[PATH_MAX])
{
    const char *home = install_home(), *config = getenv("XDG_CONFIG_HOME");
    int size = -1;

    if (given)
        size = snprintf(ret_path, PATH_MAX, "%s", given);
    else if (client->place == INSTALL_HERE)
        size = snprintf(ret_path, PATH_MAX, "%s", client->file);
    else if (client->place == INSTALL_CONFIG && config && *config == '/')
        size = snprintf(ret_path, PATH_MAX, "%s/%s", config, client->file);
    else if (home)
        size = snprintf(ret_path, PATH_MAX, "%s/%s%s", home,
                        client->place == INSTALL_CONFIG ? ".config/" : "", client->file);
    if (size < 0 || size >= PATH_MAX)
        return complain(EXIT_LOCAL, "the file of %s cannot be found; name it by --file",
                        client->title);
    return EXIT_DONE;
}

static bool install_is_program(const char *path)
{
    struct stat status;

    return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

/* The absolute path of a program. Symbolic links are resolved in its directory, but not in its
 * name, which may matter to the program. */
static int install_resolve(const char *path, char ret_path[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX], resolved[PATH_MAX];
    size_t size = (size_t)(slash - path);
    int n;

    if (size >= sizeof directory)
        return complain(EXIT_USAGE, "the path of the command is too long");
    memcpy(directory, path, size);
    directory[size] = '\0';
    if (!realpath(size ? directory : "/", resolved))
        return complain(EXIT_USAGE, "cannot find %s: %s", path, strerror(errno));
    n = snprintf(ret_path, PATH_MAX, "%s%s", strcmp(resolved, "/") ? resolved : "", slash);
    if (n >= PATH_MAX)
        return complain(EXIT_USAGE, "the path of the command is too long");
    if (access(ret_path, F_OK))
        return complain(EXIT_USAGE, "cannot find %s: %s", path, strerror(errno));
    return install_is_program(ret_path)
               ? EXIT_DONE
               : complain(EXIT_USAGE, "%s is not an executable file", path);
}

/* Clients start programs with a different PATH and working directory. */
static int install_find_program(const char *name, char ret_path[PATH_MAX])
{
    const char *path = getenv("PATH");

    if (strchr(name, '/'))
        return install_resolve(name, ret_path);
    while (path && *path) {
        size_t size = strcspn(path, ":");
        char each[PATH_MAX];
        int n = snprintf(each, sizeof each, "%.*s/%s", (int)size, size ? path : ".", name);

        if (n > 0 && n < PATH_MAX && install_is_program(each))
            return install_resolve(each, ret_path);
        path += size + (path[size] == ':');
    }
    return complain(EXIT_USAGE, "cannot find the command %s in PATH", name);
}

/* ---- the entry ---- */

static const char *install_name_fault(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

    if (!*name || name[strspn(name, letters)] || strlen(name) > INSTALL_NAME)
        return "use up to 64 letters, digits, -, _ and .";
    return NULL;
}

static int install_check_words(char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        for (size_t at = 0, size = strlen(words[i]); at < size;) {
            size_t n = hf_utf8_size(words[i] + at, size - at);

            if (!n)
                return complain(EXIT_USAGE, "argument %zu of the command is not valid UTF-8", i);
            at += n;
        }
    return EXIT_DONE;
}

/* Warns about relative paths that the server would not find. */
static void install_warn(char *const *args)
{
    for (; *args; args++)
        if (**args != '/' && **args != '-' && !access(*args, F_OK))
            complain(
                0,
                "warning: the client starts the command in another directory; write the absolute "
                "path instead of %s",
                *args);
}

static bool install_is_url(const char *text)
{
    return !strncmp(text, "http://", 7) || !strncmp(text, "https://", 8);
}

static int install_describe_url(const struct install_client *client, const char *url,
                                struct install_entry *entry)
{
    if (!install_is_url(url))
        return complain(
            EXIT_USAGE,
            "%s is not a URL; a command comes after --, and a URL begins with http:// or "
            "https://",
            url);
    if (!client->urls)
        return complain(EXIT_USAGE,
                        "the configuration file of %s has only commands; use -- npx mcp-remote %s",
                        client->title, url);
    entry->url = url;
    entry->type = client->typed ? "http" : NULL;
    return EXIT_DONE;
}

static int install_describe(const struct invocation *call, const struct install_client *client,
                            struct install_entry *entry, char command[PATH_MAX])
{
    const char *slash;
    int status;

    entry->section = client->section;
    entry->name = call->name;
    if (call->child && !entry->name) {
        slash = strrchr(call->child[0], '/');
        entry->name = slash ? slash + 1 : call->child[0];
    }
    if (!entry->name)
        return complain(EXIT_USAGE, "add --name NAME, the name of the server");
    if (call->remove)
        return EXIT_DONE;
    if (install_name_fault(entry->name))
        return complain(EXIT_USAGE, "invalid name %s: %s; --name sets another", entry->name,
                        install_name_fault(entry->name));
    if (!call->child)
        return install_describe_url(client, call->operands[1], entry);
    status = install_check_words(call->child);
    if (!status)
        status = install_find_program(call->child[0], command);
    entry->type = client->typed ? "stdio" : NULL;
    entry->command = command;
    entry->args = call->child + 1;
    if (!status)
        install_warn(call->child + 1);
    return status;
}

/* ---- the change ---- */

static int install_show(const struct install_file *file, const haft_buffer *text)
{
    struct page page;

    page_init(&page);
    haft_buffer_puts(&page.text, file->exists ? "--- " : "--- /dev/null\n");
    if (file->exists) {
        page_line(&page, file->shown, strlen(file->shown));
        haft_buffer_puts(&page.text, "\n");
    }
    haft_buffer_puts(&page.text, "+++ ");
    page_line(&page, file->shown, strlen(file->shown));
    haft_buffer_puts(&page.text, "\n");
    install_diff(file->text.data ? file->text.data : "", file->text.size, text->data, text->size,
                 &page.text);
    return page_print(&page);
}

/* Whether the user agrees: returns 0 or an exit code. */
static int install_agree(const struct invocation *call, const struct install_entry *entry,
                         const struct install_file *file, bool replaces)
{
    char answer[16];

    if (call->yes)
        return EXIT_DONE;
    if (!isatty(STDIN_FILENO))
        return complain(
            EXIT_USAGE,
            "standard input is not a terminal, so haft cannot ask; add --yes to write %s",
            file->shown);
    fprintf(stderr, "%s %s in %s? [y/N] ",
            call->remove ? "Remove"
            : replaces   ? "Replace the existing entry"
                         : "Add",
            entry->name, file->shown);
    fflush(stderr);
    if (fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y'))
        return EXIT_DONE;
    return complain(EXIT_DECLINED, "%s was not changed", file->shown);
}

static int install_finish(const struct invocation *call, const struct install_client *client,
                          const struct install_entry *entry, const struct install_file *file,
                          const haft_buffer *text)
{
    bool replaces =
        !call->remove && file->exists && install_has(file->text.data, file->text.size, entry);
    int status = install_show(file, text);

    if (status || call->dry_run)
        return status;
    status = install_agree(call, entry, file, replaces);
    if (!status)
        status = install_file_write(file, text->data, text->size);
    if (!status)
        printf("Wrote %s.%s%s\n", file->shown, call->remove ? "" : " ",
               call->remove ? "" : client->next);
    return status;
}

static int install_change(const struct invocation *call, const struct install_client *client,
                          const struct install_entry *entry, const char *path)
{
    struct install_file file;
    haft_buffer text;
    haft_reason reason;
    int status = install_file_read(&file, path), changes = 0;

    haft_buffer_init(&text, NULL, INSTALL_FILE_LIMIT + (1 << 20));
    if (!status) {
        const char *old = file.text.data ? file.text.data : "";

        changes = call->remove ? install_remove(old, file.text.size, entry, &text, &reason)
                               : install_set(old, file.text.size, entry, &text, &reason);
    }
    if (changes < 0)
        status = complain(EXIT_LOCAL, "cannot edit %s: %s", path, reason.text);
    else if (!status && !changes && call->remove)
        status = complain(EXIT_USAGE, "%s has no server %s", path, entry->name);
    else if (!status && !changes)
        printf("%s has this entry already.\n", path);
    else if (!status)
        status = install_finish(call, client, entry, &file, &text);
    haft_buffer_finish(&text);
    install_file_finish(&file);
    return status;
}

int act_install(struct invocation *call)
{
    const size_t most = call->child || call->remove ? 1 : 2;
    const struct install_client *client;
    struct install_entry entry = {NULL, NULL, NULL, NULL, NULL, NULL};
    char path[PATH_MAX], command[PATH_MAX];
    int status;

    if (!call->n_operands)
        return complain(EXIT_USAGE,
                        "install needs a client: claude, claude-code, vscode or cursor");
    client = install_client_named(call->operands[0]);
    if (!client)
        return EXIT_USAGE;
    if (call->n_operands > most)
        return complain(EXIT_USAGE, "unexpected argument %s for install", call->operands[most]);
    if (!call->child && !call->remove && call->n_operands < 2)
        return complain(EXIT_USAGE,
                        "install needs -- and the command that starts the server, or its URL");
    status = install_describe(call, client, &entry, command);
    if (!status)
        status = install_find_file(client, call->file, path);
    return status ? status : install_change(call, client, &entry, path);
}
