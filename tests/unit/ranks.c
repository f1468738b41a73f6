/* ranks.c -- tests of ranks: what they exchange, and what happens when one is lost. */
#include "test.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/memory.h"
#include "boxes.h"
#include "comm/comm.h"
#include "mesh/connectivity.h"
#include "mesh/curve.h"
#include "mesh/piece.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Runs `work` in so many processes; it returns how many things were wrong. *status: the job's. */
static void run_ranks(int size, int (*work)(bp_comm *), bp_status *status)
{
  bp_comm *comm;
  *status = bp_comm_fork(size, &comm);
  if (!comm)
    return;
  int wrong = work(comm);
  bp_status own = wrong ? bp_fail(BP_ENVIRONMENT, "rank %d: %d wrong", comm->rank, wrong) : BP_OK;
  bp_leave(bp_comm_close(comm, own));
}

/* More than a ring holds to the next rank, nothing to itself, as many bytes as the sum of both
 * numbers to others. */
static int exchange_everything(bp_comm *comm)
{
  enum { LARGE = 1 << 20 };
  int wrong = 0;
  int64_t first[BP_RANKS_MAX + 1], counts[BP_RANKS_MAX];
  void *data[BP_RANKS_MAX];
  char *received;
  for (int r = 0; r < comm->size; ++r) {
    counts[r] = r == comm->rank ? 0 : r == (comm->rank + 1) % comm->size ? LARGE : r + comm->rank;
    data[r] = bp_alloc((size_t)counts[r] + 1, 1);
    memset(data[r], 'a' + comm->rank, (size_t)counts[r]);
  }
  wrong += bp_comm_all_to_all(comm, data, counts, &received, first) != BP_OK;
  for (int r = 0; r < comm->size; ++r) {
    int64_t expected = r == comm->rank                      ? 0
                       : comm->rank == (r + 1) % comm->size ? LARGE
                                                            : r + comm->rank;
    wrong += first[r + 1] - first[r] != expected;
    for (int64_t n = first[r]; n < first[r + 1]; ++n)
      wrong += received[n] != 'a' + r;
    bp_free(data[r]);
  }
  bp_free(received);
  return wrong;
}

static int sum_and_agree(bp_comm *comm)
{
  int wrong = 0, told = 0;
  for (int n = 0; n < 1000; ++n) {
    double values[2] = {comm->rank, n};
    wrong += bp_comm_sum(comm, values, 2) != BP_OK;
    wrong += values[0] != comm->size * (comm->size - 1) / 2.0 || values[1] != n * comm->size;
    wrong += bp_comm_largest(comm, n - comm->rank) != n;
  }
  told = comm->rank == 0 ? 42 : 0;
  wrong += bp_comm_broadcast(comm, &told, sizeof told) != BP_OK || told != 42;
  bp_status own = comm->rank == 1 ? bp_fail(BP_WRONG, "only here") : BP_OK;
  wrong += bp_comm_agree(comm, own) != BP_WRONG || strcmp(bp_message(), "only here") != 0;
  return wrong;
}

static int lose_one(bp_comm *comm)
{
  double value = 1;
  if (comm->rank == 1)
    raise(SIGKILL);
  int wrong = bp_comm_sum(comm, &value, 1) != BP_ENVIRONMENT;
  return wrong + (bp_comm_check(comm) != BP_ENVIRONMENT);
}

/* Rank 1 is there, and does nothing. */
static int let_one_hang(bp_comm *comm)
{
  double value = 1;
  comm->least_patience = 0.6;
  bp_comm_limit(comm, true);
  while (comm->rank == 1)
    pause();
  int wrong = bp_comm_sum(comm, &value, 1) != BP_ENVIRONMENT;
  return wrong + (bp_comm_check(comm) != BP_ENVIRONMENT);
}

/* Nobody is blamed for a wait that nobody limits. */
static int be_slow(bp_comm *comm)
{
  double value = 1;
  comm->least_patience = 0.6;
  bp_comm_limit(comm, false);
  if (comm->rank == 1)
    usleep(1200000);
  return bp_comm_sum(comm, &value, 1) != BP_OK || value != comm->size;
}

static int stop_one(bp_comm *comm)
{
  double value = 1;
  if (comm->rank == 1)
    raise(SIGSTOP);
  return bp_comm_sum(comm, &value, 1) != BP_ENVIRONMENT;
}

static int be_alike(bp_comm *comm)
{
  return bp_comm_check_same(comm, "degree: 3\nmesh: a.msh\n") != BP_OK;
}

static int differ(bp_comm *comm)
{
  const char *text = comm->rank == 2 ? "degree: 3\nmesh: b.msh\n" : "degree: 3\nmesh: a.msh\n";
  int wrong = bp_comm_check_same(comm, text) != BP_BAD_INPUT;
  return wrong +
         !strstr(bp_message(), "expected 'mesh: a.msh', as of rank 0, found 'mesh: b.msh'") +
         (strncmp(bp_message(), "rank 2 of 3 on ", 15) != 0);
}

/* Rank 2 cannot go on while others wait for it elsewhere. */
static int quit_one(bp_comm *comm)
{
  double value = 1;
  if (comm->rank != 2)
    return bp_comm_sum(comm, &value, 1) != BP_ENVIRONMENT;
  bp_fail(BP_ENVIRONMENT, "no power");
  int wrong = bp_comm_quit(comm) != BP_ENVIRONMENT;
  return wrong + (bp_comm_sum(comm, &value, 1) != BP_ENVIRONMENT);
}

TEST(ranks, one_that_quits_is_named)
{
  bp_status status;
  run_ranks(3, quit_one, &status);
  CU_ASSERT(status == BP_ENVIRONMENT);
  CHECK(strstr(bp_message(), "rank 2 of 3 on ") && strstr(bp_message(), ": no power"), "said: %s",
        bp_message());
}

/* Of one host all: as many below as its number says. */
static int count_below(bp_comm *comm)
{
  return bp_comm_local_rank(comm) != comm->rank;
}

TEST(ranks, local_ranks_count_those_of_the_host)
{
  bp_status status;
  run_ranks(3, count_below, &status);
  CU_ASSERT(status == BP_OK);
}

TEST(ranks, those_of_other_hosts_are_not_counted)
{
  int64_t process[4] = {17, 0, 19, 0};
  bp_comm comm = {.size = 4};
  CU_ASSERT_EQUAL(bp_comm_local_size(&comm), 4);
  comm.process = process;
  CU_ASSERT_EQUAL(bp_comm_local_size(&comm), 2);
}

TEST(ranks, exchange_and_sum)
{
  for (int size = 2; size <= 5; ++size) {
    bp_status status;
    run_ranks(size, exchange_everything, &status);
    CHECK(status == BP_OK, "%d ranks: %s", size, bp_message());
    run_ranks(size, sum_and_agree, &status);
    CHECK(status == BP_OK, "%d ranks: %s", size, bp_message());
  }
}

TEST(ranks, a_lost_one_is_named)
{
  bp_status status;
  run_ranks(3, lose_one, &status);
  CU_ASSERT(status == BP_ENVIRONMENT);
  CHECK(strstr(bp_message(), "rank 1 of 3 on ") && strstr(bp_message(), "signal 9"), "said: %s",
        bp_message());
}

TEST(ranks, one_that_hangs_is_named)
{
  bp_status status;
  run_ranks(3, let_one_hang, &status);
  CU_ASSERT(status == BP_ENVIRONMENT);
  CHECK(strstr(bp_message(), "rank 1 of 3 on ") && strstr(bp_message(), " did not answer for "),
        "said: %s", bp_message());
  run_ranks(3, be_slow, &status);
  CHECK(status == BP_OK, "said: %s", bp_message());
  double begin = bp_clock();
  run_ranks(2, stop_one, &status);
  CHECK(strstr(bp_message(), "rank 1 of 2 on ") && strstr(bp_message(), " was stopped by a signal"),
        "said: %s", bp_message());
  CHECK(status == BP_ENVIRONMENT && bp_clock() - begin < 10, "after %g s", bp_clock() - begin);
}

TEST(ranks, different_ones_are_told_apart)
{
  bp_status status;
  run_ranks(3, be_alike, &status);
  CHECK(status == BP_OK, "said: %s", bp_message());
  run_ranks(3, differ, &status);
  CHECK(status == BP_OK, "said: %s", bp_message());
}

/* All elements once, in order; the surface is that of the cut. */
TEST(ranks, pieces_are_all_of_the_mesh)
{
  enum { RANKS = 4 };
  bp_mesh *mesh = NULL;
  bp_connectivity *connectivity = NULL;
  bp_part_size sizes[RANKS];
  CU_ASSERT_FATAL(bp_mesh_box(4, 2, 2, 0.3, &mesh) == BP_OK);
  CU_ASSERT_FATAL(bp_connectivity_create(mesh, &connectivity) == BP_OK);
  uint8_t *marks = bp_alloc((size_t)mesh->elements, sizeof *marks);
  int32_t *rank_of = bp_alloc((size_t)mesh->elements, sizeof *rank_of);
  CU_ASSERT(bp_partition(BP_PARTITION_CYCLIC, mesh, RANKS, rank_of) == BP_OK); /* layers along x */
  bp_partition_measure(connectivity, rank_of, RANKS, sizes);
  int64_t seen = 0;
  for (int r = 0; r < RANKS; ++r) {
    bp_piece *piece = bp_piece_create(mesh, rank_of, r, marks);
    int shared = 0;
    for (int64_t e = 0; e < piece->mesh->elements; ++e, ++seen)
      CU_ASSERT(piece->element[e] == 4 * e + r && piece->mesh->tag[e] == mesh->tag[4 * e + r]);
    for (int64_t n = 0; n < piece->mesh->nodes; ++n) {
      shared += piece->is_shared[n];
      CU_ASSERT(memcmp(piece->mesh->x + 3 * n, mesh->x + 3 * piece->node[n], 24) == 0);
    }
    CHECK(shared == (r == 0 || r == 3 ? 9 : 18), "rank %d shares %d nodes", r, shared);
    CU_ASSERT(sizes[r].elements == 4 && sizes[r].vertices == shared);
    CU_ASSERT(sizes[r].faces == (r == 0 || r == 3 ? 4 : 8));
    CU_ASSERT(sizes[r].neighbours == (r == 0 || r == 3 ? 1 : 2));
    bp_piece_destroy(piece);
  }
  CU_ASSERT(seen == mesh->elements);
  bp_free(marks);
  bp_free(rank_of);
  bp_connectivity_destroy(connectivity);
  bp_mesh_destroy(mesh);
}

/* ---- partitions ---- */

/* Two cubes, each a volume of its own, of part 2 and part 1. */
static const char *const two_parts =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 2 1 1 1 7 0\n$EndEntities\n"
    "$PartitionedEntities\n2\n0\n0 0 0 2\n"
    "4 3 1 1 2 0 0 0 1 1 1 1 7 0\n5 3 1 1 1 1 0 0 2 1 1 1 7 0\n$EndPartitionedEntities\n"
    "$Nodes\n1 12 1 12\n3 4 0 12\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"
    "0 0 0\n1 0 0\n2 0 0\n0 1 0\n1 1 0\n2 1 0\n0 0 1\n1 0 1\n2 0 1\n0 1 1\n1 1 1\n2 1 "
    "1\n$EndNodes\n"
    "$Elements\n2 2 1 2\n3 4 5 1\n1 1 2 5 4 7 8 11 10\n3 5 5 1\n2 2 3 6 5 8 9 12 "
    "11\n$EndElements\n";

/* The same as tags of elements, the second of which is a ghost in part 2; of 2.0 there are no ghosts. */
#define OLD(VERSION, FIRST, SECOND)                                                                \
  "$MeshFormat\n" VERSION " 0 8\n$EndMeshFormat\n$Nodes\n12\n"                                     \
  "1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n7 0 0 1\n8 1 0 1\n9 2 0 1\n"              \
  "10 0 1 1\n11 1 1 1\n12 2 1 1\n$EndNodes\n$Elements\n2\n1 5 " FIRST                              \
  " 1 2 5 4 7 8 11 10\n2 5 " SECOND " 2 3 6 5 8 9 12 11\n$EndElements\n"

static void check_parts_of(const char *text)
{
  bp_mesh *mesh = NULL;
  int32_t rank_of[2] = {-1, -1};
  bp_status status = bp_mesh_read_bytes("two", text, strlen(text), &mesh);
  CHECK(status == BP_OK, "said: %s", bp_message());
  CU_ASSERT_FATAL(mesh && mesh->partition);
  bp_mesh_sort(mesh, NULL);
  CU_ASSERT(bp_partition(BP_PARTITION_FILE, mesh, 2, rank_of) == BP_OK);
  for (int64_t e = 0; e < 2; ++e)
    CU_ASSERT(rank_of[e] == (mesh->tag[e] == 1 ? 1 : 0));
  CU_ASSERT(bp_partition(BP_PARTITION_FILE, mesh, 3, rank_of) == BP_BAD_INPUT);
  CU_ASSERT_STRING_EQUAL(bp_message(),
                         "two: partition: file: expected the parts of 3 ranks, found 2");
  mesh->partition[1] = 0;
  CU_ASSERT(bp_partition(BP_PARTITION_FILE, mesh, 2, rank_of) == BP_BAD_INPUT);
  bp_mesh_destroy(mesh);
}

TEST(ranks, parts_of_the_file)
{
  bp_mesh *mesh = NULL;
  int32_t rank_of[2];
  check_parts_of(two_parts);
  check_parts_of(OLD("2.2", "4 7 1 1 2", "5 7 1 2 1 -2"));
  check_parts_of(OLD("2", "3 7 1 2", "3 7 1 1"));
  CU_ASSERT_FATAL(bp_mesh_box(2, 1, 1, 0, &mesh) == BP_OK);
  CU_ASSERT(bp_partition(BP_PARTITION_FILE, mesh, 2, rank_of) == BP_BAD_INPUT);
  CU_ASSERT_STRING_EQUAL(bp_message(),
                         "box 2x1x1: partition: file: expected the parts that gmsh -part 2 "
                         "writes, found none");
  bp_mesh_destroy(mesh);
}

/* All ranks have about as much; the surface is no larger than that of runs along the curve. */
TEST(ranks, metis)
{
  enum { RANKS = 5 };
  bp_mesh *mesh = NULL;
  bp_connectivity *connectivity = NULL;
  bp_part_size by_curve[RANKS], by_metis[RANKS];
  int64_t curve_faces = 0, metis_faces = 0, elements = 0;
  CU_ASSERT_FATAL(bp_mesh_box(9, 8, 7, 0.3, &mesh) == BP_OK);
  bp_mesh_sort(mesh, NULL);
  int32_t *rank_of = bp_alloc((size_t)mesh->elements, sizeof *rank_of);
  CU_ASSERT_FATAL(bp_connectivity_create(mesh, &connectivity) == BP_OK);
  bp_partition(BP_PARTITION_CURVE, mesh, RANKS, rank_of);
  bp_partition_measure(connectivity, rank_of, RANKS, by_curve);
  bp_status status = bp_partition(BP_PARTITION_METIS, mesh, RANKS, rank_of);
  if (status == BP_OK) {
    bp_partition_measure(connectivity, rank_of, RANKS, by_metis);
    for (int r = 0; r < RANKS; ++r) {
      curve_faces += by_curve[r].faces;
      metis_faces += by_metis[r].faces;
      elements += by_metis[r].elements;
      CHECK(by_metis[r].elements > 90 && by_metis[r].elements < 112, "rank %d has %lld", r,
            (long long)by_metis[r].elements);
    }
    CU_ASSERT(elements == mesh->elements);
    CHECK(metis_faces <= curve_faces, "%lld faces, by curve %lld", (long long)metis_faces,
          (long long)curve_faces);
  } else {
    CHECK(status == BP_ENVIRONMENT && strstr(bp_message(), "libmetis"), "said: %s", bp_message());
    puts("no METIS: its partitions were not tested");
  }
  bp_free(rank_of);
  bp_connectivity_destroy(connectivity);
  bp_mesh_destroy(mesh);
}

/* A way that the model puts second has to be faster in each trial: one lucky trial is noise. */
TEST(ranks, ways_that_are_not_told_apart)
{
  bp_trial better = {.name = "ipc"}, other = {.name = "nccl"};
  static const double ipc[] = {20e-6, 19e-6, 21e-6}, lucky[] = {18e-6, 25e-6, 24e-6};
  for (int n = 0; n < 3; ++n) {
    bp_trial_add(&better, ipc[n], 2 * ipc[n]);
    bp_trial_add(&other, lucky[n], 2 * lucky[n]);
  }
  CU_ASSERT_DOUBLE_EQUAL(better.low, 4 * 19e-6, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(better.high, 4 * 21e-6, 1e-12);
  CU_ASSERT(other.sum_seconds == 18e-6 && other.exchange_seconds == 36e-6 && other.turns == 3);
  CU_ASSERT(!bp_trial_is_faster(&other, &better)); /* 18 < 19, and yet */
  bp_trial faster = {.name = "nccl"};
  for (int n = 0; n < 3; ++n)
    bp_trial_add(&faster, 0.8 * ipc[n], 1.6 * ipc[n]);
  CU_ASSERT(bp_trial_is_faster(&faster, &better) && !bp_trial_is_faster(&better, &faster));
}
