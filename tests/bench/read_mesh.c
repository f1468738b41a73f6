/* read_mesh.c -- how long bp and Gmsh take to read the same files, in one run:
 *
 *   read_mesh [--repeat N] [--json FILE] FILE.msh...
 *
 * Every reading has a process of its own, so that memory is what that reading took; the files stay in the
 * page cache. Times are the smallest of N for Gmsh (of one for large files), of 3 N for bp. Gmsh's time is that
 * of its own reader behind its C API, without the time to get nodes and elements out of it, which is told
 * apart. */
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "mesh/mesh.h"
#include <gmshc.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child says of its reading. */
typedef struct {
  double seconds, more_seconds; /* more: to get the arrays out of Gmsh */
  int64_t elements, arrays;     /* bytes of the arrays kept */
  char format[64];
  bool failed;
} reading;

typedef struct {
  reading best;
  int64_t resident; /* bytes, of the whole process at its largest, smallest of all */
} result;

static reading read_with_bp(const char *path)
{
  bp_mesh *mesh;
  double start = bp_clock();
  reading r = {.failed = bp_mesh_read(path, &mesh) != BP_OK};
  r.seconds = bp_clock() - start;
  if (r.failed) {
    fprintf(stderr, "%s\n", bp_message());
    return r;
  }
  r.elements = mesh->elements;
  r.arrays = 24 * mesh->nodes + mesh->elements * (8 + 4 * bp_mesh_element_nodes(mesh));
  snprintf(r.format, sizeof r.format, "%s", mesh->format);
  bp_mesh_destroy(mesh);
  return r;
}

static reading read_with_gmsh(const char *path)
{
  enum { HEXAHEDRON = 5 };
  int error = 0;
  size_t *tags, *nodes, tags_count = 0, nodes_count, x_count, u_count;
  double *x, *u;
  reading r = {0};
  gmshInitialize(0, NULL, 0, &error);
  gmshOptionSetNumber("General.Terminal", 0, &error);
  double start = bp_clock();
  gmshOpen(path, &error);
  r.seconds = bp_clock() - start;
  r.failed = error != 0;
  start = bp_clock();
  gmshModelMeshGetNodes(&tags, &tags_count, &x, &x_count, &u, &u_count, -1, -1, 0, 0, &error);
  gmshModelMeshGetElementsByType(HEXAHEDRON, &tags, &tags_count, &nodes, &nodes_count, -1, 0, 1,
                                 &error);
  r.more_seconds = bp_clock() - start;
  r.failed |= error != 0;
  r.elements = (int64_t)tags_count;
  return r; /* the process ends here, and with it all that Gmsh holds */
}

/* In a process of its own; *resident is the most memory it had. */
static reading read_apart(reading (*read_file)(const char *), const char *path, int64_t *resident)
{
  int ends[2], how;
  struct rusage usage;
  reading r = {.failed = true};
  if (pipe(ends) != 0)
    return r;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    r = read_file(path);
    _exit(write(ends[1], &r, sizeof r) != sizeof r);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &r, sizeof r) != sizeof r)
    r.failed = true;
  close(ends[0]);
  if (child > 0)
    wait4(child, &how, 0, &usage);
  *resident = 1024 * (int64_t)usage.ru_maxrss;
  return r;
}

static result measure(reading (*read_file)(const char *), const char *path, int repeat)
{
  result best = {.best = {.seconds = 1e300, .more_seconds = 1e300}, .resident = INT64_MAX};
  for (int n = 0; n < repeat; ++n) {
    int64_t resident = 0;
    reading r = read_apart(read_file, path, &resident);
    if (r.failed) {
      best.best = r;
      return best;
    }
    double more = r.more_seconds < best.best.more_seconds ? r.more_seconds : best.best.more_seconds;
    if (r.seconds < best.best.seconds)
      best.best = r;
    best.best.more_seconds = more;
    best.resident = resident < best.resident ? resident : best.resident;
  }
  return best;
}

static int64_t size_of(const char *path)
{
  bp_file file;
  if (bp_file_map(path, &file))
    return 0;
  int64_t size = (int64_t)file.size;
  bp_file_unmap(&file);
  return size;
}

static void report(const char *path, const result *bp, const result *gmsh, bp_json *json)
{
  double ratio = gmsh->best.seconds / bp->best.seconds;
  double resident = (double)bp->resident / (double)bp->best.arrays;
  printf("%-18s %9" PRId64 " %7.3f s %8.3f s + %.3f s %6.1fx %7.0f MB %5.2fx\n", bp->best.format,
         bp->best.elements, bp->best.seconds, gmsh->best.seconds, gmsh->best.more_seconds, ratio,
         1e-6 * (double)bp->resident, resident);
  bp_json_begin_object(json, NULL);
  bp_json_string(json, "format", bp->best.format);
  bp_json_int(json, "elements", bp->best.elements);
  bp_json_int(json, "file_bytes", size_of(path));
  bp_json_double(json, "seconds", bp->best.seconds);
  bp_json_double(json, "gmsh_seconds", gmsh->best.seconds);
  bp_json_double(json, "gmsh_extraction_seconds", gmsh->best.more_seconds);
  bp_json_double(json, "ratio", ratio);
  bp_json_int(json, "resident_bytes", bp->resident);
  bp_json_int(json, "array_bytes", bp->best.arrays);
  bp_json_double(json, "resident_ratio", resident);
  bp_json_end_object(json);
}

static int compare_all(int count, char **paths, int repeat, bp_json *json)
{
  enum { LARGE = 300000000 }; /* bytes; with such a file Gmsh takes its time */
  int failures = 0;
  printf("%-18s %9s %9s %10s %9s %7s %10s %6s\n", "format", "elements", "bp", "Gmsh", "(to get)",
         "ratio", "resident", "/arrays");
  for (int n = 0; n < count; ++n) {
    bool is_large = size_of(paths[n]) > LARGE;
    result gmsh = measure(read_with_gmsh, paths[n], is_large ? 1 : repeat);
    result bp = measure(read_with_bp, paths[n], 3 * repeat);
    if (bp.best.failed || gmsh.best.failed || bp.best.elements != gmsh.best.elements) {
      fprintf(stderr, "%s: not read alike\n", paths[n]);
      ++failures;
    } else {
      report(paths[n], &bp, &gmsh, json);
    }
  }
  return failures;
}

static bool write_text(const char *path, const bp_text *text)
{
  bp_output *output;
  if (bp_output_create(path, &output) != BP_OK)
    return false;
  fputs(bp_text_string(text), bp_output_stream(output));
  return bp_output_finish(output) == BP_OK;
}

static void write_processor(bp_json *json)
{
  char line[256], name[200] = "unknown";
  FILE *f = fopen("/proc/cpuinfo", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "model name : %199[^\n]", name) == 1)
      break;
  if (f)
    fclose(f);
  bp_json_string(json, "processor", name);
  bp_json_int(json, "threads", omp_get_num_procs());
  double load[1] = {0};
  getloadavg(load, 1);
  bp_json_double(json, "load_before",
                 load[0]); /* what else ran: figures of a busy machine mean little */
}

int main(int argc, char **argv)
{
  int repeat = 3, n = 1;
  const char *json_path = NULL;
  for (; n + 1 < argc && strncmp(argv[n], "--", 2) == 0; n += 2) {
    if (strcmp(argv[n], "--repeat") == 0)
      repeat = atoi(argv[n + 1]);
    if (strcmp(argv[n], "--json") == 0)
      json_path = argv[n + 1];
  }
  bp_text text = {0};
  bp_json json = {.text = &text};
  bp_json_begin_object(&json, NULL);
  bp_json_string(&json, "command", "make bench-mesh");
  bp_json_string(&json, "gmsh", GMSH_API_VERSION);
  write_processor(&json);
  bp_json_int(&json, "repeat", repeat);
  bp_json_begin_array(&json, "rows");
  int failures = compare_all(argc - n, argv + n, repeat, &json);
  bp_json_end_array(&json);
  bp_json_end_object(&json);
  if (json_path && !write_text(json_path, &text)) {
    fprintf(stderr, "%s\n", bp_message());
    ++failures;
  }
  bp_text_destroy(&text);
  return failures > 0;
}
