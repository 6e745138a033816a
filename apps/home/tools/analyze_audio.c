/* analyze_audio - tempo, beats, loudness and bands of a WAV file.  It runs in a separate process,
 * because it reads untrusted files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audio/audio.h"
#include "tools/common.h"

HAFT_STRUCT(audio_args,
    HAFT_STRING(audio_file, "WAV file", .min = 1, .max = 1024),
    HAFT_DEFAULT(HAFT_INTEGER(sample_rate, "Samples a second", .min = 8000, .max = 48000), 22050),
    HAFT_DEFAULT(HAFT_INTEGER(fft_size, "A power of two", .min = 256, .max = 16384), 2048));

static void audio_check(haft_refinement *refinement, const audio_args *in)
{
    if (in->fft_size & (in->fft_size - 1))
        haft_refinement_add_issue(refinement, "fft_size", "must be a power of two");
}
HAFT_REFINE(audio_args, audio_check);

HAFT_STRUCT(audio_band_result,
    HAFT_STRING(name, NULL),
    HAFT_NUMBER(low, NULL),
    HAFT_NUMBER(high, NULL),
    HAFT_NUMBER(share, NULL));

HAFT_STRUCT(audio_result,
    HAFT_NUMBER(duration, "Seconds"),
    HAFT_NUMBER(bpm, "0: no beat"),
    HAFT_ARRAY(beats, HAFT_NUMBER(at, NULL), "Seconds"),
    HAFT_ARRAY(energy, HAFT_NUMBER(level, NULL), NULL),
    HAFT_ARRAY(bands, HAFT_OBJECT(band, audio_band_result, NULL), NULL));

/* ---- the file ---- */

/* Opens a file below a directory, one name after the other, so that neither ".." nor a symbolic link leads
 * elsewhere.  Returns a descriptor, or -1 with errno. */
static int audio_open_below(const char *directory, char *path)
{
    int at = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;
    char *save = NULL, *name = strtok_r(path, "/", &save);

    if (!name)
        errno = EISDIR;
    while (at >= 0 && name) {
        char *next = strtok_r(NULL, "/", &save);
        int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (next ? O_DIRECTORY : O_NONBLOCK);
        int fd = -1;

        if (strcmp(name, "..") != 0)
            fd = openat(at, name, flags);
        else
            errno = EACCES;
        error = errno;
        close(at);
        errno = error;
        at = fd;
        name = next;
        if (!name)
            return at;
    }
    if (at >= 0)
        close(at);
    return -1;
}

/* Reads all of a regular file; the bytes are the caller's to free. */
static int audio_read_all(haft_call *call, int fd, const char *name, unsigned char **ret_bytes,
                          size_t *ret_size)
{
    unsigned char *bytes;
    struct stat about;
    size_t size = 0;
    ssize_t n;

    if (fstat(fd, &about) || !S_ISREG(about.st_mode))
        return home_fail(call, "\"%s\" is not a regular file.", name);
    if (about.st_size > AUDIO_MOST_BYTES)
        return home_fail(call, "\"%s\" has %lld bytes; at most %d are read.", name,
                         (long long)about.st_size, AUDIO_MOST_BYTES);
    bytes = malloc((size_t)about.st_size + 1);
    if (!bytes)
        return HAFT_ENOMEM;
    while (size < (size_t)about.st_size) {
        n = read(fd, bytes + size, (size_t)about.st_size - size);
        if (n <= 0)
            break;
        size += (size_t)n;
    }
    *ret_bytes = bytes;
    *ret_size = size;
    return 0;
}

static int audio_load(haft_call *call, const char *name, struct audio_sound *ret_sound)
{
    const char *directory = hass_audio_dir(call);
    unsigned char *bytes = NULL;
    haft_reason reason = {0};
    size_t size = 0;
    char *path;
    int fd, status;

    if (!directory)
        return home_fail(
            call, "This server may not read audio files: it was started without --audio-dir.");
    path = haft_call_printf(call, "%s", name);
    if (!path)
        return HAFT_ENOMEM;
    fd = *name == '/' ? -1 : audio_open_below(directory, path);
    if (fd < 0)
        return *name == '/'
                   ? home_fail(call, "\"%s\" is not relative to the audio directory.", name)
                   : home_fail(call, "\"%s\" cannot be opened: %s.", name, strerror(errno));
    status = audio_read_all(call, fd, name, &bytes, &size);
    close(fd);
    if (status)
        return status;
    status = audio_read_wav(bytes, size, ret_sound, &reason);
    free(bytes);
    return status == HAFT_EINVAL ? home_fail(call, "\"%s\" cannot be read: %s.", name, reason.text)
                                 : status;
}

/* ---- the result ---- */

/* Rounded to a thousandth: more is noise, and long. */
static double audio_round(double value)
{
    return (double)(int64_t)(value * 1000 + 0.5) / 1000;
}

static int audio_fill_in(haft_call *call, const struct audio_analysis *of, audio_result *out)
{
    out->duration = audio_round(of->duration);
    out->bpm = audio_round(of->bpm);
    out->n_beats = of->n_beats;
    out->beats = haft_call_alloc(call, (of->n_beats + 1) * sizeof *out->beats);
    out->n_energy = of->n_energies;
    out->energy = haft_call_alloc(call, (of->n_energies + 1) * sizeof *out->energy);
    out->n_bands = AUDIO_BANDS;
    out->bands = haft_call_alloc(call, AUDIO_BANDS * sizeof *out->bands);
    if (!out->beats || !out->energy || !out->bands)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < of->n_beats; i++)
        out->beats[i] = audio_round(of->beats[i]);
    for (size_t i = 0; i < of->n_energies; i++)
        out->energy[i] = audio_round(of->energies[i]);
    for (size_t i = 0; i < AUDIO_BANDS; i++)
        out->bands[i] = (audio_band_result){of->bands[i].name, of->bands[i].low, of->bands[i].high,
                                            audio_round(of->bands[i].share)};
    return 0;
}

static bool audio_stops(void *call)
{
    return haft_call_cancelled(call);
}

static int analyze_audio(haft_call *call, const audio_args *in, audio_result *out)
{
    struct audio_sound sound = {0};
    struct audio_analysis analysis = {0};
    int status = audio_load(call, in->audio_file, &sound);

    if (!status)
        status = audio_resample(&sound, (double)in->sample_rate);
    if (status == HAFT_ETOOBIG)
        status = home_fail(call, "\"%s\" is too long.", in->audio_file);
    if (!status)
        status = audio_analyse(&sound, (size_t)in->fft_size, audio_stops, call, &analysis);
    if (!status)
        status = audio_fill_in(call, &analysis, out);
    audio_analysis_finish(&analysis);
    free(sound.samples);
    return status;
}
HAFT_TOOL(analyze_audio, audio_args, audio_result,
          "Find the tempo, the beats, the loudness and the frequency bands of a WAV file.",
          HOME_READS_HERE, .rate = {5, 60000}, .isolate = true);
HOME_EXPORT(analyze_audio);
