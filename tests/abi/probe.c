/* probe.c - the public types that no function of libhaft takes: recorded.sh compiles it with the headers. */
#include <haft.h>

enum haft_status haft_probe_(const haft_plugin *plugin, const haft_gateway_part *part);

enum haft_status haft_probe_(const haft_plugin *plugin, const haft_gateway_part *part)
{
    return plugin && part ? HAFT_OK : HAFT_EFAIL;
}
