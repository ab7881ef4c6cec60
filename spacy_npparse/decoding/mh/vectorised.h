#pragma once

/* Compiled twice where the linker can choose by processor: wider vectors, the same additions in
   the same order, and so the same results. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define NPPARSE_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define NPPARSE_VECTORISED
#endif

/* Before a loop whose rows do not overlap. */
#if defined(__GNUC__) && !defined(__clang__)
#define NPPARSE_INDEPENDENT _Pragma("GCC ivdep")
#else
#define NPPARSE_INDEPENDENT
#endif
