/* option.c - the options that every server has, as a table.
 *
 * An option that is not here does not exist: the command line, the environment, the configuration
 * file,
 * --help, --print-config and docs/configuration.md are all read off these rows.  Rows of one section
 * stand together, in the order of the sections. */
#include "config/option.h"

#include <limits.h>
#include <string.h>

#include "base/defaults.h"
#include "config/program_options.h"
#include "observe/log.h"

#define AT(member) .offset = offsetof(struct settings, member), .size = sizeof(MEMBER(member))
#define MEMBER(member) ((const struct settings *)0)->member

enum {
    OPTION_KIB = 1 << 10,
    OPTION_MIB = 1 << 20,
    SECOND = 1000,
    OPTION_DAY = 24 * 60 * 60 * 1000,
    MANY = 1000000
};
#define GIB ((uint64_t)1 << 30)

/* A default as an operator would write it. */
#define INITIAL(name) initial_text.name
static const struct {
#define TEXT_OF(name, number, unit) char name[sizeof #number #unit];
    DEFAULTS(TEXT_OF)
#undef TEXT_OF
} initial_text = {
#define TEXT_OF(name, number, unit) #number #unit,
    DEFAULTS(TEXT_OF)
#undef TEXT_OF
};

static const char *const audit_modes[] = {
    [HAFT_AUDIT_DIGEST] = "digest", [HAFT_AUDIT_ARGUMENTS] = "plain", NULL};

static const char *const store_rate_words[] = {"local", "closed", "open", NULL};
static const int store_rate_numbers[] = {HAFT_AWAY_LOCAL, HAFT_AWAY_CLOSED, HAFT_AWAY_OPEN};
static const char *const store_replay_words[] = {"closed", "local", "open", NULL};
static const int store_replay_numbers[] = {HAFT_AWAY_CLOSED, HAFT_AWAY_LOCAL, HAFT_AWAY_OPEN};

static const char *const sandbox_modes[] = {
    [SANDBOX_OFF] = "off", [SANDBOX_ON] = "on", [SANDBOX_BEST_EFFORT] = "best-effort", NULL};

#if HAFT_HTTP
static const char *const dpop_words[] = {[HAFT_DPOP_ACCEPTED] = "accepted",
                                         [HAFT_DPOP_REFUSED] = "refused",
                                         [HAFT_DPOP_REQUIRED] = "required",
                                         NULL};

static const char *const tls_client_words[] = {
    [TLS_CLIENT_REQUIRED] = "required", [TLS_CLIENT_OPTIONAL] = "optional", NULL};
#endif

/* clang-format off */
const struct option hf_option_table[] = {
    {NULL, "--config", NULL, AT(config), OPTION_FILE, .help = "read options from a JSON file"},

#if HAFT_HTTP
    {"http.address", "--http", NULL, AT(http.address), OPTION_ADDRESS,
     .help = "serve HTTP on this address instead of standard input and output; PORT alone is on loopback, and 0 picks a free port"},
    {"http.path", "--path", NULL, AT(http.path), OPTION_PATH, .initial = DEFAULT_ENDPOINT,
     .help = "URL path of the endpoint"},
    {"http.allow_hosts", "--allow-host", NULL, AT(http.allowed_hosts), OPTION_LIST, .takes = "NAME",
     .help = "additional allowed Host header values; * allows any"},
    {"http.allow_origins", "--allow-origin", NULL, AT(http.allowed_origins), OPTION_LIST,
     .takes = "ORIGIN", .help = "additional allowed Origin header values"},
    {"http.cors", "--cors", NULL, AT(http.cors_origin), OPTION_TEXT, .takes = "ORIGIN",
     .help = "send CORS headers for this origin; * allows any"},
    {"http.legacy_sse", "--legacy-sse", NULL, AT(http.legacy_sse), OPTION_SWITCH,
     .help = "also serve /sse and /messages of revision 2024-11-05"},
    {"http.trusted_proxies", "--trusted-proxy", NULL, AT(http.trusted_proxies), OPTION_LIST,
     .takes = "CIDR", .help = "take the client's address from the forwarding headers of these proxies: 10.0.0.0/8"},
    {"http.insecure", "--insecure", NULL, AT(http.insecure), OPTION_SWITCH,
     .help = "listen on a non-loopback address without authentication, or without TLS although clients authenticate"},
    {"http.threads", "--threads", NULL, AT(http.threads), OPTION_NUMBER, 1, 64, .initial = INITIAL(THREADS),
     .help = "number of event loops, each with its own connections"},
    {"http.max_connections", "--max-connections", NULL, AT(http.max_connections), OPTION_NUMBER,
     1, MANY, .initial = INITIAL(CONNECTIONS), .help = "maximum number of open connections"},
    {"http.max_per_address", "--max-per-address", NULL, AT(http.max_per_address), OPTION_NUMBER,
     1, MANY, .initial = INITIAL(PER_ADDRESS), .help = "maximum number of connections from one non-loopback address"},
    {"http.max_headers", "--max-headers", NULL, AT(http.max_headers), OPTION_SIZE, OPTION_KIB, OPTION_MIB,
     .initial = INITIAL(HEADERS), .help = "maximum size of a request's headers, in bytes"},
    {"http.max_url", "--max-url", NULL, AT(http.max_url), OPTION_SIZE, 64, OPTION_MIB,
     .initial = INITIAL(URL), .help = "maximum size of a request's URL, in bytes"},
    {"http.max_unsent", "--max-unsent", NULL, AT(http.max_unsent), OPTION_SIZE, OPTION_KIB, GIB,
     .initial = INITIAL(HTTP_UNSENT), .help = "close a stream whose client has this many bytes unread"},
    {"http.header_timeout", "--header-timeout", NULL, AT(http.header_ms), OPTION_DURATION, 1, OPTION_DAY,
     .initial = INITIAL(HEADER_TIME), .help = "time limit for the headers of a request"},
    {"http.body_timeout", "--body-timeout", NULL, AT(http.body_ms), OPTION_DURATION, 1, OPTION_DAY,
     .initial = INITIAL(BODY_TIME), .help = "time limit for the body of a request"},
    {"http.idle_timeout", "--idle-timeout", NULL, AT(http.idle_ms), OPTION_DURATION, 1, OPTION_DAY,
     .initial = INITIAL(IDLE_TIME), .help = "close a connection that is idle for this long"},
    {"http.max_sessions", "--max-sessions", NULL, AT(http.max_sessions), OPTION_NUMBER, 1, MANY,
     .initial = INITIAL(SESSIONS), .help = "maximum number of sessions (revisions before 2026-07-28)"},
    {"http.session_idle", "--session-idle", NULL, AT(http.session_idle_ms), OPTION_DURATION, 1, OPTION_DAY,
     .initial = INITIAL(SESSION_IDLE), .help = "end a session that is idle for this long"},
    {"http.rate", "--rate", "RATE_LIMIT_MAX", AT(http.rate), OPTION_RATE, .initial = "0",
     .help = "maximum request rate per client, 429 above it; 0 means unlimited"},
    {"http.total_rate", "--total-rate", NULL, AT(http.total_rate), OPTION_RATE, .initial = "0",
     .help = "maximum request rate of all clients together; 0 means unlimited"},
    {"http.metrics", "--metrics", NULL, AT(metrics), OPTION_SWITCH,
     .help = "serve metrics to loopback clients in the Prometheus text format"},
    {"http.metrics_path", "--metrics-path", NULL, AT(http.metrics_path), OPTION_PATH,
     .initial = DEFAULT_METRICS, .help = "URL path of the metrics"},
    {"http.metrics_for_all", "--metrics-for-all", NULL, AT(http.metrics_for_all), OPTION_SWITCH,
     .help = "serve metrics to non-loopback clients as well"},
    {"http.replica", "--replica", NULL, AT(http.replica), OPTION_NUMBER, 0, 65535, .initial = "0", .since = 0x000200,
     .help = "number of this process among several behind a load balancer; session ids begin with it in four hexadecimal digits"},
    {"http.seal_key_file", "--seal-key-file", NULL, AT(store.seal_key), OPTION_FILE,
     .help = "file with a key of 64 hexadecimal digits that lets replicas resume each other's calls; a second line may have another key that is accepted; read again on SIGHUP"},

    {"auth.issuers", "--oauth-issuer", NULL, AT(auth.issuers), OPTION_LIST, .takes = "ISSUER", .separator = ';',
     .help = "accept access tokens of this authorization server: its URL, then words such as algorithms=ES256"},
    {"auth.resource", "--oauth-resource", NULL, AT(auth.resource), OPTION_TEXT, .takes = "URL",
     .help = "public URL that access tokens must be issued for: of the only endpoint, or without a path if there are several"},
    {"auth.audiences", "--oauth-audience", NULL, AT(auth.audiences), OPTION_LIST, .takes = "NAME",
     .help = "additional accepted audiences of access tokens"},
    {"auth.scopes", "--oauth-scopes", NULL, AT(auth.scopes), OPTION_TEXT, .takes = "SCOPES",
     .help = "scopes that every request requires, separated by spaces"},
    {"auth.dpop", "--dpop", NULL, AT(auth.dpop), OPTION_WORD, .words = dpop_words, .initial = "accepted",
     .help = "how to treat access tokens that are bound to a key (DPoP)"},
    {"auth.dpop_nonce", "--dpop-nonce", NULL, AT(auth.dpop_nonce), OPTION_SWITCH,
     .help = "require a nonce of the server in DPoP proofs"},
    {"auth.certificate_header", "--client-cert-header", NULL, AT(auth.certificate_header), OPTION_TEXT,
     .takes = "NAME", .help = "header in which a trusted proxy passes the client's certificate: Client-Cert"},
    {"auth.keys", "--keys", NULL, AT(auth.keys), OPTION_FILE,
     .help = "accept the API keys in this file, which haft keys writes; read again on SIGHUP"},
    {"auth.access", "--access", NULL, AT(auth.rules), OPTION_LIST, .takes = "RULE", .separator = ';', .live = true,
     .help = "what identified clients may use; the first rule that applies decides: deny tools *_delete if scope guest"},
    {"auth.scope_includes", "--scope-includes", NULL, AT(auth.includes), OPTION_LIST, .takes = "SCOPES",
     .separator = ';', .live = true, .help = "a scope that includes others: files:admin=files:write files:read"},
    {"auth.hide_by_scope", "--hide-by-scope", NULL, AT(auth.hide), OPTION_SWITCH, .live = true,
     .help = "leave out of lists what a client lacks scopes for, even if it could obtain them"},

    {"tls.certificates", "--tls-cert", NULL, AT(http.tls_certificates), OPTION_LIST, .takes = "FILE",
     .help = "serve HTTPS with this certificate and its chain (PEM); several are chosen by host name; read again on SIGHUP"},
    {"tls.keys", "--tls-key", NULL, AT(http.tls_keys), OPTION_LIST, .takes = "FILE",
     .help = "private key of the certificate at the same position (PEM); read again on SIGHUP"},
    {"tls.client_ca", "--tls-client-ca", NULL, AT(http.tls_client_ca), OPTION_FILE,
     .help = "ask clients for a certificate that one of these authorities has issued (PEM)"},
    {"tls.client", "--tls-client", NULL, AT(auth.tls_client), OPTION_WORD, .words = tls_client_words,
     .initial = "required", .help = "whether clients must have such a certificate"},
#endif

    {"store.url", "--store", NULL, AT(store.url), OPTION_TEXT, .takes = "URL", .since = 0x000200,
     .help = "share rate limits, sessions, single uses and changes with other processes: redis://HOST:PORT/0"},
    {"store.password_file", "--store-password-file", NULL, AT(store.password_file), OPTION_FILE, .since = 0x000200,
     .help = "file with the password of the store in its first line"},
    {"store.ca_file", "--store-ca", NULL, AT(store.ca), OPTION_FILE, .since = 0x000200,
     .help = "authorities that may have issued the certificate of a store at rediss:// (PEM), instead of those of the system"},
    {"store.certificate_file", "--store-cert", NULL, AT(store.certificate), OPTION_FILE, .since = 0x000200,
     .help = "certificate and its chain to show to a store at rediss:// (PEM)"},
    {"store.key_file", "--store-key", NULL, AT(store.key), OPTION_FILE, .since = 0x000200,
     .help = "private key of that certificate (PEM)"},
    {"store.shared_by", "--replicas", NULL, AT(server.replicas), OPTION_NUMBER, 1, 65536, .initial = INITIAL(REPLICAS), .since = 0x000200,
     .help = "number of processes that share the store"},
    {"store.rate", "--store-rate", NULL, AT(server.store_rate), OPTION_WORD, .words = store_rate_words,
     .numbers = store_rate_numbers, .initial = "local", .since = 0x000200,
     .help = "rate limits while the store does not answer: count here, divided by --replicas; refuse; or do not limit"},
    {"store.replay", "--store-replay", NULL, AT(server.store_replay), OPTION_WORD, .words = store_replay_words,
     .numbers = store_replay_numbers, .initial = "closed", .since = 0x000200,
     .help = "credentials and states for one use while the store does not answer: refuse; remember here; or accept"},
    {"store.single_use", "--single-use", NULL, AT(store.single_use), OPTION_SWITCH, .since = 0x000200,
     .help = "let the state of an unfinished call be used once"},
#if HAFT_HTTP
    {"store.required", "--store-required", NULL, AT(http.needs_store), OPTION_SWITCH, .since = 0x000200,
     .help = "answer /readyz with 503 while the store does not answer"},
#endif

    {"stdio.max_unsent", "--stdio-max-unsent", NULL, AT(stdio.max_unsent), OPTION_SIZE, OPTION_KIB, GIB,
     .initial = INITIAL(STDIO_UNSENT), .help = "stop reading input while this many bytes of output are unread"},
    {"stdio.grace", "--grace", NULL, AT(stdio.grace_ms), OPTION_DURATION, 1, OPTION_DAY,
     .initial = INITIAL(GRACE), .help = "time limit for calls in flight when standard input ends"},

    {"tools.offer", "--tools", NULL, AT(tools), OPTION_TEXT, .takes = "NAMES", .live = true,
     .help = "offer only matching tools: list_*,-*_delete"},
    {"tools.read_only", "--read-only", NULL, AT(read_only), OPTION_SWITCH, .live = true,
     .help = "offer only tools that are declared read-only"},
    {"tools.lenient", "--lenient", NULL, AT(server.lenient), OPTION_SWITCH, .live = true,
     .help = "accept \"5\" for 5 unless a tool's definition decides"},
    {"tools.disabled", "--disable", NULL, AT(disabled), OPTION_LIST, .takes = "NAME", .live = true,
     .help = "tools to disable"},
    {"skills.directories", "--skills", NULL, AT(skills), OPTION_LIST, .takes = "DIR", .since = 0x000200,
     .help = "offer the skills below this directory, at the first endpoint if there are several; read again on SIGHUP"},

    {"limits.timeout", "--timeout", NULL, AT(server.timeout_ms), OPTION_DURATION, 1, OPTION_DAY,
     .initial = INITIAL(TIMEOUT), .live = true, .help = "time limit of a call, unless the tool has its own"},
    {"limits.client_rate", "--client-rate", NULL, AT(server.client_rate), OPTION_RATE, .initial = "0",
     .live = true, .help = "maximum call rate per client over all tools; 0 means unlimited"},
    {"limits.workers", "--workers", NULL, AT(workers), OPTION_NUMBER, 1, 1024, .initial = INITIAL(WORKERS),
     .help = "threads that run handlers, per event loop"},
    {"limits.queue", "--max-queue", NULL, AT(max_queue), OPTION_NUMBER, 1, MANY, .initial = INITIAL(QUEUE),
     .help = "calls that may wait for a thread; more are rejected as busy"},
    {"limits.in_flight", "--max-in-flight", NULL, AT(server.max_in_flight), OPTION_NUMBER, 1, MANY,
     .initial = INITIAL(IN_FLIGHT), .help = "maximum number of concurrent calls per connection"},
    {"limits.subscriptions", "--max-subscriptions", NULL, AT(server.max_subscriptions), OPTION_NUMBER,
     1, MANY, .initial = INITIAL(SUBSCRIPTIONS), .help = "maximum number of subscriptions per connection"},
    {"limits.message", "--max-message", NULL, AT(server.max_message), OPTION_SIZE, OPTION_KIB, GIB,
     .initial = INITIAL(MESSAGE), .help = "maximum size of a message, in bytes"},
    {"limits.elements", "--max-elements", NULL, AT(server.max_elements), OPTION_NUMBER, 0, MANY,
     .initial = "0", .help = "maximum number of array items and object members in a call's arguments; 0 means unlimited"},
    {"limits.drain", "--drain", NULL, AT(drain_ms), OPTION_DURATION, 1, OPTION_DAY, .initial = INITIAL(DRAIN),
     .help = "time limit for calls in flight when a signal stops the server"},

#if HAFT_HTTP
    {"limits.drain_notice", "--drain-notice", NULL, AT(http.drain_notice_ms), OPTION_DURATION, 0, OPTION_DAY,
     .initial = "0", .since = 0x000200,
     .help = "when a signal stops the server, answer /readyz with 503 for this long before it stops accepting requests"},
#endif

    {"tasks.file", "--tasks", NULL, AT(store.task_file), OPTION_FILE, .since = 0x000200,
     .help = "keep tasks in this SQLite database, so that they survive the end of the process; otherwise they are in memory"},
    {"tasks.workers", "--task-workers", NULL, AT(tasks.workers), OPTION_NUMBER, 1, 1024, .since = 0x000200,
     .initial = INITIAL(TASK_WORKERS), .help = "threads that run tasks"},
    {"tasks.max", "--max-tasks", NULL, AT(tasks.max_tasks), OPTION_NUMBER, 1, MANY, .since = 0x000200,
     .initial = INITIAL(TASKS), .help = "maximum number of unfinished tasks"},
    {"tasks.max_per_client", "--max-client-tasks", NULL, AT(tasks.max_per_client), OPTION_NUMBER, 1, MANY,
     .since = 0x000200, .initial = INITIAL(CLIENT_TASKS), .help = "maximum number of unfinished tasks per client"},
    {"tasks.ttl", "--task-ttl", NULL, AT(tasks.ttl_ms), OPTION_DURATION, 1000, OPTION_DAY, .since = 0x000200,
     .initial = INITIAL(TASK_TTL), .help = "time from the creation of a task until it is deleted, unless the tool has its own"},

    {"lists.page_size", "--page-size", NULL, AT(server.page_size), OPTION_NUMBER, 0, MANY,
     .initial = "0", .help = "page size of tools/list and the other lists; 0 sends everything at once"},
    {"lists.ttl", "--list-ttl", NULL, AT(server.ttl_ms), OPTION_DURATION, 0, OPTION_DAY, .initial = "0",
     .help = "how long a client of 2026-07-28 may cache a list"},
    {"lists.public", "--list-public", NULL, AT(server.cache_public), OPTION_SWITCH,
     .help = "whether a cached list may be shared between users"},

    {"log.level", "--log-level", NULL, AT(log_level), OPTION_WORD, .words = hf_level_names,
     .takes = "LEVEL", .initial = "warning", .live = true, .help = "minimum severity of the lines to write"},
    {"log.format", "--log-format", NULL, AT(log_format), OPTION_WORD, .words = hf_log_format_names,
     .initial = "text", .live = true, .help = "format of log lines"},
    {"log.file", "--log-file", NULL, AT(log_file), OPTION_FILE,
     .help = "append the log to this file instead of standard error; reopened on SIGHUP"},

    {"audit.file", "--audit", NULL, AT(audit), OPTION_FILE,
     .help = "append a JSON line for every call to this file; reopened on SIGHUP"},
    {"audit.arguments", "--audit-arguments", NULL, AT(audit_mode), OPTION_WORD, .words = audit_modes,
     .initial = "digest", .help = "arguments in the audit file, as a digest or in full without secrets"},

    {"sandbox.mode", "--sandbox", NULL, AT(sandbox), OPTION_WORD, .words = sandbox_modes,
     .initial = "off", .bare = "on", .help = "block access to files, programs and the network after start-up"},
    {"sandbox.read", "--sandbox-read", NULL, AT(sandbox_wish.read), OPTION_LIST, .takes = "PATH",
     .help = "allow reading these files and directories"},
    {"sandbox.write", "--sandbox-write", NULL, AT(sandbox_wish.write), OPTION_LIST, .takes = "PATH",
     .help = "allow reading and writing these files and directories"},
    {"sandbox.connect", "--sandbox-connect", NULL, AT(sandbox_wish.connect), OPTION_SWITCH,
     .help = "allow outgoing TCP and UDP connections"},
    {"sandbox.connect_unix", "--sandbox-connect-unix", NULL, AT(sandbox_wish.connect_unix),
     OPTION_SWITCH, .help = "allow connections to Unix sockets"},

#if HAFT_HTTP
    {"trace.otlp", "--otlp", NULL, AT(otlp.url), OPTION_TEXT, .takes = "URL",
     .help = "send a span for every call to this collector: http://127.0.0.1:4318/v1/traces"},
    {"trace.otlp_ca", "--otlp-ca", NULL, AT(otlp.ca_file), OPTION_FILE,
     .help = "trust these CA certificates for https instead of the system's"},
#endif
};
/* clang-format on */
const size_t hf_option_count = sizeof hf_option_table / sizeof *hf_option_table;

_Static_assert(sizeof hf_option_table / sizeof *hf_option_table <= SETTINGS_MAX,
               "settings have room for every option");

const struct option *hf_option_by_flag(const char *flag)
{
    for (size_t i = 0; i < hf_option_count; i++)
        if (!strcmp(hf_option_table[i].flag, flag))
            return &hf_option_table[i];
    return NULL;
}

const struct option *hf_option_by_key(const char *key)
{
    for (size_t i = 0; i < hf_option_count; i++)
        if (hf_option_table[i].key && !strcmp(hf_option_table[i].key, key))
            return &hf_option_table[i];
    return NULL;
}

const struct option_section hf_option_sections[] = {
#if HAFT_HTTP
    {"http", "HTTP"},
    {"auth", "Authentication and access"},
    {"tls", "TLS"},
#endif
    {"store", "Store"},
    {"stdio", "Standard input and output"},
    {"tools", "Selecting tools"},
    {"skills", "Skills"},
    {"limits", "Limits"},
    {"tasks", "Tasks"},
    {"lists", "Lists"},
    {"log", "Log"},
    {"audit", "Audit"},
    {"sandbox", "Sandbox"},
#if HAFT_HTTP
    {"trace", "Traces"},
#endif
};
const size_t hf_option_section_count = sizeof hf_option_sections / sizeof *hf_option_sections;

bool hf_option_has_section(const char *section)
{
    for (size_t i = 0; i < hf_option_section_count; i++)
        if (!strcmp(hf_option_sections[i].name, section))
            return true;
    return false;
}

const char *hf_option_name(const struct option *option)
{
    return option->flag ? option->flag : option->operand ? option->operand : option->also;
}

void hf_option_variable(const struct option *option, char ret_name[OPTION_VARIABLE])
{
    static const char prefix[] = "HAFT_";
    size_t at = sizeof prefix - 1;

    *ret_name = '\0';
    if (option->own)
        return;
    memcpy(ret_name, prefix, at);
    for (const char *c = option->flag + 2; *c && at < OPTION_VARIABLE - 1; c++)
        ret_name[at++] = *c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    ret_name[at] = '\0';
}

/* ---- what was meant ---- */

static const char *last_part(const char *key)
{
    const char *dot = strrchr(key, '.');

    return dot ? dot + 1 : key;
}

/* A name that is right except for its section is near as well. */
static size_t distance(const char *given, const char *key)
{
    size_t whole = hf_edit_distance(given, key);
    size_t part = hf_edit_distance(last_part(given), last_part(key));

    return part < SIZE_MAX && part + 1 < whole ? part + 1 : whole;
}

const char *hf_option_nearest_key(const struct settings *settings, const char *key)
{
    struct nearest search = {.given = key, .edits = strlen(last_part(key)) / 2 + 1};
    const struct option *option;

    for (size_t i = 0; (option = hf_settings_option(settings->program, i)); i++)
        if (option->key)
            hf_nearest_offer_at(&search, option->key, distance(key, option->key));
    for (size_t i = 0; i < hf_option_section_count; i++)
        hf_nearest_offer(&search, hf_option_sections[i].name);
    if (settings->program->own)
        hf_nearest_offer(&search, PROGRAM_OPTIONS_SECTION);
    return search.name;
}

const char *hf_option_nearest_word(const struct option *option, const char *word)
{
    struct nearest search = {.given = word, .edits = strlen(word) / 2 + 1};

    for (const char *const *known = option->words; known && *known; known++)
        hf_nearest_offer(&search, *known);
    return search.name;
}
