/* operators_source.c -- prints I, D, D I, the weights and the halves for even-odd splitting. */
#include "device/jit/operators_source.h"

#include "base/memory.h"
#include "fem/basis.h"
#include "fem/gradient.h"

/* `rows` x `columns` of the matrix m, which has rows of length `stride`. */
static void print_row(bp_text *text, const char *name, const double *x, int count)
{
  char number[32];
  bp_text_appendf(text, "BP_OPERATOR real %s[%d] = {", name, count);
  for (int a = 0; a < count; ++a)
    bp_text_appendf(text, "%s%s", a ? ", " : "", bp_print_double(number, x[a]));
  bp_text_append(text, "};\n");
}

static void print_matrix(bp_text *text, const char *name, const double *m, int rows, int columns,
                         int stride)
{
  char number[32];
  bp_text_appendf(text, "BP_OPERATOR real %s[%d][%d] = {\n", name, rows, columns);
  for (int a = 0; a < rows; ++a) {
    bp_text_append(text, "    {");
    for (int b = 0; b < columns; ++b)
      bp_text_appendf(text, "%s%s", b ? ", " : "", bp_print_double(number, m[a * stride + b]));
    bp_text_append(text, "},\n");
  }
  bp_text_append(text, "};\n");
}

/* The half of m, `rows` x `columns`, that acts on the even (sign 1) or odd (sign -1) part of its
 * input. */
static void print_half(bp_text *text, const char *name, const double *m, int rows, int columns,
                       double sign)
{
  double half[BP_POINTS_MAX * BP_POINTS_MAX];
  int half_rows = (rows + 1) / 2, half_columns = (columns + 1) / 2;
  for (int a = 0; a < half_rows; ++a)
    for (int b = 0; b < half_columns; ++b) {
      double here = m[a * columns + b], mirror = m[a * columns + columns - 1 - b];
      bool is_middle = b == columns - 1 - b;
      half[a * half_columns + b] = is_middle ? (sign > 0 ? here : 0) : (here + sign * mirror) / 2;
    }
  print_matrix(text, name, half, half_rows, half_columns, half_columns);
}

/* Of a gradient also the derivatives at the points: of shape functions, or of polynomials along a line. */
static void print_gradient(bp_space space, bp_text *text)
{
  int count = bp_gradient_table_count(space), nodes = bp_space_nodes(space);
  double *table = bp_alloc((size_t)count, sizeof *table);
  bp_gradient_kernel_table(space, table);
  if (bp_cell_is_simplex(space.shape))
    print_matrix(text, "bp_table", table, count / nodes, nodes, nodes);
  else
    print_matrix(text, "bp_DI", table, space.points, space.degree + 1, space.degree + 1);
  bp_free(table);
}

void bp_operators_source(const bp_operator *op, bp_space space, bp_text *text)
{
  bp_basis basis;
  bp_basis_create(&basis, space);
  bp_text_appendf(text, "/* operators.h -- %s at N = %d, generated. */\n", op->name, space.degree);
  bp_text_append(text, "#ifndef BP_OPERATORS_H\n#define BP_OPERATORS_H\n");
  bp_text_append(text, "#ifndef BP_OPERATOR\n#define BP_OPERATOR BP_CONSTANT\n#endif\n");
  print_matrix(text, "bp_I", basis.I, basis.nc, basis.nq, basis.nq);
  if (bp_operator_is_gradient(op))
    print_gradient(space, text);
  print_matrix(text, "bp_D", basis.D, basis.nc, basis.nc, basis.nc);
  print_half(text, "bp_I_even", basis.I, basis.nc, basis.nq, 1);
  print_half(text, "bp_I_odd", basis.I, basis.nc, basis.nq, -1);
  print_half(text, "bp_D_even", basis.D, basis.nc, basis.nc, 1);
  print_half(text, "bp_D_odd", basis.D, basis.nc, basis.nc, -1);
  if (!bp_operator_is_collocated(op)) {
    double DI[BP_POINTS_MAX * BP_POINTS_MAX] = {0};
    for (int a = 0; a < basis.nc; ++a)
      for (int b = 0; b < basis.nq; ++b)
        for (int m = 0; m < basis.nc; ++m)
          DI[a * basis.nq + b] += basis.D[a * basis.nc + m] * basis.I[m * basis.nq + b];
    print_half(text, "bp_DI_even", DI, basis.nc, basis.nq, 1);
    print_half(text, "bp_DI_odd", DI, basis.nc, basis.nq, -1);
  }
  print_row(text, "bp_weight", basis.weight, basis.nc);
  print_row(text, "bp_point", basis.point, basis.nc);
  bp_text_append(text, "#endif\n");
}
