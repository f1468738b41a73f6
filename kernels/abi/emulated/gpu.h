/* gpu.h -- the names of gpu.h on a CPU: every thread of a block is a fiber, and what needs
 * other threads is a call into the runtime (src/device/emulate/runtime/), which checks how it is used. */
#ifndef BP_KERNELS_ABI_EMULATED_GPU_H
#define BP_KERNELS_ABI_EMULATED_GPU_H

#include "abi/emulated/runtime.h"

typedef double bp_emulated_real;

#ifdef BP_EMULATE_COUNT
#include "abi/emulated/number.h"
#define double bp_emulated_number
#else
#define ldexp           __builtin_ldexp
#define bp_emulated_fma __builtin_fma
#endif
#include "abi/types.h" /* of counted numbers */

#define BP_HERE                                                                                    \
  bp_emulated_site                                                                                 \
  {                                                                                                \
    __FILE__, __LINE__                                                                             \
  }
/* As a default argument it is the caller's place. */
static inline bp_emulated_site bp_emulated_here(const char *file = __builtin_FILE(),
                                                int line = __builtin_LINE())
{
  return {file, line};
}

typedef __SIZE_TYPE__ size_t;

template <auto kernel> static void bp_emulated_call(void *const *a)
{
  kernel(BP_ARGUMENTS(a));
}

struct bp_emulated_register {
  bp_emulated_kernel kernel;
  bp_emulated_register(bp_emulated_kernel with) : kernel(with)
  {
    kernel.next = bp_emulated_kernels;
    bp_emulated_kernels = &kernel;
  }
};

#define BP_EMULATED_KERNEL(name, threads, parameters)                                              \
  static void name(parameters);                                                                    \
  static bp_emulated_register name##_registered(                                                   \
      {#name, bp_emulated_call<name>, threads, BP_HERE});                                          \
  static void name(parameters)
#define BP_KERNEL(name)                          BP_EMULATED_KERNEL(name, 0, BP_PARAMETERS)
#define BP_KERNEL_PLAIN(name)                    BP_EMULATED_KERNEL(name, 0, BP_PARAMETERS_PLAIN)
#define BP_KERNEL_BOUNDED(name, threads, blocks) BP_EMULATED_KERNEL(name, threads, BP_PARAMETERS)
#define BP_KERNEL_PLAIN_BOUNDED(name, threads, blocks)                                             \
  BP_EMULATED_KERNEL(name, threads, BP_PARAMETERS_PLAIN)

/* Inlined, so that a place in a helper also tells from where it was called. */
#define BP_DEVICE   static inline __attribute__((always_inline))
#define BP_CONSTANT static const
#define BP_BY_LANE  static const
#define BP_GLOBAL   static
#define BP_UNROLL
#define BP_NO_UNROLL
#define BP_UNROLL_BY(n)

#define threadIdx bp_emulated_self->index
#define blockIdx  bp_emulated_block
#define blockDim  bp_emulated_block_extent
#define gridDim   bp_emulated_grid_extent

template <class T> struct bp_emulated_array {
  bp_emulated_real before[BP_EMULATED_GUARD];
  alignas(16) T data;
  bp_emulated_real after[BP_EMULATED_GUARD];
};

#define BP_SHARED(type, name, extents)                                                             \
  static bp_emulated_array<type extents> name##_array;                                             \
  static bp_emulated_shared name##_shared = {#name, BP_HERE, &name##_array.data,                   \
                                             sizeof name##_array.data, BP_EMULATED_GUARD};         \
  bp_emulated_share(&name##_shared);                                                               \
  auto &name = name##_array.data
#define BP_DYNAMIC_SHARED(type, name)                                                              \
  type *const name = (type *)bp_emulated_dynamic_shared(#name, BP_HERE)

#define BP_BARRIER()                  bp_emulated_barrier(BP_EMULATED_BLOCK_BARRIER, 0, BP_HERE)
#define BP_GRID_BARRIER(arrived)      ((void)(arrived), bp_emulated_grid_barrier(BP_HERE))
#define BP_GROUP_BARRIER(id, threads) bp_emulated_barrier(id, threads, BP_HERE)
#define BP_WARP_BARRIER()             bp_emulated_warp_barrier(BP_HERE)
#define BP_EMULATED_SITE                                                                           \
  bp_emulated_site site = bp_emulated_here(__builtin_FILE(), __builtin_LINE())

BP_DEVICE int bp_fetch_next(int *n, int last, BP_EMULATED_SITE)
{
  bp_emulated_counter(n, site);
  int was = __atomic_load_n(n, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(n, &was, was < last ? was + 1 : 0, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
    ;
  return was;
}

BP_DEVICE void bp_let_next_begin() {}

BP_DEVICE void bp_wait_for_previous() {}

BP_DEVICE double bp_atomic_add(double *to, double x)
{
  const double was = *to;
  *to = was + x;
  return was;
}

BP_DEVICE float bp_atomic_add(float *to, float x)
{
  const float was = *to;
  *to = was + x;
  return was;
}

BP_DEVICE int bp_thread()
{
  return bp_emulated_self->number;
}

BP_DEVICE int bp_threads()
{
  return (int)(blockDim.x * blockDim.y * blockDim.z);
}

BP_DEVICE int bp_lane()
{
  return bp_thread() & 31;
}

BP_DEVICE int bp_blocks()
{
  return bp_emulated_blocks;
}

BP_DEVICE int bp_warp()
{
  return bp_thread() >> 5;
}

BP_DEVICE int bp_multiprocessors()
{
  return BP_EMULATED_MULTIPROCESSORS;
}

/* There is no time to tell. */
BP_DEVICE void bp_pause(int clocks)
{
  (void)clocks;
}

BP_DEVICE void bp_fence_devices() {}

BP_DEVICE void bp_signal(unsigned *p, unsigned x)
{
  __atomic_store_n(p, x, __ATOMIC_RELEASE);
}

BP_DEVICE void bp_wait_for_signal(const unsigned *p, unsigned x)
{
  while ((int)(__atomic_load_n(p, __ATOMIC_ACQUIRE) - x) < 0)
    bp_emulated_pause();
}

BP_DEVICE double bp_load_fresh(const double *p)
{
  return *p;
}

BP_DEVICE double bp_multiply(double a, double b)
{
  bp_emulated_real product = (bp_emulated_real)(a * b);
  __asm__("" : "+m"(product));
  return product;
}

BP_DEVICE double bp_reciprocal(double x)
{
  return 1 / (bp_emulated_real)x;
}

BP_DEVICE float bp_reciprocal(float x)
{
  return 1 / x;
}

BP_DEVICE double bp_square_root(double x)
{
  return __builtin_sqrt((bp_emulated_real)x);
}

/* x with these of its bits, then more by that number. */
BP_DEVICE double bp_emulated_bits(double x, long long kept, long long more)
{
  long long bits = 0;
  __builtin_memcpy(&bits, (const void *)&x, sizeof x);
  bits = (bits & kept) + more;
  __builtin_memcpy((void *)&x, &bits, sizeof x);
  return x;
}

BP_DEVICE double bp_power_above(double x)
{
  return bp_emulated_bits(x, 0x7ff0000000000000, 0x0010000000000000);
}

BP_DEVICE double bp_odd(double x)
{
  return bp_emulated_bits(x, ~1ll, 1);
}

BP_DEVICE double bp_keep(double x)
{
  return x;
}

BP_DEVICE int bp_keep(int x)
{
  return x;
}

BP_DEVICE void bp_prefetch(const void *) {}

BP_DEVICE void bp_async_copy4(void *to, const void *from, BP_EMULATED_SITE)
{
  bp_emulated_async_copy(to, from, 4, BP_HAS_ASYNC, site);
}

BP_DEVICE void bp_async_copy8(void *to, const void *from, BP_EMULATED_SITE)
{
  bp_emulated_async_copy(to, from, 8, BP_HAS_ASYNC, site);
}

BP_DEVICE void bp_async_copy16(void *to, const void *from, BP_EMULATED_SITE)
{
  bp_emulated_async_copy(to, from, 16, BP_HAS_ASYNC, site);
}

BP_DEVICE void bp_async_commit()
{
  bp_emulated_async_commit();
}

#define BP_ASYNC_WAIT(n) bp_emulated_async_wait(n)

typedef unsigned long long bp_mbarrier;

BP_DEVICE void bp_mbarrier_start(bp_mbarrier *barrier, int arrivals, BP_EMULATED_SITE)
{
  bp_emulated_mbarrier_start(barrier, arrivals, site);
}

BP_DEVICE void bp_async_fence() {}

BP_DEVICE void bp_mbarrier_fence() {}

BP_DEVICE void bp_mbarrier_arrive(bp_mbarrier *barrier, BP_EMULATED_SITE)
{
  bp_emulated_mbarrier_arrive(barrier, 0, site);
}

BP_DEVICE void bp_mbarrier_wait(bp_mbarrier *barrier, int parity, BP_EMULATED_SITE)
{
  bp_emulated_mbarrier_wait(barrier, parity, site);
}

BP_DEVICE void bp_slot_copy(void *to, const void *from, int bytes, bp_mbarrier *barrier,
                            BP_EMULATED_SITE)
{
  const int left = bp_threads() - 32 * bp_warp(), step = 16 * (left < 32 ? left : 32);
  if (BP_HAS_BULK && bp_lane() == 0)
    bp_emulated_bulk_load(to, from, bytes, barrier, site);
  for (int n = 16 * bp_lane(); !BP_HAS_BULK && n < bytes; n += step)
    bp_emulated_slot_copy((char *)to + n, (const char *)from + n, bytes - n < 16 ? bytes - n : 16,
                          BP_HAS_ASYNC, site);
}

BP_DEVICE void bp_slot_copy_streaming(void *to, const void *from, int bytes, bp_mbarrier *barrier,
                                      BP_EMULATED_SITE)
{
  bp_slot_copy(to, from, bytes, barrier, site);
}

BP_DEVICE void bp_slot_arrive(bp_mbarrier *barrier, int bytes, BP_EMULATED_SITE)
{
  if (BP_HAS_ASYNC && !BP_HAS_BULK)
    bp_emulated_slot_arrive(barrier, false, site);
  if (!BP_HAS_BULK)
    bp_emulated_warp_barrier(site);
  if (bp_lane() == 0)
    bp_emulated_mbarrier_arrive(barrier, BP_HAS_BULK ? bytes : 0, site);
}

BP_DEVICE void bp_slot_arrive_lanes(bp_mbarrier *barrier, int bytes, BP_EMULATED_SITE)
{
  if (BP_HAS_ASYNC && !BP_HAS_BULK)
    bp_emulated_slot_arrive(barrier, true, site);
  else
    bp_emulated_mbarrier_arrive(barrier, BP_HAS_BULK && bp_lane() == 0 ? bytes : 0, site);
}

BP_DEVICE void bp_bulk_store(void *to, const void *from, int bytes, BP_EMULATED_SITE)
{
  bp_emulated_bulk_store(to, from, bytes, site);
}

BP_DEVICE void bp_bulk_commit()
{
  bp_emulated_bulk_commit();
}

#define BP_BULK_WAIT_READ(n) bp_emulated_bulk_wait(n)
#define BP_BULK_WAIT(n)      bp_emulated_bulk_wait(n)

struct alignas(16) double2 {
  double x, y;

  double2() = default;
  double2(double x_, double y_) : x(x_), y(y_) {}
#ifdef BP_EMULATE_COUNT
  double2(const double2 &from)
  {
    *this = from;
  }
  double2 &operator=(const double2 &from)
  {
    bp_emulated_count_load_pair(&from);
    x.value = from.x.value;
    y.value = from.y.value;
    bp_emulated_count_store_pair(this);
    return *this;
  }
#endif
};

BP_DEVICE double2 make_double2(double x, double y)
{
  return double2(x, y);
}

struct alignas(16) float4 {
  float x, y, z, w;
};

BP_DEVICE float4 make_float4(float x, float y, float z, float w)
{
  return {x, y, z, w};
}

#define BP_EMULATED_SHUFFLE(type, name, operation, argument)                                       \
  BP_DEVICE type name(type x, int argument, BP_EMULATED_SITE)                                      \
  {                                                                                                \
    long long bits = 0;                                                                            \
    __builtin_memcpy(&bits, (const void *)&x, sizeof x);                                           \
    bp_emulated_shuffle(operation, &bits, argument, site);                                         \
    __builtin_memcpy((void *)&x, &bits, sizeof x);                                                 \
    return x;                                                                                      \
  }
#define BP_EMULATED_SHUFFLES(type)                                                                 \
  BP_EMULATED_SHUFFLE(type, bp_shuffle, BP_EMULATED_SHUFFLE, lane)                                 \
  BP_EMULATED_SHUFFLE(type, bp_shuffle_xor, BP_EMULATED_SHUFFLE_XOR, mask)                         \
  BP_EMULATED_SHUFFLE(type, bp_shuffle_up, BP_EMULATED_SHUFFLE_UP, n)                              \
  BP_EMULATED_SHUFFLE(type, bp_shuffle_down, BP_EMULATED_SHUFFLE_DOWN, n)

BP_EMULATED_SHUFFLES(double)
#ifndef BP_EMULATE_COUNT /* in double alone, where a literal's product would be either */
BP_EMULATED_SHUFFLES(float)
#endif
BP_EMULATED_SHUFFLES(int)

#define BP_GLOBAL_ACCESS(type)                                                                     \
  BP_DEVICE type bp_load_streaming(const type *p)                                                  \
  {                                                                                                \
    return *p;                                                                                     \
  }                                                                                                \
  BP_DEVICE type bp_load_cached(const type *p)                                                     \
  {                                                                                                \
    return *p;                                                                                     \
  }                                                                                                \
  BP_DEVICE void bp_store_streaming(type *p, type x)                                               \
  {                                                                                                \
    *p = x;                                                                                        \
  }

BP_GLOBAL_ACCESS(double)
BP_GLOBAL_ACCESS(float)
BP_GLOBAL_ACCESS(double2)
BP_GLOBAL_ACCESS(float4)

typedef bool bp_l2_policy;

BP_DEVICE bp_l2_policy bp_l2_policy_of(bool first)
{
  return first;
}

BP_DEVICE double bp_load_hinted(const double *p, bp_l2_policy mark)
{
  (void)mark;
  return *p;
}

BP_DEVICE float bp_load_hinted(const float *p, bp_l2_policy mark)
{
  (void)mark;
  return *p;
}

BP_DEVICE double bp_load_now(const double *p)
{
  return *p;
}

BP_DEVICE float bp_load_now(const float *p)
{
  return *p;
}

BP_DEVICE float fma(float a, float b, float c)
{
  return __builtin_fmaf(a, b, c);
}

BP_DEVICE double fma(double a, double b, double c)
{
  return bp_emulated_fma(a, b, c);
}

/* As CUDA has them: signed and unsigned mixed give unsigned. */
#define BP_EMULATED_MINMAX(type, type_a, type_b)                                                   \
  BP_DEVICE type min(type_a a, type_b b)                                                           \
  {                                                                                                \
    return (type)b < (type)a ? (type)b : (type)a;                                                  \
  }                                                                                                \
  BP_DEVICE type max(type_a a, type_b b)                                                           \
  {                                                                                                \
    return (type)a < (type)b ? (type)b : (type)a;                                                  \
  }
#define BP_EMULATED_MINMAXES(type)                                                                 \
  BP_EMULATED_MINMAX(type, type, type)                                                             \
  BP_EMULATED_MINMAX(unsigned type, type, unsigned type)                                           \
  BP_EMULATED_MINMAX(unsigned type, unsigned type, type)                                           \
  BP_EMULATED_MINMAX(unsigned type, unsigned type, unsigned type)

BP_EMULATED_MINMAXES(int)
BP_EMULATED_MINMAXES(long)
BP_EMULATED_MINMAXES(long long)
BP_EMULATED_MINMAX(double, double, double)

BP_DEVICE void bp_mma_8x8x4(double c[2], double a, double b, BP_EMULATED_SITE)
{
  bp_emulated_mma(8, 4, (bp_emulated_real *)c, (const bp_emulated_real *)&a,
                  (const bp_emulated_real *)&b, site);
}

BP_DEVICE void bp_mma_16x8x4(double c[4], const double a[2], double b, BP_EMULATED_SITE)
{
  bp_emulated_mma(16, 4, (bp_emulated_real *)c, (const bp_emulated_real *)a,
                  (const bp_emulated_real *)&b, site);
}

BP_DEVICE void bp_mma_16x8x8(double c[4], const double a[4], const double b[2], BP_EMULATED_SITE)
{
  bp_emulated_mma(16, 8, (bp_emulated_real *)c, (const bp_emulated_real *)a,
                  (const bp_emulated_real *)b, site);
}

BP_DEVICE void bp_mma_16x8x16(double c[4], const double a[8], const double b[4], BP_EMULATED_SITE)
{
  bp_emulated_mma(16, 16, (bp_emulated_real *)c, (const bp_emulated_real *)a,
                  (const bp_emulated_real *)b, site);
}

#endif
