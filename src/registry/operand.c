/* operand.c -- the table of operands, and the parameter lists made of it. */
#include "registry/operand.h"

#include "kernels/abi/cpu.h"
#include "kernels/abi/ranks.h"
#include <string.h>

#define ROW(name, type, access, count)                                                             \
  {#name, #type, BP_ACCESS_##access, sizeof(type), count, offsetof(bp_cpu_arguments, name)},
#define RANKS_ROW(name, type, access, count)                                                       \
  {#name, #type, BP_ACCESS_##access, sizeof(type), count, offsetof(bp_rank_arguments, name)},
const bp_operand bp_operands[BP_OPERANDS_COUNT] = {BP_OPERANDS(ROW) BP_OPERANDS_RANKS(RANKS_ROW)};
#undef ROW
#undef RANKS_ROW

int bp_operand_bytes(const bp_operand *operand, bp_space space)
{
  return strcmp(operand->type, "real") == 0     ? bp_real_bytes(space)
         : strcmp(operand->type, "stored") == 0 ? bp_stored_bytes(space)
         : strcmp(operand->type, "cycled") == 0 ? bp_cycled_bytes(space)
                                                : operand->bytes;
}

int bp_operand_find(const char *name)
{
  for (int n = 0; n < BP_OPERANDS_COUNT; ++n)
    if (strcmp(bp_operands[n].name, name) == 0)
      return n;
  return -1;
}

bool bp_operand_is_output(int operand)
{
  const bp_access access = bp_operands[operand].access;
  return access == BP_ACCESS_WRITE || access == BP_ACCESS_PART;
}

int bp_operands_parse(const char *names, int *operands, int most)
{
  int count = 0;
  for (const char *at = names + strspn(names, " "); *at; at += strspn(at, " ")) {
    char name[32];
    size_t length = strcspn(at, " ");
    if (length >= sizeof name || count == most)
      return 0;
    memcpy(name, at, length);
    name[length] = '\0';
    operands[count] = bp_operand_find(name);
    if (operands[count++] < 0)
      return 0;
    at += length;
  }
  return count;
}

/* A parameter's declaration; `plain`: without const and restrict. */
static void append_parameter(const bp_operand *o, bool plain, bp_text *text)
{
  bool is_const = !plain && o->access == BP_ACCESS_READ;
  const char *pointer = o->access == BP_ACCESS_VALUE ? "" : plain ? "*" : "*__restrict__ ";
  bp_text_appendf(text, ", %s%s %s%s", is_const ? "const " : "", o->type, pointer, o->name);
}

void bp_operands_source(const int *operands, int count, bp_text *text)
{
  static const char *const names[] = {"BP_PARAMETERS", "BP_PARAMETERS_PLAIN"};
  for (int plain = 0; plain < 2; ++plain) {
    bp_text_appendf(text, "#define %s int elements, int degree, double lambda", names[plain]);
    for (int n = 0; n < count; ++n)
      append_parameter(&bp_operands[operands[n]], plain, text);
    bp_text_append(text, "\n");
  }
  bp_text_append(text, "#define BP_ARGUMENTS(a) *(const int *)a[0], *(const int *)a[1], "
                       "*(const bp_emulated_real *)a[2]");
  for (int n = 0; n < count; ++n) {
    const bp_operand *o = &bp_operands[operands[n]];
    bp_text_appendf(text, ", *(%s %sconst *)a[%d]", o->type,
                    o->access == BP_ACCESS_VALUE ? "" : "*", n + 3);
  }
  bp_text_append(text, "\n#define BP_SET_OPERANDS(a) (a).elements = elements");
  for (int n = 0; n < count; ++n)
    bp_text_appendf(text, ", (a).%s = %s", bp_operands[operands[n]].name,
                    bp_operands[operands[n]].name);
  bp_text_append(text, "\n");
}
