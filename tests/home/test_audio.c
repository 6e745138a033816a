/* Sound files that are made here: every kind of sample, wrong files, tempos that are known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audio/audio.h"
#include "support/test.h"

static const double tau = 6.283185307179586;

/* A WAV file with these bytes as samples; the caller frees it. */
struct wav {
    unsigned char *bytes;
    size_t size;
};

static void put(unsigned char *at, uint32_t value, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static struct wav make_wav(unsigned tag, unsigned channels, unsigned bits, uint32_t rate,
                           const void *data, size_t size)
{
    struct wav wav = {calloc(1, 44 + size), 44 + size};

    assert_non_null(wav.bytes);
    memcpy(wav.bytes, "RIFF", 4);
    put(wav.bytes + 4, (uint32_t)(36 + size), 4);
    memcpy(wav.bytes + 8, "WAVEfmt ", 8);
    put(wav.bytes + 16, 16, 4);
    put(wav.bytes + 20, tag, 2);
    put(wav.bytes + 22, channels, 2);
    put(wav.bytes + 24, rate, 4);
    put(wav.bytes + 28, rate * channels * bits / 8, 4);
    put(wav.bytes + 32, channels * bits / 8, 2);
    put(wav.bytes + 34, bits, 2);
    memcpy(wav.bytes + 36, "data", 4);
    put(wav.bytes + 40, (uint32_t)size, 4);
    memcpy(wav.bytes + 44, data, size);
    return wav;
}

static void reads_every_kind_of_sample(void **state)
{
    static const float floats[] = {0.5f, -0.5f};
    static const double doubles[] = {0.5, -2};
    static const struct {
        unsigned tag, channels, bits;
        const void *data;
        size_t size, n;
        double first, last;
    } rows[] = {
        {1, 1, 8, "\xC0\x40", 2, 2, 0.5, -0.5},
        {1, 1, 16, "\x00\x40\x00\xC0", 4, 2, 0.5, -0.5},
        {1, 1, 24, "\x00\x00\x40\x00\x00\xC0", 6, 2, 0.5, -0.5},
        {1, 1, 32, "\x00\x00\x00\x40\x00\x00\x00\xC0", 8, 2, 0.5, -0.5},
        {1, 2, 16, "\x00\x40\x00\xC0\x00\x40\x00\x40", 8, 2, 0, 0.5},
        {1, 1, 16, "\x00\x40\x00", 3, 1, 0.5, 0.5},
        {3, 1, 32, floats, sizeof floats, 2, 0.5, -0.5},
        {3, 1, 64, doubles, sizeof doubles, 2, 0.5, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wav wav =
            make_wav(rows[i].tag, rows[i].channels, rows[i].bits, 8000, rows[i].data, rows[i].size);
        struct audio_sound sound;

        assert_int_equal(audio_read_wav(wav.bytes, wav.size, &sound, NULL), 0);
        assert_int_equal(sound.n, rows[i].n);
        assert_true(fabs(sound.samples[0] - rows[i].first) < 1e-6);
        assert_true(fabs(sound.samples[sound.n - 1] - rows[i].last) < 1e-6);
        free(sound.samples);
        free(wav.bytes);
    }
}

static void refuses_what_it_cannot_read(void **state)
{
    static const struct {
        size_t at;
        const char *bytes;
        size_t size;
        const char *fault;
    } rows[] = {
        {0, "RIFX", 4, "it is not a WAV file"},
        {8, "AVI ", 4, "it is not a WAV file"},
        {20, "\x55\x00", 2, "it is compressed; only PCM is supported"},
        {22, "\x00\x00", 2, "it has no channel, or more than 8"},
        {22, "\x09\x00", 2, "it has no channel, or more than 8"},
        {24, "\x01\x00\x00\x00", 4, "its sample rate is not between 1,000 and 384,000"},
        {32, "\x00\x00", 2, "its block size is wrong"},
        {34, "\x0C\x00", 2, "its samples have a size that is not supported"},
        {36, "LIST", 4, "it has no samples"},
        {12, "tmf ", 4, "its samples come before their format"},
        {16, "\x0E\x00\x00\x00", 4, "its format is cut off"},
        {40, "\x00\x00\x00\x00", 4, "it has no samples"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wav wav = make_wav(1, 1, 16, 8000, "abcd", 4);
        struct audio_sound sound;
        haft_reason reason = {0};

        memcpy(wav.bytes + rows[i].at, rows[i].bytes, rows[i].size);
        assert_int_equal(audio_read_wav(wav.bytes, wav.size, &sound, &reason), HAFT_EINVAL);
        assert_string_equal(reason.text, rows[i].fault);
        free(wav.bytes);
    }
}

/* A file that ends anywhere is read as far as it goes, or refused. */
static void may_end_anywhere(void **state)
{
    struct wav wav = make_wav(1, 1, 16, 8000, "abcdefgh", 8);

    (void)state;
    for (size_t size = 0; size < wav.size; size++) {
        unsigned char *cut = malloc(size + 1);
        struct audio_sound sound;
        int status;

        assert_non_null(cut);
        memcpy(cut, wav.bytes, size);
        status = audio_read_wav(cut, size, &sound, NULL);
        assert_int_equal(status, size < 46 ? HAFT_EINVAL : 0);
        if (!status)
            assert_int_equal(sound.n, (size - 44) / 2);
        free(status ? NULL : sound.samples);
        free(cut);
    }
    free(wav.bytes);
}

static void transforms(void **state)
{
    double real[64], imaginary[64] = {0};

    (void)state;
    for (int i = 0; i < 64; i++)
        real[i] = cos(tau * 5 * i / 64) + 0.25;
    audio_fft(real, imaginary, 64);
    for (int i = 0; i < 64; i++) {
        double wanted = i == 0 ? 16 : i == 5 || i == 59 ? 32 : 0;

        assert_true(fabs(hypot(real[i], imaginary[i]) - wanted) < 1e-9);
    }
}

/* Clicks at a tempo, over a tone. */
static struct audio_sound make_clicks(double bpm, double seconds, double rate)
{
    struct audio_sound sound = {NULL, (size_t)(seconds * rate), rate};
    double period = 60 / bpm;

    sound.samples = calloc(sound.n, sizeof *sound.samples);
    assert_non_null(sound.samples);
    for (size_t i = 0; i < sound.n; i++) {
        double at = (double)i / rate, since = fmod(at, period);

        sound.samples[i] = 0.05 * sin(tau * 440 * at);
        if (bpm > 0 && since < 0.02)
            sound.samples[i] += 0.8 * sin(tau * 1000 * since) * (1 - since / 0.02);
    }
    return sound;
}

static void finds_tempos(void **state)
{
    static const double tempos[] = {75, 90, 100, 120, 128, 140, 160};

    (void)state;
    for (size_t i = 0; i < sizeof tempos / sizeof *tempos; i++) {
        struct audio_sound sound = make_clicks(tempos[i], 20, 22050);
        struct audio_analysis found;
        size_t wanted = (size_t)(20 * tempos[i] / 60);

        assert_int_equal(audio_analyse(&sound, 2048, NULL, NULL, &found), 0);
        assert_true(fabs(found.duration - 20) < 1e-9);
        if (fabs(found.bpm - tempos[i]) > tempos[i] * 0.02)
            fail_msg("%g beats a minute were found as %g", tempos[i], found.bpm);
        assert_in_range(found.n_beats, wanted - 3, wanted + 2);
        for (size_t k = 1; k < found.n_beats; k++)
            assert_true(fabs(found.beats[k] - found.beats[k - 1] - 60 / tempos[i]) < 0.08);
        audio_analysis_finish(&found);
        free(sound.samples);
    }
}

static void finds_bands_and_loudness(void **state)
{
    static const struct {
        double hertz;
        size_t band;
    } rows[] = {{40, 0}, {100, 1}, {400, 2}, {1000, 3}, {3000, 4}, {6000, 5}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct audio_sound sound = {malloc(44100 * sizeof(double)), 44100, 22050};
        struct audio_analysis found;
        double power = 0;

        assert_non_null(sound.samples);
        for (size_t k = 0; k < sound.n; k++)
            sound.samples[k] = sin(tau * rows[i].hertz * (double)k / 22050);
        assert_int_equal(audio_analyse(&sound, 2048, NULL, NULL, &found), 0);
        assert_true(found.bands[rows[i].band].share > 0.8);
        assert_int_equal(found.n_energies, AUDIO_MOST_ENERGIES);
        for (size_t k = 0; k < found.n_energies; k++)
            power += found.energies[k] * found.energies[k] / AUDIO_MOST_ENERGIES;
        assert_true(fabs(power - 0.5) < 0.01);
        audio_analysis_finish(&found);
        free(sound.samples);
    }
}

/* Nothing, one sample, silence. */
static void has_no_beat_where_there_is_none(void **state)
{
    static const size_t sizes[] = {1, 100, 2048, 50000};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct audio_sound sound = {calloc(sizes[i], sizeof(double)), sizes[i], 22050};
        struct audio_analysis found;

        assert_non_null(sound.samples);
        assert_int_equal(audio_analyse(&sound, 2048, NULL, NULL, &found), 0);
        assert_true(found.bpm <= 0 && !found.n_beats);
        audio_analysis_finish(&found);
        free(sound.samples);
    }
}

static void resamples(void **state)
{
    static const double rates[] = {8000, 22050, 44100, 48000};

    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct audio_sound sound = make_clicks(120, 4, 32000);
        struct audio_analysis found;

        assert_int_equal(audio_resample(&sound, rates[i]), 0);
        assert_true(fabs((double)sound.n - 4 * rates[i]) < 2);
        assert_int_equal(audio_analyse(&sound, 1024, NULL, NULL, &found), 0);
        assert_true(fabs(found.bpm - 120) < 4);
        audio_analysis_finish(&found);
        free(sound.samples);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind_of_sample),
        cmocka_unit_test(refuses_what_it_cannot_read),
        cmocka_unit_test(may_end_anywhere),
        cmocka_unit_test(transforms),
        cmocka_unit_test(finds_tempos),
        cmocka_unit_test(finds_bands_and_loudness),
        cmocka_unit_test(has_no_beat_where_there_is_none),
        cmocka_unit_test(resamples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
