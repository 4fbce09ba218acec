/* The part of the terrain that is written in C++: declarations for CUDA C++, for Rust (src/lib.rs
 * repeats them) and for the host program. */
#ifndef TERRAIN_H
#define TERRAIN_H

#include <stdint.h>

#ifdef __CUDACC__
#define DEVICE extern "C" __device__
#else
#define DEVICE
#endif

struct terrain {
  uint32_t seed;
  uint32_t octaves;
};

struct sample {
  uint32_t height;
  uint16_t octaves; /* how many were summed up before the rest could change nothing */
  uint8_t water;
};

/* Defined in C++, called from Rust. */
DEVICE struct sample terrain_sample(const struct terrain *t, uint32_t x, uint32_t y);
/* Defined in Rust, called from C++: between a and b, at f of 256 parts. */
DEVICE uint32_t terrain_blend(uint32_t a, uint32_t b, uint32_t f);

#endif
