/* table.c - every command, option and exit code of the program. */
#include "program.h"
#include "config/option.h"
#include "cli/verb.h"
#if HAFT_HOME
#include "serve/settings.h"
#endif

#include <stdlib.h>
#include <string.h>

enum { LONGEST_WAIT = 86400, LARGEST_LIMIT = 1024 };

const struct exit_row exit_rows[] = {
#define EXIT_(name, code, text) {code, text},
    EXITS(EXIT_)
#undef EXIT_
        {0, NULL},
};

/* ---- options ---- */

static bool table_read_count(const char *value, long most, unsigned *ret_count)
{
    char *end;
    long n = strtol(value, &end, 10);

    *ret_count = (unsigned)n;
    return *value && !*end && n >= 1 && n <= most;
}

static bool set_json(struct invocation *call, const char *value)
{
    (void)value;
    return call->json = true;
}

static bool set_names(struct invocation *call, const char *value)
{
    (void)value;
    return call->names = true;
}

static bool set_safe_names(struct invocation *call, const char *value)
{
    (void)value;
    return call->names = call->safe = true;
}

static bool set_yes(struct invocation *call, const char *value)
{
    (void)value;
    return call->yes = true;
}

static bool set_verbose(struct invocation *call, const char *value)
{
    (void)value;
    return call->verbose = true;
}

static bool set_help(struct invocation *call, const char *value)
{
    (void)value;
    return call->help = true;
}

static bool set_timeout(struct invocation *call, const char *value)
{
    return table_read_count(value, LONGEST_WAIT, &call->timeout);
}

static bool set_limit(struct invocation *call, const char *value)
{
    return table_read_count(value, LARGEST_LIMIT, &call->limit);
}

/* Parses "Name: value", without line breaks, whose name is a token. */
static bool table_add_header(struct invocation *call, const char *value)
{
    static const char token[] =
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    size_t name = strspn(value, token);

    if (!name || value[name] != ':' || strpbrk(value, "\r\n") ||
        call->n_headers == PROGRAM_MAX_HEADERS)
        return false;
    call->headers[call->n_headers++] = value;
    return true;
}

static bool set_revision(struct invocation *call, const char *value)
{
    call->revision = hf_revision_named(value, strlen(value));
    return call->revision != REVISIONS;
}

static bool set_authority(struct invocation *call, const char *value)
{
    call->authority = value;
    return *value;
}

static bool set_out(struct invocation *call, const char *value)
{
    call->out = value;
    return *value;
}

static bool set_accept_defaults(struct invocation *call, const char *value)
{
    (void)value;
    return call->accept_defaults = true;
}

static bool set_scopes(struct invocation *call, const char *value)
{
    call->login.scopes = value;
    return *value;
}

static bool set_client_id(struct invocation *call, const char *value)
{
    call->login.client_id = value;
    return *value;
}

static bool set_issuer(struct invocation *call, const char *value)
{
    call->login.issuer = value;
    return *value;
}

static bool set_no_browser(struct invocation *call, const char *value)
{
    (void)value;
    return call->login.no_browser = true;
}

static bool table_set_kind(struct invocation *call, const char *kind)
{
    call->project.kind = call->project.kind && strcmp(call->project.kind, kind) ? "" : kind;
    return true;
}

static bool set_cpp(struct invocation *call, const char *value)
{
    (void)value;
    return table_set_kind(call, "cpp");
}

static bool set_plugin(struct invocation *call, const char *value)
{
    (void)value;
    return table_set_kind(call, "plugin");
}

static bool set_gateway(struct invocation *call, const char *value)
{
    (void)value;
    return table_set_kind(call, "gateway");
}

static bool set_make(struct invocation *call, const char *value)
{
    (void)value;
    return call->project.make = true;
}

static bool set_build(struct invocation *call, const char *value)
{
    call->dev.build = value;
    return *value;
}

static bool set_watch(struct invocation *call, const char *value)
{
    call->dev.watch = value;
    return *value;
}

static bool set_name(struct invocation *call, const char *value)
{
    call->name = value;
    return *value;
}

static bool set_file(struct invocation *call, const char *value)
{
    call->file = value;
    return *value;
}

static bool set_remove(struct invocation *call, const char *value)
{
    (void)value;
    return call->remove = true;
}

static bool set_dry_run(struct invocation *call, const char *value)
{
    (void)value;
    return call->dry_run = true;
}

static bool set_key_scopes(struct invocation *call, const char *value)
{
    call->login.scopes = value;
    return true;
}

static bool set_to(struct invocation *call, const char *value)
{
    call->project.to = value;
    return *value;
}

static bool set_force(struct invocation *call, const char *value)
{
    (void)value;
    return call->project.force = true;
}

static bool set_prefix(struct invocation *call, const char *value)
{
    call->import.prefix = value;
    return *value;
}

static bool set_read_only(struct invocation *call, const char *value)
{
    (void)value;
    return call->import.read_only = true;
}

static bool set_task(struct invocation *call, const char *value)
{
    (void)value;
    return call->task.wanted = true;
}

static bool set_no_task(struct invocation *call, const char *value)
{
    (void)value;
    return call->task.refused = true;
}

static bool set_task_id(struct invocation *call, const char *value)
{
    call->task.id = value;
    return *value;
}

static bool set_listen(struct invocation *call, const char *value)
{
    call->nginx.listen = value;
    return *value;
}

static bool set_server_name(struct invocation *call, const char *value)
{
    call->nginx.server_name = value;
    return *value;
}

static bool set_certificate(struct invocation *call, const char *value)
{
    call->nginx.certificate = value;
    return *value;
}

static bool set_certificate_key(struct invocation *call, const char *value)
{
    call->nginx.key = value;
    return *value;
}

static bool table_add_rule(struct invocation *call, const char *value)
{
    if (call->import.n_rules == PROGRAM_MAX_RULES)
        return false;
    call->import.rules[call->import.n_rules++] = value;
    return *value;
}

const struct option_row option_rows[] = {
    {"--to", "DIR", FOR_SKILLS, set_to, "write the skill to a directory with its name below DIR",
     NULL, NULL, NULL},
    {"--force", NULL, FOR_SKILLS, set_force, "replace files that exist", NULL, NULL, NULL},
    {"--cpp", NULL, FOR_NEW, set_cpp, "write a server in C++17", NULL, NULL, NULL},
    {"--plugin", NULL, FOR_NEW, set_plugin, "write a plugin for haft serve", NULL, NULL, NULL},
    {"--gateway", NULL, FOR_NEW, set_gateway,
     "write a configuration for haft serve, and a plugin with a route and a tool", NULL, NULL,
     NULL},
    {"--make", NULL, FOR_NEW, set_make, "write a Makefile instead of CMakeLists.txt", NULL, NULL,
     NULL},
    {"--build", "COMMAND", FOR_DEV, set_build,
     "run this shell command before the server is started, and after each change", NULL, NULL,
     NULL},
    {"--watch", "DIR", FOR_DEV, set_watch,
     "watch the files below DIR instead of the current directory", NULL, NULL, NULL},
    {"--name", "NAME", FOR_INSTALL, set_name,
     "the server's name in the configuration (the name of the command's file)", NULL, NULL, NULL},
    {"--file", "FILE", FOR_INSTALL, set_file, "edit FILE instead of the client's own file", NULL,
     NULL, NULL},
    {"--remove", NULL, FOR_INSTALL, set_remove, "remove the server of that name", NULL, NULL, NULL},
    {"--dry-run", NULL, FOR_INSTALL, set_dry_run, "print the change and do not make it", NULL, NULL,
     NULL},
    {"--yes", NULL, FOR_INSTALL, set_yes, "do not ask before writing the file", NULL, NULL, NULL},
    {"--scopes", "SCOPES", FOR_KEYS, set_key_scopes,
     "scopes of the new key, separated by spaces; without it, the key has all scopes", NULL, NULL,
     NULL},
    {"--file", "FILE", FOR_KEYS, set_file, "use FILE instead of ~/.config/haft/keys", NULL, NULL,
     NULL},
    {"--yes", NULL, FOR_KEYS, set_yes, "do not ask before revoking the keys of a name", NULL, NULL,
     NULL},
    {"--json", NULL, FOR_KEYS, set_json, "print the result as JSON", NULL, NULL, NULL},
    {"--prefix", "NAME", FOR_IMPORT, set_prefix, "begin the name of each tool with NAME and __",
     NULL, NULL, NULL},
    {"--select", "RULE", FOR_IMPORT, table_add_rule,
     "include operations: KEY=GLOB, with tag, path, method or id as the key, several separated by "
     "commas; exclude them with a - before the rule",
     NULL, NULL, NULL},
    {"--read-only", NULL, FOR_IMPORT, set_read_only, "only GET and HEAD", NULL, NULL, NULL},
    {"--json", NULL, FOR_IMPORT, set_json, "print the tools and refusals as JSON", NULL, NULL,
     NULL},
    {"--listen", "ADDRESS", FOR_NGINX, set_listen,
     "PORT, HOST:PORT or unix:/PATH that nginx listens on (8808)", NULL, NULL, NULL},
    {"--server-name", "NAME", FOR_NGINX, set_server_name, "host name that clients use", NULL, NULL,
     NULL},
    {"--tls-cert", "FILE", FOR_NGINX, set_certificate,
     "let nginx serve HTTPS with this certificate and its chain (PEM)", NULL, NULL, NULL},
    {"--tls-key", "FILE", FOR_NGINX, set_certificate_key,
     "its private key, if it is not in the same file", NULL, NULL, NULL},
    {"--scope", "SCOPES", FOR_LOGIN, set_scopes,
     "scopes to ask for, separated by blanks, besides those that the server names", NULL, NULL,
     NULL},
    {"--client-id", "ID", FOR_LOGIN, set_client_id,
     "use the client with this id, which the authorization server has registered; set HAFT_CLIENT_SECRET to its secret",
     NULL, NULL, NULL},
    {"--issuer", "URL", FOR_LOGIN, set_issuer,
     "the authorization server that --client-id belongs to; required with a secret", NULL, NULL,
     NULL},
    {"--no-browser", NULL, FOR_LOGIN, set_no_browser, "print the URL, and do not open a browser",
     NULL, NULL, NULL},
    {"--json", NULL, FOR_LISTS | FOR_CALL | FOR_READ | FOR_PROMPT | FOR_JSON | FOR_TASKS, set_json,
     "print the server's answer as JSON", NULL, NULL, NULL},
    {"--names", NULL, FOR_LISTS, set_names, "print only the names, one per line", NULL, NULL, NULL},
    {"--safe-names", NULL, FOR_LISTS, set_safe_names,
     "print only the names that need no quoting in a shell, one per line", NULL, NULL, NULL},
    {"--accept-defaults", NULL, FOR_CALL | FOR_PROMPT | FOR_TASKS, set_accept_defaults,
     "if the server asks for input, answer with the default values", NULL, NULL, NULL},
    {"--out", "FILE", FOR_READ, set_out, "write the resource to FILE", NULL, NULL, NULL},
    {"--out", "FILE", FOR_CALL, set_out,
     "write the first image, audio clip or file of the result to FILE", NULL, NULL, NULL},
    {"--yes", NULL, FOR_CALL, set_yes, "do not ask before calling a destructive tool", NULL, NULL,
     NULL},
    {"--task", NULL, FOR_CALL, set_task,
     "ask a server of revision 2025-11-25 to run the tool as a task, if the tool permits it", NULL,
     NULL, NULL},
    {"--no-task", NULL, FOR_CALL, set_no_task, "do not let the server answer with a task", NULL,
     NULL, NULL},
    {"--id", "ID", FOR_TASKS, set_task_id, "the task, if its ID begins with -", NULL, NULL, NULL},
    {"--out", "FILE", FOR_TASKS, set_out,
     "write the first image, audio clip or file of the result to FILE", NULL, NULL, NULL},
    {"--timeout", "SECONDS", FOR_ASKING, set_timeout, "maximum time to wait for an answer (60)",
     NULL, NULL, NULL},
    {"--header", "'NAME: VALUE'", FOR_ASKING, table_add_header,
     "add this header to every HTTP request", NULL, NULL, NULL},
    {"--ca", "FILE", FOR_ASKING | FOR_LOGOUT, set_authority,
     "trust the CA certificates in FILE for https", NULL, NULL, NULL},
    {"--revision", "REVISION", FOR_ASKING, set_revision,
     "use this protocol revision instead of the newest that the server supports", hf_revision_names,
     NULL, NULL},
    {"--limit", "MIB", FOR_ASKING, set_limit, "maximum size of a message from the server (64)",
     NULL, NULL, NULL},
    {"--verbose", NULL, FOR_ASKING, set_verbose,
     "print progress and log messages to standard error", NULL, NULL, NULL},
    {"--help", NULL,
     FOR_ASKING | FOR_NEW | FOR_DEV | FOR_INSTALL | FOR_LOGOUT | FOR_KEYS | FOR_IMPORT | FOR_NGINX,
     set_help, "print the usage of this command", NULL, NULL, "-h"},
    {NULL, NULL, FOR_NONE, NULL, NULL, NULL, NULL, NULL},
};

const struct option_row serve_option = {
    .name = "--demo",
    .help = "serve a small demonstration shop; --demo=upstreams: several upstreams"};

bool option_is_of(const struct option_row *option, const struct command *command)
{
    return command && option->commands & command->options;
}

/* The i-th option that a server declares itself, without those that only a variable sets. */
static bool declared_option_at(const haft_option_table *own, size_t *i, struct option_row *ret_row)
{
    for (size_t k = 0; k < own->n_options; k++) {
        const haft_option *option = &own->options[k];

        if (!option->name || (*i)--)
            continue;
        *ret_row = (struct option_row){.name = option->name,
                                       .takes = option->takes,
                                       .help = option->help,
                                       .initial = option->initial};
        return true;
    }
    return false;
}

/* The options of a server: its own, and those of every server. */
static bool server_option_at(const struct command *command, size_t i, struct option_row *ret_row)
{
    struct verb_text verb;
    size_t n = 0;

    if (command->own) {
        if (declared_option_at(command->own, &i, ret_row))
            return true;
    } else if (!i--) {
        *ret_row = serve_option;
        return true;
    }
    if (hf_verb_at(i, &verb)) {
        *ret_row = (struct option_row){
            .name = verb.name, .takes = verb.takes, .help = verb.help, .brief = verb.brief};
        return true;
    }
    while (hf_verb_at(n, &verb))
        n++;
    i -= n;
    if (i >= hf_option_count)
        return false;
    *ret_row = (struct option_row){.name = hf_option_table[i].flag,
                                   .takes = hf_option_takes(&hf_option_table[i]),
                                   .help = hf_option_table[i].help,
                                   .values = hf_option_table[i].words,
                                   .initial = hf_option_table[i].initial};
    return true;
}

bool option_at(const struct command *command, size_t i, struct option_row *ret_row)
{
    const struct option_row *row = option_rows;

    if (command->serves)
        return server_option_at(command, i, ret_row);
    for (; row->name; row++)
        if (option_is_of(row, command) && !i--) {
            *ret_row = *row;
            return true;
        }
    return false;
}

/* ---- commands ---- */

#define FORMS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char server_text[] =
    "The server is either the URL of an HTTP endpoint or a command after --, which haft starts and "
    "connects to over standard input and output.";

static const char call_text[] =
    "Write an argument as key=value; the tool's schema decides whether the value becomes a number, a "
    "boolean, a string or an enumeration value. Repeat a key to pass an array; key.inner=value passes an "
    "object. key:=JSON passes a JSON value, and key=@FILE the contents of a file (key=@@text passes a "
    "string that begins with @). A single - reads all arguments as one JSON object from standard input.\n"
    "\n"
    "Text in the result goes to standard output. Images, audio and files are shown in brackets; --out "
    "writes the first of them to a file. If the server asks for input, haft prompts on the terminal, or "
    "declines if there is no terminal; --accept-defaults answers with the default values. If standard input is a terminal, haft asks before it calls a tool that the "
    "server declares destructive; --yes skips that question.\n"
    "\n"
    "If the server answers with a task, haft waits for its end, without a time limit of its own. An interrupt "
    "leaves the task running: haft prints how to return to it and exits with 9. A second interrupt within a "
    "second cancels the task.";

static const char tasks_text[] =
    "Works with tasks: calls that a server goes on with while no client waits. haft remembers each task that `haft "
    "call` has begun, with its server, in ~/.local/state/haft/tasks.json, which only you can read, until you have "
    "seen its result. list prints them with their present state. get prints the state of a task, cancel asks the "
    "server to cancel it, and wait prints its result as `haft call` does. Without a URL or a command, haft uses the "
    "server that it remembers. A server that wants a header of --header needs it again.";

static const char complete_text[] =
    "NAME is a prompt, or a URI template if it contains :// or {. The last argument is the one to "
    "complete; START may be empty. The others are known already.";

static const char skills_text[] =
    "Lists the skills of a server: instructions and files for a model. get reads all files of a skill, compares them "
    "with the sizes and digests in the list, and writes them below DIR only if all of them match. NAME is the name "
    "or the URI of a skill. Files that exist are not replaced without --force. haft executes nothing of a skill: "
    "read it before you let a model use it.";

static const char watch_text[] =
    "Prints a line when a list of the server changes, and when one of the resources changes. With --json each line "
    "is an object. Interrupt it to end; it exits with 130 then.";

static const char login_text[] =
    "Connects to the server. If it requires a login, haft prints a URL, opens a browser if there is a desktop, and "
    "waits until you have logged in there. haft keeps the tokens in ~/.local/state/haft/tokens.json, which only "
    "you can read, renews them, and sends them only to the server that they were issued for. The other commands "
    "then use them.";

static const char logout_text[] =
    "Revokes the tokens for the server, if its authorization server supports that, and removes them from "
    "~/.local/state/haft/tokens.json.";

static const char keys_text[] =
    "Manages the API keys of a server that runs with --keys FILE, or of a gateway with the policy api-key. add "
    "creates a key for NAME and prints it, once: the file contains only its hash. A name may have several keys, so "
    "that a new key can replace an old one without a gap. list prints the keys with their IDs. revoke removes one "
    "key by its ID, or all keys of a name; it asks before it removes those of a name, and without a terminal --yes "
    "is required. Servers read the file again on SIGHUP.\n"
    "\n"
    "The file is $XDG_CONFIG_HOME/haft/keys or ~/.config/haft/keys, with mode 0600 if haft creates it. haft keeps "
    "its comments, order and owner, and replaces it in one step. With --json, add prints an object with the members "
    "id, name, scopes, created, key and file, and list prints an array.";

static const char config_text[] =
    "Editors that know the schema of a file complete its members and mark mistakes: save the output, and name it in "
    "the file, for example with \"$schema\": \"./haft.schema.json\". haft serve --check checks a file completely.";

static const char import_text[] =
    "Shows what a gateway makes of an OpenAPI document of version 2.0, 3.0 or 3.1, in JSON or YAML; - reads standard "
    "input. Each operation becomes a tool. haft prints the name of each tool, the bytes of its definition as clients "
    "see it, and its operation; then the operations that cannot be offered, with the reason, and those that were left "
    "out. Every schema is compiled. haft connects to nothing.\n"
    "\n"
    "The first --select rule that matches an operation decides. Without a match, an operation is included if the last "
    "rule excludes. --select tag=pets includes the operations with the tag pets, and no others; --select "
    "-method=DELETE excludes an HTTP method, and keeps the rest. In globs, * matches any characters and ? one.";

static const char nginx_text[] =
    "Prints a configuration of nginx in front of several replicas of a server, whose addresses are the operands: "
    "HOST:PORT or unix:/PATH. The first one is replica 0, which runs with --replica 0, and so on. Requests of a "
    "session go to the replica that has made it, all others to any. If a replica does not accept connections, another "
    "one continues its sessions if the replicas share a store (--store), and otherwise answers 404, after which the "
    "client starts a new session. nginx does not repeat a call that a replica has received.";

static const char serve_text[] =
    "Serves the tools and routes of plugins, which are shared objects named on the command line or in the "
    "\"plugins\" section of the configuration. The \"gateway\" section defines policies, assigns them to routes, "
    "and lists the MCP endpoints with the tools that each offers; without that section, one endpoint at /mcp "
    "offers all tools. On SIGHUP, haft reads the configuration again: it replaces plugins without routes whose "
    "files have changed, and applies the new policies. Without --stdio or --http it listens on "
    "http://127.0.0.1:8808. --demo adds a plugin that is installed with the program: a small shop with routes "
    "for customers, inventory, orders, weather and to-dos, and tools that call them. --demo=upstreams serves "
    "the tools of three upstreams: an HTTP API with an OpenAPI document, programs, and another MCP server. Its "
    "configuration is the file upstreams.json beside that plugin, which you can copy and change.";

#if HAFT_HOME
static const char home_text[] =
    "Serves tools for Home Assistant: lights, climate, covers, locks, media players, scenes, automations, "
    "history and more. With --hass it uses the Home Assistant at that URL, with the long-lived access token in "
    "the environment variable HASS_TOKEN, or in the file that HASS_TOKEN_FILE names. Without --hass it uses a "
    "demo home that is part of the program. haft connects when a tool is first called, and again whenever the "
    "connection is lost. ENABLE_SPEECH_FEATURES=true offers the speech tools, which the demo home offers "
    "without it.\n"
    "\n"
    "--entities limits what the model can see and control; --read-only leaves out all tools that change "
    "something. Without --http, haft home serves on standard input and output.\n"
    "\n"
    "With --demo and --listen, haft serves no tools: the demo home listens on that address and answers as a "
    "Home Assistant does, over REST and WebSocket, for clients whose access token is that of HASS_TOKEN, or "
    "demo. A browser shows it at the same address.";
#endif

static const char new_text[] =
    "Creates the directory NAME in the current directory, with one tool, one test and a README that says how "
    "to build, run and test the project and how to connect a client. The default is a server in C. NAME is "
    "the name of the directory, of the server and of what the build makes; it begins with a letter and "
    "consists of letters, digits, - and _. An existing directory must be empty. If haft cannot write a "
    "file, it removes the others.";

static const char dev_text[] =
    "Starts the command, a server on standard input and output, and passes messages between it and the "
    "client that started haft dev. When a file below the watched directory changes, haft runs the build "
    "command and starts the server again; the client stays connected. haft repeats the client's handshake, "
    "log level and subscriptions to the new server, and tells the client that the lists have changed. A "
    "call that the old server has not answered fails with an error; haft never repeats a call. If the build "
    "fails, haft prints its output and the old server keeps running. If the server ends by itself, haft "
    "answers requests with an error and starts the server again after the next change.\n"
    "\n"
    "haft prints one line per request to standard error: time, method, name, duration and outcome. It "
    "ignores hidden files, build directories, objects and other files that a build writes.";

static const char install_text[] =
    "Adds the server to the configuration of a client. haft prints the change and asks before it writes the "
    "file; without a terminal, --yes is required. It writes the absolute path of the command, keeps everything "
    "else in the file as it is, and replaces the file in one step. It edits only valid JSON without comments.\n"
    "\n"
    "The clients and their files are: claude (Claude Desktop, ~/.config/Claude/claude_desktop_config.json), "
    "claude-code (.mcp.json in the current directory), vscode (.vscode/mcp.json in the current directory) and "
    "cursor (~/.cursor/mcp.json). Claude Desktop does not accept a URL.";

const struct command command_rows[] = {
    {"serve", FOR_NONE, act_serve,
     FORMS("[--config FILE] [--stdio | --http HOST:PORT] [PLUGIN.so ...]",
           "--demo[=shop|upstreams] [--config FILE] [--stdio | --http HOST:PORT]"),
     "serve tools and routes over HTTP or standard input and output", serve_text, NULL, true, NULL},
#if HAFT_HOME
    {"home", FOR_NONE, act_home,
     FORMS("[--hass URL] [--entities GLOBS] [--stdio | --http HOST:PORT]",
           "--demo --listen HOST:PORT"),
     "serve tools for Home Assistant, or for a demo home", home_text, NULL, true,
     &home_settings_table},
#endif
    {"tools", FOR_ASKING | FOR_LISTS, act_tools, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "list a server's tools and their arguments", server_text, NULL, false, NULL},
    {"call", FOR_ASKING | FOR_CALL, act_call,
     FORMS("URL TOOL [KEY=VALUE ...]", "TOOL [KEY=VALUE ...] -- COMMAND [ARGUMENT ...]"),
     "call a tool and print its result", call_text, NULL, false, NULL},
    {"resources", FOR_ASKING | FOR_LISTS, act_resources, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "list a server's resources", server_text, NULL, false, NULL},
    {"skills", FOR_ASKING | FOR_LISTS | FOR_SKILLS, act_skills,
     FORMS("URL", "-- COMMAND [ARGUMENT ...]", "get URL NAME --to DIR [--force]",
           "get NAME --to DIR [--force] -- COMMAND [ARGUMENT ...]"),
     "list a server's skills, or write one to a directory", skills_text, NULL, false, NULL},
    {"prompts", FOR_ASKING | FOR_LISTS, act_prompts, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "list a server's prompts and their arguments", server_text, NULL, false, NULL},
    {"read", FOR_ASKING | FOR_READ, act_read, FORMS("URL URI", "URI -- COMMAND [ARGUMENT ...]"),
     "print a resource", server_text, NULL, false, NULL},
    {"prompt", FOR_ASKING | FOR_PROMPT, act_prompt,
     FORMS("URL NAME [KEY=VALUE ...]", "NAME [KEY=VALUE ...] -- COMMAND [ARGUMENT ...]"),
     "print the messages of a prompt", server_text, NULL, false, NULL},
    {"complete", FOR_ASKING | FOR_JSON, act_complete,
     FORMS("URL NAME [KEY=VALUE ...] KEY=START", "NAME KEY=START -- COMMAND [ARGUMENT ...]"),
     "print values for an argument of a prompt or of a URI template", complete_text, NULL, false,
     NULL},
    {"watch", FOR_ASKING | FOR_JSON, act_watch,
     FORMS("URL [URI ...]", "[URI ...] -- COMMAND [ARGUMENT ...]"),
     "print changes of a server's lists and resources until interrupted", watch_text, NULL, false,
     NULL},
    {"tasks", FOR_ASKING | FOR_TASKS, act_tasks,
     FORMS("list", "get ID [URL | -- COMMAND [ARGUMENT ...]]",
           "cancel ID [URL | -- COMMAND [ARGUMENT ...]]",
           "wait ID [URL | -- COMMAND [ARGUMENT ...]]"),
     "list, wait for and cancel calls that servers run as tasks", tasks_text,
     FORMS("list", "get", "cancel", "wait"), false, NULL},
    {"login", FOR_ASKING | FOR_LOGIN, act_login, FORMS("URL"),
     "log in at a server that requires it", login_text, NULL, false, NULL},
    {"logout", FOR_LOGOUT, act_logout, FORMS("URL"), "revoke and forget a login", logout_text, NULL,
     false, NULL},
    {"keys", FOR_KEYS, act_keys,
     FORMS("add NAME [--scopes SCOPES] [--file FILE]", "list [--file FILE]",
           "revoke NAME|ID [--yes] [--file FILE]"),
     "create, list and revoke the API keys of a server", keys_text, FORMS("add", "list", "revoke"),
     false, NULL},
    {"config", FOR_NONE, act_config, FORMS("schema"),
     "print a JSON Schema of the configuration file of haft serve", config_text, FORMS("schema"),
     false, NULL},
    {"import", FOR_IMPORT, act_import,
     FORMS("openapi FILE [--prefix NAME] [--select RULE ...] [--read-only]"),
     "show the tools of an OpenAPI document", import_text, FORMS("openapi"), false, NULL},
    {"nginx", FOR_NGINX, act_nginx, FORMS("[--listen ADDRESS] [--server-name NAME] ADDRESS ..."),
     "print a configuration of nginx in front of several replicas", nginx_text, NULL, false, NULL},
    {"ping", FOR_ASKING, act_ping, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "check that a server responds, and print its name and version", server_text, NULL, false,
     NULL},
    {"new", FOR_NEW, act_new, FORMS("NAME"), "create a project with one tool and its test",
     new_text, NULL, false, NULL},
    {"dev", FOR_DEV, act_dev, FORMS("-- COMMAND [ARGUMENT ...]"),
     "build and restart a server when its sources change", dev_text, NULL, false, NULL},
    {"install", FOR_INSTALL, act_install,
     FORMS("CLIENT -- COMMAND [ARGUMENT ...]", "CLIENT --name NAME URL",
           "CLIENT --remove --name NAME"),
     "add a server to the configuration of a client", install_text,
     FORMS("claude", "claude-code", "vscode", "cursor"), false, NULL},
    {"completion", FOR_NONE, act_completion, FORMS("bash", "zsh"),
     "print a completion script for a shell",
     "For bash: haft completion bash >~/.local/share/bash-completion/completions/haft. For zsh, put "
     "the output into a file _haft in a directory of $fpath.",
     FORMS("bash", "zsh"), false, NULL},
    {"help", FOR_NONE, act_help, FORMS("[COMMAND]"), "print the usage of a command",
     "Without COMMAND, prints an overview of all commands.", NULL, false, NULL},
    {NULL, FOR_NONE, NULL, NULL, NULL, NULL, NULL, false, NULL},
};

const struct command *command_named(const char *name)
{
    for (const struct command *row = command_rows; row->name; row++)
        if (!strcmp(row->name, name))
            return row;
    return NULL;
}
