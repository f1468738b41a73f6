/* fiber.c -- one stack per CUDA thread, and switching between it and the scheduler's. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

struct fiber {
  char *stack; /* its lowest page traps */
#ifdef __x86_64__
  void *pointer;
#else
  ucontext_t context;
#endif
};

static fiber *fibers;
static int fibers_count, current;
static size_t page;

/* The stacks of all fibers in one piece. */
void fibers_create(int count)
{
  page = (size_t)sysconf(_SC_PAGESIZE);
  if (count <= fibers_count)
    return;
  fiber *more = realloc(fibers, (size_t)count * sizeof *fibers);
  char *stacks = mmap(NULL, (size_t)(count - fibers_count) * STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!more || stacks == MAP_FAILED)
    fail("no memory for the stacks of %d threads", count);
  fibers = more;
  for (int n = fibers_count; n < count; ++n, stacks += STACK_BYTES) {
    fibers[n].stack = stacks;
    mprotect(stacks, page, PROT_NONE);
  }
  fibers_count = count;
}

bool fiber_stack_holds(uintptr_t address)
{
  for (int n = 0; n < fibers_count; ++n)
    if (address >= (uintptr_t)fibers[n].stack && address < (uintptr_t)fibers[n].stack + page)
      return true;
  return false;
}

#ifdef __x86_64__

/* Saves what a called function must keep on the stack left, and takes it from the one entered. */
void bp_emulated_switch(void **from, void *to);
__asm__(".text\n"
        ".globl bp_emulated_switch\n"
        ".type bp_emulated_switch, @function\n"
        "bp_emulated_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size bp_emulated_switch, .-bp_emulated_switch\n"
        ".section .note.GNU-stack,\"\",@progbits\n.text\n");

static void *scheduler;

/* Six registers, then the address to return to; at the entry the stack is 8 off a multiple of 16. */
void fiber_start(int number, void (*entry)(void))
{
  void **top = (void **)(void *)(fibers[number].stack + STACK_BYTES - 64);
  *--top = NULL;
  *--top = (void *)(uintptr_t)entry;
  for (int n = 0; n < 6; ++n)
    *--top = NULL;
  fibers[number].pointer = top;
}

static void switch_to_fiber(int number)
{
  bp_emulated_switch(&scheduler, fibers[number].pointer);
}

static void switch_to_scheduler(int number)
{
  bp_emulated_switch(&fibers[number].pointer, scheduler);
}

#else

static ucontext_t scheduler;

void fiber_start(int number, void (*entry)(void))
{
  ucontext_t *c = &fibers[number].context;
  getcontext(c);
  c->uc_stack.ss_sp = fibers[number].stack + page;
  c->uc_stack.ss_size = STACK_BYTES - page;
  c->uc_link = NULL;
  makecontext(c, entry, 0);
}

static void switch_to_fiber(int number)
{
  swapcontext(&scheduler, &fibers[number].context);
}

static void switch_to_scheduler(int number)
{
  swapcontext(&fibers[number].context, &scheduler);
}

#endif

void fiber_resume(int number)
{
  current = number;
  switch_to_fiber(number);
}

void fiber_yield(void)
{
  switch_to_scheduler(current);
}
