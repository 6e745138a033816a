/* base/url.h - the parts of a URL (RFC 3986, section 3), as spans of its own text. */
#ifndef HAFT_SRC_URL_H
#define HAFT_SRC_URL_H

#include <stddef.h>

struct url_part {
    const char *text; /* NULL when the part is absent, which is not the same as empty */
    size_t size;
};

struct url {
    struct url_part scheme;    /* "https" */
    struct url_part authority; /* "user@example.org:8080" */
    struct url_part path;      /* "/a/b"; never absent */
    struct url_part query;     /* behind the ? */
    struct url_part fragment;  /* behind the # */
};

/* Takes any text apart: a URL, or a reference that lacks some of its first parts.  Nothing is decoded
 * or checked but the characters of the scheme. */
struct url hf_url_split(const char *text, size_t size);

#endif
