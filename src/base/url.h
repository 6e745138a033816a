/* base/url.h - the components of a URL (RFC 3986, section 3), as slices of its text. */
#ifndef HAFT_SRC_URL_H
#define HAFT_SRC_URL_H

#include <stddef.h>

struct url_part {
    const char *text; /* NULL if the part is absent, which differs from empty */
    size_t size;
};

struct url {
    struct url_part scheme;    /* "https" */
    struct url_part authority; /* "user@example.org:8080" */
    struct url_part path;      /* "/a/b"; never absent */
    struct url_part query;     /* after the ? */
    struct url_part fragment;  /* after the # */
};

/* Splits any text: a URL or a relative reference. It decodes nothing and checks only the characters
 * of the scheme. */
struct url hf_url_split(const char *text, size_t size);

#endif
