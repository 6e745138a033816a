/* support/dialogue.h - a dialogue with a server as a table: messages, and all expected responses.
 *
 *     dialogue(wire, (const char *[]){
 *         "R 1 tools/call {'name':'nope'}",
 *         "! 1 -32602 Tool nope not found",
 *         NULL});
 *
 * In every line ' stands for ". The first character is the kind of the line. Actions:
 *
 *     R ID METHOD PARAMS    send a request; the params are optional
 *     M ID METHOD MEMBERS   send a modern request, of a client without capabilities; members of params
 *     A ID METHOD MEMBERS   send a modern request, of a client with all capabilities
 *     N METHOD PARAMS       send a notification
 *     > TEXT                send a message as it is
 *     + MILLISECONDS        let time pass
 *     @ WORD                call the test's own function
 *
 * Expectations:
 *
 *     = ID RESULT           the next message is this result; $T stands for the end of a modern one
 *     ! ID CODE TEXT        the next message is this error; ID - for none
 *     ~ METHOD PARAMS       the next message is this notification
 *     ? ID METHOD PARAMS    the next message is this request of the server
 *     < TEXT                the next message, as it is
 *
 * A star in an expectation matches anything. Before each action, and at the end, no message may be
 * left. */
#ifndef HAFT_TESTS_DIALOGUE_H
#define HAFT_TESTS_DIALOGUE_H

#include "support/wire.h"

/* Called for lines that begin with @. */
typedef void dialogue_action(void *context, const char *word);

void dialogue(struct wire *wire, const char *const lines[]);
void dialogue_with(struct wire *wire, const char *const lines[], dialogue_action *action,
                   void *context);

/* Runs the lines in their own session, which is closed at the end. */
void dialogue_alone(haft_server *server, const char *const lines[]);

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The handshake of a legacy client of that revision. */
#define GREETING(revision, capabilities)                                                           \
    "R 0 initialize {'protocolVersion':'" revision "','capabilities':" capabilities                \
    ",'clientInfo':{'name':'c','version':'1'}}",                                                   \
        "= 0 {'protocolVersion':'" revision "','capabilities':{*},'serverInfo':{*}*}",             \
        "N notifications/initialized"

#endif
