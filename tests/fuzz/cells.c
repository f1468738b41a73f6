/* cells.c -- the fuzzers' view of the mesh reader of triangles, quadrilaterals and tetrahedra. */
#include "fuzz.h"

#include "base/memory.h"
#include "fem/gradient.h"
#include "mesh/cells.h"
#include <string.h>

const char *const fuzz_words[] = {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
                                  "$Nodes\n",
                                  "$EndNodes\n",
                                  "$Elements\n",
                                  "$EndElements\n",
                                  "$Entities\n",
                                  "$PhysicalNames\n",
                                  "$PartitionedEntities\n",
                                  "1 2 2 1 1 1 2 3\n",
                                  "1 3 2 1 1 1 2 3 4\n",
                                  "1 4 2 1 1 1 2 3 4\n",
                                  "1 9 2 1 1 1 2 3 4 5 6\n",
                                  "2 1 2 1\n",
                                  "3 1 4 1\n",
                                  " 2 ",
                                  " 3 ",
                                  " 4 ",
                                  " 9 ",
                                  " 10 ",
                                  " 11 ",
                                  " 16 ",
                                  " 21 ",
                                  " 29 ",
                                  " 36 ",
                                  "\2\0\0\0",
                                  "\11",
                                  "\25",
                                  "\35",
                                  "\44",
                                  "2 1 \"surface\"\n",
                                  "\r\n",
                                  "\n",
                                  "-",
                                  "1e308",
                                  NULL};

static void check_numbers(const int32_t *number, int64_t count, int64_t most)
{
  for (int64_t n = 0; n < count; ++n)
    BP_ASSERT(number[n] >= 0 && number[n] < most);
}

static void check_cells(const bp_cells *cells)
{
  enum { NODES = 64 };
  BP_ASSERT(cells->elements > 0);
  check_numbers(cells->corner, cells->elements * bp_cell_corners(cells->shape), cells->vertices);
  check_numbers(cells->edge, cells->elements * bp_cell_edges(cells->shape), cells->edges);
  check_numbers(cells->face, cells->elements * bp_cell_faces(cells->shape), cells->faces);
  for (int degree = 1; degree <= BP_GRADIENT_DEGREE_MAX; ++degree) {
    int *gather = bp_alloc((size_t)(cells->elements * NODES), sizeof *gather);
    bp_cells_gather(cells, degree, gather);
    check_numbers(gather, cells->elements * bp_cell_count(cells->shape, degree + 1),
                  bp_cells_nodes(cells, degree));
    bp_free(gather);
  }
}

static bp_status read(const char *data, size_t size, const char *group, bp_cell shape)
{
  bp_cells *cells;
  bp_status status = bp_cells_read_bytes("f", data, size, group, shape, &cells);
  BP_ASSERT((status == BP_OK) == (cells != NULL));
  if (cells) {
    check_cells(cells);
  } else {
    BP_ASSERT(strncmp(bp_message(), "f:", 2) == 0 && strstr(bp_message(), "expected "));
    BP_ASSERT(strlen(bp_message()) < 1000 && !strchr(bp_message(), '\n'));
  }
  bp_cells_destroy(cells);
  return status;
}

/* Any shape may be asked of any file, and any group. */
bp_status fuzz_read(const char *data, size_t size)
{
  static const bp_cell shapes[] = {BP_TRIANGLE, BP_QUADRILATERAL, BP_TETRAHEDRON};
  bp_status status = BP_BAD_INPUT;
  for (size_t n = 0; n < sizeof shapes / sizeof *shapes; ++n) {
    bp_status of_all = read(data, size, NULL, shapes[n]),
              of_group = read(data, size, "1", shapes[n]);
    BP_ASSERT(of_all != BP_OK || of_group == BP_OK || of_group == BP_BAD_INPUT);
    status = of_all == BP_BAD_INPUT ? status : of_all;
  }
  return status;
}
