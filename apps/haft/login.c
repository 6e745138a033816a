/* login.c - the commands that log in at a server and out, and the tokens that all commands use. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask.h"
#include "state.h"

/* Runs xdg-open, in a process that already has its parent: only functions that may follow fork. */
static void login_run_browser(const char *url)
{
    char *const words[] = {(char *)(uintptr_t) "xdg-open", (char *)(uintptr_t)url, NULL};
    int null = open("/dev/null", O_RDWR);
    pid_t pid = fork();

    if (pid)
        _exit(pid < 0); /* the browser belongs to init, which reaps it */
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    signal(SIGPIPE, SIG_DFL);
    execvp(words[0], words);
    _exit(1);
}

/* Opens a browser, if there is a desktop. Only the URL that is printed matters: a failure is not an
 * error. */
static void login_open_browser(const char *url)
{
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    pid_t pid;

    if (!(display && *display) && !(wayland && *wayland))
        return;
    pid = fork();
    if (!pid)
        login_run_browser(url);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static int login_open_url(void *context, const char *url)
{
    const struct invocation *call = context;

    fprintf(stderr, "haft: open this URL to log in:\n%s\n", url);
    if (!call->login.no_browser)
        login_open_browser(url);
    return 0;
}

static int login_allow(void *context, const char *server, const char *issuer, const char *doubt)
{
    (void)context;
    fprintf(stderr, "haft: %s wants a login at %s\n", server, issuer);
    if (doubt)
        fprintf(stderr,
                "haft: warning: %s; log in only if you trust %s (--issuer %s says that you do)\n",
                doubt, issuer, issuer);
    return 0;
}

/* Commands other than login do not ask a person to log in. */
static int login_refuse(void *context, const char *server, const char *issuer, const char *doubt)
{
    (void)context, (void)server, (void)issuer, (void)doubt;
    return HAFT_EDENIED;
}

haft_authorizer *peer_authorizer(const struct invocation *call, bool interactive,
                                 haft_reason *reterr_reason)
{
    char path[PATH_MAX];
    const struct login_words *login = &call->login;
    const char *secret = getenv("HAFT_CLIENT_SECRET");
    haft_oauth_options options = HAFT_INIT(
        haft_oauth_options, .client_name = "haft", .scopes = login->scopes,
        .client_id = login->client_id, .issuer = login->issuer,
        .client_secret = login->client_id && secret && *secret ? secret : NULL,
        .allow_login = interactive ? login_allow : login_refuse, .open_url = login_open_url,
        .context = (void *)(uintptr_t)call, .ca_file = call->authority,
        .token_file = state_path("tokens.json", path, sizeof path) ? path : NULL);

    return haft_oauth_new(&options, reterr_reason);
}

const char *peer_access_hint(const struct invocation *call)
{
    static const char name[] = "Authorization:";

    for (size_t i = 0; i < call->n_headers; i++)
        if (!strncasecmp(call->headers[i], name, sizeof name - 1))
            return "; it refuses the Authorization header of --header";
    return call->command->act == act_login
               ? "; --header 'Authorization: Bearer TOKEN' sends a token of your own"
               : "; `haft login URL` logs in, and --header 'Authorization: Bearer TOKEN' sends a "
                 "token";
}

static bool login_is_socket(const char *url)
{
    return !strncmp(url, "unix:", 5);
}

/* A login that cannot be kept would be lost at the end of this command: nobody is asked for it. */
static int login_check_state(void)
{
    char path[PATH_MAX];
    int error = state_check("tokens.json", path, sizeof path);

    if (!error)
        return EXIT_DONE;
    return complain(EXIT_LOCAL,
                    "the login cannot be kept: %s%s%s; set XDG_STATE_HOME to a directory that can "
                    "be written",
                    *path ? path : "there is no home directory", *path ? ": " : "",
                    *path ? strerror(error) : "");
}

/* A login for more scopes replaces the one before it, which the server may still accept. */
static void login_begin_again(const struct invocation *call, const char *url)
{
    haft_authorizer *authorizer = peer_authorizer(call, false, NULL);

    if (authorizer)
        haft_oauth_forget(authorizer, url, NULL);
    haft_authorizer_free(authorizer);
}

int act_login(struct invocation *call)
{
    const char *secret = getenv("HAFT_CLIENT_SECRET");
    struct peer *peer = NULL;
    const char *url = ask_url(call);
    yyjson_val *result;
    int status;

    if (!url || call->child)
        return url ? complain(EXIT_USAGE, "login needs the URL of a server") : EXIT_USAGE;
    if (call->n_operands > 1)
        return complain(EXIT_USAGE, "unexpected argument %s for login", call->operands[1]);
    if (login_is_socket(url))
        return complain(EXIT_USAGE, "a server on a Unix socket needs no login");
    if (call->login.client_id && secret && *secret && !call->login.issuer)
        return complain(EXIT_USAGE, "HAFT_CLIENT_SECRET needs --issuer: the authorization server "
                                    "that the secret is sent to");
    status = login_check_state();
    if (status)
        return status;
    if (call->login.scopes)
        login_begin_again(call, url);
    status = ask_open(call, url, &peer);
    if (!status)
        status = peer_ask(peer, &(struct peer_request){.method = "tools/list"}, &result);
    if (status == EXIT_PROTOCOL && peer_error_code(peer))
        status = EXIT_DONE; /* it answers, so it let us in */
    if (!status)
        printf("%s\n", haft_authorizer_has_token(peer_access(peer), url)
                           ? "Logged in."
                           : "The server does not require a login.");
    return ask_end(peer, status);
}

int act_logout(struct invocation *call)
{
    const char *url = ask_url(call);
    haft_reason reason = {0};
    haft_authorizer *authorizer;
    int status;

    if (!url)
        return EXIT_USAGE;
    if (call->n_operands > 1)
        return complain(EXIT_USAGE, "unexpected argument %s for logout", call->operands[1]);
    if (login_is_socket(url))
        return complain(EXIT_USAGE, "there is no login for %s", url);
    authorizer = peer_authorizer(call, false, &reason);
    if (!authorizer)
        return complain(EXIT_LOCAL, "%s", reason.text);
    status = haft_oauth_forget(authorizer, url, &reason);
    haft_authorizer_free(authorizer);
    if (status == HAFT_ENOTFOUND)
        return complain(EXIT_USAGE, "there is no login for %s", url);
    if (status == HAFT_EINVAL)
        return complain(EXIT_USAGE, "%s", reason.text);
    if (status)
        return complain(EXIT_CONNECTION, "the login was forgotten here, but not revoked: %s",
                        reason.text);
    puts("Logged out.");
    return EXIT_DONE;
}
