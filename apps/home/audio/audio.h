/* audio/audio.h - sound files and their analysis: tempo, beats, loudness and bands. */
#ifndef HOME_AUDIO_H
#define HOME_AUDIO_H

#include <haft.h>

/* ---- WAV ---- */

enum { AUDIO_MOST_BYTES = 64 << 20, AUDIO_MOST_CHANNELS = 8 };

/* Samples of one channel, from -1 to 1. */
struct audio_sound {
    double *samples;
    size_t n;
    double rate; /* samples a second */
};

/* Reads a WAV file: integers of 8, 16, 24 and 32 bits, floats of 32 and 64.  Channels are mixed to one.  The
 * samples are the caller's to free.  Returns 0, HAFT_EINVAL with the reason, or HAFT_ENOMEM. */
int audio_read_wav(const unsigned char *bytes, size_t size, struct audio_sound *ret_sound,
                   haft_reason *reterr_reason);

/* The same sound with another rate, by interpolation; lower rates are smoothed first. */
int audio_resample(struct audio_sound *sound, double rate);

/* ---- analysis ---- */

enum { AUDIO_BANDS = 6, AUDIO_MOST_ENERGIES = 200, AUDIO_MOST_BEATS = 2000 };

struct audio_band {
    const char *name;
    double low, high; /* Hz */
    double share;     /* of the power of all bands, 0 to 1 */
};

struct audio_analysis {
    double duration; /* seconds */
    double bpm;      /* 0 if no beat was found */
    double *beats;   /* seconds */
    size_t n_beats;
    double energies[AUDIO_MOST_ENERGIES]; /* root mean square of equal pieces, 0 to 1 */
    size_t n_energies;
    struct audio_band bands[AUDIO_BANDS];
};

/* Analyses a sound with transforms of `fft_size` samples, a power of two from 256 to 16384.  `stops` is asked now
 * and then whether to give up; NULL: never.  audio_analysis_finish frees what it has.  Returns 0, HAFT_ENOMEM or
 * HAFT_ECLOSED. */
int audio_analyse(const struct audio_sound *sound, size_t fft_size, bool (*stops)(void *context),
                  void *context, struct audio_analysis *ret_analysis);
void audio_analysis_finish(struct audio_analysis *analysis);

/* ---- transform ---- */

/* Replaces n complex numbers, a power of two, by their discrete Fourier transform. */
void audio_fft(double *real, double *imaginary, size_t n);

#endif
