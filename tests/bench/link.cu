/* link.cu -- what two GPUs of a host can tell each other: microseconds for so many bytes, both ways at once
 *
 *   make build/link && build/link
 *
 * By the driver's copies and by a kernel that writes into the other's memory, and how long a flag takes there and back. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t error = (call);                                                              \
    if (error) {                                                                                   \
      fprintf(stderr, "link: %s: %s\n", #call, cudaGetErrorString(error));                         \
      exit(3);                                                                                     \
    }                                                                                              \
  } while (0)

enum { LARGEST = 1 << 24, AGAIN = 20, SAMPLES = 7, FLAGS = 1000 };

struct gpu {
  int device;
  double *from, *to;
  unsigned *flag;
  cudaStream_t stream;
  cudaEvent_t begin, end;
};

__global__ void put(double *to, const double *from, int count)
{
  for (int n = (int)(blockIdx.x * blockDim.x + threadIdx.x); n < count;
       n += (int)(gridDim.x * blockDim.x))
    to[n] = from[n];
}

__global__ void play(volatile unsigned *mine, volatile unsigned *theirs, bool serves)
{
  for (unsigned n = 1; n <= FLAGS; ++n) {
    if (serves)
      *theirs = n;
    while (*mine < n)
      ;
    if (!serves)
      *theirs = n;
    __threadfence_system();
  }
}

static float milliseconds(const gpu *g)
{
  float time = 0;
  CHECK(cudaSetDevice(g->device));
  CHECK(cudaStreamSynchronize(g->stream));
  CHECK(cudaEventElapsedTime(&time, g->begin, g->end));
  return time;
}

static void start(gpu *g, int device)
{
  g->device = device;
  CHECK(cudaSetDevice(device));
  CHECK(cudaDeviceEnablePeerAccess(1 - device, 0));
  CHECK(cudaMalloc(&g->from, sizeof(double) * LARGEST));
  CHECK(cudaMalloc(&g->to, sizeof(double) * LARGEST));
  CHECK(cudaMemset(g->from, 0, sizeof(double) * LARGEST));
  CHECK(cudaMalloc(&g->flag, sizeof *g->flag));
  CHECK(cudaMemset(g->flag, 0, sizeof *g->flag));
  CHECK(cudaStreamCreate(&g->stream));
  CHECK(cudaEventCreate(&g->begin));
  CHECK(cudaEventCreate(&g->end));
  CHECK(cudaDeviceSynchronize());
}

/* Of the slower of both directions, for one transfer. */
static float exchange(const gpu *g, int count, bool by_driver)
{
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaEventRecord(g[d].begin, g[d].stream));
    for (int n = 0; n < AGAIN; ++n)
      if (by_driver)
        CHECK(cudaMemcpyPeerAsync(g[1 - d].to, 1 - d, g[d].from, d, sizeof(double) * count,
                                  g[d].stream));
      else
        put<<<264, 512, 0, g[d].stream>>>(g[1 - d].to, g[d].from, count);
    CHECK(cudaEventRecord(g[d].end, g[d].stream));
  }
  return std::max(milliseconds(&g[0]), milliseconds(&g[1])) / AGAIN;
}

int main()
{
  gpu g[2];
  start(&g[0], 0);
  start(&g[1], 1);
  printf("bytes,way,us\n");
  for (int count = 1 << 12; count <= LARGEST; count *= 4)
    for (int by_driver = 1; by_driver >= 0; --by_driver) {
      std::vector<float> times;
      for (int n = 0; n < SAMPLES; ++n)
        times.push_back(exchange(g, count, by_driver));
      std::sort(times.begin(), times.end());
      printf("%zu,%s,%.2f\n", sizeof(double) * count, by_driver ? "driver" : "kernel",
             1e3 * times[SAMPLES / 2]);
    }
  for (int d = 1; d >= 0; --d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaEventRecord(g[d].begin, g[d].stream));
    play<<<1, 1, 0, g[d].stream>>>(g[d].flag, g[1 - d].flag, d == 0);
    CHECK(cudaEventRecord(g[d].end, g[d].stream));
  }
  printf("4,flag there and back,%.2f\n", 1e3 * milliseconds(&g[0]) / FLAGS);
  return 0;
}
