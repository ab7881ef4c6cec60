// Hints to the compiler for loops that should be vectorised.

#pragma once

// A function compiled for AVX2 and for the baseline, chosen at load time where the linker supports
// it: wider vectors, but the same operations in the same order, and so the same results.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define NPPARSE_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define NPPARSE_VECTORISED
#endif

// Before a loop without dependencies between its iterations: the rows do not alias.
#if defined(__GNUC__) && !defined(__clang__)
#define NPPARSE_INDEPENDENT _Pragma("GCC ivdep")
#else
#define NPPARSE_INDEPENDENT
#endif
