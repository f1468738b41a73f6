/* record.h -- everything a run found out, complete enough to redraw any table or figure later.
 *
 * Strings are owned by the record (bp_strdup), never NULL unless a comment says so. Derived figures
 * are not stored but computed here, in one place. The JSON form of all this is docs/record.md. */
#ifndef BP_REPORT_RECORD_H
#define BP_REPORT_RECORD_H

#include "base/status.h"
#include "base/text.h"
#include "measure/statistics.h"
#include <stdbool.h>
#include <stdint.h>

enum { BP_RECORD_SCHEMA = 2 };

typedef enum { BP_ROW_OK, BP_ROW_WRONG, BP_ROW_SKIPPED } bp_row_status;

typedef struct {
  bp_statistics statistics;
  double *samples; /* seconds of one application each, in the order taken; statistics.count of them,
                      or NULL where the record holds none (and then they cannot be tested) */
} bp_timing;

/* Copies the samples and takes their statistics; count 0 gives {0}. */
bp_timing bp_timing_of(const double *samples, int64_t count);

/* A rank's share of a row. */
typedef struct {
  char *host, *device;
  int64_t elements;
  int64_t surface_nodes; /* unknowns of its elements that other ranks have, too */
  double seconds;        /* as in the row, of this rank alone */
  double waiting;        /* the part of that in exchanges and sums; NaN where unknown */
  int64_t peak_bytes;    /* the most memory that its process has had so far; -1: unknown */
} bp_row_rank;

typedef struct {
  bp_row_rank *items;
  int64_t count;
} bp_row_ranks_list;

/* What an iteration of a solve by p-multigrid spends on a part of it. */
typedef struct {
  int64_t degree; /* of the level; 0: below N = 1 */
  char *part;     /* "operator", "smoother", "transfer", "coarse", "iterations" */
  double seconds; /* of that part by itself */
} bp_row_share;

typedef struct {
  bp_row_share *items;
  int64_t count;
} bp_row_shares_list;

/* |r| of the first, after so many iterations of a solve. */
typedef struct {
  int64_t iteration;
  double residual;
} bp_row_residual;

typedef struct {
  bp_row_residual *items;
  int64_t count;
} bp_row_residuals_list;

typedef struct {
  char *problem;    /* "bp3.5" */
  char *variant;    /* "columns" */
  char *rung;       /* "2d-k10", "" when asked for by another name */
  char *options;    /* "elements_per_block=4 pad=0", in the order declared; "" without options. Each
                    name once, name and value without blanks */
  char *backend;    /* "cpu", "cuda", "emulate" */
  char *device;     /* "NVIDIA H200", "AMD EPYC ... 2 threads avx512" */
  char *mesh;       /* name of the mesh this row ran on */
  char *cache;      /* "hot" or "cold" */
  char *quadrature; /* "N+3 gauss", "" where it is the problem's own */
  char *geometry;   /* "affine", "trilinear", "quadratic"; "" where factors are stored */
  char *precision;  /* "mixed", "single", "" for double */
  char *preconditioner; /* of a solve: "jacobi", "" without one */
  int degree;
  int64_t
      target_nodes; /* that the mesh was made for, at every degree another one; -1: a given mesh */
  int64_t elements;
  int64_t nodes, dofs;  /* elements x nodes of each; shared nodes counted once: unknowns */
  int64_t bytes, flops; /* of one application, by the model */
  double lambda;
  bp_timing seconds; /* the kernel */
  struct {
    int64_t bytes; /* copied: as many read as written, together the row's `bytes` */
    char *by;      /* the fastest way: "peaks/gpu-copy evict_first=3", "driver"; NULL: unknown */
    bp_timing seconds;
    char *waited;          /* like the row's own; where it did the roofline is unknown */
  } copy;                  /* measured in the same rounds, in the same cache mode */
  double error, tolerance; /* NaN where nothing was compared */
  bp_row_status status;
  char *reason; /* why wrong or skipped; "" when ok */
  char *
      stopped; /* what ended the sampling: "confidence", "max_time", "max_samples", "interrupted" */
  /* of a solve, whose times are those of an iteration; NaN or -1 of an operator */
  int64_t iterations, outer_iterations; /* in double around those in single; -1: there are none */
  int64_t
      applications; /* of the finest operator in a solve that ends at a tolerance; -1: it does not */
  int64_t ranks;    /* processes that share the row's work; -1: the record does not say, it is 1 */
  char *communication;    /* between them; "self": there is one */
  bp_row_ranks_list each; /* in the order of ranks; none where there is one, or in older records */
  bp_row_shares_list shares;      /* of p-multigrid; else none */
  bp_row_residuals_list history;  /* of a solve that ends at a tolerance, 52 at most; else none */
  double residual, true_residual; /* the last one of the first, told and true */
  double solution_error;          /* in L2, of the solution's norm */
  int64_t least_bytes;            /* that any scheme has to move in an iteration */
  /* NaN or -1 where they do not apply */
  double setup_seconds, compile_seconds, upload_seconds;
  struct { /* seconds of the case's set-up, and of this row's first verification */
    double mesh, connectivity, unknowns, geometry, load, device, verification;
  } stages;
  int64_t repetitions; /* applications in one sample */
  int64_t code_bytes;  /* of what the device loads */
  int64_t registers, spill_bytes, shared_bytes, blocks_per_sm;
  int64_t shared_traffic; /* bytes of shared memory per element, read + written */
  int64_t executed_flops; /* of one application, where the variant declares them; -1: the model's */
  int64_t cache_bytes;    /* of the device's last cache */
  double overhead_seconds; /* the median of as many empty launches or regions, in the same rounds */
  double core_seconds; /* of an application on so few elements that a core's L2 holds all data */
  double arithmetic_gflops, shared_gbytes_per_second; /* peaks, measured in turns with the rows */
  char *waited; /* why the times are not the kernel's alone, "" for no reason, NULL where unknown */
  char *busy;   /* why other work slowed it, "" for no reason, NULL where unknown */
  struct {
    double watts, joules; /* joules of one application or iteration */
    double celsius;
    double sm_mhz_before, sm_mhz_during, sm_mhz_after;
    char *throttle; /* reasons met while it was timed, "" for none, NULL where unknown */
  } power;
} bp_row;

typedef struct {
  char *key, *value;
} bp_fact;

typedef struct {
  char *name, *format;
  int64_t elements, vertices;
  /* of a file, else 0; -1 in older records: volumes that are no hexahedra and left out, elements that were
   * left-handed, node pairs of periodic sections */
  int64_t other_cells, reoriented, periodic_nodes;
  int order;
  double volume;
  double read_seconds, connect_seconds; /* and building its connectivity; NaN where unknown */
} bp_record_mesh;

/* A measured or known limit of a device: "copy", "fma", "tensor", "shared", "peak bandwidth". */
typedef struct {
  char *device;               /* as the rows name it */
  char *name, *unit, *source; /* unit: "GB/s" or "GFLOPS"; source: "measured" or where it is from */
  double value;
} bp_bound;

typedef struct {
  int schema;
  char *version; /* of bp */
  char *command; /* the command line, quoted for a shell */
  char *time;    /* ISO 8601, UTC */
  char *config;  /* the resolved config as YAML; "" without one */
  uint64_t seed;
  bp_fact *environment; /* cpu, gpu, driver, compiler, flags, git, clocks ... in the order added */
  int64_t environment_count;
  bp_record_mesh *meshes;
  int64_t meshes_count;
  bp_bound *bounds;
  int64_t bounds_count;
  bp_row *rows;
  int64_t rows_count;
  bool interrupted;
} bp_record;

bp_record *bp_record_create(int argc, char **argv);
void bp_record_destroy(bp_record *record);
/* Frees *string and puts a copy of `value` there: for the strings of a row, a mesh and the record. */
void bp_record_set(char **string, const char *value);
/* NULL where it is not told. */
bp_fact *bp_record_find_fact(const bp_record *record, const char *key);
/* A key that is there already gets the new value. */
void bp_record_add_fact(bp_record *record, const char *key, const char *value);
bp_record_mesh *bp_record_add_mesh(bp_record *record); /* zeroed, strings "" */
bp_bound *bp_record_add_bound(bp_record *record, const char *device, const char *name,
                              const char *unit, double value, const char *source);
/* NULL or NaN where it is not known. */
bp_bound *bp_record_find_bound(const bp_record *record, const char *device, const char *name);
double bp_record_bound(const bp_record *record, const char *device, const char *name);
/* A zeroed row (strings "", figures NaN or -1 as said above); valid until the next one is added. */
bp_row *bp_record_add_row(bp_record *record);
/* Drops the rows whose sampling did not come to its end, or was disturbed by other work; returns how many. */
int64_t bp_record_drop_unfinished(bp_record *record);
/* Moves all that `other` holds to the end of `record` and destroys it. Facts that differ are kept
 * apart as "key (name)"; `name` says which record they are from. */
void bp_record_merge(bp_record *record, bp_record *other, const char *name);

/* "several devices" where rows differ. */
const char *bp_record_device(const bp_record *record);

/* Derived; NaN for a row that is not ok. */
double bp_row_gflops(const bp_row *row);
double bp_row_gbytes_per_second(const bp_row *row);
double bp_row_gdofs_per_second(const bp_row *row); /* of unknowns */
int64_t bp_row_ranks(const bp_row *row);           /* 1 where the record does not say */
double bp_row_gdofs_per_rank(const bp_row *row);
double bp_row_copy_gbytes_per_second(const bp_row *row); /* read + written */
double bp_row_roofline_gflops(const bp_row *row);        /* copy bandwidth times flops per byte */
double bp_row_roofline_fraction(const bp_row *row);      /* NaN for what is mostly overhead */
double bp_row_least_fraction(const bp_row *row);         /* the same of copying least_bytes */
bool bp_row_is_solve(const bp_row *row);
/* What figures show: GFLOPS of an operator, GDOF/s of a solve; the same at the copy roofline. */
const char *bp_row_rate_unit(const bp_row *row);
double bp_row_rate(const bp_row *row);
double bp_row_roofline_rate(const bp_row *row);

/* The least bound of a row: the greatest of the times that the copy, the arithmetic, shared memory and a core
 * on data in its L2 would take at least; none where the row reaches less than 80 % of it, and overhead where
 * more than a fifth of the time is that. */
typedef enum {
  BP_BOUND_UNKNOWN,
  BP_BOUND_MEMORY,
  BP_BOUND_ARITHMETIC,
  BP_BOUND_SHARED,
  BP_BOUND_CORE,
  BP_BOUND_OVERHEAD,
  BP_BOUND_NONE
} bp_bound_kind;
extern const char *const bp_bound_names[]; /* "", "memory", "arithmetic", ... */
bp_bound_kind bp_row_bound(const bp_row *row);
double bp_row_bound_fraction(const bp_row *row); /* that time over the row's */
double
bp_row_arithmetic_gflops(const bp_row *row); /* the model's flops at the peak of those executed */
double bp_row_shared_gflops(const bp_row *row); /* at the speed of shared memory */
double bp_row_core_gflops(const bp_row *row);   /* on data in L2 */
double bp_row_overhead_fraction(const bp_row *row);
bool bp_row_is_overhead(const bp_row *row);
bool bp_row_has_copy_waited(const bp_row *row); /* so it tells, or is less than half as fast */
bool bp_row_has_waited(const bp_row *row);      /* it or its copy: it is never the fastest */
bool bp_row_is_busy(const bp_row *row);   /* other work slowed it: no bounds, never the fastest */
bool bp_row_is_marked(const bp_row *row); /* throttled, busy, waited, overhead: not to quote */
bool bp_row_has_few_samples(const bp_row *row); /* for an interval: no test tells it from others */
bool bp_row_fits_cache(const bp_row *row);      /* hot data that a cache holds; not where nothing
                                                  is known of their bytes */

/* JSON and back; every figure survives to the last bit. A damaged record is one line `name:line:
 * expected, found` (BP_BAD_INPUT); a schema newer than this one says so. Keys that this version
 * does not know are passed over. The CSV of bp_report_csv is read as well: its rows, without samples. */
void bp_record_write_json(const bp_record *record, bp_text *text);
bp_status bp_record_read(const char *path, bp_record **record);
bp_status bp_record_read_bytes(const char *name, const char *data, size_t size, bp_record **record);

#endif
