/* name.c - the names of keys and channels.
 *
 *     PREFIX:{SPACE:GROUP}:KEY     a key
 *     PREFIX:{SPACE}:CHANNEL       a channel
 *
 * The text in braces is the hash tag: a cluster keeps a group on one node.  "}" and "%" in it are
 * percent-encoded, and so is ":" in the namespace, so that a name has one meaning. */
#include "store/redis/room.h"

/* A text that may not be there: counts its bytes. */
struct name {
    char *text;
    size_t size;
};

static void name_add(struct name *name, const char *bytes, size_t size)
{
    if (name->text && size)
        memcpy(name->text + name->size, bytes, size);
    name->size += size;
}

static void name_byte(struct name *name, char byte, bool is_pattern)
{
    if (is_pattern && strchr("*?[]\\^-", byte) && byte)
        name_add(name, "\\", 1);
    name_add(name, &byte, 1);
}

static void name_encode(struct name *name, haft_slice slice, bool colon, bool is_pattern)
{
    for (size_t i = 0; i < slice.size; i++) {
        char byte = slice.data[i];

        if (byte == '}')
            name_add(name, "%7D", 3);
        else if (byte == '%')
            name_add(name, "%25", 3);
        else if (colon && byte == ':')
            name_add(name, "%3A", 3);
        else
            name_byte(name, byte, is_pattern);
    }
}

static void name_begin(struct name *name, const struct redis_store *store, const char *space,
                       bool is_pattern)
{
    for (const char *at = store->prefix; *at; at++)
        name_byte(name, *at, is_pattern);
    name_add(name, ":{", 2);
    name_encode(name, HAFT_SLICE(space), true, is_pattern);
}

size_t hf_redis_name_key(const struct redis_store *store, const char *space, haft_slice group,
                         haft_slice key, char *text)
{
    struct name name = {.text = text};

    name_begin(&name, store, space, false);
    name_add(&name, ":", 1);
    name_encode(&name, group, false, false);
    name_add(&name, "}:", 2);
    name_add(&name, key.data, key.size);
    return name.size;
}

size_t hf_redis_name_channel(const struct redis_store *store, const char *space, haft_slice channel,
                             bool is_pattern, char *text)
{
    struct name name = {.text = text};

    name_begin(&name, store, space, is_pattern);
    name_add(&name, "}:", 2);
    if (is_pattern)
        name_add(&name, "*", 1);
    else
        name_add(&name, channel.data, channel.size);
    return name.size;
}

size_t hf_redis_name_groups(const struct redis_store *store, const char *space, haft_slice prefix,
                            char *text)
{
    struct name name = {.text = text};

    name_begin(&name, store, space, true);
    name_add(&name, ":", 1);
    name_encode(&name, prefix, false, true);
    name_add(&name, "*", 1);
    return name.size;
}

static char name_decode(const char **at)
{
    char byte = **at;

    if (byte != '%') {
        ++*at;
        return byte;
    }
    byte = (*at)[1] == '7' ? '}' : (*at)[1] == '2' ? '%' : ':';
    *at += 3;
    return byte;
}

bool hf_redis_name_read(const struct redis_store *store, const char *space, const char *name,
                        size_t size, char *text, haft_slice *ret_group, haft_slice *ret_key)
{
    size_t begin = hf_redis_name_channel(store, space, (haft_slice){"", 0}, false, NULL) - 1;
    const char *at = name + begin, *end;
    char *to = text;

    /* The name of the namespace's keys is as long as PREFIX:{SPACE} with ":" for "}". */
    if (size <= begin || name[begin - 1] != ':')
        return false;
    end = memchr(at, '}', size - begin);
    if (!end || end + 1 >= name + size || end[1] != ':')
        return false;
    while (at < end && (*at != '%' || end - at >= 3))
        *to++ = name_decode(&at);
    *ret_group = (haft_slice){text, (size_t)(to - text)};
    *ret_key = (haft_slice){end + 2, (size_t)(name + size - end - 2)};
    return at == end;
}
