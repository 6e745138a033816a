/* config/store_open.h - the store that an operator names. */
#ifndef HAFT_SRC_STORE_OPEN_H
#define HAFT_SRC_STORE_OPEN_H

#include "config/settings.h"

/* Opens the store of a URL, such as redis://127.0.0.1:6379/0, with the files that the settings name.
 * Returns NULL with the reason. Must be called before a sandbox is entered. */
haft_store *hf_store_open(const struct store_settings *settings, haft_reason *reterr_reason);

#endif
