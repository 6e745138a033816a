/* audio/fft.c - a radix-2 Fourier transform in place. */
#include <math.h>

#include "audio/audio.h"

static const double fft_tau = 6.283185307179586;

static void fft_swap(double *numbers, size_t i, size_t k)
{
    double number = numbers[i];

    numbers[i] = numbers[k];
    numbers[k] = number;
}

/* Puts each number where its index with the bits reversed says. */
static void fft_reorder(double *real, double *imaginary, size_t n)
{
    for (size_t i = 1, k = 0; i < n; i++) {
        size_t bit = n >> 1;

        for (; k & bit; bit >>= 1)
            k ^= bit;
        k ^= bit;
        if (i < k) {
            fft_swap(real, i, k);
            fft_swap(imaginary, i, k);
        }
    }
}

void audio_fft(double *real, double *imaginary, size_t n)
{
    fft_reorder(real, imaginary, n);
    for (size_t size = 2; size <= n; size *= 2) {
        double angle = -fft_tau / (double)size, step_real = cos(angle), step_imaginary = sin(angle);

        for (size_t from = 0; from < n; from += size) {
            double w_real = 1, w_imaginary = 0;

            for (size_t i = from; i < from + size / 2; i++) {
                size_t k = i + size / 2;
                double a = real[k] * w_real - imaginary[k] * w_imaginary;
                double b = real[k] * w_imaginary + imaginary[k] * w_real;
                double next = w_real * step_real - w_imaginary * step_imaginary;

                real[k] = real[i] - a;
                imaginary[k] = imaginary[i] - b;
                real[i] += a;
                imaginary[i] += b;
                w_imaginary = w_real * step_imaginary + w_imaginary * step_real;
                w_real = next;
            }
        }
    }
}
