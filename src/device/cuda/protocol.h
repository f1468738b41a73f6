/* protocol.h -- what remote.c and worker.c say to each other: over a socket one request,
 * then one reply, both of fixed size; large data through memory that both have mapped. */
#ifndef BP_DEVICE_CUDA_PROTOCOL_H
#define BP_DEVICE_CUDA_PROTOCOL_H

#include "device/cuda/context.h"

typedef enum {
  BP_CUDA_CREATE,     /* count: the device's number */
  BP_CUDA_MEMORY,     /* -> count */
  BP_CUDA_ALLOC,      /* count: bytes -> pointer */
  BP_CUDA_RELEASE,    /* pointer */
  BP_CUDA_UPLOAD,     /* pointer, count: bytes, in the mapping */
  BP_CUDA_DOWNLOAD,   /* pointer, count: bytes -> in the mapping */
  BP_CUDA_FILL,       /* pointer, word, count: words */
  BP_CUDA_LOAD,       /* count: bytes, in the mapping -> pointer: module */
  BP_CUDA_UNLOAD,     /* pointer */
  BP_CUDA_FIND,       /* pointer: module, name -> info */
  BP_CUDA_SHAPE,      /* pointer: function, word: threads, count: shared -> count: blocks */
  BP_CUDA_SHARE,      /* count: bytes -> pointer, its handle in the mapping */
  BP_CUDA_JOIN,       /* count: handles in the mapping, word: the own one -> pointers there */
  BP_CUDA_LEAVE,      /* */
  BP_CUDA_UNSHARE,    /* */
  BP_CUDA_OPEN_NCCL,  /* word: makes an id -> it, in the mapping */
  BP_CUDA_JOIN_NCCL,  /* word: rank, count: of so many, the id in the mapping */
  BP_CUDA_LEAVE_NCCL, /* */
  BP_CUDA_RUN         /* run, its steps in the mapping: those before, then the others -> seconds */
} bp_cuda_request_kind;

typedef struct {
  int64_t kind;
  uint64_t pointer, count, word;
  char name[128];
  struct {
    int64_t before_count, steps_count, repetitions, graph, timed;
  } run;
} bp_cuda_request;

typedef struct {
  int64_t result;
  uint64_t pointer, count;
  double seconds;
  bp_cuda_function_info info;
} bp_cuda_reply;

/* Bytes of the mapping. */
enum { BP_CUDA_MAPPING = 32 << 20 };

/* Serves requests until the other side is gone. */
_Noreturn void bp_cuda_worker(int socket, int memory);

/* The environment variable that makes a program a worker: "SOCKET,MAPPING", two file descriptors. */
#define BP_CUDA_WORKER_VARIABLE "BP_CUDA_WORKER"

#endif
