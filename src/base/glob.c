/* glob.c - names that match: `*` is any run of characters, `?` any one.
 *
 * A star is tried at its shortest and made longer when what follows does not fit; only the latest
 * star has to be remembered, so the work is at most the product of the two sizes. */
#include <string.h>

#include "base/base.h"

bool hf_glob_match(const char *pattern, size_t size, const char *text)
{
    const char *end = pattern + size, *star = NULL, *from = NULL;

    while (*text) {
        if (pattern < end && *pattern == '*') {
            star = pattern++;
            from = text;
        } else if (pattern < end && (*pattern == '?' || *pattern == *text)) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

bool hf_glob_list_allows(const char *list, const char *name)
{
    /* A list that begins by taking away takes from everything. */
    bool allowed = list[strspn(list, " ,")] == '-';

    while (*list) {
        size_t size;
        bool minus;

        list += strspn(list, " ,");
        minus = *list == '-';
        list += minus;
        size = strcspn(list, " ,");
        if (size && hf_glob_match(list, size, name))
            allowed = !minus;
        list += size;
    }
    return allowed;
}
