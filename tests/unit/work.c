/* work.c -- tests of the rows of kinds: which problem has which, that each applies, judges and writes. */
#include "test.h"

#include "base/memory.h"
#include "base/text.h"
#include "registry/choice.h"
#include "work/wave.h"

typedef struct {
  const char *problem, *kind, *variant, *files;
} expected;

static const expected all[] = {
    {"bp3.5", "element", "bp3.5/naive", " x u v"},
    {"bp2", "solve", "bp1/one-pass", " x ids fixed u v"},
    {"bp5", "solve", "bp5/one-pass", " x ids fixed u v"},
    {"wave", "wave", "wave/two-pass", " x ids fixed u v"},
    {"gradient-tet-vector", "gradient", "gradient/naive", " nodes points table gather u v"},
    {"pair", "pair", "pair/naive", " u v"},
};

typedef struct {
  bp_config *config;
  bp_device *device;
  bp_case c;
  bp_choice choice;
  bp_stage *stage;
} set_up;

static set_up set_up_create(const char *problem, const char *variant)
{
  const bp_device_options on = {.threads = 2};
  set_up s = {.config = bp_config_default()};
  CU_ASSERT_EQUAL_FATAL(bp_config_set(s.config, "iterations", "12", "test"), BP_OK);
  CU_ASSERT_EQUAL_FATAL(bp_device_create(&bp_backend_cpu, &on, &s.device), BP_OK);
  const bp_variant *found = bp_variant_find(variant, BP_LANGUAGE_C);
  CU_ASSERT_PTR_NOT_NULL_FATAL(found);
  s.choice = bp_choice_standard(found);
  s.c = bp_case_of(s.config, problem, 2, 0);
  s.c.elements = 12;
  s.c.box[0] = 3;
  s.c.box[1] = s.c.box[2] = 2;
  return s;
}

static void begin(set_up *s, bp_stage_options options)
{
  options.guarded = true;
  CHECK(bp_stage_create(&s->c, s->config, s->device, options, &s->stage) == BP_OK, "%s",
        bp_message());
}

static void set_up_destroy(set_up *s)
{
  bp_stage_destroy(s->stage);
  bp_device_destroy(s->device);
  bp_config_destroy(s->config);
}

static bp_status note(void *text, const char *name, bp_npy_type type, int rank,
                      const int64_t *shape, const void *data)
{
  (void)type;
  CU_ASSERT(rank > 0 && shape[0] > 0 && data);
  bp_text_appendf(text, " %s", name);
  return BP_OK;
}

TEST(work, every_kind_applies_judges_and_writes)
{
  for (size_t n = 0; n < sizeof all / sizeof *all; ++n) {
    const expected *e = &all[n];
    set_up s = set_up_create(e->problem, e->variant);
    bp_plan *plan = NULL;
    bp_stage_outcome outcome = bp_stage_unknown;
    bp_text text = {0};
    const bp_files to = {note, &text};
    CU_ASSERT_STRING_EQUAL(s.c.kind->name, e->kind);
    begin(&s, (bp_stage_options){.applies = true});
    CHECK(bp_stage_plan(s.stage, &s.choice, 1, &plan) == BP_OK, "%s: %s", e->problem, bp_message());
    CHECK(bp_stage_judge(s.stage, plan, &outcome) == BP_OK && outcome.error <= outcome.tolerance,
          "%s: %s", e->problem, bp_message());
    s.stage->reference[0] += 1;
    CHECK(bp_stage_judge(s.stage, plan, &outcome) == BP_WRONG, "%s", e->problem);
    CU_ASSERT_EQUAL(s.c.kind->files(s.stage, &to), BP_OK);
    CU_ASSERT_STRING_EQUAL(bp_text_string(&text), e->files);
    bp_text_destroy(&text);
    bp_plan_destroy(plan);
    set_up_destroy(&s);
  }
}

/* The last step is right in either case. */
TEST(work, a_wave_whose_source_was_another_on_the_way_is_wrong)
{
  const bp_wave_options wave = {.cfl = 0.9, .sources = "0.4,0.5,0.6;0.1,0.1,0.2"};
  for (int is_other = 0; is_other < 2; ++is_other) {
    set_up s = set_up_create("wave", "wave/two-pass");
    bp_stage_outcome outcome;
    begin(&s, (bp_stage_options){.wave = &wave});
    bp_waves *w = bp_waves_of(s.stage);
    CU_ASSERT_EQUAL(bp_waves_go(w, &s.choice, w->steps - 1), BP_OK);
    w->signals[w->steps + 3] += is_other ? 1e-6 : 0; /* what it says that it said */
    CU_ASSERT_EQUAL(bp_waves_go_last(w, &s.choice, &outcome), is_other ? BP_WRONG : BP_OK);
    set_up_destroy(&s);
  }
}
