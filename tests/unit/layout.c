/* layout.c -- tests of the orders in which variants want the factors. */
#include "test.h"

#include "base/memory.h"
#include "registry/layout.h"

TEST(layout, words)
{
  static const struct {
    const char *text;
    bool valid;
    int align;
    bp_arrangement arrangement;
  } cases[] = {
      {"eckji", true, 1, BP_DENSE},
      {"ekcjil", true, 1, BP_DENSE},
      {"ekcji align 2", true, 2, BP_DENSE},
      {"ekcji rotated", true, 1, BP_ROTATED},
      {"ekcji align 16 rotated", true, 16, BP_ROTATED},
      {"ekcji align 2 tiled", true, 2, BP_TILED},
      {"ekcji align 2 transposed", true, 2, BP_TRANSPOSED},
      {"ecjki tiled 16", true, 1, BP_TILED_16},
      {"ecikj align 2 tiled 16x8", true, 2, BP_TILED_16X8},
      {"ekcji tiled 16", false, 0, BP_DENSE}, /* components between rows */
      {"ekjci tiled", false, 0, BP_DENSE},
      {"ecjkil tiled", false, 0, BP_DENSE},
      {"ekjic transposed", false, 0, BP_DENSE},
      {"ekcji rotated transposed", false, 0, BP_DENSE},
      {"ekcji rotated align 2", false, 0, BP_DENSE},
      {"ekcij rotated", false, 0, BP_DENSE}, /* rows are not i */
      {"ekcji align", false, 0, BP_DENSE},
      {"ekcji align 0", false, 0, BP_DENSE},
      {"ekcji rotated ", false, 0, BP_DENSE},
      {"kecji", false, 0, BP_DENSE},
      {"ekcj", false, 0, BP_DENSE},
      {"ekcjji", false, 0, BP_DENSE},
      {"", false, 0, BP_DENSE},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    bp_layout layout;
    bool valid = bp_layout_parse(cases[n].text, 8, &layout) == BP_OK;
    CHECK(valid == cases[n].valid, "'%s'", cases[n].text);
    if (valid && cases[n].valid)
      CHECK(layout.align == cases[n].align && layout.arrangement == cases[n].arrangement, "'%s'",
            cases[n].text);
  }
}

/* Where factor (e, c, k, j, i) lies in "ekcji align 2 rotated". */
static int64_t place(const bp_problem *p, int64_t group, int e, int c, int k, int j, int i)
{
  int nc = p->basis.nc, components = p->op->components;
  int column = nc % 2 ? i : (i + j) % nc;
  return e * group + ((int64_t)(k * components + c) * nc + j) * nc + column;
}

static void check_rotated(int degree)
{
  bp_problem *p;
  bp_layout layout;
  bp_problem_random(&bp_operators[1], bp_operator_space(&bp_operators[1], degree), 1, 3, 5, &p);
  CU_ASSERT_FATAL(bp_layout_parse("ekcji align 2 rotated", 1, &layout) == BP_OK);
  int nc = p->basis.nc, components = p->op->components, wrong = 0;
  int64_t points = (int64_t)nc * nc * nc, group = (components * points + 1) / 2 * 2;
  CU_ASSERT_FATAL(bp_layout_count(&layout, p) == 3 * group);
  double *factors = bp_alloc_array((size_t)(3 * group), sizeof *factors);
  bp_layout_fill(&layout, p, factors);
  for (int e = 0; e < 3; ++e)
    for (int c = 0; c < components; ++c)
      for (int k = 0; k < nc; ++k)
        for (int j = 0; j < nc; ++j)
          for (int i = 0; i < nc; ++i)
            wrong += factors[place(p, group, e, c, k, j, i)] !=
                     p->factors[((e * components + c) * nc + k) * nc * nc + j * nc + i];
  CHECK(wrong == 0, "N = %d: %d factors lie elsewhere", degree, wrong);
  bp_free(factors);
  bp_problem_destroy(p);
}

TEST(layout, rotated_rows)
{
  check_rotated(2); /* 4 points per row */
  check_rotated(3); /* 5: nothing is rotated, elements are padded */
}

/* The factors of an element in the order of `order`, each the number (k * nc + j) * nc + i. */
static double *numbered(const char *order, int degree, int *nc)
{
  bp_problem *p;
  bp_layout layout;
  bp_problem_random(&bp_operators[0], bp_operator_space(&bp_operators[0], degree), 1, 1, 5, &p);
  CU_ASSERT_FATAL(bp_layout_parse(order, 1, &layout) == BP_OK);
  *nc = p->basis.nc;
  for (int n = 0; n < *nc * *nc * *nc; ++n)
    p->factors[n] = n;
  double *factors = bp_alloc_array((size_t)bp_layout_count(&layout, p), sizeof *factors);
  bp_layout_fill(&layout, p, factors);
  bp_problem_destroy(p);
  return factors;
}

/* `count` factors from number `at` on are those of slice k, rows `row`, `row` + step, .. and of each the
 * columns `column`, `column` + direction, .., as many as `columns`. */
static int misplaced(const double *f, int at, int count, int nc, int k, int row, int step,
                     int column, int direction, int columns)
{
  int wrong = 0;
  for (int n = 0; n < count; ++n)
    wrong +=
        f[at + n] != (k * nc + row + n / columns * step) * nc + column + n % columns * direction;
  return wrong;
}

TEST(layout, tiled_slices)
{
  int nc;
  double *f = numbered("ekcji align 2 tiled", 12, &nc); /* 13 nodes, odd: rows 0, 4, 8, 12, 1, .. */
  CU_ASSERT_FATAL(nc == 14);
  CHECK(misplaced(f, 0, 16, nc, 0, 0, 4, 0, 1, 4) == 0, "rows 0, 4, 8, 12, columns 0..3");
  CHECK(misplaced(f, 16, 16, nc, 0, 1, 4, 0, 1, 4) == 0, "then rows 1, 5, 9, 13");
  CHECK(misplaced(f, 4 * 14, 16, nc, 0, 0, 4, 13, -1, 4) == 0, "then columns 13..10");
  CHECK(misplaced(f, 8 * 14, 12, nc, 0, 0, 4, 4, 1, 3) == 0, "then columns 4..6");
  CHECK(misplaced(f, 196 + 11 * 14, 12, nc, 1, 0, 4, 9, -1, 3) == 0, "slice 1: last columns 9..7");
  bp_free(f);
  f = numbered("ekcji align 2 tiled", 13, &nc); /* 14 nodes: rows 0, 2, .., 14, 1, .. */
  CHECK(misplaced(f, 0, 32, nc, 0, 0, 2, 0, 1, 4) == 0, "even rows");
  CHECK(misplaced(f, 32, 28, nc, 0, 1, 2, 0, 1, 4) == 0, "odd rows");
  CHECK(misplaced(f, 8 * 15, 32, nc, 0, 0, 2, 4, 1, 4) == 0, "columns to the middle, 7");
  CHECK(misplaced(f, 12 * 15, 24, nc, 0, 0, 2, 10, -1, 3) == 0, "three after it");
  bp_free(f);
}

TEST(layout, tiled_rows_of_an_element)
{
  int nc;
  double *f = numbered("eckji tiled 16", 11, &nc);
  CU_ASSERT_FATAL(nc == 13);
  CHECK(misplaced(f, 0, 16 * 4, nc, 0, 0, 1, 0, 1, 4) == 0, "16 rows, columns 0..3, across slices");
  CHECK(misplaced(f, 16 * 13, 16 * 4, nc, 0, 16, 1, 0, 1, 4) == 0, "the next 16 rows");
  CHECK(misplaced(f, 16 * 13 + 64, 16 * 4, nc, 0, 16, 1, 12, -1, 4) == 0, "their last columns");
  CHECK(misplaced(f, 160 * 13, 9 * 13, nc, 0, 160, 1, 0, 1, 13) == 0, "the rest as it is");
  bp_free(f);
  f = numbered("eckji align 2 tiled 16x8", 15, &nc);
  CHECK(misplaced(f, 0, 16 * 8, nc, 0, 0, 1, 0, 1, 8) == 0, "16 rows, columns 0..7");
  CHECK(misplaced(f, 128, 16 * 8, nc, 0, 0, 1, 16, -1, 8) == 0, "16..9");
  CHECK(misplaced(f, 256, 16, nc, 0, 0, 1, 8, 1, 1) == 0, "the middle");
  CHECK(misplaced(f, 288 * 17, 8, nc, 0, 288, 1, 0, 1, 8) == 0, "the last row");
  CHECK(misplaced(f, 288 * 17 + 8, 8, nc, 0, 288, 1, 16, -1, 8) == 0, "its last columns");
  bp_free(f);
}

/* Columns of a transposed slice of nc points a row, in their order: where nc is even, of the first half. */
static int transposed_columns(int nc, int *columns)
{
  int count = 0;
  if (nc % 2 == 0) {
    for (int i = 0; i < 4; ++i)
      for (int group = 0; group < 2; ++group)
        if (i + 4 * group < nc / 2)
          columns[count++] = i + 4 * group;
    return count;
  }
  for (int first = 0; first < 2; ++first)
    for (int i = first; i < nc; i += 2)
      columns[count++] = i;
  return count;
}

static void check_transposed(int degree)
{
  bp_problem *p;
  bp_layout layout;
  bp_problem_random(&bp_operators[1], bp_operator_space(&bp_operators[1], degree), 1, 1, 5, &p);
  CU_ASSERT_FATAL(bp_layout_parse("ekcji align 2 transposed", 1, &layout) == BP_OK);
  int nc = p->basis.nc, area = nc * nc, columns[BP_POINTS_MAX], wrong = 0, at = 0;
  int count = transposed_columns(nc, columns), slices = nc * p->op->components;
  double *factors = bp_alloc_array((size_t)bp_layout_count(&layout, p), sizeof *factors);
  bp_layout_fill(&layout, p, factors);
  for (int first = 0; first < (nc + 1) / 2; first += 4)
    for (int mirrored = 0; mirrored < 2; ++mirrored)
      for (int n = 0; n < count; ++n)
        for (int row = first; row < first + 4 && row < (nc + 1 - mirrored) / 2; ++row)
          for (int image = 0; image < (nc % 2 ? 1 : 2); ++image, ++at) {
            int j = mirrored ? nc - 1 - row : row, i = image ? nc - 1 - columns[n] : columns[n];
            /* slices lie as k, c here, as c, k in the problem */
            for (int s = 0; s < slices; ++s)
              wrong += factors[s * area + at] !=
                       p->factors[(s % p->op->components * nc + s / p->op->components) * area +
                                  j * nc + i];
          }
  CHECK(at == area && wrong == 0, "N = %d: %d of %d points, %d factors elsewhere", degree, at, area,
        wrong);
  bp_free(factors);
  bp_problem_destroy(p);
}

TEST(layout, transposed_slices)
{
  for (int degree = 2; degree <= 14; ++degree)
    check_transposed(degree);
}
