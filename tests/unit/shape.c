/* shape.c -- tests of what launches a device can have, by its limits alone. */
#include "device/shape.h"
#include "space.h"
#include "test.h"

static const bp_backend backend = {.name = "pretended", .language = BP_LANGUAGE_CUDA};
static const bp_device device = {
    .backend = &backend,
    .lanes = 1,
    .sms = 4,
    .limits = {
        .sm = 80, .threads_max = 1024, .block_max = {1024, 1024, 64}, .shared_max = 227 << 10}};

typedef struct {
  const char *x, *y, *z, *blocks, *shared;
  int requires;
} launch_line;

static const bp_variant_text text = {.id = "bp1.0/made-up", .file = "kernels/bp1.0/made-up.cu"};

static bp_variant variant_of(const launch_line *line)
{
  return (bp_variant){.text = &text,
                      .id = text.id,
                      .problem = "bp1.0",
                      .language = BP_LANGUAGE_CUDA,
                      .lowest = 1,
                      .highest = BP_DEGREE_MAX,
                      .requires = line->requires,
                      .launches_count = 1,
                      .launches = {{.threads = {(char *)line->x, (char *)line->y, (char *)line->z},
                                    .blocks = (char *)line->blocks,
                                    .shared = (char *)line->shared}}};
}

static bp_status shape_of(const launch_line *line, int64_t elements, bp_shape *shape)
{
  const bp_variant variant = variant_of(line);
  const bp_build build = {bp_choice_standard(&variant), bp_operator_find("bp1.0"),
                          space_of("bp1.0", 7)};
  bp_shape shapes[BP_LAUNCHES_MAX];
  int64_t scratch;
  bp_status status = bp_shapes(&device, &build, elements, shapes, &scratch);
  *shape = shapes[0];
  return status;
}

TEST(shape, is_what_the_header_says)
{
  const launch_line line = {"nq", "nq", "2", "2 * sms", "8 * nc * nc", BP_HAS_MMA};
  bp_shape s;
  CHECK(shape_of(&line, 10, &s) == BP_OK, "%s", bp_message());
  CU_ASSERT(s.threads[0] == 8 && s.threads[1] == 8 && s.threads[2] == 2 && s.blocks == 8);
  CU_ASSERT_EQUAL(s.shared, 8 * 9 * 9);
  CU_ASSERT_EQUAL(bp_shape_threads(&s), 128);
}

TEST(shape, what_no_device_has_is_skipped_and_why)
{
  static const struct {
    launch_line line;
    int64_t elements;
    const char *words;
  } cases[] = {
      {{"64", "1", "1", NULL, "0", BP_HAS_BULK}, 10, "needs the feature bulk, which sm_80 has not"},
      {{"0", "1", "1", NULL, "0", 0},
       10,
       "needs 0 threads in direction x of a block; this device allows 1..1024"},
      {{"1", "1", "65", NULL, "0", 0},
       10,
       "needs 65 threads in direction z of a block; this device allows 1..64"},
      {{"64", "nc", "2", NULL, "0", 0},
       10,
       "needs 1152 threads per block; this device allows 1024"},
      {{"64", "1", "1", NULL, "227 * 1024 + 8", 0},
       10,
       "needs 232456 bytes of shared memory per block; this device allows 232448"},
      {{"64", "1", "1", "0", "0", 0}, 10, "needs 0 blocks; a launch has 1..2147483647"},
      {{"64", "1", "1", "1", "0", 0}, 1ll << 31, "takes at most 2147483647 elements"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    bp_shape s;
    bp_status status = shape_of(&cases[n].line, cases[n].elements, &s);
    CHECK(status == BP_SKIPPED && strcmp(bp_message(), cases[n].words) == 0,
          "expected '%s', found status %d, '%s'", cases[n].words, status, bp_message());
  }
}

TEST(shape, a_wrong_expression_is_told_with_its_file)
{
  const launch_line line = {"nodes", "1", "1", NULL, "0", 0};
  bp_shape s;
  CU_ASSERT_EQUAL(shape_of(&line, 10, &s), BP_BAD_INPUT);
  CHECK(strncmp(bp_message(), "kernels/bp1.0/made-up.cu: ", 26) == 0, "%s", bp_message());
}

TEST(shape, the_largest_block_of_several_launches_counts)
{
  const launch_line line = {"64", "1", "1", NULL, "800", 0};
  bp_variant variant = variant_of(&line);
  static char more[] = "128", less[] = "16";
  variant.launches[1] = variant.launches[0];
  variant.launches[1].threads[0] = more;
  variant.launches[1].shared = less;
  variant.launches_count = 2;
  const bp_build build = {bp_choice_standard(&variant), bp_operator_find("bp1.0"),
                          space_of("bp1.0", 7)};
  int64_t threads, shared;
  CU_ASSERT(bp_shapes_fit(&device, &build, 10, &threads, &shared));
  CU_ASSERT(threads == 128 && shared == 800);
}
