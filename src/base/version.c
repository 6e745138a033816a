/* version.c - the version of the compiled library. */
#include <haft/version.h>

const char *haft_version(void)
{
    return HAFT_VERSION;
}

int haft_version_number(void)
{
    return HAFT_VERSION_NUMBER;
}
