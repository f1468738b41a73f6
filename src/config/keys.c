/* keys.c -- the table of config keys, and what it says about itself. */
#include "config/config.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(bp_config, field)

static const char *const problems[] = {"bp1.0",
                                       "bp3.0",
                                       "bp3.5",
                                       "bp1",
                                       "bp2",
                                       "bp3",
                                       "bp4",
                                       "bp5",
                                       "bp6",
                                       "bps1",
                                       "bps2",
                                       "bps3",
                                       "bps4",
                                       "bps5",
                                       "bps6",
                                       "pair",
                                       "wave",
                                       "wave2d",
                                       "gradient-tri",
                                       "gradient-quad",
                                       "gradient-tet",
                                       "gradient-hex",
                                       "gradient-tri-vector",
                                       "gradient-quad-vector",
                                       "gradient-tet-vector",
                                       "gradient-hex-vector",
                                       NULL};
static const char *const geometries[] = {"stored", "affine", "trilinear", "quadratic", NULL};
static const char *const rules[] = {"own", "gauss", "lobatto", NULL};
static const char *const precisions[] = {"double", "mixed", "single", NULL};
static const char *const backends[] = {"auto", "cpu", "cuda", "emulate", NULL};
static const char *const isas[] = {"auto", "base", "avx2", "avx512", NULL};
static const char *const architectures[] = {"auto",   "sm_75",  "sm_80",  "sm_86",
                                            "sm_87",  "sm_89",  "sm_90",  "sm_100",
                                            "sm_103", "sm_120", "sm_121", NULL};
static const char *const preconditioners[] = {"none", "jacobi", "p-multigrid", NULL};
static const char *const smoothers[] = {"jacobi", "schwarz", "ras", NULL};
static const char *const kinds[] = {"fourth", "first", NULL};
static const char *const cycles[] = {"single", "double", NULL};
static const char *const profiles[] = {"linear", "quintic", NULL};
static const char *const launches[] = {"stream", "graph", "synchronous", NULL};
static const char *const transports[] = {"auto", "shm", "mpi", "ipc", "nccl", NULL};
static const char *const partitions[] = {"curve", "cyclic", "metis", "file", NULL};
static const char *const caches[] = {"hot", "cold", "both", NULL};
static const char *const automatic[] = {"auto", NULL};
static const char *const formats[] = {"auto", "table", "markdown", "csv",
                                      "json", "html",  "svg",      NULL};

const bp_config_key bp_config_keys[BP_CONFIG_KEYS] = {
    {"problem", BP_KEY_NAMES, NULL, 0, 0, problems, false, AT(problems),
     "operators, whole solves (bps: to 1e-8 by p-multigrid), kernels of other codes"},
    {"mesh", BP_KEY_PATH, NULL, 0, 0, NULL, true, AT(mesh),
     "a Gmsh .msh file; in a config, relative to it"},
    {"box", BP_KEY_BOX, NULL, 1, 1e9, NULL, true, AT(box), "a box of so many elements"},
    {"elements", BP_KEY_COUNTS, NULL, 1, 1e9, NULL, true, AT(elements),
     "a box, nearly a cube, of about so many elements"},
    {"dofs", BP_KEY_COUNTS, NULL, 8, 1e12, automatic, true, AT(dofs),
     "a box of about so many unknowns; auto: beyond caches"},
    {"nodes", BP_KEY_COUNTS, NULL, 8, 1e12, automatic, true, AT(nodes),
     "a box of about so many nodes, which elements do not share; auto: as of dofs"},
    {"warp", BP_KEY_REAL, "0", 0, 0.9, NULL, false, AT(warp),
     "how far the inside of a box is bent"},
    {"kershaw", BP_KEY_REAL, "0", 0, 1, NULL, false, AT(kershaw),
     "epsilon of the Kershaw map of a box, 0: none; unless it has 6n elements along x, their order "
     "is N"},
    {"kershaw_profile", BP_KEY_CHOICE, "linear", 0, 0, profiles, false, AT(kershaw_profile),
     "of this map, between its layers: linear as published, or a smooth step"},
    {"group", BP_KEY_TEXT, NULL, 0, 0, NULL, false, AT(group),
     "only this physical group of the mesh (name or tag)"},
    {"periodic", BP_KEY_BOOL, "false", 0, 0, NULL, false, AT(periodic),
     "joins what the mesh's periodic sections say is one"},
    {"degree", BP_KEY_NUMBERS, "1..15", 1, BP_CONFIG_DEGREE_MAX, NULL, false, AT(degrees),
     "polynomial degrees N"},
    {"species", BP_KEY_NUMBERS, "64", 1, 1024, NULL, false, AT(species),
     "of pair, instead of N; of wave2d points along a side"},
    {"points", BP_KEY_COUNTS, NULL, 1, 1e9, NULL, false, AT(points),
     "of pair, instead of a mesh; none: beyond the last cache"},
    {"quadrature", BP_KEY_POINTS, NULL, 1, 5, NULL, false, AT(quadrature),
     "points per direction, N the degree; else the problem's own"},
    {"rule", BP_KEY_CHOICE, "own", 0, 0, rules, false, AT(rule), "of these points"},
    {"geometry", BP_KEY_CHOICE, "stored", 0, 0, geometries, false, AT(geometry),
     "where kernels have geometric factors from: memory, or few numbers of elements with such a "
     "map"},
    {"precision", BP_KEY_CHOICE, "double", 0, 0, precisions, false, AT(precision),
     "of vectors, factors and arithmetic: double, single; mixed: factors in single; single "
     "with a tolerance answers in double"},
    {"backend", BP_KEY_NAMES, "auto", 0, 0, backends, false, AT(backends),
     "where kernels run, of `bp run` one after the other; auto is cuda if possible, else cpu"},
    {"device", BP_KEY_INT, "0", 0, 1023, NULL, false, AT(device), "which CUDA device"},
    {"arch", BP_KEY_CHOICE, "auto", 0, 0, architectures, false, AT(arch),
     "a GPU behaves as this older architecture, with its features and its shared memory"},
    {"isa", BP_KEY_CHOICE, "auto", 0, 0, isas, false, AT(isa), "instruction set on the CPU"},
    {"threads", BP_KEY_INT, "0", 0, 4096, NULL, false, AT(threads),
     "threads on the CPU, of each rank; 0 for all, shared by the ranks"},
    {"ranks", BP_KEY_INT, "1", 1, 256, NULL, false, AT(ranks),
     "processes that share the work, each with its part of the mesh"},
    {"communication", BP_KEY_CHOICE, "auto", 0, 0, transports, false, AT(communication),
     "between ranks: by the hosts shm or mpi, from GPU to GPU ipc or nccl; auto: the fastest"},
    {"partition", BP_KEY_CHOICE, "curve", 0, 0, partitions, false, AT(partition),
     "parts of the mesh: runs along a curve, METIS's, the file's own, or every so many-th element, "
     "for tests"},
    {"variants", BP_KEY_GLOBS, "best", 0, 0, NULL, false, AT(variants),
     "globs, names of rungs, best or all"},
    {"options", BP_KEY_OPTIONS, NULL, -2147483648.0, 2147483647, NULL, false, AT(options),
     "values of the variants' options, several for a sweep"},
    {"lambda", BP_KEY_REAL, NULL, 0, 1e100, NULL, false, AT(lambda),
     "of the mass term, else 1 in bp3.0 and bp3.5, 0 in bp3 to bp6"},
    {"fixed", BP_KEY_TEXT, NULL, 0, 0, NULL, false, AT(fixed),
     "of a solve: groups of surfaces that are fixed, or none; else all in bp3 to bp6"},
    {"rhs", BP_KEY_TEXT, "manufactured", 0, 0, NULL, false, AT(rhs),
     "of a solve: manufactured, constant, FILE.npy"},
    {"iterations", BP_KEY_INT, "100", 1, 1e6, NULL, false, AT(iterations),
     "of a solve; steps of wave"},
    {"tolerance", BP_KEY_REAL, "0", 0, 1, NULL, false, AT(tolerance),
     "residual over the first that ends a solve (bps: 1e-8)"},
    {"preconditioner", BP_KEY_CHOICE, "none", 0, 0, preconditioners, false, AT(preconditioner),
     "of a solve: nothing, the diagonal of the operator, or a cycle over lower degrees"},
    {"levels", BP_KEY_TEXT, "auto", 0, 0, NULL, false, AT(multigrid.levels),
     "degrees of p-multigrid, 7-4-2-1; auto: halved down to 1"},
    {"smoother", BP_KEY_CHOICE, "jacobi", 0, 0, smoothers, false, AT(multigrid.smoother),
     "of p-multigrid, under Chebyshev polynomials: the diagonal, boxes of elements, or these with "
     "a "
     "layer around"},
    {"smoothing", BP_KEY_NUMBERS, "3", 1, 8, NULL, false, AT(multigrid.smoothing),
     "degree of these polynomials, or two: down, up"},
    {"chebyshev", BP_KEY_CHOICE, "fourth", 0, 0, kinds, false, AT(multigrid.chebyshev),
     "their kind; the first spans eigenvalues down to a tenth"},
    {"cycle", BP_KEY_CHOICE, "single", 0, 0, cycles, false, AT(multigrid.cycle),
     "precision of p-multigrid's cycle; the iterations around it are in double"},
    {"coarse", BP_KEY_INT, "3000", 1, 20000, NULL, false, AT(multigrid.coarse),
     "unknowns of N = 1 up to which p-multigrid has their inverse; above it aggregates them"},
    {"launch", BP_KEY_CHOICE, "stream", 0, 0, launches, false, AT(launch),
     "CUDA launches; unless told, a solve's iterations are a graph; synchronous: the host waits "
     "for each"},
    {"seed", BP_KEY_INT, "1", 0, INFINITY, NULL, false, AT(seed), "of the random input"},
    {"measure.cache", BP_KEY_CHOICE, "hot", 0, 0, caches, false, AT(measure.cache),
     "the caches before each application"},
    {"measure.warmup", BP_KEY_REAL, "0.05", 0, 3600, NULL, false, AT(measure.warmup),
     "seconds of warm-up before the first sample"},
    {"measure.min_time", BP_KEY_REAL, "0.1", 0, 3600, NULL, false, AT(measure.min_time),
     "seconds of samples per row, at least"},
    {"measure.max_time", BP_KEY_REAL, "2", 0, 86400, NULL, false, AT(measure.max_time),
     "seconds of samples per row, at most"},
    {"measure.min_samples", BP_KEY_INT, "10", 1, 1e6, NULL, false, AT(measure.min_samples),
     "samples per row, at least"},
    {"measure.max_samples", BP_KEY_INT, "1000", 1, 1e6, NULL, false, AT(measure.max_samples),
     "samples per row, at most"},
    {"measure.confidence", BP_KEY_REAL, "0.5%", 0, 1, NULL, false, AT(measure.confidence),
     "ends a row: half the 95 % interval of its median"},
    {"measure.energy", BP_KEY_REAL, "0", 0, 3600, NULL, false, AT(measure.energy),
     "seconds, at least 2, that each row runs alone to measure its energy; 0: not measured"},
    {"report.format", BP_KEY_CHOICE, "auto", 0, 0, formats, false, AT(report.format),
     "of the result; auto: as the output's ending says, otherwise a table"},
    {"report.output", BP_KEY_TEXT, NULL, 0, 0, NULL, false, AT(report.output),
     "file for the result instead of standard output"},
    {"report.figure", BP_KEY_BOOL, "true", 0, 0, NULL, false, AT(report.figure),
     "draw a figure below a table on a terminal"},
};

int bp_config_find(const char *name)
{
  for (int n = 0; n < BP_CONFIG_KEYS; ++n)
    if (strcmp(bp_config_keys[n].name, name) == 0)
      return n;
  return strncmp(name, "options.", 8) == 0 ? bp_config_find("options") : -1;
}

bool bp_config_is_list(const bp_config_key *key)
{
  return key->kind == BP_KEY_NAMES || key->kind == BP_KEY_GLOBS || key->kind == BP_KEY_NUMBERS ||
         key->kind == BP_KEY_COUNTS || key->kind == BP_KEY_POINTS;
}

/* In per cent where the default is. */
static void describe_range(const bp_config_key *key, const char *what, bp_text *text)
{
  char low[32], high[32];
  bool is_percent = key->standard && strchr(key->standard, '%');
  const char *unit = is_percent ? " %" : "";
  bp_print_double(low, is_percent ? 100 * key->low : key->low);
  bp_print_double(high, is_percent ? 100 * key->high : key->high);
  if (isinf(key->high))
    bp_text_appendf(text, "%s, at least %s%s", what, low, unit);
  else
    bp_text_appendf(text, "%s, %s%s to %s%s", what, low, unit, high, unit);
}

static void describe_names(const bp_config_key *key, bp_text *text)
{
  bp_text_append(text, "one of ");
  for (const char *const *name = key->allowed; *name; ++name)
    bp_text_appendf(text, "%s%s", name == key->allowed ? "" : ", ", *name);
}

void bp_config_describe(const bp_config_key *key, bp_text *text)
{
  static const char *const fixed[] = {
      [BP_KEY_TEXT] = "a name",
      [BP_KEY_PATH] = "a file name",
      [BP_KEY_BOOL] = "true or false",
      [BP_KEY_BOX] = "elements along x, y and z such as 16x16x16",
      [BP_KEY_GLOBS] = "a glob such as 'bp3.5/*', the name of a rung, best or all",
      [BP_KEY_POINTS] = "points per direction such as N+2 or N+1..N+4, from N+1 to N+5",
      [BP_KEY_OPTIONS] = "a map of option names and whole numbers such as {pad: [0, 1]}",
  };
  static const char *const ranges[] = {[BP_KEY_INT] = "a whole number",
                                       [BP_KEY_REAL] = "a number",
                                       [BP_KEY_NUMBERS] = "whole numbers such as 7 or 1..4",
                                       [BP_KEY_COUNTS] =
                                           "whole numbers such as 4096, 2e6 or 1e4..1e8"};
  if (key->allowed && key->kind != BP_KEY_COUNTS)
    describe_names(key, text);
  else if (key->kind < sizeof fixed / sizeof *fixed && fixed[key->kind])
    bp_text_append(text, fixed[key->kind]);
  else
    describe_range(key, ranges[key->kind], text);
  if (key->allowed && key->kind == BP_KEY_COUNTS)
    bp_text_append(text, ", or auto");
}
