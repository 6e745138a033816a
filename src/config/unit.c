/* unit.c - units of sizes and times, as tables. */
#include "config/unit.h"

#include <string.h>

const struct unit hf_unit_none[] = {{"", 1}, {NULL, 0}};
const struct unit hf_unit_sizes[] = {
    {"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {NULL, 0}};
const struct unit hf_unit_times[] = {
    {"ms", 1}, {"s", 1000}, {"m", UNIT_MINUTE}, {"h", 60 * UNIT_MINUTE}, {NULL, 0}};

bool hf_unit_read_digits(const char **text, uint64_t *ret_number)
{
    uint64_t number = 0;
    const char *c = *text;

    for (; *c >= '0' && *c <= '9'; c++) {
        unsigned digit = (unsigned)(*c - '0');

        if (number > (UINT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *ret_number = number;
    if (c == *text)
        return false;
    *text = c;
    return true;
}

bool hf_unit_read(const struct unit *units, const char *text, uint64_t *number)
{
    const struct unit *unit = units;

    while (*text && unit->name && strcmp(unit->name, text))
        unit++;
    if (!unit->name || *number > UINT64_MAX / unit->worth)
        return false;
    *number *= unit->worth;
    return true;
}

void hf_unit_put(const struct unit *units, uint64_t number, haft_buffer *buffer)
{
    const struct unit *largest = units;

    for (const struct unit *unit = units; unit->name && number; unit++)
        if (number % unit->worth == 0)
            largest = unit;
    haft_buffer_printf(buffer, "%llu%s", (unsigned long long)(number / largest->worth),
                       number ? largest->name : "");
}
