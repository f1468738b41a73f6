/* emulate_device.h -- the emulated device, and what emulate_far.c makes of a step that is far from the first
 * element. */
#ifndef BP_DEVICE_EMULATE_DEVICE_H
#define BP_DEVICE_EMULATE_DEVICE_H

#include "device/emulate/emulate.h"

typedef struct {
  int64_t start, bytes; /* address */
} emulate_block;

typedef struct {
  bp_device base;
  bp_emulate_compiler *compiler;
  uint64_t seed;
  int64_t before; /* elements that are not there */
  int file;
  char *memory;          /* begins with the job */
  emulate_block *blocks; /* allocated, by address */
  int blocks_count;
  int64_t mail_bytes, box_bytes; /* of all ranks' mailboxes, of one */
  int mail_file;                 /* 0: none */
  unsigned mail_posts;           /* of this rank, where the stream waits */
} emulate_device;

typedef struct emulate_module emulate_module;

typedef struct {
  const emulate_module *of;
  const char *kernel;
  int64_t first; /* the block to begin with */
  const bp_launch *launch;
} emulate_function;

/* A variant's program; a function is a kernel of it. */
struct emulate_module {
  char *program;
  const char *source; /* the variant's file */
  bp_build build;
  bool is_atomic; /* results depend on the order of blocks and threads */
  emulate_function functions[BP_LAUNCHES_MAX];
  int functions_count;
  bp_shape missing[BP_LAUNCHES_MAX]; /* launches for the elements that are not there */
};

static inline const emulate_function *emulate_function_of(const bp_step *step)
{
  return (const emulate_function *)(uintptr_t)step->function;
}

/* As bp_backend says: where it is asked for, from memory to memory. */
bp_status bp_emulate_connect(bp_device *device, bp_way way, int64_t bytes);
void bp_emulate_mail_close(emulate_device *device);
bp_status bp_emulate_mail_wait(emulate_device *device, const bp_step *step);

/* Of what was allocated there. */
int64_t bp_emulate_bytes(const emulate_device *device, bp_address address);

/* The launches for the elements that are not there. BP_SKIPPED: a block of theirs has some of those that
 * are. */
bp_status bp_emulate_shapes_before(const emulate_device *device, const bp_build *build,
                                   bp_shape missing[BP_LAUNCHES_MAX]);

/* What lies ahead of an operand's array, which has its count and bytes. */
void bp_emulate_ahead(const emulate_device *device, const bp_step *step, int operand,
                      bp_job_array *array);

/* Of a solve's launch lets as many blocks run as come to what is there. BP_SKIPPED: there are too few. */
bp_status bp_emulate_spread(const emulate_device *device, const bp_step *step,
                            bp_job_launch *launch);

/* Numbers in the lists of a solve count from its first element, or with sign -1 no longer. */
void bp_emulate_move_lists(const emulate_device *device, const bp_step *step, int sign);

#endif
