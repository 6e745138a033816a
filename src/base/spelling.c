/* spelling.c - the edit distance between two names, for "did you mean". */
#include <string.h>

#include "base/base.h"

enum { SPELLING_LONGEST = 32 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t hf_edit_distance(const char *left, const char *right)
{
    size_t rows[3][SPELLING_LONGEST + 1], n = strlen(left), m = strlen(right);

    if (n > SPELLING_LONGEST || m > SPELLING_LONGEST)
        return SIZE_MAX;
    for (size_t k = 0; k <= m; k++)
        rows[1][k] = k;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[(i + 1) % 3], *last = rows[i % 3], *before = rows[(i + 2) % 3];

        now[0] = i;
        for (size_t k = 1; k <= m; k++) {
            now[k] = smaller(last[k] + 1, now[k - 1] + 1);
            now[k] = smaller(now[k], last[k - 1] + (left[i - 1] != right[k - 1]));
            if (i > 1 && k > 1 && left[i - 1] == right[k - 2] && left[i - 2] == right[k - 1])
                now[k] = smaller(now[k], before[k - 2] + 1);
        }
    }
    return rows[(n + 1) % 3][m];
}
