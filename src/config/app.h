/* config/app.h - what a command line serves: its server, or several behind an app.
 *
 * Most programs have one server.  A program with several, such as a gateway, lends the command line a
 * server that has the settings and no clients, and the functions below, which apply the settings to all
 * of its servers. */
#ifndef HAFT_SRC_HOSTED_H
#define HAFT_SRC_HOSTED_H

#include "observe/audit_file.h"
#include "observe/log.h"
#include "config/settings.h"

struct app {
    /* The servers of its MCP endpoints, and where they are; NULL past the last.  The first is the
     * one that --stdio serves and --list, --check and --call are about. */
    haft_server *(*endpoint)(void *context, size_t i, const char **ret_path);
    /* Puts itself into the options of HTTP.  `path` is the one that was asked for; NULL when none
     * was. */
    int (*mount)(void *context, const char *path, haft_http_options *http,
                 haft_reason *reterr_reason);
    /* Receives an operand of the command line; may be NULL: operands are refused.  Returns 0, or
     * HAFT_ENOMEM. */
    int (*operand)(void *context, const char *word);
    /* Sets the observer of servers that are added while others serve, which is called before a client can
     * reach them; NULL ends that.  May be NULL: no servers are added. */
    void (*follow)(void *context,
                   int (*adopt)(void *adopter, haft_server *server, const char *path,
                                haft_reason *reterr_reason),
                   void *adopter);
    /* Reads files of credentials again, before a configuration is and whatever that is like.  May be
     * NULL. */
    void (*reread)(void *context);
    /* Starts what it calls, in separate threads and processes: before it serves, or its tools are
     * listed or called, and after the processes of isolated tools have been started.  `confined`: a
     * sandbox will be entered.  May be NULL: it calls nothing.  Returns 0, or an error with the
     * reason. */
    int (*start)(void *context, bool confined, haft_reason *reterr_reason);
    /* Frees everything, the server of the command line too. */
    void (*release)(void *context);
    void *context;
    /* Where HTTP is served when no address is given; NULL: standard input and output are. */
    const char *address;
    int unable; /* exit status when it cannot serve; 0: 1 */
};

/* The i-th server that is served; NULL past the last.  `app` NULL: `own` is the only one. */
haft_server *hf_app_at(const struct app *app, haft_server *own, size_t i);

/* What the operator asks of them before they serve: options, log, clock, limits, visibility, seal,
 * audit and metrics.  `logger` NULL leaves their logs alone.  0, or an error with the reason. */
int hf_app_prepare(const struct app *app, haft_server *own, const struct settings *settings,
                   struct logger *logger, struct audit_file *audit, haft_reason *reterr_reason);

/* The same for one more server, at a path, while others are served. */
int hf_app_adopt(haft_server *own, const struct settings *settings, struct logger *logger,
                 struct audit_file *audit, haft_server *server, const char *path,
                 haft_reason *reterr_reason);

/* The same for settings that can change while they serve, and that differ from those in force, which are
 * NULL before they serve. */
int hf_app_apply_live(const struct app *app, haft_server *own, const struct settings *settings,
                      const struct settings *before);

/* Has the extensions of all servers read their files again. */
void hf_app_reload_extensions(const struct app *app, haft_server *own);

/* Warns if no tool matches the pattern of tools to offer, and of tools to disable that do not exist: a
 * mistyped name would leave the intended tool visible. */
void hf_app_doubt(const struct app *app, haft_server *own, const struct settings *settings);

/* Writes "; did you mean NAME?" if a tool of the server has a name that is near, or "". */
void hf_app_put_nearest(haft_server *server, const char *name, char *text, size_t room);

/* Logs how many tools are registered, and warns of those that are disabled. */
void hf_app_report_tools(const struct app *app, haft_server *own);

#endif
