/* lists.c -- lists of nodes and numbers, and the steps that use them. */
#include "lib/library.h"

#include "base/memory.h"
#include <string.h>

/* Lists as the host has them. */
typedef struct {
  int32_t *ids;
  uint32_t *starts, *copied;
} host_lists;

enum { FIXED_COPY = -1 };

/* Of a node the number whose list it is in; -1: none. */
static int64_t listed(int64_t number, bool is_own)
{
  return number >= 0 ? number : is_own ? ~number : -1;
}

/* Nodes of a number in rising order; of a fixed one FIXED_COPY as often. */
static host_lists make_lists(const int64_t *number, int64_t all, int64_t count, bool is_own)
{
  host_lists h = {bp_alloc_array((size_t)all, sizeof *h.ids),
                  bp_alloc((size_t)count + 2, sizeof *h.starts),
                  bp_alloc_array((size_t)all + 1, sizeof *h.copied)};
  uint32_t *next = h.starts + 1;
  for (int64_t n = 0; n < all; ++n) {
    const int64_t to = listed(number[n], is_own);
    h.ids[n] = number[n] < 0 ? -1 : (int32_t)number[n];
    if (to >= 0)
      ++next[to + 1];
  }
  for (int64_t n = 0; n < count; ++n)
    next[n + 1] += next[n];
  for (int64_t n = 0; n < all; ++n) {
    const int64_t to = listed(number[n], is_own);
    if (to >= 0)
      h.copied[next[to]++] = number[n] < 0 ? (uint32_t)FIXED_COPY : (uint32_t)n;
  }
  h.copied[h.starts[count]] = 0; /* nobody's, so that there is one */
  return h;
}

static bp_status bring(bp_device *device, const char *name, int64_t count, const void *values,
                       bp_array *array)
{
  bp_status status = bp_array_create(device, name, count, (int64_t)sizeof(uint32_t), false, array);
  return status ? status : bp_array_write(device, array, values);
}

static bp_status make_plan(bp_device *device, int64_t elements, bp_plan **plan)
{
  libbp_lock();
  const bp_variant *variant = bp_variant_find("peaks/gpu-unknowns", BP_LANGUAGE_CUDA);
  BP_ASSERT(variant);
  const bp_choice choice = bp_choice_standard(variant);
  bp_status status = bp_plan_create_alone(device, &choice, elements, 2, plan);
  libbp_unlock();
  return status;
}

bp_status libbp_lists_create(bp_device *device, const int64_t *number, int64_t elements,
                             int64_t nodes, int64_t count, bool is_own, libbp_lists **lists)
{
  const int64_t all = elements * nodes;
  *lists = NULL;
  bp_status status = libbp_numbers_check(number, elements, nodes, count, INT32_MAX);
  if (status)
    return status;
  libbp_lists *l = bp_alloc(1, sizeof *l);
  host_lists h = make_lists(number, all, count, is_own);
  *l = (libbp_lists){.device = device, .count = count};
  for (int64_t n = 0; n < all; ++n)
    l->fixed += number[n] < 0;
  status = bring(device, "numbers of nodes", all, h.ids, &l->ids);
  if (!status)
    status = bring(device, "starts of lists", count + 1, h.starts, &l->starts);
  if (!status)
    status = bring(device, "nodes of numbers", h.starts[count] + 1, h.copied, &l->copied);
  if (!status)
    status = make_plan(device, elements, &l->plan);
  if (!status)
    status = bp_array_create(device, "sums", l->plan->steps[LIBBP_LIST_STEPS].shape.blocks,
                             sizeof(double), false, &l->sums);
  for (int s = 0; !status && s < l->plan->steps_count; ++s) {
    bp_step *step = &l->plan->steps[s];
    libbp_step_bind(step, BP_OPERAND_ids, l->ids.data);
    libbp_step_bind(step, BP_OPERAND_starts, l->starts.data);
    libbp_step_bind(step, BP_OPERAND_copied, l->copied.data);
    libbp_step_bind(step, BP_OPERAND_points, (uint64_t)nodes);
    libbp_step_bind(step, BP_OPERAND_unknowns, (uint64_t)count);
  }
  bp_free(h.ids);
  bp_free(h.starts);
  bp_free(h.copied);
  *lists = l;
  if (status) {
    libbp_lists_destroy(l);
    *lists = NULL;
  }
  return status;
}

void libbp_lists_destroy(libbp_lists *lists)
{
  if (!lists)
    return;
  bp_plan_destroy(lists->plan);
  bp_array_destroy(lists->device, &lists->ids);
  bp_array_destroy(lists->device, &lists->starts);
  bp_array_destroy(lists->device, &lists->copied);
  bp_array_destroy(lists->device, &lists->sums);
  bp_free(lists);
}

void libbp_step_bind(bp_step *step, int operand, uint64_t value)
{
  for (int n = 0; n < step->operands_count; ++n)
    if (step->operands[n].operand == operand)
      step->operands[n].value = value;
}

void libbp_step_bind_number(bp_step *step, int operand, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  libbp_step_bind(step, operand, bits);
}

bp_step libbp_lists_step(const libbp_lists *lists, libbp_list_step which, int component,
                         int64_t stride, bp_address elements)
{
  bp_step step = lists->plan->steps[which];
  libbp_step_bind(&step, BP_OPERAND_component, (uint64_t)component);
  libbp_step_bind(&step, BP_OPERAND_stride, (uint64_t)stride);
  libbp_step_bind(&step, which == LIBBP_TAKE ? BP_OPERAND_element_u : BP_OPERAND_element_v,
                  elements);
  return step;
}

void libbp_lists_product(const libbp_lists *lists, int components, int64_t stride, bp_address u,
                         bp_address v, bp_address dot, bp_step steps[2])
{
  for (int s = 0; s < 2; ++s) {
    steps[s] = lists->plan->steps[LIBBP_LIST_STEPS + s];
    libbp_step_bind(&steps[s], BP_OPERAND_component, (uint64_t)components);
    libbp_step_bind(&steps[s], BP_OPERAND_stride, (uint64_t)stride);
    libbp_step_bind(&steps[s], BP_OPERAND_element_u, lists->sums.data);
  }
  libbp_step_bind(&steps[0], BP_OPERAND_vector, v);
  libbp_step_bind(&steps[0], BP_OPERAND_element_v, u);
  libbp_step_bind(&steps[1], BP_OPERAND_vector, dot);
  libbp_step_bind(&steps[1], BP_OPERAND_points, (uint64_t)steps[0].shape.blocks);
}
