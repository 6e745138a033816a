/* challenge.c - the reader of challenges. A field may contain several, separated by the same commas
 * as their parameters: a name is a parameter if "=" follows it. */
#include "auth/client/challenge.h"

enum { CHALLENGE_SCHEME_OTHER, CHALLENGE_SCHEME_BEARER, CHALLENGE_SCHEME_DPOP, CHALLENGE_SCHEMES };
enum { CHALLENGE_LIMIT = 16 << 10, CHALLENGE_MALFORMED = HAFT_EPROTOCOL };

struct challenge_reader {
    const char *at;
    haft_arena *arena;
    struct challenge found[CHALLENGE_SCHEMES];
    bool seen[CHALLENGE_SCHEMES];
    int scheme; /* of the challenge that is being read */
};

static bool challenge_is_token(char c)
{
    return (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static void challenge_skip_blanks(struct challenge_reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t')
        reader->at++;
}

static struct text challenge_token(struct challenge_reader *reader)
{
    const char *start = reader->at;

    while (challenge_is_token(*reader->at))
        reader->at++;
    return (struct text){start, (size_t)(reader->at - start)};
}

/* Skips token68, which must be followed by a comma or the end. Returns false, without moving, if
 * there are parameters. */
static bool challenge_skip_token68(struct challenge_reader *reader)
{
    const char *at = reader->at;
    size_t n = 0;

    for (; challenge_is_token(*at) || *at == '/'; at++)
        n++;
    while (*at == '=')
        at++;
    while (*at == ' ' || *at == '\t')
        at++;
    if (!n || (*at && *at != ','))
        return false;
    reader->at = at;
    return true;
}

/* Reads a quoted string into the arena, without its quotes and escapes. */
static int challenge_quoted(struct challenge_reader *reader, const char **ret_value)
{
    char *value = haft_arena_alloc(reader->arena, strlen(reader->at));
    size_t size = 0;

    if (!value)
        return HAFT_ENOMEM;
    for (reader->at++; *reader->at != '"'; reader->at++) {
        if (*reader->at == '\\')
            reader->at++;
        if (!*reader->at || ((unsigned char)*reader->at < ' ' && *reader->at != '\t') ||
            *reader->at == 0x7F)
            return CHALLENGE_MALFORMED;
        value[size++] = *reader->at;
    }
    reader->at++;
    value[size] = '\0';
    *ret_value = value;
    return 0;
}

static int challenge_value(struct challenge_reader *reader, const char **ret_value)
{
    struct text token;

    if (*reader->at == '"')
        return challenge_quoted(reader, ret_value);
    token = challenge_token(reader);
    if (!token.size)
        return CHALLENGE_MALFORMED;
    *ret_value = haft_arena_copy(reader->arena, token.data, token.size);
    return *ret_value ? 0 : HAFT_ENOMEM;
}

static const char **challenge_place(struct challenge *challenge, struct text name)
{
    if (hf_text_is_ignoring_case(name.data, name.size, "resource_metadata"))
        return &challenge->resource_metadata;
    if (hf_text_is_ignoring_case(name.data, name.size, "scope"))
        return &challenge->scope;
    if (hf_text_is_ignoring_case(name.data, name.size, "error"))
        return &challenge->error;
    return NULL;
}

/* Reads the value of a parameter, after its "=". */
static int challenge_parameter(struct challenge_reader *reader, struct text name)
{
    const char **place = challenge_place(&reader->found[reader->scheme], name), *value;
    int status;

    reader->at++;
    challenge_skip_blanks(reader);
    status = challenge_value(reader, &value);
    if (status)
        return status;
    challenge_skip_blanks(reader);
    if (*reader->at && *reader->at != ',')
        return CHALLENGE_MALFORMED;
    if (place && reader->scheme != CHALLENGE_SCHEME_OTHER) {
        if (*place)
            return CHALLENGE_MALFORMED;
        *place = value;
    }
    return 0;
}

/* Of several challenges with one scheme, the first applies. */
static void challenge_begin(struct challenge_reader *reader, struct text name)
{
    reader->scheme =
        hf_text_is_ignoring_case(name.data, name.size, "Bearer") ? CHALLENGE_SCHEME_BEARER
        : hf_text_is_ignoring_case(name.data, name.size, "DPoP") ? CHALLENGE_SCHEME_DPOP
                                                                 : CHALLENGE_SCHEME_OTHER;
    if (reader->seen[reader->scheme])
        reader->scheme = CHALLENGE_SCHEME_OTHER;
    reader->seen[reader->scheme] = true;
}

static int challenge_item(struct challenge_reader *reader, bool *begun)
{
    struct text name = challenge_token(reader);
    const char *after = reader->at;

    if (!name.size)
        return CHALLENGE_MALFORMED;
    challenge_skip_blanks(reader);
    if (*reader->at == '=' && *begun)
        return challenge_parameter(reader, name);
    challenge_begin(reader, name);
    *begun = true;
    if (!*reader->at || *reader->at == ',')
        return 0;
    if (after == reader->at)
        return CHALLENGE_MALFORMED;
    if (challenge_skip_token68(reader))
        return 0;
    name = challenge_token(reader);
    challenge_skip_blanks(reader);
    return name.size && *reader->at == '=' ? challenge_parameter(reader, name)
                                           : CHALLENGE_MALFORMED;
}

static int challenge_field_read(struct challenge_reader *reader)
{
    bool begun = false;
    int status = 0;

    while (!status) {
        while (*reader->at == ',' || *reader->at == ' ' || *reader->at == '\t')
            reader->at++;
        if (!*reader->at)
            break;
        status = challenge_item(reader, &begun);
    }
    return status;
}

int hf_challenge_read(const struct http_field *fields, size_t n_fields, bool dpop,
                      haft_arena *arena, struct challenge *ret_challenge)
{
    struct challenge_reader reader = {.arena = arena}, before;

    for (size_t i = 0; i < n_fields; i++) {
        int status;

        if (!hf_text_same_ignoring_case(fields[i].name, "WWW-Authenticate") ||
            strlen(fields[i].value) > CHALLENGE_LIMIT)
            continue;
        before = reader;
        reader.at = fields[i].value;
        status = challenge_field_read(&reader);
        if (status == HAFT_ENOMEM)
            return status;
        if (status)
            reader = before;
    }
    *ret_challenge =
        reader.found[dpop && reader.seen[CHALLENGE_SCHEME_DPOP] ? CHALLENGE_SCHEME_DPOP
                                                                : CHALLENGE_SCHEME_BEARER];
    return 0;
}

const char *hf_challenge_field(const struct http_field *fields, size_t n_fields, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < n_fields; i++) {
        if (!hf_text_same_ignoring_case(fields[i].name, name))
            continue;
        if (value)
            return NULL;
        value = fields[i].value;
    }
    return value;
}
