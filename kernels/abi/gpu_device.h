/* gpu_device.h -- the names of gpu.h on a GPU, for NVRTC: the only place with PTX. */
#ifndef BP_KERNELS_ABI_GPU_DEVICE_H
#define BP_KERNELS_ABI_GPU_DEVICE_H

#include "abi/types.h"

#define BP_KERNEL(name)       extern "C" __global__ void name(BP_PARAMETERS)
#define BP_KERNEL_PLAIN(name) extern "C" __global__ void name(BP_PARAMETERS_PLAIN)
#define BP_KERNEL_BOUNDED(name, threads, blocks)                                                   \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(BP_PARAMETERS)
#define BP_KERNEL_PLAIN_BOUNDED(name, threads, blocks)                                             \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(BP_PARAMETERS_PLAIN)
#define BP_DEVICE                      static __device__ __forceinline__
#define BP_SHARED(type, name, extents) __shared__ __align__(16) type name extents
#define BP_DYNAMIC_SHARED(type, name)  extern __shared__ __align__(128) type name[]
/* Not const: the compiler would make immediate numbers of the entries, two instructions each, instead of
 * operands. NVRTC 13.0 itself crashes on two kernels so written for sm_100. */
#if __CUDA_ARCH__ < 1000
#define BP_CONSTANT __constant__
#else
#define BP_CONSTANT static __constant__ const
#endif
#define BP_BY_LANE      static __device__ const /* constant memory serves one address after the other */
#define BP_GLOBAL       static __device__
#define BP_PRAGMA(text) _Pragma(#text)
#define BP_UNROLL       BP_PRAGMA(unroll)
#define BP_NO_UNROLL    BP_PRAGMA(unroll 1)
#define BP_UNROLL_BY(n) BP_PRAGMA(unroll n)

BP_DEVICE int bp_fetch_next(int *n, int last)
{
  return (int)atomicInc((unsigned *)n, (unsigned)last);
}

/* The last block of a round lets all others go; a round is as many arrivals as there are blocks. */
BP_DEVICE void bp_grid_barrier(int *arrived)
{
  __syncthreads();
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
    __threadfence();
    const int round = atomicAdd(arrived, 1) / (int)gridDim.x + 1;
    while (*(volatile int *)arrived / (int)gridDim.x < round)
      ;
    __threadfence();
  }
  __syncthreads();
}
#define BP_GRID_BARRIER(arrived) bp_grid_barrier(arrived)

/* Not __threadfence_system(), which orders more than a message needs and takes microseconds. */
BP_DEVICE void bp_fence_devices()
{
  asm volatile("fence.acq_rel.sys;" ::: "memory");
}

BP_DEVICE void bp_signal(unsigned *p, unsigned x)
{
  *(volatile unsigned *)p = x;
}

BP_DEVICE void bp_wait_for_signal(const unsigned *p, unsigned x)
{
  unsigned now;
  do
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(now) : "l"(p) : "memory");
  while ((int)(now - x) < 0);
}

BP_DEVICE double bp_load_fresh(const double *p)
{
  return __ldcg(p);
}

BP_DEVICE double bp_multiply(double a, double b)
{
  return __dmul_rn(a, b);
}

BP_DEVICE double bp_reciprocal(double x)
{
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  double e = fma(-x, y, 1.0); /* y is right to 2^-20: one step of third order */
  e = fma(e, e, e);
  return fma(y, e, y);
}

BP_DEVICE float bp_reciprocal(float x)
{
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

BP_DEVICE double bp_square_root(double x)
{
  return __dsqrt_rn(x);
}

BP_DEVICE double bp_power_above(double x)
{
  return __longlong_as_double((__double_as_longlong(x) & 0x7ff0000000000000) + 0x0010000000000000);
}

BP_DEVICE double bp_odd(double x)
{
  return __longlong_as_double(__double_as_longlong(x) | 1);
}

/* A shuffle is what the assembler does not repeat: it has put loads of constants into loops. */
BP_DEVICE double bp_keep(double x)
{
  return __shfl_sync(0xffffffffu, x, (int)(threadIdx.x & 31));
}

BP_DEVICE int bp_keep(int x)
{
  return __shfl_sync(0xffffffffu, x, (int)(threadIdx.x & 31));
}

/* ---- threads and barriers ---- */

BP_DEVICE int bp_thread()
{
#ifdef BP_THREADS_IN_LINE /* as the launch line has them */
  return (int)threadIdx.x;
#endif
  return (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
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
  return (int)gridDim.x;
}

BP_DEVICE int bp_warp()
{
  return bp_thread() >> 5;
}

/* Identifiers of multiprocessors are less than this, which is their number where none is left out. */
BP_DEVICE int bp_multiprocessors()
{
  int count;
  asm("mov.u32 %0, %%nsmid;" : "=r"(count));
  return count;
}

BP_DEVICE void bp_pause(int clocks)
{
  unsigned start, now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(start));
  do
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
  while (now - start < (unsigned)clocks);
}

/* Programmatic dependent launch. */
#if BP_HAS_BULK
BP_DEVICE void bp_let_next_begin()
{
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

BP_DEVICE void bp_wait_for_previous()
{
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
#else
BP_DEVICE void bp_let_next_begin() {}

BP_DEVICE void bp_wait_for_previous() {}
#endif

#define BP_BARRIER()      __syncthreads()
#define BP_WARP_BARRIER() __syncwarp()
#define BP_GROUP_BARRIER(id, threads)                                                              \
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory")

/* ---- warp ---- */

#define BP_SHUFFLES(type)                                                                          \
  BP_DEVICE type bp_shuffle(type x, int lane)                                                      \
  {                                                                                                \
    return __shfl_sync(0xffffffffu, x, lane);                                                      \
  }                                                                                                \
  BP_DEVICE type bp_shuffle_xor(type x, int mask)                                                  \
  {                                                                                                \
    return __shfl_xor_sync(0xffffffffu, x, mask);                                                  \
  }                                                                                                \
  BP_DEVICE type bp_shuffle_up(type x, int n)                                                      \
  {                                                                                                \
    return __shfl_up_sync(0xffffffffu, x, (unsigned)n);                                            \
  }                                                                                                \
  BP_DEVICE type bp_shuffle_down(type x, int n)                                                    \
  {                                                                                                \
    return __shfl_down_sync(0xffffffffu, x, (unsigned)n);                                          \
  }

BP_SHUFFLES(double)
BP_SHUFFLES(float)
BP_SHUFFLES(int)

/* ---- global memory ---- */

#define BP_GLOBAL_ACCESS(type)                                                                     \
  BP_DEVICE type bp_load_streaming(const type *p)                                                  \
  {                                                                                                \
    return __ldcs(p);                                                                              \
  }                                                                                                \
  BP_DEVICE type bp_load_cached(const type *p)                                                     \
  {                                                                                                \
    return __ldg(p);                                                                               \
  }                                                                                                \
  BP_DEVICE void bp_store_streaming(type *p, type x)                                               \
  {                                                                                                \
    __stcs(p, x);                                                                                  \
  }

BP_GLOBAL_ACCESS(double)
BP_GLOBAL_ACCESS(float)
BP_GLOBAL_ACCESS(double2)
BP_GLOBAL_ACCESS(float4)

#if BP_HAS_L2_POLICIES
typedef unsigned long long bp_l2_policy;

BP_DEVICE bp_l2_policy bp_l2_policy_of(bool first)
{
  bp_l2_policy mark;
  if (first)
    asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(mark));
  else
    asm("createpolicy.fractional.L2::evict_normal.b64 %0;" : "=l"(mark));
  return mark;
}

#define BP_LOAD_HINTED(type, suffix, constraint)                                                   \
  BP_DEVICE type bp_load_hinted(const type *p, bp_l2_policy mark)                                  \
  {                                                                                                \
    type x;                                                                                        \
    asm("ld.global.nc.L2::cache_hint." suffix " %0, [%1], %2;"                                     \
        : "=" constraint(x)                                                                        \
        : "l"(__cvta_generic_to_global(p)), "l"(mark));                                            \
    return x;                                                                                      \
  }
BP_LOAD_HINTED(double, "f64", "d")
BP_LOAD_HINTED(float, "f32", "f")
#else
typedef bool bp_l2_policy;

BP_DEVICE bp_l2_policy bp_l2_policy_of(bool first)
{
  return first;
}

BP_DEVICE double bp_load_hinted(const double *p, bp_l2_policy mark)
{
  return mark ? bp_load_streaming(p) : bp_load_cached(p);
}

BP_DEVICE float bp_load_hinted(const float *p, bp_l2_policy mark)
{
  return mark ? bp_load_streaming(p) : bp_load_cached(p);
}
#endif

BP_DEVICE double bp_load_now(const double *p)
{
  double x;
  asm volatile("ld.global.nc.f64 %0, [%1];" : "=d"(x) : "l"(__cvta_generic_to_global(p)));
  return x;
}

BP_DEVICE float bp_load_now(const float *p)
{
  float x;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(__cvta_generic_to_global(p)));
  return x;
}

BP_DEVICE double bp_atomic_add(double *to, double x)
{
  return atomicAdd(to, x);
}

BP_DEVICE float bp_atomic_add(float *to, float x)
{
  return atomicAdd(to, x);
}

BP_DEVICE void bp_prefetch(const void *p)
{
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));
}

/* ---- asynchronous copies ---- */

BP_DEVICE unsigned bp_shared_address(const void *p)
{
  return (unsigned)__cvta_generic_to_shared(p);
}

#if BP_HAS_ASYNC
BP_DEVICE void bp_async_copy4(void *to, const void *from)
{
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(bp_shared_address(to)),
               "l"(__cvta_generic_to_global(from))
               : "memory");
}

BP_DEVICE void bp_async_copy8(void *to, const void *from)
{
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(bp_shared_address(to)),
               "l"(__cvta_generic_to_global(from))
               : "memory");
}

BP_DEVICE void bp_async_copy16(void *to, const void *from)
{
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(bp_shared_address(to)),
               "l"(__cvta_generic_to_global(from))
               : "memory");
}

BP_DEVICE void bp_async_commit()
{
  asm volatile("cp.async.commit_group;" ::: "memory");
}

#define BP_ASYNC_WAIT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#else
BP_DEVICE void bp_async_copy4(void *to, const void *from)
{
  *(float *)to = *(const float *)from;
}

BP_DEVICE void bp_async_copy8(void *to, const void *from)
{
  *(double *)to = *(const double *)from;
}

BP_DEVICE void bp_async_copy16(void *to, const void *from)
{
  *(double2 *)to = *(const double2 *)from;
}

BP_DEVICE void bp_async_commit() {}

#define BP_ASYNC_WAIT(n)
#endif

/* ---- mbarriers ---- */

#if BP_HAS_ASYNC
typedef unsigned long long bp_mbarrier;

BP_DEVICE void bp_mbarrier_start(bp_mbarrier *barrier, int arrivals)
{
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bp_shared_address(barrier)), "r"(arrivals)
               : "memory");
}

BP_DEVICE void bp_mbarrier_arrive(bp_mbarrier *barrier)
{
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(
                   bp_shared_address(barrier))
               : "memory");
}

#if BP_HAS_BULK
#define BP_MBARRIER_TRY "mbarrier.try_wait.parity.shared.b64"
#else
#define BP_MBARRIER_TRY "mbarrier.test_wait.parity.shared.b64"
#endif

BP_DEVICE void bp_mbarrier_wait(bp_mbarrier *barrier, int parity)
{
  int done;
  do {
    asm volatile("{ .reg .pred p; " BP_MBARRIER_TRY " p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bp_shared_address(barrier)), "r"(parity)
                 : "memory");
  } while (!done);
}
#else
typedef struct {
  unsigned arrived, of_phase;
} bp_mbarrier;

BP_DEVICE void bp_mbarrier_start(bp_mbarrier *barrier, int arrivals)
{
  barrier->arrived = 0;
  barrier->of_phase = (unsigned)arrivals;
}

BP_DEVICE void bp_mbarrier_arrive(bp_mbarrier *barrier)
{
  __threadfence_block();
  atomicAdd(&barrier->arrived, 1);
}

BP_DEVICE void bp_mbarrier_wait(bp_mbarrier *barrier, int parity)
{
  while ((*(volatile unsigned *)&barrier->arrived / barrier->of_phase & 1) == (unsigned)parity)
    ;
  __threadfence_block();
}
#endif

/* ---- copies into slots, by bulk copies, by asynchronous ones, by loads and stores ---- */

#if BP_HAS_BULK
BP_DEVICE void bp_async_fence()
{
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

BP_DEVICE void bp_mbarrier_fence()
{
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  bp_async_fence();
}

BP_DEVICE void bp_slot_copy(void *to, const void *from, int bytes, bp_mbarrier *barrier)
{
  if (bp_lane() == 0)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(bp_shared_address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(bp_shared_address(barrier))
        : "memory");
}

BP_DEVICE void bp_slot_copy_streaming(void *to, const void *from, int bytes, bp_mbarrier *barrier)
{
  if (bp_lane() == 0)
    asm volatile("{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy;"
                 " cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
                 " [%0], [%1], %2, [%3], policy; }" ::"r"(bp_shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(bp_shared_address(barrier))
                 : "memory");
}

BP_DEVICE void bp_slot_expect(bp_mbarrier *barrier, int bytes)
{
  asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(
                   bp_shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

BP_DEVICE void bp_slot_arrive(bp_mbarrier *barrier, int bytes)
{
  if (bp_lane() == 0)
    bp_slot_expect(barrier, bytes);
}

BP_DEVICE void bp_slot_arrive_lanes(bp_mbarrier *barrier, int bytes)
{
  if (bp_lane() == 0)
    bp_slot_expect(barrier, bytes);
  else
    bp_mbarrier_arrive(barrier);
}

BP_DEVICE void bp_bulk_store(void *to, const void *from, int bytes)
{
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(bp_shared_address(from)), "r"(bytes)
               : "memory");
}

BP_DEVICE void bp_bulk_commit()
{
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

#define BP_BULK_WAIT_READ(n) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory")
#define BP_BULK_WAIT(n)      asm volatile("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory")
#else
BP_DEVICE void bp_async_fence() {}

BP_DEVICE void bp_mbarrier_fence() {}

/* Of the warp's lanes those that there are. */
BP_DEVICE int bp_lanes()
{
  return min(32, bp_threads() - 32 * bp_warp());
}

#if BP_HAS_ASYNC
BP_DEVICE void bp_slot_copy(void *to, const void *from, int bytes, bp_mbarrier *barrier)
{
  const int step = 16 * bp_lanes();
  (void)barrier;
  BP_UNROLL_BY(4)
  for (int n = 16 * bp_lane(); n < bytes; n += step)
    bp_async_copy16((char *)to + n, (const char *)from + n);
}

/* The first is an arrival to come, so that the phase does not end before the copies have. */
BP_DEVICE void bp_slot_arrive(bp_mbarrier *barrier, int bytes)
{
  (void)bytes;
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(bp_shared_address(barrier))
               : "memory");
  BP_WARP_BARRIER();
  if (bp_lane() == 0)
    bp_mbarrier_arrive(barrier);
}

BP_DEVICE void bp_slot_arrive_lanes(bp_mbarrier *barrier, int bytes)
{
  (void)bytes;
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bp_shared_address(barrier))
               : "memory");
}
#else
/* Loads before stores, or each would wait for the one before it. */
BP_DEVICE void bp_slot_copy(void *to, const void *from, int bytes, bp_mbarrier *barrier)
{
  enum { AT_ONCE = 8 };
  const int step = bp_lanes(), count = bytes / 16;
  (void)barrier;
  for (int first = bp_lane(); first < count; first += AT_ONCE * step) {
    double2 x[AT_ONCE];
    BP_UNROLL
    for (int n = 0; n < AT_ONCE; ++n)
      if (first + n * step < count)
        x[n] = ((const double2 *)from)[first + n * step];
    BP_UNROLL
    for (int n = 0; n < AT_ONCE; ++n)
      if (first + n * step < count)
        ((double2 *)to)[first + n * step] = x[n];
  }
}

BP_DEVICE void bp_slot_arrive(bp_mbarrier *barrier, int bytes)
{
  (void)bytes;
  __threadfence_block();
  BP_WARP_BARRIER();
  if (bp_lane() == 0)
    bp_mbarrier_arrive(barrier);
}

BP_DEVICE void bp_slot_arrive_lanes(bp_mbarrier *barrier, int bytes)
{
  (void)bytes;
  bp_mbarrier_arrive(barrier);
}
#endif

BP_DEVICE void bp_slot_copy_streaming(void *to, const void *from, int bytes, bp_mbarrier *barrier)
{
  bp_slot_copy(to, from, bytes, barrier);
}

BP_DEVICE void bp_bulk_store(void *to, const void *from, int bytes)
{
  for (int n = 0; n < bytes / 16; ++n)
    ((double2 *)to)[n] = ((const double2 *)from)[n];
}

BP_DEVICE void bp_bulk_commit() {}

#define BP_BULK_WAIT_READ(n)
#define BP_BULK_WAIT(n)
#endif

/* ---- tensor cores ---- */

BP_DEVICE void bp_mma_8x8x4(double c[2], double a, double b)
{
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
}

#if BP_HAS_MMA_16
BP_DEVICE void bp_mma_16x8x4(double c[4], const double a[2], double b)
{
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64"
               " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a[0]), "d"(a[1]), "d"(b));
}

BP_DEVICE void bp_mma_16x8x8(double c[4], const double a[4], const double b[2])
{
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64"
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

BP_DEVICE void bp_mma_16x8x16(double c[4], const double a[8], const double b[4])
{
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3},"
               " {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),
                 "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
}
#else
/* Rows g and g + 8 are tiles of their own, and so are steps of 4 in depth. */
BP_DEVICE void bp_mma_16x8x4(double c[4], const double a[2], double b)
{
  bp_mma_8x8x4(c, a[0], b);
  bp_mma_8x8x4(c + 2, a[1], b);
}

BP_DEVICE void bp_mma_16x8x8(double c[4], const double a[4], const double b[2])
{
  bp_mma_16x8x4(c, a, b[0]);
  bp_mma_16x8x4(c, a + 2, b[1]);
}

BP_DEVICE void bp_mma_16x8x16(double c[4], const double a[8], const double b[4])
{
  bp_mma_16x8x8(c, a, b);
  bp_mma_16x8x8(c, a + 4, b + 2);
}
#endif

#endif
