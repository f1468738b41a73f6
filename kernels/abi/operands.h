/* operands.h -- every array that a kernel may take, one row each. A variant's header names those that it
 * takes (`operands: factors u v`); without that line it takes the first six, in this order.
 *
 *   X(name, type, access, count)
 *
 * `access` decides what happens around a kernel: READ is uploaded and compared afterwards, WRITE and SCRATCH are
 * poisoned before, UPDATE holds what was last written to it; guards lie around all of them. `count` is an
 * expression (registry/expression.h) for the number of items; "layout" and "scratch" stand for what the variant's
 * lines `factors:` and `scratch:` say. From these rows follow the arguments of GPU kernels, the struct of CPU
 * kernels, uploads, poison and guards on every backend. */
#ifndef BP_KERNELS_ABI_OPERANDS_H
#define BP_KERNELS_ABI_OPERANDS_H

/* clang-format off */
#define BP_OPERANDS(X)                                                          \
  X(I, double, READ, "nc * nq")                   /* I[c][q], see fem/basis.h */ \
  X(D, double, READ, "nc * nc")                   /* D[a][b] */                  \
  X(factors, double, READ, "layout")              /* as the header declares */   \
  X(u, double, READ, "elements * nq * nq * nq")   /* u[e][k][j][i] */            \
  X(v, double, WRITE, "elements * nq * nq * nq")  /* v[e][k][j][i] */            \
  X(scratch, double, SCRATCH, "scratch")          /* NULL where there is none */
/* clang-format on */

#define BP_OPERANDS_STANDARD "I D factors u v scratch"

#endif
