/* support/dialogue.h - a conversation as a table: what is said, and all that is answered.
 *
 *     dialogue(wire, (const char *[]){
 *         "R 1 tools/call {'name':'nope'}",
 *         "! 1 -32602 Tool nope not found",
 *         NULL});
 *
 * In every line ' stands for ".  The first letter says what the line is:
 *
 *     R ID METHOD PARAMS    a request; the params may be left out
 *     M ID METHOD MEMBERS   a modern one, of a client that can be asked nothing; of the params
 *     A ID METHOD MEMBERS   a modern one, of a client that can be asked anything
 *     N METHOD PARAMS       a notification
 *     > TEXT                a message as it is
 *     + MILLISECONDS        time passes
 *     @ WORD                the test's own function is called
 *
 *     = ID RESULT           the next message is this result;  $T stands for what ends a modern one
 *     ! ID CODE TEXT        the next message is this error;  ID - for none
 *     ~ METHOD PARAMS       the next message is this notification
 *     ? ID METHOD PARAMS    the next message is this request of the server's
 *     < TEXT                the next message, as it is
 *
 * Where a star stands in a line of the second kind, anything may.  Before each line of the first
 * kind, and at the end, nothing may be left unheard. */
#ifndef HAFT_TESTS_DIALOGUE_H
#define HAFT_TESTS_DIALOGUE_H

#include "support/wire.h"

/* For lines that begin with @. */
typedef void dialogue_action(void *context, const char *word);

void dialogue(struct wire *wire, const char *const lines[]);
void dialogue_with(struct wire *wire, const char *const lines[], dialogue_action *action,
                   void *context);

/* A session of its own for the lines, closed at the end. */
void dialogue_alone(haft_server *server, const char *const lines[]);

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* What a legacy client of that revision says first, and hears. */
#define GREETING(revision, capabilities)                                                           \
    "R 0 initialize {'protocolVersion':'" revision "','capabilities':" capabilities                \
    ",'clientInfo':{'name':'c','version':'1'}}",                                                   \
        "= 0 {'protocolVersion':'" revision "','capabilities':{*},'serverInfo':{*}*}",             \
        "N notifications/initialized"

#endif
