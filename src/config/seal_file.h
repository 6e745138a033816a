/* config/seal_file.h - the key that servers share to finish each other's calls, from a file. */
#ifndef HAFT_SRC_SEAL_FILE_H
#define HAFT_SRC_SEAL_FILE_H

#include <haft/server.h>

/* Gives the server the key of a file: 64 hexadecimal digits, and perhaps an end of line.  0, or an
 * error with its reason kept by the server. */
int hf_seal_file_read(haft_server *server, const char *path);

#endif
