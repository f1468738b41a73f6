/* remote.c -- the calls of context.h, each a request to a worker process. */
#include "device/cuda/cuda.h"
#include "device/cuda/protocol.h"

#include "base/child.h"
#include "base/memory.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct bp_cuda_context {
  pid_t process;
  int socket;
  char *mapping;
};

/* ---- the process ---- */

void bp_cuda_become_worker(void)
{
  const char *variable = getenv(BP_CUDA_WORKER_VARIABLE);
  int socket, memory;
  if (variable && sscanf(variable, "%d,%d", &socket, &memory) == 2)
    bp_cuda_worker(socket, memory);
}

static void destroy(bp_cuda_context *context)
{
  bp_cuda_context *c = context;
  if (c->process > 0) {
    kill(c->process, BP_CHILD_ENDS);
    while (waitpid(c->process, NULL, 0) < 0 && errno == EINTR)
      continue;
  }
  if (c->socket >= 0)
    close(c->socket);
  if (c->mapping)
    munmap(c->mapping, BP_CUDA_MAPPING);
  bp_free(c);
}

static bool start_process(bp_cuda_context *c, int socket, int memory)
{
  char name[] = "bp-cuda-worker", *const arguments[] = {name, NULL};
  char *variable = bp_format(BP_CUDA_WORKER_VARIABLE "=%d,%d", socket, memory);
  char **environment = bp_environment_with(variable);
  pid_t process;
  bool started = posix_spawn(&process, "/proc/self/exe", NULL, NULL, arguments, environment) == 0;
  if (started)
    c->process = process;
  bp_free(environment);
  bp_free(variable);
  return started;
}

static bool share_memory(bp_cuda_context *c, int memory)
{
  if (memory < 0 || ftruncate(memory, BP_CUDA_MAPPING) != 0)
    return false;
  void *at = mmap(NULL, BP_CUDA_MAPPING, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (at == MAP_FAILED)
    return false;
  c->mapping = at;
  return true;
}

/* Of the two ends of the socket the parent's closes on exec, so the worker sees its end. */
static bp_cuda_context *start_worker(void)
{
  int ends[2] = {-1, -1};
  bp_cuda_context *c = bp_alloc(1, sizeof *c);
  int memory = memfd_create("bp-cuda", 0);
  bool started = share_memory(c, memory) && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 &&
                 fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && start_process(c, ends[1], memory);
  c->socket = ends[0];
  if (ends[1] >= 0)
    close(ends[1]);
  if (memory >= 0)
    close(memory);
  if (started)
    return c;
  destroy(c);
  return NULL;
}

/* ---- one request ---- */

static int patience_seconds(void)
{
  const char *variable = getenv("BP_CUDA_PATIENCE");
  int64_t seconds;
  bool is_good = variable && bp_parse_int(variable, &seconds) && seconds > 0 && seconds < 1000000;
  return is_good ? (int)seconds : BP_CUDA_PATIENCE_SECONDS;
}

/* Signals that the program handles must not look like a worker that is gone. */
static bool send_all(int socket, const char *data, size_t size)
{
  while (size > 0) {
    ssize_t sent = send(socket, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR)
      return false;
    data += sent > 0 ? sent : 0;
    size -= sent > 0 ? (size_t)sent : 0;
  }
  return true;
}

static bool receive_all(int socket, char *data, size_t size)
{
  while (size > 0) {
    ssize_t got = recv(socket, data, size, 0);
    if (got == 0 || (got < 0 && errno != EINTR))
      return false;
    data += got > 0 ? got : 0;
    size -= got > 0 ? (size_t)got : 0;
  }
  return true;
}

/* What came back is in *reply. */
static bp_cu_result ask(bp_cuda_context *c, bp_cuda_request_kind kind, bp_cuda_request request,
                        bp_cuda_reply *reply)
{
  struct pollfd wait = {.fd = c->socket, .events = POLLIN};
  int ready;
  request.kind = kind;
  *reply = (bp_cuda_reply){0};
  if (!send_all(c->socket, (const char *)&request, sizeof request))
    return BP_CUDA_WORKER_GONE;
  while ((ready = poll(&wait, 1, 1000 * patience_seconds())) < 0 && errno == EINTR)
    continue;
  if (ready == 0)
    return BP_CUDA_WORKER_SLOW;
  if (!receive_all(c->socket, (char *)reply, sizeof *reply))
    return BP_CUDA_WORKER_GONE;
  return (bp_cu_result)reply->result;
}

/* Where nothing but the result does. */
static bp_cu_result tell(bp_cuda_context *c, bp_cuda_request_kind kind, bp_cuda_request request)
{
  bp_cuda_reply reply;
  return ask(c, kind, request, &reply);
}

/* ---- the calls ---- */

static bp_cu_result create(int device, bp_cuda_context **context)
{
  bp_cuda_context *c = start_worker();
  if (!c)
    return BP_CUDA_WORKER_NONE;
  bp_cu_result result = tell(c, BP_CUDA_CREATE, (bp_cuda_request){.count = (uint64_t)device});
  if (result)
    destroy(c);
  else
    *context = c;
  return result;
}

static bp_cu_result memory(bp_cuda_context *context, size_t *free_bytes)
{
  bp_cuda_reply reply;
  bp_cu_result result = ask(context, BP_CUDA_MEMORY, (bp_cuda_request){0}, &reply);
  *free_bytes = reply.count;
  return result;
}

static bp_cu_result alloc(bp_cuda_context *context, size_t bytes, bp_cu_pointer *pointer)
{
  bp_cuda_reply reply;
  bp_cu_result result = ask(context, BP_CUDA_ALLOC, (bp_cuda_request){.count = bytes}, &reply);
  *pointer = reply.pointer;
  return result;
}

static bp_cu_result release(bp_cuda_context *context, bp_cu_pointer pointer)
{
  return tell(context, BP_CUDA_RELEASE, (bp_cuda_request){.pointer = pointer});
}

static size_t piece_of(size_t bytes, size_t done)
{
  return bytes - done < BP_CUDA_MAPPING ? bytes - done : BP_CUDA_MAPPING;
}

static bp_cu_result upload(bp_cuda_context *context, bp_cu_pointer to, const void *from,
                           size_t bytes)
{
  bp_cu_result result = 0;
  for (size_t done = 0, piece; done < bytes && !result; done += piece) {
    piece = piece_of(bytes, done);
    memcpy(context->mapping, (const char *)from + done, piece);
    result = tell(context, BP_CUDA_UPLOAD, (bp_cuda_request){.pointer = to + done, .count = piece});
  }
  return result;
}

static bp_cu_result download(bp_cuda_context *context, void *to, bp_cu_pointer from, size_t bytes)
{
  bp_cu_result result = 0;
  for (size_t done = 0, piece; done < bytes && !result; done += piece) {
    piece = piece_of(bytes, done);
    result =
        tell(context, BP_CUDA_DOWNLOAD, (bp_cuda_request){.pointer = from + done, .count = piece});
    if (!result)
      memcpy((char *)to + done, context->mapping, piece);
  }
  return result;
}

static bp_cu_result fill(bp_cuda_context *context, bp_cu_pointer to, uint32_t word, size_t words)
{
  return tell(context, BP_CUDA_FILL,
              (bp_cuda_request){.pointer = to, .word = word, .count = words});
}

static bp_cu_result load(bp_cuda_context *context, const char *image, size_t size,
                         bp_module *module)
{
  bp_cuda_reply reply;
  if (size > BP_CUDA_MAPPING)
    return BP_CU_OUT_OF_MEMORY;
  memcpy(context->mapping, image, size);
  bp_cu_result result = ask(context, BP_CUDA_LOAD, (bp_cuda_request){.count = size}, &reply);
  *module = reply.pointer;
  return result;
}

static bp_cu_result unload(bp_cuda_context *context, bp_module module)
{
  return tell(context, BP_CUDA_UNLOAD, (bp_cuda_request){.pointer = module});
}

static bp_cu_result find(bp_cuda_context *context, bp_module module, const char *kernel,
                         bp_cuda_function_info *info)
{
  bp_cuda_request request = {.pointer = module};
  bp_cuda_reply reply;
  BP_ASSERT(strlen(kernel) < sizeof request.name);
  strcpy(request.name, kernel);
  bp_cu_result result = ask(context, BP_CUDA_FIND, request, &reply);
  *info = reply.info;
  return result;
}

static bp_cu_result shape(bp_cuda_context *context, bp_function function, int threads,
                          size_t shared, int *blocks_per_sm)
{
  const bp_cuda_request request = {.pointer = function, .word = (uint64_t)threads, .count = shared};
  bp_cuda_reply reply;
  bp_cu_result result = ask(context, BP_CUDA_SHAPE, request, &reply);
  *blocks_per_sm = (int)reply.count;
  return result;
}

static bp_cu_result share(bp_cuda_context *context, size_t bytes, bp_cu_pointer *pointer,
                          bp_cu_handle *handle)
{
  bp_cuda_reply reply;
  bp_cu_result result = ask(context, BP_CUDA_SHARE, (bp_cuda_request){.count = bytes}, &reply);
  *pointer = reply.pointer;
  memcpy(handle, context->mapping, sizeof *handle);
  return result;
}

static bp_cu_result join(bp_cuda_context *context, const bp_cu_handle *handles, int count, int own,
                         bp_cu_pointer *pointers)
{
  memcpy(context->mapping, handles, (size_t)count * sizeof *handles);
  bp_cu_result result = tell(context, BP_CUDA_JOIN,
                             (bp_cuda_request){.count = (uint64_t)count, .word = (uint64_t)own});
  memcpy(pointers, context->mapping, (size_t)count * sizeof *pointers);
  return result;
}

static bp_cu_result leave(bp_cuda_context *context)
{
  return tell(context, BP_CUDA_LEAVE, (bp_cuda_request){0});
}

static bp_cu_result take_back(bp_cuda_context *context)
{
  return tell(context, BP_CUDA_UNSHARE, (bp_cuda_request){0});
}

static bp_cu_result open_nccl(bp_cuda_context *context, bool makes_id, bp_nccl_id *id)
{
  bp_cu_result result = tell(context, BP_CUDA_OPEN_NCCL, (bp_cuda_request){.word = makes_id});
  memcpy(id, context->mapping, sizeof *id);
  return result;
}

static bp_cu_result join_nccl(bp_cuda_context *context, const bp_nccl_id *id, int rank, int size)
{
  memcpy(context->mapping, id, sizeof *id);
  return tell(context, BP_CUDA_JOIN_NCCL,
              (bp_cuda_request){.word = (uint64_t)rank, .count = (uint64_t)size});
}

static bp_cu_result leave_nccl(bp_cuda_context *context)
{
  return tell(context, BP_CUDA_LEAVE_NCCL, (bp_cuda_request){0});
}

static bp_cu_result run(bp_cuda_context *context, const bp_run *run, bool graph, double *seconds)
{
  size_t before = (size_t)run->before_count * sizeof *run->before;
  size_t steps = (size_t)run->steps_count * sizeof *run->steps;
  const bp_cuda_request request = {
      .run = {run->before_count, run->steps_count, run->repetitions, graph, seconds != NULL}};
  bp_cuda_reply reply;
  BP_ASSERT(before + steps <= BP_CUDA_MAPPING);
  if (before)
    memcpy(context->mapping, run->before, before);
  memcpy(context->mapping + before, run->steps, steps);
  bp_cu_result result = ask(context, BP_CUDA_RUN, request, &reply);
  if (seconds)
    *seconds = reply.seconds;
  return result;
}

const bp_cuda_calls bp_cuda_remote = {
    .create = create,
    .destroy = destroy,
    .memory = memory,
    .alloc = alloc,
    .release = release,
    .upload = upload,
    .download = download,
    .fill = fill,
    .load = load,
    .unload = unload,
    .find = find,
    .shape = shape,
    .share = share,
    .join = join,
    .leave = leave,
    .unshare = take_back,
    .open_nccl = open_nccl,
    .join_nccl = join_nccl,
    .leave_nccl = leave_nccl,
    .run = run,
};

const bp_cuda_calls *bp_cuda_calls_chosen(void)
{
  const char *variable = getenv("BP_CUDA_IN_PROCESS");
  return variable && strcmp(variable, "1") == 0 ? &bp_cuda_direct : &bp_cuda_remote;
}
