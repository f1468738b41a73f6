/* program.c -- lists of steps with loops. */
#include "device/program.h"

#include "base/memory.h"

bp_step *bp_program_add(bp_program *program, bp_step_kind kind)
{
  if (program->count == program->capacity) {
    program->capacity = program->capacity ? 2 * program->capacity : 16;
    program->steps = bp_realloc(program->steps, (size_t)program->capacity, sizeof *program->steps);
  }
  bp_step *step = &program->steps[program->count++];
  bp_step_start(step, kind);
  return step;
}

int bp_program_repeat(bp_program *program, int64_t times)
{
  bp_program_add(program, BP_STEP_REPEAT)->times = times;
  return program->count - 1;
}

void bp_program_end(bp_program *program, int loop)
{
  program->steps[loop].body = program->count - 1 - loop;
}

void bp_program_destroy(bp_program *program)
{
  bp_free(program->steps);
  *program = (bp_program){0};
}

bp_walk bp_walk_start(const bp_step *steps, int count)
{
  return (bp_walk){.steps = steps, .count = count};
}

const bp_step *bp_walk_next(bp_walk *walk)
{
  for (;;) {
    if (walk->depth > 0 && walk->at == walk->loops[walk->depth - 1].end) {
      if (--walk->loops[walk->depth - 1].left > 0)
        walk->at = walk->loops[walk->depth - 1].first;
      else
        --walk->depth;
      continue;
    }
    if (walk->at == walk->count)
      return NULL;
    const bp_step *step = &walk->steps[walk->at++];
    if (step->kind != BP_STEP_REPEAT)
      return step;
    if (step->times > 0 && step->body > 0) {
      BP_ASSERT(walk->depth < BP_LOOPS_MAX);
      walk->loops[walk->depth].first = walk->at;
      walk->loops[walk->depth].end = walk->at + step->body;
      walk->loops[walk->depth++].left = step->times;
    } else {
      walk->at += step->body;
    }
  }
}

bool bp_walk_has_next(const bp_walk *walk)
{
  bp_walk ahead = *walk;
  return bp_walk_next(&ahead) != NULL;
}

int64_t bp_steps_length(const bp_step *steps, int count)
{
  int64_t length = 0;
  for (int n = 0; n < count; ++n) {
    if (steps[n].kind != BP_STEP_REPEAT) {
      ++length;
      continue;
    }
    length += steps[n].times * bp_steps_length(steps + n + 1, steps[n].body);
    n += steps[n].body;
  }
  return length;
}
