/* fuzz_wav.c - any bytes as a sound file.
 *
 * Whatever they are, they are refused with a reason, or samples come back that are between -1 and 1, and whose
 * analysis is within its bounds. */
#include <math.h>
#include <stdlib.h>

#include "audio/audio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct audio_sound sound;
    struct audio_analysis found;
    haft_reason reason = {0};

    if (audio_read_wav(data, size, &sound, &reason)) {
        require(*reason.text && !sound.samples);
        return 0;
    }
    require(sound.n > 0 && sound.n <= size);
    for (size_t i = 0; i < sound.n; i++)
        require(fabs(sound.samples[i]) <= 1);
    require(!audio_resample(&sound, 8000));
    require(!audio_analyse(&sound, 256, NULL, NULL, &found));
    require(found.bpm >= 0 && found.bpm < 300 && found.n_energies <= AUDIO_MOST_ENERGIES);
    for (size_t i = 1; i < found.n_beats; i++)
        require(found.beats[i] > found.beats[i - 1] && found.beats[i] <= found.duration + 1);
    audio_analysis_finish(&found);
    free(sound.samples);
    return 0;
}
