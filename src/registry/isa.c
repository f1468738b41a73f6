/* isa.c -- what the processor says of itself. */
#include "registry/isa.h"

const char *const bp_isa_names[BP_ISA_COUNT] = {"base", "avx2", "avx512"};

int bp_isa_lanes(bp_isa isa)
{
  return 2 << isa;
}

bool bp_isa_runs(bp_isa isa)
{
#if defined __x86_64__
  __builtin_cpu_init();
  if (isa == BP_ISA_AVX2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
  if (isa == BP_ISA_AVX512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
#endif
  return isa == BP_ISA_BASE;
}

bp_isa bp_isa_best(void)
{
  bp_isa isa = BP_ISA_COUNT - 1;
  while (!bp_isa_runs(isa))
    --isa;
  return isa;
}
