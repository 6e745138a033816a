/* audio/wav.c - reads WAV files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audio/audio.h"
#include "base/base.h"

/* What the chunk "fmt " says. */
struct wav_format {
    unsigned tag, channels, bits, block;
    double rate;
};

enum { WAV_INTEGERS = 1, WAV_FLOATS = 3, WAV_EXTENSIBLE = 0xFFFE };

static unsigned wav_u16(const unsigned char *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

static uint32_t wav_u32(const unsigned char *at)
{
    return wav_u16(at) | (uint32_t)wav_u16(at + 2) << 16;
}

static int wav_refuse(haft_reason *reason, const char *text)
{
    return hf_error_set(reason, HAFT_EINVAL, "", "%s", text);
}

static int wav_read_format(const unsigned char *at, size_t size, struct wav_format *ret,
                           haft_reason *reason)
{
    if (size < 16)
        return wav_refuse(reason, "its format is cut off");
    ret->tag = wav_u16(at);
    ret->channels = wav_u16(at + 2);
    ret->rate = wav_u32(at + 4);
    ret->block = wav_u16(at + 12);
    ret->bits = wav_u16(at + 14);
    if (ret->tag == WAV_EXTENSIBLE && size >= 26)
        ret->tag = wav_u16(at + 24);
    if (ret->tag != WAV_INTEGERS && ret->tag != WAV_FLOATS)
        return wav_refuse(reason, "it is compressed; only PCM is supported");
    if (ret->tag == WAV_FLOATS
            ? ret->bits != 32 && ret->bits != 64
            : ret->bits != 8 && ret->bits != 16 && ret->bits != 24 && ret->bits != 32)
        return wav_refuse(reason, "its samples have a size that is not supported");
    if (!ret->channels || ret->channels > AUDIO_MOST_CHANNELS)
        return wav_refuse(reason, "it has no channel, or more than 8");
    if (ret->block != ret->channels * ret->bits / 8)
        return wav_refuse(reason, "its block size is wrong");
    if (ret->rate < 1000 || ret->rate > 384000)
        return wav_refuse(reason, "its sample rate is not between 1,000 and 384,000");
    return 0;
}

/* One sample, from -1 to 1. */
static double wav_sample(const unsigned char *at, const struct wav_format *format)
{
    uint32_t word;
    uint64_t bits;
    double number;
    float small;

    switch (format->bits) {
    case 8:
        return (at[0] - 128) / 128.0;
    case 16:
        return (int16_t)wav_u16(at) / 32768.0;
    case 24:
        word = (uint32_t)at[0] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 24;
        return (int32_t)word / 2147483648.0;
    case 32:
        word = wav_u32(at);
        if (format->tag == WAV_INTEGERS)
            return (int32_t)word / 2147483648.0;
        memcpy(&small, &word, sizeof small);
        number = small;
        break;
    default:
        bits = wav_u32(at) | (uint64_t)wav_u32(at + 4) << 32;
        memcpy(&number, &bits, sizeof number);
    }
    if (!isfinite(number))
        return 0;
    return number < -1 ? -1 : number > 1 ? 1 : number;
}

static int wav_read_samples(const unsigned char *at, size_t size, const struct wav_format *format,
                            struct audio_sound *ret)
{
    size_t width = format->bits / 8;

    ret->rate = format->rate;
    ret->n = size / format->block;
    ret->samples = malloc((ret->n ? ret->n : 1) * sizeof *ret->samples);
    if (!ret->samples)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < ret->n; i++) {
        double sum = 0;

        for (size_t c = 0; c < format->channels; c++)
            sum += wav_sample(at + i * format->block + c * width, format);
        ret->samples[i] = sum / format->channels;
    }
    return 0;
}

int audio_read_wav(const unsigned char *bytes, size_t size, struct audio_sound *ret_sound,
                   haft_reason *reterr_reason)
{
    struct wav_format format = {0};

    *ret_sound = (struct audio_sound){0};
    if (size < 12 || memcmp(bytes, "RIFF", 4) || memcmp(bytes + 8, "WAVE", 4))
        return wav_refuse(reterr_reason, "it is not a WAV file");
    for (size_t at = 12; size - at >= 8;) {
        const unsigned char *chunk = bytes + at;
        size_t length = wav_u32(chunk + 4), left = size - at - 8;
        int status;

        if (!memcmp(chunk, "data", 4)) {
            /* A recorder that was cut off leaves a wrong length. */
            if (!format.channels)
                return wav_refuse(reterr_reason, "its samples come before their format");
            if (length < format.block || left < format.block)
                return wav_refuse(reterr_reason, "it has no samples");
            return wav_read_samples(chunk + 8, length < left ? length : left, &format, ret_sound);
        }
        if (length > left)
            break;
        if (!memcmp(chunk, "fmt ", 4)) {
            status = wav_read_format(chunk + 8, length, &format, reterr_reason);
            if (status)
                return status;
        }
        at += 8 + length + (length & 1 && length < left);
    }
    return wav_refuse(reterr_reason, "it has no samples");
}

/* The mean of what is around a place, as wide as one sample of the new rate. */
static double wav_mean(const struct audio_sound *sound, double at, double width)
{
    double low = at - width / 2, high = at + width / 2, sum = 0;
    size_t from = low < 0 ? 0 : (size_t)low, to = (size_t)high;

    if (to >= sound->n)
        to = sound->n - 1;
    for (size_t i = from; i <= to; i++)
        sum += sound->samples[i];
    return sum / (double)(to - from + 1);
}

static double wav_between(const struct audio_sound *sound, double at)
{
    size_t i = (size_t)at;

    if (i + 1 >= sound->n)
        return sound->samples[sound->n - 1];
    return sound->samples[i] + (sound->samples[i + 1] - sound->samples[i]) * (at - (double)i);
}

int audio_resample(struct audio_sound *sound, double rate)
{
    double step = sound->rate / rate;
    size_t n = (size_t)((double)sound->n / step);
    double *samples;

    if (rate == sound->rate || !sound->n)
        return 0;
    n = n ? n : 1;
    if (n > AUDIO_MOST_BYTES)
        return HAFT_ETOOBIG;
    samples = malloc(n * sizeof *samples);
    if (!samples)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < n; i++)
        samples[i] = step > 1 ? wav_mean(sound, (double)i * step, step)
                              : wav_between(sound, (double)i * step);
    free(sound->samples);
    *sound = (struct audio_sound){samples, n, rate};
    return 0;
}
