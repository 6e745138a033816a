/* config.c - the command config: a JSON Schema of the configuration of haft serve. */
#include <string.h>

#include "gateway/configure_schema.h"
#include "program.h"
#include "show.h"

static int config_schema(void)
{
    haft_gateway *gateway = haft_gateway_new(NULL);
    struct page page;
    int status;

    page_init(&page);
    status = gateway ? hf_configure_put_schema(gateway, &page.text) : HAFT_ENOMEM;
    haft_buffer_puts(&page.text, "\n");
    haft_gateway_free(gateway);
    if (!status)
        return page_print(&page);
    haft_buffer_finish(&page.text);
    return complain(EXIT_LOCAL, "cannot write the schema: %s", haft_strerror(status));
}

int act_config(struct invocation *call)
{
    const char *verb = call->n_operands ? call->operands[0] : "";

    if (strcmp(verb, "schema") != 0)
        return complain(EXIT_USAGE, "config needs schema%s%s", *verb ? ", not " : "", verb);
    if (call->n_operands > 1 || call->child)
        return complain(EXIT_USAGE, "unexpected argument %s for config schema",
                        call->child ? "--" : call->operands[1]);
    return config_schema();
}
