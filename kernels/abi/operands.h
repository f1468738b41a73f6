/* operands.h -- every array that a kernel may take, one row each. A variant's header names those that it
 * takes (`operands: factors u v`); without that line it takes the first six, in this order.
 *
 *   X(name, type, access, count)
 *
 * `type` is what an item is: real, stored and cycled are as long as the space's precision says (abi/types.h).
 *
 * `access` decides what happens around a kernel: READ is uploaded and compared afterwards, WRITE, PART (of which
 * not all has to be written) and SCRATCH (the kernel's own) are poisoned before, a VALUE is passed as it is; guards lie around all arrays. `count` is an
 * expression (registry/expression.h) for the number of items; "layout" and "scratch" stand for what the variant's
 * lines `factors:` and `scratch:` say. From these rows follow the arguments of GPU kernels, the struct of CPU
 * kernels, uploads, poison and guards on every backend. */
#ifndef BP_KERNELS_ABI_OPERANDS_H
#define BP_KERNELS_ABI_OPERANDS_H

#include "types.h"

/* clang-format off */
#define BP_OPERANDS(X)                                                                 \
  X(I, real, READ, "nc * nq")                       /* I[c][q], see fem/basis.h */     \
  X(D, real, READ, "nc * nc")                       /* D[a][b] */                      \
  X(factors, stored, READ, "layout")                  /* as the header declares */       \
  X(u, real, READ, "mesh_nodes ? mesh_nodes * fields : elements * inputs") /* u[e][k][j][i] */ \
  X(v, real, WRITE, "elements * outputs")           /* v[e][k][j][i] */                \
  X(scratch, real, SCRATCH, "scratch")              /* NULL where there is none */     \
  X(points, int, VALUE, "nc")                         /* per direction */                \
  X(rule, real, READ, "2 * nc")                     /* points, then weights, of the quadrature */ \
  /* of a solve, where elements share unknowns (fem/unknowns.h): vectors of `fields`     \
   * components, each `stride` doubles long */                                           \
  X(ids, int, READ, "elements * surface_nodes")       /* ids[e][m], ~id where fixed */   \
  X(first, int, READ, "3 * (elements + 1)")           /* first[e][class]: e owns ids >= that */              \
  X(copy_slots, unsigned, READ,                       /* where copies are, see lib/solve/vectors.h */ \
    "2 * (faces_end - inner) + 4 * (edges_end - faces_end) + 8 * (unknowns - edges_end)")  \
  X(starts, unsigned, READ, "unknowns - inner + 1")   /* of a surface unknown's copies */ \
  X(copied, unsigned, READ, "surface_copies")         /* where they are: e S + m */      \
  X(f, real, READ, "fields * stride")               /* the right-hand side */          \
  X(diagonal, real, READ, "jacobi * stride")    /* of A, 1 where fixed; of multigrid weights */ \
  X(x, real, WRITE, "fields * stride")              /* the solution */                 \
  X(residuals, double, PART,  "iterations + 1")       /* r . r before each iteration */  \
  X(r, real, SCRATCH, "fields * stride")            /* the residual */                 \
  X(p, real, SCRATCH, "history * fields * stride")  /* directions */                   \
  X(ap, real, SCRATCH, "fields * stride")           /* A p, but for the surface */     \
  X(copies, real, SCRATCH, "fields * elements * surface_nodes") /* of A p there */     \
  X(state, double, SCRATCH, "state_length")           /* sums, see abi/ranks.h */        \
  X(counts, int, SCRATCH, "16")                                                          \
  X(stride, long long, VALUE, "stride")                                                  \
  X(unknowns, int, VALUE, "unknowns")                                                    \
  X(inner, int, VALUE, "inner")                       /* where each kind of them ends */ \
  X(faces_end, int, VALUE, "faces_end")                                                  \
  X(edges_end, int, VALUE, "edges_end")                                                  \
  /* of gradients (fem/gradient.h), whose u is of a whole mesh */                         \
  X(gather, int, READ, "elements * element_nodes")    /* gather[e][n] */                 \
  X(table, real, READ, "table_count")               /* of the shape functions */       \
  X(shape, int, VALUE, "shape")                       /* of fem/space.h */               \
  X(fields, int, VALUE, "fields")                                                        \
  /* of pair (fem/pair.h), whose u and v have the points fastest */                      \
  X(species, int, VALUE, "fields")                                                       \
  X(u_by_species, double, READ, "elements * inputs")   /* the same, species fastest */   \
  X(v_by_species, double, WRITE, "elements * outputs")                                   \
  /* of wave (solve/wave.h), which begins with f and ends with x */                      \
  X(f_before, real, READ, "stride")                 /* one step before f */            \
  X(x_before, real, WRITE, "stride")                /* and before x */                 \
  X(inverse_mass, real, READ, "stride")             /* times dt^2; 0 where fixed */    \
  X(waves, real, SCRATCH, "2 * stride")             /* now and before, in turns */     \
  X(point_elements, int, READ, "80")                  /* of 16 sources, 64 receivers; */ \
  X(point_weights, double, READ, "80 * nq * nq * nq") /* element -1: there is none */    \
  X(signals, double, READ, "16 * iterations")         /* of all sources, step after step */  \
  X(traces, double, PART,  "64 * iterations")         /* of all receivers likewise */      \
  X(steps, int, READ, "1")                            /* of a run */ \
  /* vectors of whole elements: local[component][e][k][j][i] */ \
  X(local_u, real, SCRATCH, "fields * ((elements + lanes - 1) / lanes * lanes) * nq*nq*nq")    \
  X(local_v, real, SCRATCH, "fields * ((elements + lanes - 1) / lanes * lanes) * nq*nq*nq")    \
  /* the operator as a sparse matrix, row after row (solve/matrix.h) */                          \
  X(row_starts, long long, READ, "unknowns + 1")                                                 \
  X(columns, int, READ, "matrix_entries")                                                        \
  X(entries, double, READ, "matrix_entries")                                                     \
  /* of p-multigrid (abi/multigrid.h). Those of count 0 are the solve's, which binds them */     \
  X(schedule, double, READ, "0")                    /* rows of numbers that steps want */        \
  X(row, int, VALUE, "0")                             /* which one */                            \
  X(transfer, real, READ, "nq * nq")                /* [a][b]: the next level's b at node a */ \
  X(element_u, real, SCRATCH, "0")                  /* by element: what the operator takes */    \
  X(element_v, real, SCRATCH, "0")                  /* and gives */                              \
  X(coarse_elements, real, SCRATCH, "0")            /* either, of the next level */              \
  X(applied, real, SCRATCH, "0")                    /* A p inside elements, or of a level without */ \
  X(coarse_vector, real, SCRATCH, "0")              /* the same of the next level, or its x; */  \
  X(coarse_copies, real, SCRATCH, "0")              /* its copies */                             \
  X(coarse_ids, int, READ, "0")                                                                  \
  X(cycle_b, cycled, SCRATCH, "0")                   /* what the cycle is applied to */           \
  X(cycle_x, cycled, SCRATCH, "0")                   /* and what comes of it */                   \
  X(boxes, real, READ, "0")                         /* see solve/schwarz.h */                    \
  X(box_nodes, int, READ, "0")                                                                   \
  X(sparse_starts, int, READ, "0")                  /* rows of a matrix; NULL: it is full */     \
  X(sparse_columns, int, READ, "0")                                                              \
  X(sparse_values, real, READ, "0")                                                              \
  X(sparse_in, real, SCRATCH, "0")                                                               \
  X(sparse_out, real, SCRATCH, "0")                                                              \
  /* of a caller's vectors (peaks/gpu-unknowns), which libbp binds */                            \
  X(vector, double, SCRATCH, "0")                                                                \
  X(vector_u, double, READ, "0")                                                                 \
  X(inside, int, READ, "0")                         /* numbers of inner nodes, see solve/batches.h */ \
  X(targets, int, READ, "unknowns - inner")         /* of those on surfaces */                   \
  X(component, int, VALUE, "0")                     /* vector[component * stride + number] */    \
  X(alpha, double, VALUE, "0")                                                                   \
  X(beta, double, VALUE, "0")

/* Behind them, of a solve by several ranks: only a kernel file that includes abi/ranks.h sees
 * these on the CPU. */
#define BP_OPERANDS_RANKS(X)                                                           \
  X(bounds, double, READ, "4")                        /* of sums, see lib/solve/exact.h */ \
  X(halo, int, READ, "elements")                      /* 1: other ranks get copies of it */ \
  X(sent, unsigned, READ, "sent")                     /* which: e S + m */               \
  X(outbox, double, SCRATCH, "fields * sent")         /* these, fields side by side */   \
  X(inbox, double, SCRATCH, "fields * received")      /* and other ranks' */             \
  X(mail, long long, READ, "1040")                    /* see abi/ranks.h */              \
  X(post_ends, int, READ, "elements")                 /* where e's end in posts[] */     \
  X(posts, long long, READ, "2 * sent")               /* a place e S + m, its address */ \
  X(sent_count, int, VALUE, "sent")
/* clang-format on */

#define BP_OPERANDS_STANDARD "I D factors u v scratch"

#endif
