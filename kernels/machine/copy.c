/* machine/copy -- the fastest copy of a core: whole vectors, stores past the cache
 *
 * degrees:  1..1 compiled once
 *
 * Copies doubles first..last-1 of u to v. Both start on a cache line, and so do the threads' parts.
 */
#include "cpu.h"

#if defined __AVX512F__
#include <immintrin.h>
#define STREAM(to, from) _mm512_stream_pd((to), _mm512_load_pd(from))
#elif defined __AVX__
#include <immintrin.h>
#define STREAM(to, from) _mm256_stream_pd((to), _mm256_load_pd(from))
#elif defined __SSE2__
#include <emmintrin.h>
#define STREAM(to, from) _mm_stream_pd((to), _mm_load_pd(from))
#endif

BP_KERNEL
{
  const double *from = a->u;
  double *to = a->v;
  int64_t n = first;
#ifdef STREAM
  for (; n + 4 * BP_LANES <= last; n += 4 * BP_LANES) {
    STREAM(to + n, from + n);
    STREAM(to + n + BP_LANES, from + n + BP_LANES);
    STREAM(to + n + 2 * BP_LANES, from + n + 2 * BP_LANES);
    STREAM(to + n + 3 * BP_LANES, from + n + 3 * BP_LANES);
  }
  _mm_sfence();
#endif
  for (; n < last; ++n)
    to[n] = from[n];
}
