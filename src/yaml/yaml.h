/* yaml/yaml.h - YAML as JSON, an optional part (part/yaml.h opens it). */
#ifndef HAFT_SRC_YAML_H
#define HAFT_SRC_YAML_H

#include <haft/base.h>

enum { YAML_MAX_DEPTH = 256, YAML_MAX_ANCHORS = 1000 };

/* What the part needs from libhaft. */
struct yaml_host {
    void *(*alloc)(haft_arena *arena, size_t size);
    void (*add)(haft_buffer *buffer, const void *bytes, size_t size);
    void (*add_string)(haft_buffer *buffer, const char *text, size_t size);
};

struct yaml_functions {
    /* Appends a YAML document as JSON to the buffer, whose limit bounds what aliases repeat.  Plain scalars
     * have the types of YAML 1.2's core schema, and keys become strings.  The arena has what is needed
     * meanwhile.  Returns 0, or an error with the reason, which contains the line: HAFT_EPARSE, HAFT_EDEPTH,
     * HAFT_ETOOBIG or HAFT_ENOMEM. */
    int (*to_json)(const struct yaml_host *host, const char *text, size_t size, haft_arena *arena,
                   haft_buffer *out, haft_reason *reterr_reason);
};

/* ---- within the part ---- */

/* Appends a plain scalar as JSON (scalar.c). */
void hf_yaml_put_plain(const struct yaml_host *host, const char *text, size_t size,
                       haft_buffer *out);
int hf_yaml_to_json(const struct yaml_host *host, const char *text, size_t size, haft_arena *arena,
                    haft_buffer *out, haft_reason *reterr_reason);

#endif
