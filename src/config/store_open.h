/* config/store_open.h - the store that an operator names. */
#ifndef HAFT_SRC_STORE_OPEN_H
#define HAFT_SRC_STORE_OPEN_H

#include <haft/store.h>

/* Opens the store of a URL, such as redis://127.0.0.1:6379/0; password_file is the file with its
 * password, or NULL. Returns NULL with the reason. Must be called before a sandbox is entered. */
haft_store *hf_store_open(const char *url, const char *password_file, haft_reason *reterr_reason);

#endif
