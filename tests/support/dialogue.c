/* dialogue.c - dialogues as tables; see dialogue.h. */
#include "support/dialogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

#define VERSION "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""
#define CAPABILITIES "\"io.modelcontextprotocol/clientCapabilities\":"
#define EVERYTHING "{\"sampling\":{},\"elicitation\":{\"form\":{},\"url\":{}},\"roots\":{}}"
#define TAIL                                                                                       \
    "\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{"              \
    "\"name\":\"test\",\"version\":\"1\"}}"

enum { LONGEST = 1 << 16 };

/* A text under construction, with ' replaced by " and $T by the tail. */
struct line {
    char *text;
    size_t size;
};

static void put(struct line *line, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool tail = text[i] == '$' && i + 1 < size && text[i + 1] == 'T';
        const char *part = tail ? TAIL : text[i] == '\'' ? "\"" : &text[i];
        size_t n = tail ? strlen(TAIL) : 1;

        assert_true(line->size + n < LONGEST);
        memcpy(line->text + line->size, part, n);
        line->size += n;
        i += tail;
    }
    line->text[line->size] = '\0';
}

static void puts_to(struct line *line, const char *text)
{
    put(line, text, strlen(text));
}

/* Appends the next word of a line and advances past it. */
static void put_word(struct line *line, const char **rest)
{
    size_t size = strcspn(*rest, " ");

    put(line, *rest, size);
    *rest += size + ((*rest)[size] == ' ');
}

/* ---- messages to the server ---- */

static void build_request(struct line *line, char kind, const char *rest)
{
    puts_to(line, "{\"jsonrpc\":\"2.0\"");
    if (kind != 'N') {
        puts_to(line, ",\"id\":");
        put_word(line, &rest);
    }
    puts_to(line, ",\"method\":\"");
    put_word(line, &rest);
    puts_to(line, "\"");
    if (kind == 'M' || kind == 'A') {
        puts_to(line, ",\"params\":{\"_meta\":{" VERSION "," CAPABILITIES);
        puts_to(line, kind == 'A' ? EVERYTHING : "{}");
        puts_to(line, *rest ? "}," : "}");
        puts_to(line, rest);
        puts_to(line, "}");
    } else if (*rest) {
        puts_to(line, ",\"params\":");
        puts_to(line, rest);
    }
    puts_to(line, "}");
}

/* ---- expected messages ---- */

static void build_error(struct line *line, const char *rest)
{
    puts_to(line, "{\"jsonrpc\":\"2.0\",");
    if (strncmp(rest, "- ", 2)) {
        puts_to(line, "\"id\":");
        put_word(line, &rest);
        puts_to(line, ",");
    } else {
        rest += 2;
    }
    puts_to(line, "\"error\":{\"code\":");
    put_word(line, &rest);
    puts_to(line, ",\"message\":\"");
    puts_to(line, rest);
    puts_to(line, "\"}}");
}

static void build_expected(struct line *line, char kind, const char *rest)
{
    switch (kind) {
    case '=':
        puts_to(line, "{\"jsonrpc\":\"2.0\",\"id\":");
        put_word(line, &rest);
        puts_to(line, ",\"result\":");
        puts_to(line, rest);
        puts_to(line, "}");
        break;
    case '!':
        build_error(line, rest);
        break;
    case '~':
        build_request(line, 'N', rest);
        break;
    case '?':
        build_request(line, 'R', rest);
        break;
    default:
        puts_to(line, rest);
    }
}

/* Whether the text matches the pattern. */
static bool matches(const char *pattern, const char *text)
{
    const char *after = NULL, *from = NULL;

    while (*text || *pattern) {
        if (*pattern == '*') {
            after = ++pattern;
            from = text;
        } else if (*pattern == *text && *text) {
            pattern++;
            text++;
        } else if (after && *from) {
            pattern = after;
            text = ++from;
        } else {
            return false;
        }
    }
    return true;
}

/* ---- the table ---- */

static void hear(struct wire *wire, const char *line, size_t number)
{
    struct line expected = {malloc(LONGEST), 0};
    const char *heard = wire_next(wire);

    assert_non_null(expected.text);
    build_expected(&expected, line[0], line + 2);
    if (!heard || !matches(expected.text, heard))
        fprintf(stderr, "line %zu: expected %s\n         heard    %s\n", number, expected.text,
                heard ? heard : "nothing");
    assert_non_null(heard);
    assert_true(matches(expected.text, heard));
    free(expected.text);
}

static void nothing_more(struct wire *wire, size_t number)
{
    const char *heard = wire_next(wire);

    if (heard)
        fprintf(stderr, "line %zu: heard too much: %s\n", number, heard);
    assert_null(heard);
}

static void say(struct wire *wire, const char *line)
{
    struct line message = {malloc(LONGEST), 0};

    assert_non_null(message.text);
    if (line[0] == '>')
        puts_to(&message, line + 2);
    else
        build_request(&message, line[0], line + 2);
    haft_session_receive(wire->session, message.text, message.size, NULL, wire->now);
    free(message.text);
}

void dialogue_with(struct wire *wire, const char *const lines[], dialogue_action *action,
                   void *context)
{
    size_t i = 0;

    for (; lines[i]; i++) {
        if (strchr("=!~?<", lines[i][0])) {
            hear(wire, lines[i], i);
            continue;
        }
        nothing_more(wire, i);
        if (lines[i][0] == '+') {
            wire->now += strtol(lines[i] + 2, NULL, 10);
            haft_session_tick(wire->session, wire->now);
        } else if (lines[i][0] == '@') {
            assert_non_null(action);
            action(context, lines[i] + 2);
        } else {
            say(wire, lines[i]);
        }
    }
    nothing_more(wire, i);
}

void dialogue(struct wire *wire, const char *const lines[])
{
    dialogue_with(wire, lines, NULL, NULL);
}

void dialogue_alone(haft_server *server, const char *const lines[])
{
    struct wire *wire = wire_open(server);

    dialogue(wire, lines);
    wire_close(wire);
}
