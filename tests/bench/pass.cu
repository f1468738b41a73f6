/* pass.cu -- what a pass over an element's pencils takes at least on a GPU, in clocks
 *
 *   make build/pass && build/pass > docs/results/h200-pass.csv
 *
 * A thread per pencil of n loads it from shared memory, contracts it by a square matrix, even and odd halves apart,
 * stores it, and waits for the others: what every pass of an operator does, with nothing beside it. Matrices are in
 * registers, and no two threads of a warp meet in a bank. An operator is a chain of such passes. */
#include <cstdio>
#include <cuda_runtime.h>

enum { PASSES = 400, WARM = 2 };

template <int n> __global__ void pass(double *v, const double *matrix, long long *clocks)
{
  constexpr int half = (n + 1) / 2, plane = n * n;
  __shared__ double cubes[2][n * plane];
  const int p = threadIdx.x;
  double even[half][half], odd[half][half];
  for (int i = p; i < n * plane; i += blockDim.x)
    cubes[0][i] = v[i];
#pragma unroll
  for (int a = 0; a < half; ++a) {
#pragma unroll
    for (int b = 0; b < half; ++b) {
      even[a][b] = matrix[a * half + b];
      odd[a][b] = matrix[half * half + a * half + b];
    }
  }
  __syncthreads();
  const long long start = clock64();
  for (int k = 0; k < PASSES; ++k) {
    const double *from = cubes[k % 2] + p;
    double *to = cubes[1 - k % 2] + p, e[half], o[half];
    if (p < plane) {
#pragma unroll
      for (int b = 0; b < n / 2; ++b) {
        const double low = from[b * plane], high = from[(n - 1 - b) * plane];
        e[b] = low + high;
        o[b] = low - high;
      }
      if (n % 2)
        e[half - 1] = from[n / 2 * plane];
#pragma unroll
      for (int a = 0; a < half; ++a) {
        double sum = 0, difference = 0;
#pragma unroll
        for (int b = 0; b < half; ++b)
          sum += even[a][b] * e[b];
#pragma unroll
        for (int b = 0; b < n / 2; ++b)
          difference += odd[a][b] * o[b];
        to[a * plane] = sum + difference;
        if (a != n - 1 - a)
          to[(n - 1 - a) * plane] = sum - difference;
      }
    }
    __syncthreads();
  }
  if (p == 0)
    *clocks = clock64() - start;
  for (int i = p; i < n * plane; i += blockDim.x)
    v[i] = cubes[PASSES % 2][i];
}

template <int n> static bool measure(double *v, const double *matrix, long long *clocks)
{
  long long taken = 0;
  for (int k = 0; k <= WARM; ++k)
    pass<n><<<1, (n * n + 31) / 32 * 32>>>(v, matrix, clocks);
  cudaError_t error = cudaMemcpy(&taken, clocks, sizeof taken, cudaMemcpyDeviceToHost);
  if (error)
    fprintf(stderr, "pass: n = %d: %s\n", n, cudaGetErrorString(error));
  else
    printf("%d,%.1f\n", n, (double)taken / PASSES);
  return !error;
}

int main()
{
  enum { DOUBLES = 2048 };
  double *v, *matrix;
  long long *clocks;
  if (cudaMalloc(&v, DOUBLES * sizeof *v) || cudaMalloc(&matrix, DOUBLES * sizeof *matrix) ||
      cudaMalloc(&clocks, sizeof *clocks) || cudaMemset(v, 0, DOUBLES * sizeof *v) ||
      cudaMemset(matrix, 0, DOUBLES * sizeof *matrix)) {
    fprintf(stderr, "pass: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 3;
  }
  printf("pencil,clocks\n");
  const bool well = measure<2>(v, matrix, clocks) && measure<3>(v, matrix, clocks) &&
                    measure<4>(v, matrix, clocks) && measure<5>(v, matrix, clocks) &&
                    measure<6>(v, matrix, clocks) && measure<7>(v, matrix, clocks) &&
                    measure<8>(v, matrix, clocks) && measure<9>(v, matrix, clocks) &&
                    measure<10>(v, matrix, clocks) && measure<11>(v, matrix, clocks);
  return well ? 0 : 3;
}
