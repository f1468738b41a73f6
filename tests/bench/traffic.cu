/* traffic.cu -- what an operator's data take on a GPU without the operator, in microseconds
 *
 *   make build/traffic && build/traffic [ELEMENTS] > docs/results/h200-traffic.csv
 *
 * A kernel that reads u and the factors and writes v, each once, and computes nothing: as little as any kernel of that
 * traffic can take, beside a copy of as many bytes. A copy reads half of them; what it writes L2 takes in, where that is
 * large enough, while who reads more has to wait for memory. Of both the fastest of several ways is told, for each
 * problem, degree and state of the caches: cold and hot as `bp run` has them, hot also as a graph of launches. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

enum { SAMPLES = 12, GRAPH_LAUNCHES = 128, FLUSH_TIMES_L2 = 3, FILL = 0x3f };

/* So that counts of pieces are ints. */
enum { ELEMENTS_MOST = 100000 };

/* 16-byte pieces that a thread of a copy has. */
enum { COPY_EACH = 4 };

static const double HOT_SECONDS = 2e-4, GRAPH_SECONDS = 5e-4;

#define TRY(call)                                                                                  \
  do {                                                                                             \
    cudaError_t error_ = (call);                                                                   \
    if (error_) {                                                                                  \
      fprintf(stderr, "traffic: %s\n", cudaGetErrorString(error_));                                \
      exit(3);                                                                                     \
    }                                                                                              \
  } while (0)

/* As many times `each` as hold `count`. */
static int divided_up(int count, int each)
{
  return (int)((count + each - 1ll) / each);
}

/* All counts are of 16 bytes. */
struct data {
  double2 *u, *factors, *v;
  int nodes, points;
};

/* A block has LOADS pieces of the factors for each thread, and its share of those of u and v, which are not
 * more; it asks for all of them before it looks at the first. FIRST_OUT sixteenths of the factors leave L2 first. */
template <int LOADS, int FIRST_OUT> __global__ void move(data d, int share)
{
  const long long first = (long long)blockIdx.x * blockDim.x * LOADS + threadIdx.x;
  const long long first_node = (long long)blockIdx.x * share + threadIdx.x;
  const bool leaves = FIRST_OUT == 16 || (FIRST_OUT > 0 && (int)blockIdx.x % 16 < FIRST_OUT);
  double2 x[LOADS], f[LOADS], sum = {0, 0};
#pragma unroll
  for (int m = 0; m < LOADS; ++m) {
    const int at = m * blockDim.x;
    if (at + (int)threadIdx.x < share && first_node + at < d.nodes)
      x[m] = __ldg(d.u + first_node + at);
  }
#pragma unroll
  for (int m = 0; m < LOADS; ++m) {
    const long long at = first + m * blockDim.x;
    f[m] = make_double2(0, 0);
    if (at < d.points)
      f[m] = leaves ? __ldcs(d.factors + at) : __ldg(d.factors + at);
  }
#pragma unroll
  for (int m = 0; m < LOADS; ++m) {
    sum.x += f[m].x;
    sum.y += f[m].y;
  }
  const double total =
      __shfl_down_sync(0xffffffff, sum.x + sum.y, 1); /* no store comes before it */
#pragma unroll
  for (int m = 0; m < LOADS; ++m) {
    const int at = m * blockDim.x;
    if (at + (int)threadIdx.x < share && first_node + at < d.nodes)
      d.v[first_node + at] = make_double2(x[m].x + total, x[m].y);
  }
}

/* A contiguous piece per block, all loads before the first store; what leaves L2 first as in
 * peaks/gpu-copy, and how much stays. */
template <int FIRST_OUT, int STAYS = 0> __global__ void copy(const double2 *from, double2 *to, int count)
{
  const int first = blockIdx.x * blockDim.x * COPY_EACH + threadIdx.x;
  const bool leaves = (FIRST_OUT & 1) && (STAYS == 0 || (int)blockIdx.x % 16 >= STAYS);
  double2 x[COPY_EACH];
#pragma unroll
  for (int n = 0; n < COPY_EACH; ++n)
    if (first + n * (int)blockDim.x < count)
      x[n] = leaves ? __ldcs(from + first + n * blockDim.x) : from[first + n * blockDim.x];
#pragma unroll
  for (int n = 0; n < COPY_EACH; ++n)
    if (first + n * (int)blockDim.x < count) {
      if (FIRST_OUT & 2)
        __stcs(to + first + n * blockDim.x, x[n]);
      else
        to[first + n * blockDim.x] = x[n];
    }
}

__global__ void flush(const double2 *from, double *to, int count)
{
  double sum = 0;
#pragma unroll 8
  for (int n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += gridDim.x * blockDim.x)
    sum += from[n].x + from[n].y;
  if (sum != 0)
    *to = sum;
}

/* Of the ways to do it the first is the driver's copy, then come the copies by a kernel; the others move the
 * operator's data. */
enum {
  COPIES = 8,
  SHAPES = 3,
  LOADINGS = 4,
  PARTS = 3, /* of the factors that leave first */
  WAYS = COPIES + PARTS * SHAPES * LOADINGS,
  COPY_THREADS = 256
};

static void (*const COPY[COPIES - 1])(const double2 *, double2 *, int) = {
    copy<0>, copy<1>, copy<2>, copy<3>, copy<3, 4>, copy<3, 7>, copy<3, 10>};
static void (*const MOVE[LOADINGS][PARTS])(data, int) = {{move<1, 0>, move<1, 8>, move<1, 16>},
                                                         {move<2, 0>, move<2, 8>, move<2, 16>},
                                                         {move<4, 0>, move<4, 8>, move<4, 16>},
                                                         {move<8, 0>, move<8, 8>, move<8, 16>}};
static const int THREADS[SHAPES] = {128, 256, 512};

struct shape {
  int threads, loading, part;
};

/* Of a way that moves the operator's data. */
static shape shape_of(int way)
{
  const int n = way - COPIES;
  return {THREADS[n / PARTS % SHAPES], n / PARTS / SHAPES, n % PARTS};
}

static int loads_of(const shape &s)
{
  return 1 << s.loading;
}

static void issue_copy(const data &d, int way, cudaStream_t stream)
{
  const int count = (2 * d.nodes + d.points + 1) / 2;
  if (way == 0)
    TRY(cudaMemcpyAsync(d.v, d.u, (size_t)count * 16, cudaMemcpyDeviceToDevice, stream));
  else
    COPY[way - 1]<<<divided_up(count, COPY_THREADS * COPY_EACH), COPY_THREADS, 0, stream>>>(
        d.u, d.v, count);
}

static void issue_move(const data &d, int way, cudaStream_t stream)
{
  const shape s = shape_of(way);
  const int blocks = divided_up(d.points, s.threads * loads_of(s));
  MOVE[s.loading][s.part]<<<blocks, s.threads, 0, stream>>>(d, divided_up(d.nodes, blocks));
}

static void issue(const data &d, int way, cudaStream_t stream)
{
  (way < COPIES ? issue_copy : issue_move)(d, way, stream);
}

struct clock_pair {
  cudaEvent_t start, stop;
  cudaStream_t stream;
  double2 *other; /* what pushes everything else out of L2 */
  int other_count, multiprocessors;
};

static double seconds_between(const clock_pair &c)
{
  float milliseconds;
  TRY(cudaEventRecord(c.stop, c.stream));
  TRY(cudaEventSynchronize(c.stop));
  TRY(cudaEventElapsedTime(&milliseconds, c.start, c.stop));
  return 1e-3 * milliseconds;
}

static double median(std::vector<double> samples)
{
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

static double cold(const data &d, int way, const clock_pair &c)
{
  std::vector<double> samples;
  for (int n = 0; n <= SAMPLES; ++n) {
    flush<<<4 * c.multiprocessors, 512, 0, c.stream>>>(c.other, (double *)c.other, c.other_count);
    TRY(cudaEventRecord(c.start, c.stream));
    issue(d, way, c.stream);
    if (n)
      samples.push_back(seconds_between(c));
  }
  return median(samples);
}

static double hot(const data &d, int way, const clock_pair &c)
{
  std::vector<double> samples;
  int repetitions = 4;
  for (int n = 0; n <= SAMPLES; ++n) {
    TRY(cudaEventRecord(c.start, c.stream));
    for (int m = 0; m < repetitions; ++m)
      issue(d, way, c.stream);
    const double each = seconds_between(c) / repetitions;
    if (n)
      samples.push_back(each);
    else
      repetitions = 4 + (int)(HOT_SECONDS / each);
  }
  return median(samples);
}

static double graph(const data &d, int way, const clock_pair &c)
{
  std::vector<double> samples;
  const int launches = std::min(GRAPH_LAUNCHES + 0., std::max(16., GRAPH_SECONDS / hot(d, way, c)));
  cudaGraph_t captured;
  cudaGraphExec_t exec;
  TRY(cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeThreadLocal));
  for (int m = 0; m < launches; ++m)
    issue(d, way, c.stream);
  TRY(cudaStreamEndCapture(c.stream, &captured));
  TRY(cudaGraphInstantiate(&exec, captured, 0));
  for (int n = 0; n <= SAMPLES / 2; ++n) {
    TRY(cudaEventRecord(c.start, c.stream));
    TRY(cudaGraphLaunch(exec, c.stream));
    const double each = seconds_between(c) / launches;
    if (n)
      samples.push_back(each);
  }
  TRY(cudaGraphExecDestroy(exec));
  TRY(cudaGraphDestroy(captured));
  return median(samples);
}

/* The fastest of the ways from `first` on. */
static double fastest(double (*measure)(const data &, int, const clock_pair &), const data &d,
                      int first, int end, const clock_pair &c, int *way)
{
  double least = 0;
  for (int n = first; n < end; ++n) {
    const double t = measure(d, n, c);
    if (n == first || t < least) {
      least = t;
      *way = n;
    }
  }
  return least;
}

/* The factors are 0, so v has to be u. */
static bool has_moved(const data &d, int way, const clock_pair &c)
{
  std::vector<unsigned char> v(d.nodes * sizeof *d.v);
  TRY(cudaMemset(d.v, 0, d.nodes * sizeof *d.v));
  issue(d, way, c.stream);
  TRY(cudaStreamSynchronize(c.stream));
  TRY(cudaMemcpy(v.data(), d.v, v.size(), cudaMemcpyDeviceToHost));
  return std::all_of(v.begin(), v.end(), [](unsigned char byte) { return byte == FILL; });
}

static void report(const char *problem, int degree, int components, bool collocated,
                   long long elements, const clock_pair &c)
{
  const long long nodes = degree + 1, points = degree + (collocated ? 1 : 2);
  data d;
  d.nodes = (int)((elements * nodes * nodes * nodes + 1) / 2);
  d.points = (int)((elements * components * points * points * points + 1) / 2);
  const size_t half = ((size_t)2 * d.nodes + d.points + 1) / 2 * 16; /* room for the copy, too */
  const size_t u_bytes = std::max(half, (size_t)d.nodes * 16);
  TRY(cudaMalloc(&d.u, u_bytes));
  TRY(cudaMalloc(&d.v, u_bytes));
  TRY(cudaMalloc(&d.factors, (size_t)d.points * 16));
  TRY(cudaMemset(d.u, FILL, u_bytes));
  TRY(cudaMemset(d.factors, 0, (size_t)d.points * 16));
  struct {
    const char *name;
    double (*measure)(const data &, int, const clock_pair &);
  } states[] = {{"cold", cold}, {"hot", hot}, {"graph", graph}};
  for (const auto &s : states) {
    int way = 0, by = 0;
    const double copied = fastest(s.measure, d, 0, COPIES, c, &by);
    const double moved = fastest(s.measure, d, COPIES, WAYS, c, &way);
    if (!has_moved(d, way, c)) {
      fprintf(stderr, "traffic: %s N=%d, %s: v is not u\n", problem, degree, s.name);
      exit(1);
    }
    const shape best = shape_of(way);
    printf("%s,%d,%lld,%s,%.3f,%.3f,%d,%d,%d,%s\n", problem, degree, elements, s.name, 1e6 * moved,
           1e6 * copied, best.threads, loads_of(best), 8 * best.part, by ? "kernel" : "driver");
  }
  TRY(cudaFree(d.u));
  TRY(cudaFree(d.v));
  TRY(cudaFree(d.factors));
}

int main(int count, char **arguments)
{
  char *end = nullptr;
  const long long elements = count > 1 ? strtoll(arguments[1], &end, 10) : 4096;
  if (count > 2 || (end && *end) || elements < 1 || elements > ELEMENTS_MOST) {
    fprintf(stderr, "traffic: expected a number of elements, 1 to %d, found %s\n", ELEMENTS_MOST,
            count > 2 ? "more than one word" : arguments[1]);
    return 2;
  }
  cudaDeviceProp device;
  clock_pair c;
  TRY(cudaGetDeviceProperties(&device, 0));
  TRY(cudaEventCreate(&c.start));
  TRY(cudaEventCreate(&c.stop));
  TRY(cudaStreamCreate(&c.stream));
  c.multiprocessors = device.multiProcessorCount;
  c.other_count = FLUSH_TIMES_L2 * (device.l2CacheSize / 16);
  TRY(cudaMalloc(&c.other, (size_t)c.other_count * 16));
  TRY(cudaMemset(c.other, 0, (size_t)c.other_count * 16));
  printf("problem,degree,elements,cache,microseconds,copy_microseconds,threads,loads,first_out,"
         "copy_by\n");
  for (int degree = 1; degree < 16; ++degree)
    report("bp1.0", degree, 1, false, elements, c);
  for (int degree = 1; degree < 16; ++degree)
    report("bp3.0", degree, 7, false, elements, c);
  for (int degree = 1; degree < 16; ++degree)
    report("bp3.5", degree, 7, true, elements, c);
  return 0;
}
