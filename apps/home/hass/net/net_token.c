/* net_token.c - the access token, from a file. */
#include <errno.h>
#include <stdio.h>

#include "hass/memory.h"
#include "hass/net_link.h"

static bool net_token_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The text between its white space; false unless it is one word of printable ASCII. */
static bool net_token_trim(const char *text, size_t size, char ret_token[NET_TOKEN_MAX])
{
    while (size && net_token_is_space(*text)) {
        text++;
        size--;
    }
    while (size && net_token_is_space(text[size - 1]))
        size--;
    for (size_t i = 0; i < size; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    memcpy(ret_token, text, size);
    ret_token[size] = '\0';
    return size > 0;
}

int net_token_read(const char *path, char ret_token[NET_TOKEN_MAX], haft_reason *reterr_reason)
{
    char text[NET_TOKEN_MAX];
    size_t size;
    FILE *file = fopen(path, "r");
    bool read;

    if (!file)
        return hf_error_set(reterr_reason, HAFT_EFAIL, "HASS_TOKEN_FILE", "cannot open %.150s: %s",
                            path, strerror(errno));
    size = fread(text, 1, sizeof text, file);
    read = !ferror(file) && size < sizeof text;
    fclose(file);
    read = read && net_token_trim(text, size, ret_token);
    hf_secret_wipe(text, sizeof text);
    if (!read)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "HASS_TOKEN_FILE",
                            "%.150s does not contain an access token on one line", path);
    return 0;
}
