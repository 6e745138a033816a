/* command_output.c - the result of a call from what a program has left: output, a file, an exit code. */
#define _GNU_SOURCE /* O_CLOEXEC, mkdtemp, nftw */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yyjson.h>

#include "upstream/command.h"

enum { OUTPUT_SHOWN = 4096, OUTPUT_DESCRIPTORS = 16 };

/* ---- the output file ---- */

/* Types by the first bytes of a file, with the ending that programs recognize. */
static const struct output_type {
    const char *type, *ending;
    size_t offset, size;
    const char *bytes;
} output_types[] = {
    {"image/png", ".png", 0, 4, "\x89PNG"},        {"image/jpeg", ".jpg", 0, 3, "\xff\xd8\xff"},
    {"image/gif", ".gif", 0, 4, "GIF8"},           {"image/webp", ".webp", 8, 4, "WEBP"},
    {"audio/wav", ".wav", 8, 4, "WAVE"},           {"audio/mpeg", ".mp3", 0, 3, "ID3"},
    {"audio/ogg", ".ogg", 0, 4, "OggS"},           {"audio/flac", ".flac", 0, 4, "fLaC"},
    {"application/pdf", ".pdf", 0, 5, "%PDF-"},    {"application/zip", ".zip", 0, 4, "PK\3\4"},
    {"application/gzip", ".gz", 0, 2, "\x1f\x8b"},
};

static const char *output_ending(const char *type)
{
    for (size_t i = 0; type && i < sizeof output_types / sizeof *output_types; i++)
        if (!strcmp(output_types[i].type, type))
            return output_types[i].ending;
    return "";
}

static const char *output_type_of(const char *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof output_types / sizeof *output_types; i++) {
        const struct output_type *type = &output_types[i];

        if (size >= type->offset + type->size &&
            !memcmp(bytes + type->offset, type->bytes, type->size))
            return type->type;
    }
    return haft_utf8_valid(bytes, size) == size ? "text/plain" : "application/octet-stream";
}

int hf_command_make_output(struct command_run *run, haft_reason *reterr_reason)
{
    const command_tool_entry *entry = run->tool->entry;
    const char *base = getenv("TMPDIR");
    char directory[sizeof run->file.directory];

    if (!base || *base != '/' || strlen(base) > 40)
        base = "/tmp";
    snprintf(directory, sizeof directory, "%s/haft-XXXXXX", base);
    if (!mkdtemp(directory))
        return hf_error_set(reterr_reason, HAFT_EFAIL, "", "cannot create a directory in %s: %s",
                            base, strerror(errno));
    memcpy(run->file.directory, directory, sizeof directory);
    run->file.name =
        haft_call_printf(run->call, "%s/output%s", directory,
                         output_ending(entry->has_output_type ? entry->output_type : NULL));
    return run->file.name ? 0 : hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
}

static int output_remove(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void hf_command_remove_output(struct command_run *run)
{
    if (*run->file.directory)
        nftw(run->file.directory, output_remove, OUTPUT_DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
    *run->file.directory = '\0';
}

/* Reads the file into the buffer of the output.  A link or a device is not one. */
static int output_read_file(const struct command_run *run, haft_buffer *bytes)
{
    int file = open(run->file.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    ssize_t n = -1;

    if (file < 0)
        return HAFT_ENOTFOUND;
    if (!fstat(file, &about) && S_ISREG(about.st_mode))
        while ((n = read(file, run->tool->command->scratch, COMMAND_SCRATCH)) > 0 && !bytes->status)
            haft_buffer_add(bytes, run->tool->command->scratch, (size_t)n);
    close(file);
    return n < 0 ? HAFT_EINVAL : bytes->status;
}

static int output_put_bytes(const struct command_run *run, const char *bytes, size_t size)
{
    const command_tool_entry *entry = run->tool->entry;
    const char *type = entry->has_output_type ? entry->output_type : output_type_of(bytes, size);
    haft_contents contents = {.mime_type = type, .bytes = bytes, .size = size};

    if (!strncmp(type, "image/", 6))
        return haft_image(run->call, type, bytes, size);
    if (!strncmp(type, "audio/", 6))
        return haft_audio(run->call, type, bytes, size);
    if (!strncmp(type, "text/", 5) && haft_utf8_valid(bytes, size) == size)
        return haft_text_bytes(run->call, bytes, size);
    contents.uri = haft_call_printf(run->call, "output:%s", strrchr(run->file.name, '/') + 1);
    return contents.uri ? haft_embed(run->call, &contents) : HAFT_ENOMEM;
}

static int output_put_file(const struct command_run *run)
{
    haft_buffer bytes;
    int status;

    haft_buffer_init(&bytes, run->out.allocator, (size_t)run->tool->entry->max_output);
    status = output_read_file(run, &bytes);
    if (status == HAFT_ETOOBIG)
        status = haft_error(run->call, "The file that it wrote is over %lld bytes.",
                            (long long)run->tool->entry->max_output);
    else if (status == HAFT_ENOTFOUND || status == HAFT_EINVAL)
        status = haft_error(run->call, "It did not write its output file.");
    else if (!status)
        status = output_put_bytes(run, bytes.data ? bytes.data : "", bytes.size);
    haft_buffer_finish(&bytes);
    return status;
}

/* ---- errors ---- */

/* The beginning of the output, for an error whose program wrote nothing to its standard error. */
static struct text output_beginning(struct command_run *run)
{
    size_t size = run->out.size < OUTPUT_SHOWN ? run->out.size : OUTPUT_SHOWN;
    struct text clean = hf_command_clean(run->call, run->out.data, size);

    return clean.data ? clean : (struct text){"", 0};
}

/* An error with what the program said. */
static int output_fail(struct command_run *run, const char *what)
{
    struct text said = hf_command_errors(run);

    if (!said.size)
        said = output_beginning(run);
    return haft_error(run->call, "%s%s%.*s", what, said.size ? "\n" : "", (int)said.size,
                      said.data);
}

static int output_refuse(struct command_run *run)
{
    const haft_reason *failure = &run->failure;

    if (run->cancelled)
        return HAFT_ECANCELLED;
    /* A wrong argument is for the model; anything else is for the operator as well. */
    if (failure->code != HAFT_EINVAL && failure->code != HAFT_ETOOBIG)
        haft_log(run->call, HAFT_ERROR, "cannot run the program: %s", failure->text);
    return haft_error(run->call, "%s%s%s", failure->path, *failure->path ? ": " : "",
                      failure->text);
}

/* ---- success ---- */

static int output_put_json(struct command_run *run)
{
    haft_reason reason = {.code = 0};
    char what[400];

    if (haft_json_read(run->out.data ? run->out.data : "", run->out.size, 0,
                       haft_call_arena(run->call), &reason))
        return haft_json(run->call, run->out.data, run->out.size);
    if (reason.code == HAFT_ENOMEM)
        return HAFT_ENOMEM;
    snprintf(what, sizeof what, "Its output is not valid JSON: %s.", reason.text);
    return output_fail(run, what);
}

static int output_put_text(struct command_run *run, const char *otherwise)
{
    struct text clean = hf_command_clean(run->call, run->out.data, run->out.size);

    if (!clean.data)
        return HAFT_ENOMEM;
    if (!clean.size && otherwise)
        return haft_text(run->call, "%s", otherwise);
    return haft_text_bytes(run->call, clean.data, clean.size);
}

static int output_succeed(struct command_run *run, const char *text)
{
    switch (run->tool->entry->output) {
    case command_output_json:
        return !run->out.size && text ? haft_text(run->call, "%s", text) : output_put_json(run);
    case command_output_file:
        return output_put_file(run);
    default:
        return output_put_text(run, text);
    }
}

/* What the entry says of an exit code; NULL if nothing. */
static const command_exit_entry *output_meaning(const command_tool_entry *entry, int status)
{
    char code[16];

    snprintf(code, sizeof code, "%d", status);
    for (size_t i = 0; entry->has_exit_codes && i < entry->n_exit_codes; i++)
        if (!strcmp(entry->exit_codes_keys[i], code))
            return &entry->exit_codes[i];
    return NULL;
}

static int output_by_status(struct command_run *run)
{
    const command_exit_entry *meaning = output_meaning(run->tool->entry, run->end.status);
    const char *text = meaning && meaning->has_text ? meaning->text : NULL;
    char what[64];

    if (meaning ? meaning->ok : !run->end.status)
        return output_succeed(run, text);
    snprintf(what, sizeof what, "The program exited with status %d.", run->end.status);
    return output_fail(run, text ? text : what);
}

int hf_command_answer(struct command_run *run)
{
    char what[128];

    if (run->failure.code)
        return output_refuse(run);
    if (run->cancelled)
        return HAFT_ECANCELLED;
    if (run->overflow) {
        snprintf(what, sizeof what, "The program wrote more than %lld bytes, and was terminated.",
                 (long long)run->tool->entry->max_output);
        return run->out.status == HAFT_ENOMEM ? HAFT_ENOMEM : output_fail(run, what);
    }
    if (run->end.lost || run->tool->command->stopped)
        return output_fail(run, "The program was terminated, because the server ends it.");
    if (!run->end.signal)
        return output_by_status(run);
    snprintf(what, sizeof what, "The program was terminated by signal %d (%s).", run->end.signal,
             strsignal(run->end.signal));
    return output_fail(run, what);
}
