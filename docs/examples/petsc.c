/* petsc.c -- PETSc's conjugate gradients on libbp: bp3 on a warped box, beside PETSc's assembled matrix.
 *
 *   cc -O2 petsc.c -o petsc $(pkg-config --cflags --libs PETSc mpi-c bp) -lm && ./petsc -degree 4 -side 8
 *
 * Prints iterations and seconds of both, and by how much the two solutions differ. All of PETSc's options work. */
#include <bp.h>
#include <petscksp.h>
#include <petsctime.h>
#include <stdlib.h>

#define BP(call)                                                                                   \
  do {                                                                                             \
    if (call)                                                                                      \
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", libbp_message());                              \
  } while (0)

static PetscErrorCode multiply(Mat shell, Vec u, Vec v)
{
  libbp_operator *a;
  const PetscScalar *from;
  PetscScalar *to;
  PetscCall(MatShellGetContext(shell, &a));
  PetscCall(VecGetArrayRead(u, &from));
  PetscCall(VecGetArrayWrite(v, &to));
  BP(libbp_operator_apply(a, 1, from, 0, to));
  PetscCall(VecRestoreArrayWrite(v, &to));
  return VecRestoreArrayRead(u, &from);
}

static PetscErrorCode diagonal(Mat shell, Vec d)
{
  libbp_operator *a;
  PetscScalar *to;
  PetscCall(MatShellGetContext(shell, &a));
  PetscCall(VecGetArrayWrite(d, &to));
  BP(libbp_operator_diagonal(a, to));
  return VecRestoreArrayWrite(d, &to);
}

/* Column j of all elements' matrices is what the operator on elements makes of a 1 at each one's node j.
 * Fixed unknowns have negative numbers, which PETSc leaves out. */
static PetscErrorCode assemble(libbp_operator *a, libbp_mesh *mesh, libbp_operator_options options,
                               Mat matrix)
{
  const PetscInt nodes = (options.degree + 1) * (options.degree + 1) * (options.degree + 1),
                 count = nodes * (PetscInt)libbp_mesh_elements(mesh);
  libbp_operator *by_element;
  int64_t *number = malloc((size_t)count * sizeof *number);
  PetscInt *row = malloc((size_t)count * sizeof *row);
  double *u = calloc((size_t)count, sizeof *u), *v = malloc((size_t)count * sizeof *v);
  options.layout = LIBBP_ELEMENTS;
  BP(libbp_operator_create(mesh, &options, &by_element));
  BP(libbp_operator_numbers(a, number));
  for (PetscInt n = 0; n < count; ++n)
    row[n] = (PetscInt)number[n];
  for (PetscInt j = 0; j < nodes; ++j) {
    for (PetscInt n = 0; n < count; ++n)
      u[n] = n % nodes == j;
    BP(libbp_operator_apply(by_element, 1, u, 0, v));
    for (PetscInt n = 0; n < count; n += nodes)
      PetscCall(MatSetValues(matrix, nodes, row + n, 1, row + n + j, v + n, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  libbp_operator_destroy(by_element);
  free(number), free(row), free(u), free(v);
  return 0;
}

static PetscErrorCode solve(Mat matrix, Vec f, Vec x, const char *name)
{
  KSP ksp;
  PC pc;
  PetscInt iterations;
  PetscLogDouble begin, end;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, matrix, matrix));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, f, x)); /* the first sets up the preconditioner */
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSolve(ksp, f, x));
  PetscCall(PetscTime(&end));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %d iterations, %.3f ms each\n", name, (int)iterations,
                        1e3 * (end - begin) / (double)iterations));
  return KSPDestroy(&ksp);
}

static PetscErrorCode compare(PetscInt degree, PetscInt side)
{
  const int64_t elements[3] = {side, side, side};
  libbp_context_options threads = LIBBP_CONTEXT_OPTIONS; /* as many as PETSc has */
  libbp_operator_options options = LIBBP_OPERATOR_OPTIONS;
  libbp_info info = LIBBP_INFO;
  libbp_context *context;
  libbp_mesh *mesh;
  libbp_operator *a;
  Mat shell, matrix;
  Vec f, x, y;
  PetscReal size, difference;
  threads.threads = 1;
  options.problem = "bp3", options.degree = (int)degree, options.layout = LIBBP_UNKNOWNS;
  BP(libbp_context_create(&threads, &context));
  BP(libbp_mesh_box(context, elements, 0.3, &mesh));
  BP(libbp_operator_create(mesh, &options, &a));
  BP(libbp_operator_info(a, &info));

  const PetscInt n = (PetscInt)info.length,
                 in_row = (2 * degree + 1) * (2 * degree + 1) * (2 * degree + 1);
  PetscCall(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, a, &shell));
  PetscCall(MatShellSetOperation(shell, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(shell, MATOP_GET_DIAGONAL, (void (*)(void))diagonal));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, in_row < n ? in_row : n, NULL, &matrix));
  PetscCall(assemble(a, mesh, options, matrix));

  PetscCall(MatCreateVecs(shell, &x, &f));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(MatMult(shell, x, f)); /* 0 where unknowns are fixed, as it has to be */
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%d unknowns, %s\n", (int)n, info.variant));
  PetscCall(solve(shell, f, x, "libbp"));
  PetscCall(solve(matrix, f, y, "assembled"));
  PetscCall(VecNorm(y, NORM_2, &size));
  PetscCall(VecAXPY(y, -1, x));
  PetscCall(VecNorm(y, NORM_2, &difference));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "difference %.1e\n", (double)(difference / size)));

  PetscCall(VecDestroy(&f));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&shell));
  PetscCall(MatDestroy(&matrix));
  libbp_operator_destroy(a);
  libbp_mesh_destroy(mesh);
  libbp_context_destroy(context);
  return 0;
}

int main(int argc, char **argv)
{
  PetscInt degree = 4, side = 4;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-degree", &degree, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-side", &side, NULL));
  PetscCall(compare(degree, side));
  return PetscFinalize();
}
