/* program.c -- lists of steps with loops run in the right order. */
#include "device/program.h"

#include "test.h"
#include <string.h>

/* Appends a step that is known by its launch. */
static void add(bp_program *program, int launch)
{
  bp_program_add(program, BP_STEP_LAUNCH)->launch = launch;
}

/* "0 1 2 1 2 3 ": the launches in the order of the walk. */
static void print_walk(const bp_program *program, char text[200])
{
  bp_walk walk = bp_walk_start(program->steps, program->count);
  *text = '\0';
  for (const bp_step *step; bp_walk_has_next(&walk) && (step = bp_walk_next(&walk));)
    snprintf(text + strlen(text), 200 - strlen(text), "%d ", step->launch);
  CU_ASSERT(bp_walk_next(&walk) == NULL);
}

TEST(program, loops_run_as_often_as_they_say)
{
  bp_program p = {0};
  char text[200];
  add(&p, 0);
  int outer = bp_program_repeat(&p, 2);
  add(&p, 1);
  int inner = bp_program_repeat(&p, 3);
  add(&p, 2);
  bp_program_end(&p, inner);
  int never = bp_program_repeat(&p, 0);
  add(&p, 7);
  bp_program_end(&p, never);
  bp_program_end(&p, outer);
  int empty = bp_program_repeat(&p, 5);
  bp_program_end(&p, empty);
  add(&p, 3);
  print_walk(&p, text);
  CU_ASSERT_STRING_EQUAL(text, "0 1 2 2 2 1 2 2 2 3 ");
  CU_ASSERT(bp_steps_length(p.steps, p.count) == 10);
  bp_program_destroy(&p);
}

TEST(program, loops_may_end_together)
{
  bp_program p = {0};
  char text[200];
  int outer = bp_program_repeat(&p, 2), inner = bp_program_repeat(&p, 2);
  add(&p, 4);
  bp_program_end(&p, inner);
  bp_program_end(&p, outer);
  print_walk(&p, text);
  CU_ASSERT_STRING_EQUAL(text, "4 4 4 4 ");
  bp_program_destroy(&p);
}

TEST(program, without_steps_nothing_runs)
{
  char text[200];
  print_walk(&(bp_program){0}, text);
  CU_ASSERT_STRING_EQUAL(text, "");
  CU_ASSERT(bp_steps_length(NULL, 0) == 0);
}
