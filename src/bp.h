/* bp.h -- libbp: bp's operators and solves in other programs.
 *
 *   libbp_context *c; libbp_mesh *m; libbp_operator *a;
 *   libbp_context_create(NULL, &c);
 *   libbp_mesh_read(c, "part.msh", &m);
 *   libbp_operator_options o = LIBBP_OPERATOR_OPTIONS;
 *   o.problem = "bp5", o.degree = 7;
 *   libbp_operator_create(m, &o, &a);
 *   libbp_operator_apply(a, 1, u, 0, v);
 *
 * C99 and C++. Every call but those that destroy returns a status; libbp_message() says why the last call of this
 * thread failed. What was made keeps what it was made of alive: destroy in any order, NULL is legal. One thread at a
 * time may use a context and what was made of it; several contexts need no lock. Nothing here prints, exits, forks or
 * catches signals; helpers (a compiler, for kernels that are not in the cache yet) are started by posix_spawn. Two
 * ends are not a status: a system without memory and a fault of libbp itself abort.
 *
 * Kernels run on the CPU, or on a GPU of NVIDIA, where vectors are addresses of its memory. Structs begin with
 * their size: start them from the macros below, and programs compiled with an older header work with a newer
 * library. */
#ifndef LIBBP_H
#define LIBBP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define LIBBP_API __attribute__((visibility("default")))
#else
#define LIBBP_API
#endif

enum { LIBBP_VERSION = 200 }; /* 10000 major + 100 minor + patch, of this header */

/* The same of the library; it can be another. */
LIBBP_API int libbp_version(void);

typedef enum {
  LIBBP_OK = 0,
  LIBBP_WRONG = 1,      /* a solve did not converge, or a kernel failed */
  LIBBP_BAD_INPUT = 2,  /* an argument, a mesh, a file */
  LIBBP_ENVIRONMENT = 3 /* a file, memory, a compiler */
} libbp_status;

/* Of this thread's last call that failed, one line: the call, what was expected, what was found. */
LIBBP_API const char *libbp_message(void);

typedef struct libbp_context libbp_context;
typedef struct libbp_mesh libbp_mesh;
typedef struct libbp_operator libbp_operator;

/* ---- context: where kernels run ---- */

typedef struct {
  size_t size;
  int threads; /* 0: all that OpenMP has */
  /* -1: the CPU. Else an NVIDIA GPU by its number; libbp uses its primary context, which is that of the CUDA
   * runtime. Kernels are compiled by NVRTC in a process of its own, the program bp beside the library. */
  int gpu;
  /* Called in the thread of a call, with the last member; NULL: not. log hears what is no failure, such as
   * what was compiled. allocate gives arrays, all that grows with meshes and vectors, aligned as asked;
   * release takes them. If allocate returns NULL, the call takes what it needs to come to its end from the
   * system, and is LIBBP_ENVIRONMENT. */
  void (*log)(void *of, const char *line);
  void *(*allocate)(void *of, size_t bytes, size_t alignment);
  void (*release)(void *of, void *memory);
  void *of;
} libbp_context_options;
#define LIBBP_CONTEXT_OPTIONS                                                                      \
  {                                                                                                \
    sizeof(libbp_context_options), 0, -1, NULL, NULL, NULL, NULL                                   \
  }

/* Options NULL: all threads. */
LIBBP_API libbp_status libbp_context_create(const libbp_context_options *options,
                                            libbp_context **context);
LIBBP_API void libbp_context_destroy(libbp_context *context);

/* ---- mesh: hexahedra ---- */

/* x[node][3]; node[e][k][j][i], (order+1)^3 numbers an element, i along its first direction fastest, at
 * equispaced places, order 1 to 9. All elements are right-handed. The arrays are copied. */
LIBBP_API libbp_status libbp_mesh_create(libbp_context *context, int64_t nodes, const double *x,
                                         int order, int64_t elements, const int32_t *node,
                                         libbp_mesh **mesh);

/* [0,1]^3 in n[0] x n[1] x n[2] elements; warp in [0, 1) bends the inside. */
LIBBP_API libbp_status libbp_mesh_box(libbp_context *context, const int64_t n[3], double warp,
                                      libbp_mesh **mesh);

/* A Gmsh file of hexahedra. */
LIBBP_API libbp_status libbp_mesh_read(libbp_context *context, const char *path, libbp_mesh **mesh);

LIBBP_API int64_t libbp_mesh_elements(const libbp_mesh *mesh);

/* Puts the elements in order along a curve, so that neighbours are near in memory: operators on unknowns and
 * solves are faster. Before operators are made. former[e], unless that is NULL, is the place that element e
 * had. */
LIBBP_API libbp_status libbp_mesh_sort(libbp_mesh *mesh, int64_t *former);
LIBBP_API void libbp_mesh_destroy(libbp_mesh *mesh);

/* ---- operator: mass, diffusion, both ---- */

typedef enum {
  /* u[e][k][j][i], the Gauss-Lobatto nodes of each element of the mesh, which share nothing */
  LIBBP_ELEMENTS = 0,
  /* u[component][n], one number for nodes that elements share; the sum over elements */
  LIBBP_UNKNOWNS = 1
} libbp_layout;

typedef struct {
  size_t size;
  /* bp1, bp2: mass, N+2 points of Gauss; bp3, bp4: diffusion, the same points; bp5, bp6: diffusion on the
   * Gauss-Lobatto nodes. bp2, bp4, bp6 have three components, unknowns only */
  const char *problem;
  int degree;    /* N, 1 to 15 */
  double lambda; /* of diffusion: lambda times the mass is added */
  libbp_layout layout;

  /* Unknowns: numbers of the caller's, map[e][k][j][i], below count; a negative one is fixed: u is 0 there,
   * and v has no such entry. Nodes that share a number are one unknown. NULL: libbp's own numbers, which
   * libbp_operator_numbers tells. */
  const int64_t *map;
  int64_t count;
  /* In libbp's numbers: NULL the boundary for diffusion, nothing for mass; "none"; or names of surface groups
   * of the file between commas */
  const char *fixed;
  int jacobi; /* libbp_solve preconditions with the diagonal */

  int beyond; /* so many quadrature points a direction beyond N, 1 to 5; 0: the problem's own */
  const char *rule; /* "gauss", "lobatto"; "own": the problem's */
  int64_t stride;   /* with a map: component c of number n is u[n + c stride]; 0: count */
  /* NULL: the fastest; else the kernel of that name, or of that file, "./mine.c"; with options for which the
   * tables of `bp tune` have no say: "bp5/mapped elements_per_block=2". Solves take the fastest */
  const char *variant;
  int atomic; /* of unknowns on a GPU: elements add to what they share by atomic operations, which moves fewer
                 bytes; the last bits of results depend on their order */
} libbp_operator_options;
#define LIBBP_OPERATOR_OPTIONS                                                                     \
  {                                                                                                \
    sizeof(libbp_operator_options), NULL, 1, 0, LIBBP_ELEMENTS, NULL, 0, NULL, 0, 0, "own", 0,     \
        NULL, 0                                                                                    \
  }

LIBBP_API libbp_status libbp_operator_create(libbp_mesh *mesh,
                                             const libbp_operator_options *options,
                                             libbp_operator **a);

/* Without a mesh: elements as factors have them, f[e][c][k][j][i] at the quadrature points. With J the
 * Jacobian of the map from [-1,1]^3, W the weight times det J: of a mass W; of diffusion the entries rr, rs, rt, ss, st, tt of
 * W J^-1 J^-T, then W, which lambda multiplies. Unknowns need a map. The caller's array is not kept. */
LIBBP_API libbp_status libbp_operator_create_factors(libbp_context *context,
                                                     const libbp_operator_options *options,
                                                     int64_t elements, const double *factors,
                                                     libbp_operator **a);

/* From now on these, of as many elements. */
LIBBP_API libbp_status libbp_operator_set_factors(libbp_operator *a, const double *factors);
LIBBP_API void libbp_operator_destroy(libbp_operator *a);

typedef struct {
  size_t size;
  int64_t length;      /* doubles of u and of v */
  int64_t fixed;       /* unknowns of a component that are fixed; with a map, elements' nodes */
  const char *variant; /* "bp3.5/even_odd", while the operator lives */
  double flops, bytes; /* of an application on elements: least bytes, with the factors */
  /* How numbers of unknowns are kept: on a CPU "rows" of nodes, where numbers along each row have one
   * step, but for its ends; on a GPU "insides", where those inside each element are in a row; else
   * "nodes", which is slower. NULL of elements */
  const char *kept;
} libbp_info;
#define LIBBP_INFO                                                                                 \
  {                                                                                                \
    sizeof(libbp_info), 0, 0, NULL, 0, 0, NULL                                                     \
  }
LIBBP_API libbp_status libbp_operator_info(const libbp_operator *a, libbp_info *info);

/* v = alpha A u + beta v. With beta 0 v is not read. u and v differ. On elements arrays that begin at
 * multiples of 64 bytes are used where they lie when alpha is 1 and beta 0; others, and unknowns, go through
 * the cache, some elements at a time. Nothing is allocated. The same bits for every number of threads. Fixed unknowns: u is taken as 0 there, and A u is 0. */
LIBBP_API libbp_status libbp_operator_apply(libbp_operator *a, double alpha, const double *u,
                                            double beta, double *v);

/* The same on a GPU, u and v in its memory. Puts kernels into the stream (a CUstream or cudaStream_t; NULL:
 * the default one) and returns; allocates nothing and may be captured in a graph. The context that is current stays
 * so. One stream at a time may run an operator. On elements arrays begin at multiples of 64 bytes, alpha is 1
 * and beta 0. */
LIBBP_API libbp_status libbp_operator_apply_on(libbp_operator *a, void *stream, double alpha,
                                               const double *u, double beta, double *v);

/* v = A u and *dot = u . v, all on a GPU, of unknowns; the same bits every time. */
LIBBP_API libbp_status libbp_operator_apply_dot_on(libbp_operator *a, void *stream, const double *u,
                                                   double *v, double *dot);

/* The diagonal of A, one component's; 1 at fixed unknowns; of a GPU in its memory. Unknowns in libbp's
 * numbers. */
LIBBP_API libbp_status libbp_operator_diagonal(libbp_operator *a, double *diagonal);

/* Of unknowns in libbp's numbers: numbers[e][k][j][i] of the elements of the mesh, negative (~n) where n is
 * fixed. */
LIBBP_API libbp_status libbp_operator_numbers(const libbp_operator *a, int64_t *numbers);

/* Where the nodes are: x[n][3] of unknowns, x[e][k][j][i][3] of elements. */
LIBBP_API libbp_status libbp_operator_nodes(const libbp_operator *a, double *x);

/* ---- solve ---- */

typedef struct {
  size_t size;
  double tolerance; /* of the first residual */
  int iterations;   /* the most, at most 100000 */
} libbp_solve_options;
#define LIBBP_SOLVE_OPTIONS                                                                        \
  {                                                                                                \
    sizeof(libbp_solve_options), 1e-8, 1000                                                        \
  }

typedef struct {
  size_t size;
  int iterations;
  double first, last; /* |r| */
} libbp_solve_result;
#define LIBBP_SOLVE_RESULT                                                                         \
  {                                                                                                \
    sizeof(libbp_solve_result), 0, 0, 0                                                            \
  }

/* A x = f from x = 0, by conjugate gradients whose vectors are fused with the operator: the fastest scheme
 * that bp has. It may do some more than the tolerance needs. Unknowns in libbp's numbers. f is 0 at fixed
 * unknowns, or taken so. Of a GPU f, complete when this is called, and x are in its memory. LIBBP_WRONG: not
 * within the iterations; x and the result are there all the same. */
LIBBP_API libbp_status libbp_solve(libbp_operator *a, const double *f, double *x,
                                   const libbp_solve_options *options, libbp_solve_result *result);

#ifdef __cplusplus
}
#endif

#endif
