/* glob.c - matching of names: `*` matches any run of characters, `?` any one.
 *
 * A star first matches nothing and is extended when the rest does not match. Only the latest star
 * needs backtracking, so the work is at most the product of the two sizes. */
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

bool hf_glob_list_allows_either(const char *list, const char *name, const char *other)
{
    /* A list whose first pattern is negative starts from "everything". */
    bool allowed = list[strspn(list, " ,")] == '-';

    while (*list) {
        size_t size;
        bool minus;

        list += strspn(list, " ,");
        minus = *list == '-';
        list += minus;
        size = strcspn(list, " ,");
        if (size && (hf_glob_match(list, size, name) ||
                     (other != name && hf_glob_match(list, size, other))))
            allowed = !minus;
        list += size;
    }
    return allowed;
}

bool hf_glob_list_allows(const char *list, const char *name)
{
    return hf_glob_list_allows_either(list, name, name);
}
