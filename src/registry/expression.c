/* expression.c -- a recursive descent evaluator, one function per level of precedence table. */
#include "registry/expression.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *text, *at;
  const bp_name *names;
  const char *error; /* NULL while all is well */
  int depth;
} parser;

/* By rising precedence; longer operators stand before their beginnings. */
static const struct {
  const char *sign;
  int level;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 4}, {">=", 4}, {"<", 4},
                 {">", 4},  {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6},  {"%", 6}};
enum { OPERATORS = sizeof operators / sizeof *operators, LEVELS = 6, DEPTH_CAP = 50 };

static void skip_blanks(parser *p)
{
  while (isspace((unsigned char)*p->at))
    ++p->at;
}

static bool take(parser *p, const char *sign)
{
  skip_blanks(p);
  if (strncmp(p->at, sign, strlen(sign)) != 0)
    return false;
  p->at += strlen(sign);
  return true;
}

static int64_t fail(parser *p, const char *error)
{
  if (!p->error)
    p->error = error;
  return 0;
}

static int64_t conditional(parser *p);
static int64_t combine(parser *p, const char *sign, int64_t a, int64_t b);

/* Items in 128 bytes, which are all banks of shared memory, and a line of L2: of reals, as long as the
 * name `real` says. */
static int64_t items_of_line(const parser *p)
{
  for (const bp_name *n = p->names; n->name; ++n)
    if (strcmp(n->name, "real") == 0)
      return 128 / n->value;
  return 16;
}

/* The least number from a on that is b but for multiples of all banks; a and b are not negative. */
static int64_t same_bank(parser *p, int64_t a, int64_t b)
{
  if (a < 0 || b < 0)
    return fail(p, "numbers that are not negative");
  const int64_t banks = items_of_line(p);
  return combine(p, "+", a, (b % banks - a % banks + banks) % banks);
}

static int64_t larger(parser *p, int64_t a, int64_t b)
{
  (void)p;
  return a > b ? a : b;
}

/* Reals that a bulk copy of `count` needs, wherever in a line it begins: see slot_copy.h in
 * kernels/lib/memory. */
static int64_t slot(parser *p, int64_t count, int64_t unused)
{
  const int64_t line = items_of_line(p), beside = line - 1 + line / 8 - 1;
  (void)unused;
  return count < 0 ? fail(p, "a number that is not negative")
                   : combine(p, "*", combine(p, "+", count, beside + line - 1) / line, line);
}

static int64_t smaller(parser *p, int64_t a, int64_t b)
{
  (void)p;
  return a < b ? a : b;
}

static const struct {
  const char *name;
  int64_t (*of)(parser *p, int64_t a, int64_t b);
  int arguments;
} functions[] = {
    {"same_bank", same_bank, 2}, {"slot", slot, 1}, {"max", larger, 2}, {"min", smaller, 2}};

static bool is_name(const parser *p, const char *name, size_t length)
{
  return strlen(name) == length && strncmp(name, p->at, length) == 0;
}

/* Of one or two arguments, from the parenthesis on. */
static int64_t call(parser *p, int64_t (*of)(parser *p, int64_t a, int64_t b), int arguments)
{
  if (!take(p, "("))
    return fail(p, "'('");
  int64_t a = conditional(p);
  if (arguments == 2 && !take(p, ","))
    return fail(p, "','");
  int64_t b = arguments == 2 ? conditional(p) : 0;
  if (!take(p, ")"))
    return fail(p, "')'");
  return p->error ? 0 : of(p, a, b);
}

static int64_t name_value(parser *p)
{
  size_t length = 0;
  while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_')
    ++length;
  for (const bp_name *n = p->names; n->name; ++n)
    if (is_name(p, n->name, length)) {
      p->at += length;
      return n->value;
    }
  for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f)
    if (is_name(p, functions[f].name, length)) {
      p->at += length;
      return call(p, functions[f].of, functions[f].arguments);
    }
  return fail(p, "a name that is known here");
}

static int64_t primary(parser *p)
{
  skip_blanks(p);
  if (++p->depth > DEPTH_CAP)
    return fail(p, "fewer levels of nesting");
  int64_t value = 0;
  if (take(p, "(")) {
    value = conditional(p);
    if (!take(p, ")"))
      fail(p, "')'");
  } else if (take(p, "-")) {
    if (__builtin_sub_overflow((int64_t)0, primary(p), &value))
      fail(p, "a value below 2^63");
  } else if (take(p, "!")) {
    value = !primary(p);
  } else if (isdigit((unsigned char)*p->at)) {
    while (isdigit((unsigned char)*p->at))
      if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
          __builtin_add_overflow(value, (int64_t)(*p->at++ - '0'), &value))
        return fail(p, "a value below 2^63");
  } else if (isalpha((unsigned char)*p->at)) {
    value = name_value(p);
  } else {
    fail(p, "a number, a name or '('");
  }
  --p->depth;
  return value;
}

static int64_t combine(parser *p, const char *sign, int64_t a, int64_t b)
{
  int64_t value = 0;
  bool overflow = false;
  switch (sign[0]) {
  case '|':
    return a || b;
  case '&':
    return a && b;
  case '=':
    return a == b;
  case '!':
    return a != b;
  case '<':
    return sign[1] ? a <= b : a < b;
  case '>':
    return sign[1] ? a >= b : a > b;
  case '+':
    overflow = __builtin_add_overflow(a, b, &value);
    break;
  case '-':
    overflow = __builtin_sub_overflow(a, b, &value);
    break;
  case '*':
    overflow = __builtin_mul_overflow(a, b, &value);
    break;
  default:
    if (b == 0 || (b == -1 && a == INT64_MIN))
      return fail(p, "a divisor that is not 0");
    return sign[0] == '/' ? a / b : a % b;
  }
  return overflow ? fail(p, "a value below 2^63") : value;
}

static int64_t binary(parser *p, int level)
{
  if (level > LEVELS)
    return primary(p);
  int64_t value = binary(p, level + 1);
  while (!p->error) {
    int n = 0;
    while (n < OPERATORS && !(operators[n].level == level && take(p, operators[n].sign)))
      ++n;
    if (n == OPERATORS)
      break;
    int64_t right = binary(p, level + 1);
    if (!p->error)
      value = combine(p, operators[n].sign, value, right);
  }
  return value;
}

/* Both branches are evaluated, so neither may divide by zero. */
static int64_t conditional(parser *p)
{
  int64_t condition = binary(p, 1);
  if (p->error || !take(p, "?"))
    return condition;
  int64_t yes = conditional(p);
  if (!take(p, ":"))
    return fail(p, "':'");
  int64_t no = conditional(p);
  return condition ? yes : no;
}

bp_status bp_expression_evaluate(const char *text, const bp_name *names, int64_t *value)
{
  parser p = {.text = text, .at = text, .names = names};
  int64_t result = conditional(&p);
  skip_blanks(&p);
  if (!p.error && *p.at)
    fail(&p, "an operator or the end");
  if (p.error)
    return bp_fail(BP_BAD_INPUT, "expression '%s', column %d: expected %s, found '%.12s'", text,
                   (int)(p.at - text) + 1, p.error, *p.at ? p.at : "the end");
  *value = result;
  return BP_OK;
}
