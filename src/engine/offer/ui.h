/* engine/offer/ui.h - user interfaces of tools: `_meta.ui` of tools and of apps (ui.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_UI_H
#define HAFT_SRC_ENGINE_OFFER_UI_H

#include "engine/offer/item.h"

struct catalogue;

/* Check the `ui` of a tool and the `page` of a resource, and replace the item's definition with a copy whose
 * `meta` contains it. Return 0, or an error that has been reported. */
int hf_ui_fill_tool(haft_server *server, struct item *item);
int hf_ui_fill_resource(haft_server *server, struct item *item);

/* Checks that the resource of a tool's `ui` is offered, and is an app. The same. */
int hf_ui_find_resource(haft_server *server, const struct item *item);

/* Logs a warning for each tool whose app is not offered from now on, after `to` has replaced `from`. */
void hf_ui_warn(haft_server *server, const struct catalogue *from, const struct catalogue *to);

#endif
