/* config/issuer.h - an issuer of access tokens as an operator writes it:
 *
 *     URL [jwks=URL] [introspection=URL|auto client=ID secret-file=FILE|key-file=FILE]
 *         [algorithms=NAME,...] [any-type] [ca=FILE] */
#ifndef HAFT_SRC_CONFIG_ISSUER_H
#define HAFT_SRC_CONFIG_ISSUER_H

#include <haft/authenticate.h>

struct issuer {
    haft_issuer options;                /* without the secrets that the files contain */
    const char *secret_file, *key_file; /* NULL for none */
};

/* Reads an issuer; its text is copied into the arena.  Returns 0, HAFT_EINVAL with the reason, or
 * HAFT_ENOMEM. */
int hf_issuer_read(const char *text, haft_arena *arena, struct issuer *ret_issuer,
                   haft_reason *reterr_reason);

/* Reads the secrets from their files into the buffer, which must live as long as the options are used
 * and wipes its memory; warns on the server's log if other users can read them. Returns 0, or an error
 * with the reason. */
int hf_issuer_read_secrets(struct issuer *issuer, haft_server *server, haft_buffer *secret,
                           haft_reason *reterr_reason);

#endif
