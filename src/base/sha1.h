/* base/sha1.h - SHA-1 (FIPS 180-4), for protocols that name it, such as the WebSocket handshake, and not
 * for anything that has to be safe. */
#ifndef HAFT_SRC_SHA1_H
#define HAFT_SRC_SHA1_H

#include <stddef.h>

enum { SHA1_SIZE = 20 };

void hf_sha1(const void *bytes, size_t size, unsigned char ret_digest[SHA1_SIZE]);

#endif
