/* options.c -- the tables: every command and every option of every command. */
#include "cli/command.h"

#include "mesh/partition.h"
#include "report/figure.h"
#include <math.h>
#include <stddef.h>

#define NAMES(...)                                                                                 \
  (const char *const[])                                                                            \
  {                                                                                                \
    __VA_ARGS__, NULL                                                                              \
  }

const bp_command bp_commands[] = {
    {.name = "run",
     .positional = "[CONFIG|RECORD]",
     .most = 1,
     .summary = "time and verify kernel variants as a config says, or a record's",
     .details =
         "Reads the config, or takes every key (`bp help keys`) from the command line and the "
         "defaults. A RECORD that bp wrote is run again.",
     .examples = "bp run bp3.yaml --degree 7\n"
                 "bp run --problem bp3.5 --box 8x8x8 --degree 1..3\n",
     .run = bp_command_run},
    {.name = "roofline",
     .positional = "",
     .summary = "the machine's bounds, and where the best variants stand",
     .details = "Measures the copy bandwidth at each footprint and the arithmetic peak.",
     .examples = "bp roofline --problem bp3.5 --mesh cube512.msh --degree 2\n"
                 "bp roofline --problem bp1.0 --degree 7 --elements 4096 --backend cpu\n",
     .run = bp_command_roofline},
    {.name = "check",
     .positional = "[GLOB]...",
     .most = -1,
     .summary = "compare variants with the reference, at every degree",
     .details = "A GLOB names variants, such as 'bp3.5/*', a problem all of its own; without one "
                "all are checked: those of "
                "the CPU, unless --backend is cuda or emulate. Prints what failed and `N passed, N "
                "failed`; the exit code is 1 when one "
                "failed, 3 when none can run here.",
     .examples = "bp check bp3.5 --degree 2\n"
                 "bp check 'bp3.0/*' --degree 3 --elements 1,65 --seed 42\n",
     .run = bp_command_check},
    {.name = "list",
     .positional = "[GLOB]...",
     .most = -1,
     .summary = "the variants, their options and rungs",
     .details =
         "A GLOB names variants or rungs, such as 'bp3.5/*' or 'k*'; a problem all of its own.",
     .examples = "bp list bp3.5\n"
                 "bp list 'bp1.0/*' --details\n",
     .run = bp_command_list},
    {.name = "info",
     .positional = "",
     .summary = "this machine and this build",
     .details = "",
     .examples = "bp info\n"
                 "bp info --format json\n",
     .run = bp_command_info},
    {.name = "mesh info",
     .positional = "FILE",
     .least = 1,
     .most = 1,
     .summary = "what a Gmsh file holds: elements, volume, groups",
     .details = "FILE is a .msh of version 1.0, 2.0 to 2.2, 4.0 or 4.1, ASCII or binary.",
     .examples = "bp mesh info cube512.msh\n"
                 "bp mesh info pipe.msh --group wall --degrees 1..4 --format json\n",
     .run = bp_command_mesh_info},
    {.name = "mesh box",
     .positional = "",
     .summary = "write the mesh of a box, straight or warped",
     .details = "",
     .examples = "bp mesh box --elements 16x16x16 --warp 0.3 --output box.msh\n"
                 "bp mesh box --elements 4x4x4 --version 2.2 --binary --output small.msh\n",
     .run = bp_command_mesh_box},
    {.name = "mesh kershaw",
     .positional = "",
     .summary = "write a Kershaw mesh: a cube whose elements are stretched and sheared",
     .details =
         "Six layers along x. --epsilon 1 gives equal boxes; the smaller it is, the worse the "
         "elements. With 6n elements along x and even numbers along y and z those of order 1 are "
         "the map's own.",
     .examples = "bp mesh kershaw --elements 24x24x24 --output kershaw.msh\n"
                 "bp mesh kershaw --elements 12x12x12 --epsilon 0.1 --output worse.msh\n",
     .run = bp_command_mesh_kershaw},
    {.name = "mesh cells",
     .positional = "",
     .summary = "write a mesh of triangles, quadrilaterals, tetrahedra or hexahedra, for gradients",
     .details =
         "Cells of a grid, split for simplices. Numbered at random, neighbours are far apart in "
         "memory: farther than in a mesh that a mesher has made.",
     .examples = "bp mesh cells --shape tet --output tet.msh\n"
                 "bp run --problem gradient-tet --mesh tet.msh\n",
     .run = bp_command_mesh_cells},
    {.name = "solve",
     .positional = "",
     .summary = "solve a bake-off problem once; all that checks it saved as .npy",
     .details =
         "CG from a zero guess. Writes PREFIX-x.npy (n,3), PREFIX-ids.npy (E,Nq,Nq,Nq), the last "
         "node index along r, PREFIX-fixed.npy (n; 1 = Dirichlet), PREFIX-f.npy and PREFIX-u.npy "
         "(n or n,3), PREFIX-residuals.npy (the 2-norm of the residual, from the zero guess on). "
         "A u = f holds at unknowns that are not fixed, with u = 0 at those that are: what a known "
         "solution has there is part of f. wave takes --iterations steps by leapfrog: "
         "PREFIX-times.npy (steps), PREFIX-traces.npy (steps,receivers), PREFIX-u.npy at the end.",
     .examples = "bp solve --problem bp5 --degree 3 --box 4x4x4 --warp 0.3 --output out\n"
                 "bp solve --problem bp3 --degree 3 --mesh pipe.msh --fixed inlet --output pipe\n"
                 "bp solve --problem wave --degree 5 --box 4x4x4 --snapshots 9 --output w\n",
     .run = bp_command_solve},
    {.name = "apply",
     .positional = "",
     .summary = "apply one operator once; x, u and v saved as .npy",
     .details =
         "Writes PREFIX-x.npy (E,Nq,Nq,Nq,3), PREFIX-u.npy and PREFIX-v.npy (E,Nq,Nq,Nq), the last "
         "node "
         "index along r. Without --u, u is random. v is compared with the reference; `--variants "
         "reference` writes that, as bp1..bp6 do unless --backend or --variants is given. These "
         "are "
         "assembled: v = A u on unknowns, with x (n,3), ids and fixed as of `bp solve`; the A of "
         "kernels that solve is taken from two iterations. gradient-*: nodes, points (of the "
         "reference element, [point][d]), table[point][d][node], gather[e][node], u[node][field], "
         "v[e][point][field][d]. pair: u[ax bx ay by][species][point], v[y][x][point].",
     .examples = "bp apply --problem bp3.5 --degree 7 --mesh cube512.msh --output out\n"
                 "bp apply --problem bp5 --degree 3 --box 4x4x4 --output bp5\n",
     .run = bp_command_apply},
    {.name = "report",
     .positional = "RECORD...",
     .least = 1,
     .most = -1,
     .summary = "redraw records: tables, figures, one self-contained page",
     .details =
         "A RECORD is what `bp run --format json` wrote, or its CSV; several are merged. Without "
         "a FILE option the table goes to standard output; '-' as FILE is standard "
         "output, too.",
     .examples = "bp run smoke.yaml --format json --output run.json\n"
                 "bp report run.json --html run.html\n",
     .run = bp_command_report},
    {.name = "compare",
     .positional = "OLD NEW",
     .least = 2,
     .most = 2,
     .summary = "what is faster or slower in the second of two records",
     .details = "The exit code is 4 when a row is slower beyond the threshold and beyond "
                "the noise. Where records hold several runs of a row, all of them must agree: "
                "on a CPU take four runs of each, in turn, and merge them. --across sets two "
                "machines beside "
                "each other, without verdicts.",
     .examples = "bp run smoke.yaml --format json --output old.json\n"
                 "bp compare old.json old.json --fail-over 5%\n",
     .run = bp_command_compare},
    {.name = "tune",
     .positional = "",
     .summary = "find the fastest variants for this device, for `best`",
     .details = "Tries all variants with many values of their options; each is verified before it "
                "counts. The fastest of each case becomes a row of ~/.config/bp/best, which "
                "`best` reads from then on. Cases that were tuned already are passed over. Of "
                "p-multigrid it tries levels and smoothers, by the time to solution.",
     .examples = "bp tune --problem bp3.5 --degree 1..15 --elements 4096 --dry-run\n"
                 "bp tune --problem bp3.5 --degree 2 --elements 64 --max-time 5\n"
                 "bp tune --problem bps5 --degree 3 --box 4x4x4 --dry-run\n",
     .run = bp_command_tune},
    {.name = "version",
     .positional = "",
     .summary = "the version",
     .details = "",
     .examples = "bp version\n"
                 "bp --version\n",
     .run = bp_command_version},
    {.name = "help",
     .positional = "[COMMAND | keys]",
     .most = -1,
     .summary = "help on a command, the keys of a config; the man page and completions",
     .details = "",
     .examples = "bp help mesh box\n"
                 "source <(bp help --format bash)\n",
     .run = bp_command_help},
};
const int bp_commands_count = sizeof bp_commands / sizeof *bp_commands;

#define OPERATES "run|roofline|apply|tune" /* what applies operators to a mesh */

/* Options that set a config key and follow its rules (with a default of their own), and those of a
 * type of their own. */
#define KEY(option, value, of, by)                                                                 \
  {                                                                                                \
    .name = option, .metavar = value, .key = of, .commands = by                                    \
  }
#define KEY_ELSE(option, value, of, is, by)                                                        \
  {                                                                                                \
    .name = option, .metavar = value, .key = of, .standard = is, .commands = by                    \
  }
#define OWN(type, option, value, is, by, text)                                                     \
  .kind = BP_KEY_##type, .name = option, .metavar = value, .standard = is, .commands = by,         \
  .help = text
#define OUTPUT(option, value, by, text)                                                            \
  {                                                                                                \
    OWN(TEXT, option, value, NULL, by, text), .is_output = true                                    \
  }
#define FLAG(option, by, text)                                                                     \
  {                                                                                                \
    OWN(BOOL, option, NULL, NULL, by, text)                                                        \
  }
#define TEXT(option, value, is, by, text)                                                          \
  {                                                                                                \
    OWN(TEXT, option, value, is, by, text)                                                         \
  }
#define BOX(option, value, by, text)                                                               \
  {                                                                                                \
    OWN(BOX, option, value, NULL, by, text)                                                        \
  }
#define NUMBER(type, option, value, least, most, is, by, text)                                     \
  {                                                                                                \
    OWN(type, option, value, is, by, text), .low = least, .high = most                             \
  }
#define CHOICE(option, value, is, by, text, ...)                                                   \
  {                                                                                                \
    OWN(CHOICE, option, value, is, by, text), .allowed = __VA_ARGS__                               \
  }

const bp_option bp_options[] = {
    KEY("problem", "LIST", "problem", "run"),
    TEXT("problem", "NAME", NULL, "apply",
         "bp1.0, bp3.0 or bp3.5; bp1 to bp6 for an assembled operator; gradient-*, pair"),
    CHOICE("problem", "NAME", NULL, "solve",
           "mass (1, 2), stiffness (3, 4), collocated (5, 6); the even ones have 3 components; "
           "bps: to 1e-8 by p-multigrid",
           NAMES("bp1", "bp2", "bp3", "bp4", "bp5", "bp6", "bps1", "bps2", "bps3", "bps4", "bps5",
                 "bps6", "wave")),
    KEY_ELSE("problem", "LIST", "problem", "bp1.0,bp3.0,bp3.5", "roofline|tune"),
    KEY("degree", "LIST", "degree", OPERATES "|check"),
    KEY("species", "LIST", "species", OPERATES),
    KEY("points", "LIST", "points", OPERATES),
    NUMBER(INT, "degree", "N", 1, BP_CONFIG_DEGREE_MAX, NULL, "solve",
           "polynomial degree, 1 to 15"),
    KEY("quadrature", "LIST", "quadrature", OPERATES "|check|solve"),
    KEY("rule", "NAME", "rule", OPERATES "|check|solve"),
    KEY("geometry", "NAME", "geometry", OPERATES "|check|solve"),
    CHOICE("geometry", "NAME", "stored", "list", "to compile for, with --arch",
           NAMES("stored", "affine", "trilinear", "quadratic")),
    KEY("precision", "NAME", "precision", "run|roofline|apply|check|solve|tune"),
    CHOICE("precision", "NAME", "double", "list", "to compile for, with --arch",
           NAMES("double", "mixed", "single")),
    KEY("mesh", "FILE", "mesh", OPERATES "|solve"),
    KEY("group", "NAME", "group", OPERATES "|solve|mesh info"),
    {.name = "periodic",
     .key = "periodic",
     .sets = "true",
     .commands = OPERATES "|solve|mesh info",
     .help = "join the nodes of periodic sections"},
    KEY("box", "AxBxC", "box", OPERATES "|solve"),
    KEY("elements", "LIST", "elements", OPERATES),
    KEY("dofs", "LIST", "dofs", "run|roofline|tune"),
    KEY("nodes", "LIST", "nodes", "run|roofline|tune"),
    NUMBER(NUMBERS, "elements", "LIST", 1, 1e6, NULL, "check",
           "element counts to check with, else 1,2,7,65 (emulator 1,7,19), of solves also 5, 20 "
           "around an edge"),
    BOX("elements", "AxBxC", "mesh box|mesh kershaw", "elements along x, y and z"),
    NUMBER(INT, "elements", "N", 1, 1e8, "1000000", "mesh cells", "how many"),
    CHOICE("shape", "NAME", NULL, "mesh cells", "of the elements",
           NAMES("tri", "quad", "tet", "hex")),
    CHOICE("numbering", "NAME", "random", "mesh cells",
           "of nodes and elements: at random, or along lines", NAMES("random", "lines")),
    KEY("warp", "X", "warp", OPERATES "|solve"),
    NUMBER(REAL, "epsilon", "X", 1e-3, 1, "0.3", "mesh kershaw",
           "how small the smallest elements' sides are"),
    NUMBER(INT, "order", "P", 1, BP_MESH_ORDER_MAX, "1", "mesh kershaw", "of the elements"),
    CHOICE("profile", "NAME", "linear", "mesh kershaw",
           "between layers: as published, or a smooth step, order 1", NAMES("linear", "quintic")),
    NUMBER(REAL, "warp", "X", 0, 0.9, "0", "mesh box", "how far the inside is bent, 0 to 0.9"),
    KEY("variants", "LIST", "variants", "run|roofline|apply"),
    KEY_ELSE("variants", "LIST", "variants", "all", "tune"),
    KEY("lambda", "X", "lambda", "run|apply|solve"),
    KEY("rhs", "NAME", "rhs", "run|solve"),
    KEY("preconditioner", "NAME", "preconditioner", "run|solve|tune"),
    KEY("levels", "N-..-1", "levels", "run|solve|tune"),
    KEY("smoother", "NAME", "smoother", "run|solve|tune"),
    KEY("smoothing", "N[,N]", "smoothing", "run|solve|tune"),
    KEY("chebyshev", "NAME", "chebyshev", "run|solve|tune"),
    KEY("cycle", "NAME", "cycle", "run|solve|tune"),
    KEY("coarse", "N", "coarse", "run|solve|tune"),
    KEY("fixed", "LIST", "fixed", "run|apply|solve"),
    KEY("iterations", "K", "iterations", "run|solve|tune"),
    KEY("tolerance", "T", "tolerance", "run|tune"),
    KEY("kershaw", "X", "kershaw", OPERATES "|solve"),
    NUMBER(REAL, "dt", "T", 1e-30, 1e30, NULL, "solve", "of wave: the step"),
    NUMBER(REAL, "cfl", "F", 1e-6, 1, "0.9", "solve",
           "of wave: the step over the largest that is stable, by the largest eigenvalue"),
    TEXT("source", "X,Y,Z", NULL, "solve",
         "of wave: where a Ricker wavelet acts, several between semicolons; without any a standing "
         "wave swings"),
    NUMBER(REAL, "frequency", "F", 1e-30, 1e30, NULL, "solve",
           "of the sources; else 8 periods in the run"),
    TEXT("receiver", "X,Y,Z", NULL, "solve", "of wave: where u is recorded, likewise"),
    TEXT("slice", "AXIS", NULL, "solve",
         "of wave: x, y or z, or z=0.3: a picture of u at the end, also as PREFIX-slice.svg"),
    NUMBER(INT, "snapshots", "K", 0, 1e6, "0", "solve",
           "of wave: every K steps u as .npy and, for ParaView, as .vtu; 0: none"),
    NUMBER(REAL, "tolerance", "T", 1e-30, 1, NULL, "solve",
           "stop at a residual of T times the first"),
    CHOICE("backend", "NAME", "reference", "solve",
           "what solves: the textbook on the host, or kernels",
           NAMES("reference", "cpu", "cuda", "emulate")),
    TEXT("variants", "NAME", "best", "solve",
         "the scheme, such as two-kernel, with --backend cuda or emulate"),
    KEY("backend", "NAME", "backend", OPERATES),
    KEY_ELSE("backend", "NAME", "backend", "cpu", "check"),
    CHOICE("backend", "NAME", "auto", "list", "only variants that run there; auto is all",
           NAMES("auto", "cpu", "cuda", "emulate")),
    KEY("device", "N", "device", OPERATES "|check"),
    KEY("arch", "sm_N", "arch", OPERATES "|check|solve"),
    KEY("isa", "NAME", "isa", OPERATES "|check"),
    KEY("threads", "N", "threads", OPERATES "|check|solve"),
    KEY("ranks", "N", "ranks", "run|solve"),
    KEY("communication", "NAME", "communication", "run|solve"),
    KEY("partition", "NAME", "partition", "run|solve"),
    FLAG("banks", "check", "count emulated accesses of shared memory, bank conflicts included"),
    KEY("seed", "N", "seed", "run|apply|check"),
    KEY("cache", "NAME", "measure.cache", "run|roofline|tune"),
    KEY("launch", "NAME", "launch", "run"),
    TEXT("set", "KEY=VALUE", NULL, OPERATES "|check",
         "set any config key, such as measure.max_time=2"),
    FLAG("dry-run", "run|tune", "print the rows that would run and the bytes each needs"),
    KEY("format", "NAME", "report.format", "run|roofline"),
    CHOICE("format", "NAME", "table", "list|info|mesh info|compare", "how to print",
           NAMES("table", "json")),
    CHOICE("format", "NAME", "text", "help",
           "man page, shell completions, or the manual of config keys",
           NAMES("text", "man", "bash", "zsh", "fish", "words", "markdown")),
    KEY("output", "FILE", "report.output", "run|roofline"),
    OUTPUT("output", "FILE", "mesh box|mesh kershaw|mesh cells", "the .msh to write"),
    OUTPUT("output", "PREFIX", "apply|solve", "what the names of the files begin with"),
    TEXT("resume", "RECORD", NULL, "run", "go on with the run that wrote this record, into it"),
    FLAG("force", "run|roofline|mesh box|mesh kershaw|mesh cells|report|apply|solve",
         "replace output files that are there already"),
    {.name = "no-figure",
     .key = "report.figure",
     .sets = "false",
     .commands = "run|roofline",
     .help = "no figure on the terminal"},
    FLAG("details", "list", "files, options with their ranges, launch shapes"),
    TEXT("arch", "sm_N", NULL, "list",
         "compile the CUDA variants for this architecture and tell registers, spills and shared "
         "memory; needs no GPU"),
    NUMBER(NUMBERS, "degrees", "LIST", 1, BP_CONFIG_DEGREE_MAX, "1..15", "list",
           "degrees to compile at, with --arch"),
    NUMBER(POINTS, "quadrature", "LIST", 1, 5, NULL, "list",
           "points per direction to compile for, with --arch; else the problem's own"),
    NUMBER(INT, "ranks", "N", 1, 256, "1", "mesh info",
           "parts to cut the mesh into, and to measure"),
    CHOICE("partition", "NAME", "curve", "mesh info", "how to cut it", bp_partition_names),
    NUMBER(NUMBERS, "degrees", "LIST", 1, BP_CONFIG_DEGREE_MAX, "1..15", "mesh info",
           "degrees to count unique nodes at"),
    CHOICE("version", "V", "4.1", "mesh box|mesh kershaw|mesh cells", "of the format to write",
           NAMES("2.2", "4.1")),
    FLAG("binary", "mesh box|mesh kershaw|mesh cells", "write binary, not ASCII"),
    TEXT("u", "FILE.npy", NULL, "apply",
         "the input, float64, of the shape that PREFIX-u.npy has; of bp2, bp4 and bp6 (n,3)"),
    TEXT("v", "FILE.npy", NULL, "apply",
         "another program's v, of the shape of PREFIX-v.npy: it is judged, and no kernel runs"),
    FLAG("save-factors", "apply",
         "PREFIX-factors.npy (E,C,Nc,Nc,Nc), too: rr, rs, rt, ss, st, tt and the weight, or that "
         "alone"),
    OUTPUT("html", "FILE", "report", "one self-contained page"),
    OUTPUT("svg", "FILE", "report", "a figure; with / at its end, a folder for all of them"),
    CHOICE("figure", "NAME", NULL, "report",
           "which figure --svg writes, else peers with --with, sizes or "
           "scaling where there are several, or gflops",
           bp_figure_names),
    TEXT("with", "FILE.csv", NULL, "report", "figures of other programs, to stand beside these"),
    FLAG("any-machine", "report", "show what ran on another machine as well"),
    TEXT("title", "TEXT", NULL, "report", "the headline of a figure or page"),
    OUTPUT("markdown", "FILE", "report", "the table as markdown"),
    OUTPUT("csv", "FILE", "report", "the rows as CSV"),
    OUTPUT("json", "FILE", "report", "the merged record"),
    NUMBER(REAL, "fail-over", "X%", 0.001, 10, "5%", "compare", "how much slower a row may be"),
    FLAG("strict", "compare", "rows that tell nothing are a failure, too: exit code 4"),
    FLAG("across", "compare", "two machines: rate and part of their own copies, row by row"),
    NUMBER(REAL, "max-time", "SECONDS", 0.1, 1e6, "540", "tune",
           "how long the search of all cases may take"),
    FLAG("again", "tune", "tune also what was tuned before"),
};
const int bp_options_count = sizeof bp_options / sizeof *bp_options;
