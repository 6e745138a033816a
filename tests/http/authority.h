/* authority.h - certificates for tests of TLS, made while they run, in a directory of their own. */
#ifndef HAFT_TESTS_AUTHORITY_H
#define HAFT_TESTS_AUTHORITY_H

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <haft/base.h>

#include "support/test.h"

enum { AUTHORITY_PATH = 96, DAY = 86400 };

struct authority {
    char path[AUTHORITY_PATH]; /* its directory */
    X509 *certificate;
    EVP_PKEY *key;
    long serial;
};

/* What a certificate is like. */
struct leaf {
    const char *file; /* "a" for a.pem and a.key */
    const char *name; /* DNS name, and common name */
    long from, until; /* days from now; 0 and 0: valid now */
    unsigned bits;    /* of RSA; 0: EC */
};

HAFT_MAYBE_UNUSED_ static const char *authority_file(const struct authority *authority,
                                                     const char *name, char *ret_path)
{
    snprintf(ret_path, AUTHORITY_PATH, "%.60s/%.30s", authority->path, name);
    return ret_path;
}

static void authority_extend(X509 *certificate, int id, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, id, value);

    assert_non_null(extension);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

static X509 *authority_sign(struct authority *authority, const struct leaf *leaf, EVP_PKEY *key)
{
    X509 *certificate = X509_new();
    X509_NAME *name = X509_get_subject_name(certificate);
    bool is_root = !authority->certificate;
    char alternative[80];

    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++authority->serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), leaf->from * DAY - 60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), leaf->until ? leaf->until * DAY : DAY);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)leaf->name, -1, -1,
                               0);
    X509_set_issuer_name(certificate,
                         is_root ? name : X509_get_subject_name(authority->certificate));
    snprintf(alternative, sizeof alternative, "DNS:%s", leaf->name);
    if (is_root)
        authority_extend(certificate, NID_basic_constraints, "critical,CA:TRUE");
    else
        authority_extend(certificate, NID_subject_alt_name, alternative);
    assert_true(X509_sign(certificate, is_root ? key : authority->key, EVP_sha256()) > 0);
    return certificate;
}

/* Writes FILE.pem, with the authority's certificate behind it, and FILE.key. */
HAFT_MAYBE_UNUSED_ static void authority_issue(struct authority *authority, const struct leaf *leaf)
{
    EVP_PKEY *key = leaf->bits ? EVP_RSA_gen(leaf->bits) : EVP_EC_gen("P-256");
    X509 *certificate = authority_sign(authority, leaf, key);
    char name[32], path[AUTHORITY_PATH];
    FILE *file;

    snprintf(name, sizeof name, "%s.pem", leaf->file);
    file = fopen(authority_file(authority, name, path), "w");
    assert_non_null(file);
    PEM_write_X509(file, certificate);
    if (authority->certificate)
        PEM_write_X509(file, authority->certificate);
    fclose(file);
    snprintf(name, sizeof name, "%s.key", leaf->file);
    file = fopen(authority_file(authority, name, path), "w");
    assert_non_null(file);
    PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL);
    fclose(file);
    if (authority->certificate) {
        X509_free(certificate);
        EVP_PKEY_free(key);
    } else {
        authority->certificate = certificate;
        authority->key = key;
    }
}

/* Makes the directory and ca.pem. */
HAFT_MAYBE_UNUSED_ static void authority_init(struct authority *authority, const char *name)
{
    *authority = (struct authority){.path = "/tmp/haft-tls-XXXXXX"};
    assert_non_null(mkdtemp(authority->path));
    authority_issue(authority, &(struct leaf){.file = "ca", .name = name});
}

HAFT_MAYBE_UNUSED_ static void authority_finish(struct authority *authority)
{
    char command[AUTHORITY_PATH + 16];
    static const char *const files[] = {"ca", "a", "b", "c", "old", "rsa", "new", "weak", "x"};

    for (size_t i = 0; i < COUNT_OF(files); i++) {
        snprintf(command, sizeof command, "%.60s/%s.pem", authority->path, files[i]);
        unlink(command);
        snprintf(command, sizeof command, "%.60s/%s.key", authority->path, files[i]);
        unlink(command);
    }
    rmdir(authority->path);
    X509_free(authority->certificate);
    EVP_PKEY_free(authority->key);
}

#endif
