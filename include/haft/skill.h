/* haft/skill.h - skills: directories of instructions and files for a model, which a server offers and a
 * client reads (the extension io.modelcontextprotocol/skills).
 *
 *     haft_server_add_skills(server, "/usr/share/shop/skills", NULL);
 *
 * offers every directory below it that has a file SKILL.md: that of the directory "refunds" has the URI
 * "skill://refunds", a slash and the name of the file.  The front matter of a SKILL.md is YAML and needs the optional part in
 * libhaft-yaml (haft/part.h), on both sides. */
#ifndef HAFT_SKILL_H
#define HAFT_SKILL_H

#include <haft/client.h>
#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- servers ---- */

/* Options of haft_server_add_skills.  Zero means the default in each description. */
typedef struct haft_skill_options {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    /* Begins the paths of the skills: with "acme/billing", the directory "refunds" is
     * skill://acme/billing/refunds; NULL for none.  Copied. */
    const char *prefix;
    size_t max_bytes;    /* bytes of all files, which are kept in memory: 64 MiB */
    unsigned max_skills; /* number of skills: 1,024 */
} haft_skill_options;

/* Offers the skills below a directory, also while the server serves; a server may have several
 * directories.  haft reads all files now, and serves what it has read until
 * haft_server_reload_skills; haft_main calls that on SIGHUP.  Names that begin with a dot, and files
 * outside of skills, are not offered.  `options` may be NULL.
 *
 * Returns 0; or an error, which is logged and kept for haft_server_error, and the server then offers
 * what it did before: HAFT_EINVAL for a skill that is not valid, and for a symbolic link, device or
 * pipe in a skill; HAFT_ETOOBIG for a skill of more than 512 files or 16 MiB, and over the limits of the
 * options; HAFT_EEXISTS if two directories have the same skill; HAFT_ENOTFOUND if the directory or the
 * part in libhaft-yaml does not exist; HAFT_EFAIL if a file cannot be read; HAFT_ENOMEM.  One thread at
 * a time may call this function and haft_server_reload_skills. */
int haft_server_add_skills(haft_server *server, const char *directory,
                           const haft_skill_options *options);

/* Reads the directories of haft_server_add_skills again, and notifies clients if a skill has changed.
 * Returns 0, or an error as haft_server_add_skills; the server then offers what it did before. */
int haft_server_reload_skills(haft_server *server);

/* ---- clients ---- */

/* A file of a skill. */
typedef struct haft_skill_file {
    const char *uri; /* its address, for haft_client_read */
    const char
        *path; /* the same relative to the directory of the skill, decoded: "scripts/run.py" */
    const char *digest; /* "sha256:" and 64 hexadecimal digits */
    int64_t size;       /* number of bytes */
} haft_skill_file;

/* A skill, as a server describes it.  The description comes from the server and is not more
 * trustworthy than that. */
typedef struct haft_skill {
    const char *uri;              /* address of its SKILL.md, which identifies it */
    const char *name;             /* name; several skills of a server may have the same */
    const char *description;      /* what it is for */
    haft_value *frontmatter;      /* everything that its SKILL.md begins with, an object */
    const haft_skill_file *files; /* all of its files, SKILL.md among them */
    size_t n_files;               /* number of files */
    bool dynamic;                 /* the server generates the files: there is no list of them */
} haft_skill;

/* Skills of a server; they and everything that they point to live until haft_skills_free. */
typedef struct haft_skills haft_skills;

/* List the skills of a server, or get the one whose SKILL.md has this URI, which a server may offer
 * without listing it.  No file is read.  Return NULL with the reason, which may be NULL:
 * HAFT_ENOTFOUND if the server offers no skills, or not this one; HAFT_EPROTOCOL if an entry is not
 * valid; otherwise as haft_client_call.  They wait for the answer. */
haft_skills *haft_client_skills(haft_client *client, haft_reason *reterr_reason);
haft_skills *haft_client_skill(haft_client *client, const char *uri, haft_reason *reterr_reason);

/* Returns the number of skills, and the skill of that index, in the order of the server; NULL past the
 * last. */
size_t haft_skills_count(const haft_skills *skills);
const haft_skill *haft_skills_at(const haft_skills *skills, size_t index);

/* Frees skills; accepts NULL. */
void haft_skills_free(haft_skills *skills);

/* Reads a file of a skill, "SKILL.md" for example, and appends it to the buffer if it is what the skill
 * says: its size, its digest and, for SKILL.md, the front matter.  Returns 0, or an error with the reason,
 * which may be NULL: HAFT_ENOTFOUND if the skill does not list the file; HAFT_EPROTOCOL if the contents
 * differ, for example because the skill has changed since (haft_client_skill gets it anew);
 * HAFT_ETOOBIG if the buffer has no room; otherwise as haft_client_call.  A file of a dynamic skill has
 * nothing to be compared with, except for the front matter.  It waits for the answer. */
int haft_client_read_skill(haft_client *client, const haft_skill *skill, const char *path,
                           haft_buffer *ret_contents, haft_reason *reterr_reason);

#ifdef __cplusplus
}
#endif
#endif
