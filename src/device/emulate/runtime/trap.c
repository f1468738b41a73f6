/* trap.c -- signals: arithmetic on poison, addresses outside every array, stacks that are too small. */
#include "runtime.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

bp_emulated_site trap_site;

/* The place of the instruction is found by bp, from "@"; an operation of the runtime has its site. */
static _Noreturn void fail_here(uintptr_t instruction, const char *text)
{
  char who[64];
  print_thread(self(), who, sizeof who);
  if (trap_site.file)
    fail_at(trap_site, "%s %s", who, text);
  job->instruction = instruction;
  fail("@: %s %s", who, text);
}

#ifdef __x86_64__

enum { INVALID_FLAG = 1 << 0, INVALID_MASK = 1 << 7, TRAP_FLAG = 1 << 8 };
extern char __executable_start, etext;
static uintptr_t trapped;

static unsigned read_mxcsr(void)
{
  unsigned x;
  __asm__ volatile("stmxcsr %0" : "=m"(x));
  return x;
}

static void write_mxcsr(unsigned x)
{
  __asm__ volatile("ldmxcsr %0" : : "m"(x));
}

void traps_arm(bool armed)
{
  unsigned x = read_mxcsr() & ~(unsigned)INVALID_FLAG;
  write_mxcsr(armed ? x & ~(unsigned)INVALID_MASK : x | INVALID_MASK);
}

/* A leaf of the mathematics library, which has pushed nothing, is its caller's fault. */
static uintptr_t arithmetic_of(const ucontext_t *c)
{
  uintptr_t here = (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
  if (here >= (uintptr_t)&__executable_start && here < (uintptr_t)&etext)
    return here;
  return *(uintptr_t *)c->uc_mcontext.gregs[REG_RSP] - 1;
}

/* Lets the instruction pass and stops behind it: its result tells which poison it met. */
static void on_invalid(int number, siginfo_t *info, void *context)
{
  ucontext_t *c = context;
  (void)number, (void)info;
  trapped = arithmetic_of(c);
  c->uc_mcontext.fpregs->mxcsr |= INVALID_MASK;
  c->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* Shared memory that nobody wrote may be computed with, by threads without an element of their own,
 * as long as nothing of it reaches v. */
static bool is_wrong(uint64_t poison)
{
  return !poison_is_unwritten_shared(poison) || poison_is_same(poison, sought);
}

/* Poison in the registers, made quiet by arithmetic or, after a comparison, as it was loaded: what is wrong
 * before what is not; 0 when there is none. */
static uint64_t find_poison(const struct _libc_fpstate *state, bool quiet)
{
  const unsigned char *x = (const unsigned char *)state->_xmm;
  uint64_t found = 0;
  for (size_t n = 0; n < sizeof state->_xmm / 8 && !(found && is_wrong(found)); ++n) {
    uint64_t word;
    memcpy(&word, x + 8 * n, sizeof word);
    if (!quiet == !(word & 0x0008000000000000) && poison_describe(word, NULL, 0))
      found = word;
  }
  return found;
}

static void on_step(int number, siginfo_t *info, void *context)
{
  ucontext_t *c = context;
  char what[200], text[240];
  uint64_t word = find_poison(c->uc_mcontext.fpregs, true);
  (void)number, (void)info;
  word = word ? word : find_poison(c->uc_mcontext.fpregs, false);
  if (word && is_wrong(word)) {
    poison_describe(word, what, sizeof what);
    snprintf(text, sizeof text, "reads %s", what);
    fail_here(trapped, text);
  }
  c->uc_mcontext.fpregs->mxcsr &= ~(unsigned)(INVALID_MASK | INVALID_FLAG);
  c->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

#else

void traps_arm(bool armed)
{
  (void)armed;
}

#endif

static uintptr_t instruction_of(const ucontext_t *c)
{
#if defined __x86_64__
  return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
  return c->uc_mcontext.pc;
#else
  (void)c;
  return 0;
#endif
}

static const char *access_of(const ucontext_t *c)
{
#ifdef __x86_64__
  return c->uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";
#else
  (void)c;
  return "reads or writes";
#endif
}

static void on_address(int number, siginfo_t *info, void *context)
{
  char what[200], text[260];
  uintptr_t address = (uintptr_t)info->si_addr;
  (void)number;
  memory_describe(info->si_addr, what, sizeof what);
  if (fiber_stack_holds(address))
    snprintf(text, sizeof text, "needs more than %d KB for its local arrays", STACK_BYTES >> 10);
  else
    snprintf(text, sizeof text, "%s %s", access_of(context), what);
  fail_here(instruction_of(context), text);
}

/* What kernels are compiled with stops them there. */
static void on_bounds(int number, siginfo_t *info, void *context)
{
  (void)number, (void)info;
  fail_here(instruction_of(context), "has an index outside a local or shared array");
}

static void on_signal(int number, int flags, void (*handler)(int, siginfo_t *, void *))
{
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | flags};
  action.sa_sigaction = handler;
  sigaction(number, &action, NULL);
}

void traps_set(void)
{
  static char stack[64 << 10];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  on_signal(SIGSEGV, 0, on_address);
  on_signal(SIGBUS, 0, on_address);
  on_signal(SIGILL, 0, on_bounds);
#ifdef __x86_64__
  on_signal(SIGFPE, 0, on_invalid);
  on_signal(SIGTRAP, 0, on_step);
#endif
}
