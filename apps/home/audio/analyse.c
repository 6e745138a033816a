/* audio/analyse.c - tempo, beats, loudness and bands of a sound.
 *
 * Onsets are sums of what each frequency gains from one transform to the next.  The tempo is the period at
 * which they resemble themselves most, and beats are the path through them that fits that period best. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audio/audio.h"

static const double analyse_tau = 6.283185307179586;
static const double slowest = 60, fastest = 200, usual = 120; /* beats a minute */

/* Work in progress. */
struct analysis {
    const struct audio_sound *sound;
    size_t size, hop, n_frames; /* of transforms */
    double *window, *real, *imaginary, *magnitudes;
    double *onsets; /* one for each frame */
    double powers[AUDIO_BANDS];
};

static const struct audio_band analyse_bands[AUDIO_BANDS] = {
    {"sub_bass", 20, 60, 0}, {"bass", 60, 250, 0},        {"low_mid", 250, 500, 0},
    {"mid", 500, 2000, 0},   {"high_mid", 2000, 4000, 0}, {"treble", 4000, 20000, 0},
};

static void analyse_finish(struct analysis *a)
{
    free(a->window);
    free(a->real);
    free(a->imaginary);
    free(a->magnitudes);
    free(a->onsets);
}

static int analyse_begin(struct analysis *a, const struct audio_sound *sound, size_t size)
{
    *a = (struct analysis){.sound = sound, .size = size, .hop = size / 4};
    a->n_frames = sound->n < size ? 1 : 1 + (sound->n - size) / a->hop;
    a->window = malloc(size * sizeof *a->window);
    a->real = malloc(size * sizeof *a->real);
    a->imaginary = malloc(size * sizeof *a->imaginary);
    a->magnitudes = calloc(size / 2, sizeof *a->magnitudes);
    a->onsets = calloc(a->n_frames, sizeof *a->onsets);
    if (!a->window || !a->real || !a->imaginary || !a->magnitudes || !a->onsets)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < size; i++)
        a->window[i] = 0.5 - 0.5 * cos(analyse_tau * (double)i / (double)size);
    return 0;
}

/* ---- spectra ---- */

static void analyse_add_band(struct analysis *a, double frequency, double power)
{
    for (size_t b = 0; b < AUDIO_BANDS; b++)
        if (frequency >= analyse_bands[b].low && frequency < analyse_bands[b].high)
            a->powers[b] += power;
}

static void analyse_frame(struct analysis *a, size_t frame)
{
    const double *samples = a->sound->samples + frame * a->hop;
    size_t left = a->sound->n - frame * a->hop;

    for (size_t i = 0; i < a->size; i++) {
        a->real[i] = i < left ? samples[i] * a->window[i] : 0;
        a->imaginary[i] = 0;
    }
    audio_fft(a->real, a->imaginary, a->size);
    for (size_t i = 1; i < a->size / 2; i++) {
        double power = a->real[i] * a->real[i] + a->imaginary[i] * a->imaginary[i];
        double loudness = log1p(100 * sqrt(power)), gain = loudness - a->magnitudes[i];

        analyse_add_band(a, (double)i * a->sound->rate / (double)a->size, power);
        if (frame && gain > 0)
            a->onsets[frame] += gain;
        a->magnitudes[i] = loudness;
    }
}

static int analyse_frames(struct analysis *a, bool (*stops)(void *context), void *context)
{
    double mean = 0, deviation = 0;

    for (size_t i = 0; i < a->n_frames; i++) {
        if (stops && !(i & 63) && stops(context))
            return HAFT_ECLOSED;
        analyse_frame(a, i);
        mean += a->onsets[i];
    }
    mean /= (double)a->n_frames;
    for (size_t i = 0; i < a->n_frames; i++)
        deviation += (a->onsets[i] - mean) * (a->onsets[i] - mean);
    deviation = sqrt(deviation / (double)a->n_frames);
    /* A sound without onsets has no tempo. */
    for (size_t i = 0; i < a->n_frames; i++)
        a->onsets[i] = deviation > 1e-3 ? (a->onsets[i] - mean) / deviation : 0;
    return 0;
}

/* ---- tempo and beats ---- */

static double analyse_frame_rate(const struct analysis *a)
{
    return a->sound->rate / (double)a->hop;
}

/* How much the onsets resemble themselves a number of frames later. */
static double analyse_alike(const struct analysis *a, size_t lag)
{
    double sum = 0;

    for (size_t i = 0; i + lag < a->n_frames; i++)
        sum += a->onsets[i] * a->onsets[i + lag];
    return sum / (double)(a->n_frames - lag);
}

/* The period of the beat in frames, between whole numbers; 0 if there is none. */
static double analyse_period(const struct analysis *a)
{
    double rate = analyse_frame_rate(a), best = 0, period = 0;
    size_t from = (size_t)(rate * 60 / fastest), to = (size_t)(rate * 60 / slowest) + 1;

    for (size_t lag = from ? from : 1; lag <= to && lag + 2 < a->n_frames; lag++) {
        double octaves = log2(rate * 60 / (double)lag / usual);
        double alike = analyse_alike(a, lag) * exp(-0.5 * octaves * octaves);

        if (alike > best) {
            double before = analyse_alike(a, lag - 1), here = analyse_alike(a, lag);
            double after = analyse_alike(a, lag + 1), bend = before - 2 * here + after;
            double shift = bend < 0 ? 0.5 * (before - after) / bend : 0;

            best = alike;
            /* Only the top of a peak between its neighbors is closer to the period than the lag. */
            period = (double)lag + (fabs(shift) <= 0.5 ? shift : 0);
        }
    }
    return best > 0.05 ? period : 0;
}

/* The best predecessor of a beat at this frame, and what the path is worth there. */
static double analyse_link(const struct analysis *a, const double *scores, size_t at, double period,
                           size_t *ret_from)
{
    double best = 0;
    size_t low = (size_t)(period / 2), high = (size_t)(period * 2) + 1;

    *ret_from = SIZE_MAX;
    for (size_t back = low ? low : 1; back <= high && back <= at; back++) {
        double off = log((double)back / period), score = scores[at - back] - 100 * off * off;

        if (*ret_from == SIZE_MAX ? score > 0 : score > best) {
            best = score;
            *ret_from = at - back;
        }
    }
    return a->onsets[at] + (best > 0 ? best : 0);
}

static int analyse_beats(const struct analysis *a, double period, struct audio_analysis *ret)
{
    double *scores = malloc(a->n_frames * sizeof *scores);
    size_t *from = malloc(a->n_frames * sizeof *from), last = 0, n = 0;

    ret->beats = malloc(AUDIO_MOST_BEATS * sizeof *ret->beats);
    if (!scores || !from || !ret->beats) {
        free(scores);
        free(from);
        return HAFT_ENOMEM;
    }
    for (size_t i = 0; i < a->n_frames; i++) {
        scores[i] = analyse_link(a, scores, i, period, &from[i]);
        if (scores[i] > scores[last])
            last = i;
    }
    for (size_t i = last; i != SIZE_MAX; i = from[i])
        n++;
    ret->n_beats = n < AUDIO_MOST_BEATS ? n : AUDIO_MOST_BEATS;
    for (size_t i = last, k = n; i != SIZE_MAX; i = from[i])
        if (--k < AUDIO_MOST_BEATS)
            ret->beats[k] = ((double)(i * a->hop) + (double)a->size / 2) / a->sound->rate;
    free(scores);
    free(from);
    return 0;
}

/* ---- loudness ---- */

static void analyse_energies(const struct audio_sound *sound, struct audio_analysis *ret)
{
    ret->n_energies = sound->n < AUDIO_MOST_ENERGIES ? sound->n : AUDIO_MOST_ENERGIES;
    for (size_t k = 0; k < ret->n_energies; k++) {
        size_t from = sound->n * k / ret->n_energies, to = sound->n * (k + 1) / ret->n_energies;
        double sum = 0;

        for (size_t i = from; i < to; i++)
            sum += sound->samples[i] * sound->samples[i];
        ret->energies[k] = to > from ? sqrt(sum / (double)(to - from)) : 0;
    }
}

static void analyse_shares(const struct analysis *a, struct audio_analysis *ret)
{
    double all = 0;

    memcpy(ret->bands, analyse_bands, sizeof analyse_bands);
    for (size_t b = 0; b < AUDIO_BANDS; b++)
        all += a->powers[b];
    for (size_t b = 0; b < AUDIO_BANDS; b++)
        ret->bands[b].share = all > 0 ? a->powers[b] / all : 0;
}

int audio_analyse(const struct audio_sound *sound, size_t fft_size, bool (*stops)(void *context),
                  void *context, struct audio_analysis *ret_analysis)
{
    struct analysis a;
    double period;
    int status;

    *ret_analysis = (struct audio_analysis){.duration = (double)sound->n / sound->rate};
    status = analyse_begin(&a, sound, fft_size);
    if (!status)
        status = analyse_frames(&a, stops, context);
    if (!status) {
        analyse_energies(sound, ret_analysis);
        analyse_shares(&a, ret_analysis);
        period = analyse_period(&a);
        if (period > 0) {
            ret_analysis->bpm = 60 * analyse_frame_rate(&a) / period;
            status = analyse_beats(&a, period, ret_analysis);
        }
    }
    analyse_finish(&a);
    return status;
}

void audio_analysis_finish(struct audio_analysis *analysis)
{
    free(analysis->beats);
    analysis->beats = NULL;
    analysis->n_beats = 0;
}
