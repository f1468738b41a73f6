/* worker.c -- the worker process of context.h: answers requests until its parent is gone. */
#include "device/cuda/protocol.h"

#include "base/child.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

static bp_cuda_context *context;
static char *mapping;

static bp_cu_result create(const bp_cuda_request *q)
{
  bp_cu_result result =
      bp_cuda_open() ? BP_CUDA_WORKER_NONE : bp_cuda_direct.create((int)q->count, &context);
  if (!result)
    (void)bp_cuda_pin(context, mapping, BP_CUDA_MAPPING); /* without, copies are slower */
  return result;
}

static bp_cu_result load(const bp_cuda_request *q, bp_cuda_reply *a)
{
  char *image = malloc(q->count + 1); /* the mapping is used again, and a PTX text ends with '\0' */
  if (!image)
    return BP_CU_OUT_OF_MEMORY;
  memcpy(image, mapping, q->count);
  image[q->count] = '\0';
  bp_cu_result result = bp_cuda_direct.load(context, image, q->count, &a->pointer);
  free(image);
  return result;
}

static bp_cu_result run(const bp_cuda_request *q, bp_cuda_reply *a)
{
  const bp_step *steps = (const bp_step *)(const void *)mapping;
  const bp_run what = {.before = steps,
                       .before_count = (int)q->run.before_count,
                       .steps = steps + q->run.before_count,
                       .steps_count = (int)q->run.steps_count,
                       .repetitions = q->run.repetitions};
  return bp_cuda_direct.run(context, &what, q->run.graph, q->run.timed ? &a->seconds : NULL);
}

static bp_cu_result share(const bp_cuda_request *q, bp_cuda_reply *a)
{
  bp_cu_handle handle = {{0}};
  bp_cu_result result = bp_cuda_direct.share(context, q->count, &a->pointer, &handle);
  memcpy(mapping, &handle, sizeof handle);
  return result;
}

static bp_cu_result join(const bp_cuda_request *q)
{
  bp_cu_handle handles[BP_RANKS_MAX];
  bp_cu_pointer pointers[BP_RANKS_MAX] = {0};
  memcpy(handles, mapping, q->count * sizeof *handles);
  bp_cu_result result =
      bp_cuda_direct.join(context, handles, (int)q->count, (int)q->word, pointers);
  memcpy(mapping, pointers, sizeof pointers);
  return result;
}

static bp_cu_result open_nccl(const bp_cuda_request *q)
{
  bp_nccl_id id = {{0}};
  bp_cu_result result = bp_cuda_direct.open_nccl(context, q->word, &id);
  memcpy(mapping, &id, sizeof id);
  return result;
}

static bp_cu_result join_nccl(const bp_cuda_request *q)
{
  bp_nccl_id id;
  memcpy(&id, mapping, sizeof id);
  return bp_cuda_direct.join_nccl(context, &id, (int)q->word, (int)q->count);
}

static bp_cu_result answer(const bp_cuda_request *q, bp_cuda_reply *a)
{
  const bp_cuda_calls *calls = &bp_cuda_direct;
  int blocks = 0;
  bp_cu_result result = 0;
  switch ((bp_cuda_request_kind)q->kind) {
  case BP_CUDA_CREATE:
    return create(q);
  case BP_CUDA_MEMORY:
    return calls->memory(context, &a->count);
  case BP_CUDA_ALLOC:
    return calls->alloc(context, q->count, &a->pointer);
  case BP_CUDA_RELEASE:
    return calls->release(context, q->pointer);
  case BP_CUDA_UPLOAD:
    return calls->upload(context, q->pointer, mapping, q->count);
  case BP_CUDA_DOWNLOAD:
    return calls->download(context, mapping, q->pointer, q->count);
  case BP_CUDA_FILL:
    return calls->fill(context, q->pointer, (uint32_t)q->word, q->count);
  case BP_CUDA_LOAD:
    return load(q, a);
  case BP_CUDA_UNLOAD:
    return calls->unload(context, q->pointer);
  case BP_CUDA_FIND:
    return calls->find(context, q->pointer, q->name, &a->info);
  case BP_CUDA_SHAPE:
    result = calls->shape(context, q->pointer, (int)q->word, q->count, &blocks);
    a->count = (uint64_t)blocks;
    return result;
  case BP_CUDA_SHARE:
    return share(q, a);
  case BP_CUDA_JOIN:
    return join(q);
  case BP_CUDA_LEAVE:
    return calls->leave(context);
  case BP_CUDA_UNSHARE:
    return calls->unshare(context);
  case BP_CUDA_OPEN_NCCL:
    return open_nccl(q);
  case BP_CUDA_JOIN_NCCL:
    return join_nccl(q);
  case BP_CUDA_LEAVE_NCCL:
    return calls->leave_nccl(context);
  case BP_CUDA_RUN:
    return run(q, a);
  }
  return BP_CU_UNKNOWN;
}

static _Noreturn void serve(int socket)
{
  bp_cuda_request request;
  while (recv(socket, &request, sizeof request, MSG_WAITALL) == (ssize_t)sizeof request) {
    bp_cuda_reply reply = {0};
    reply.result = answer(&request, &reply);
    if (send(socket, &reply, sizeof reply, MSG_NOSIGNAL) != (ssize_t)sizeof reply)
      break;
  }
  bp_leave(0); /* what the driver still holds goes with the process */
}

_Noreturn void bp_cuda_worker(int socket, int memory)
{
  bp_child_serves();
  mapping = mmap(NULL, BP_CUDA_MAPPING, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (mapping == MAP_FAILED)
    bp_leave(1);
  serve(socket);
}
