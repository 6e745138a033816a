/* refusal.c - reports why something was rejected. */
#include "base/struct.h"
#include "gateway/gateway.h"

int hf_gateway_refuse(haft_gateway *gateway, int code, const char *path, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    hf_error_vset(&gateway->error, code, path, format, args);
    va_end(args);
    hf_server_log(gateway->server, HAFT_ERROR, "%s: %s", gateway->error.path, gateway->error.text);
    return code;
}

int hf_gateway_view(haft_gateway *gateway, const char *type, const void *given, size_t own,
                    const void **ret_view)
{
    int status = hf_struct_view(given, own, gateway->adding->arena, ret_view);

    return !status ? 0
                   : hf_gateway_refuse(gateway, status, type, "%s",
                                       status == HAFT_EINVAL ? STRUCT_UNSIZED : "out of memory");
}

const haft_reason *haft_gateway_error(const haft_gateway *gateway)
{
    return &gateway->error;
}
