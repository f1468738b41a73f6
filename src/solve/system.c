/* system.c -- from a row and a mesh to A. */
#include "solve/system.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "fem/reference.h"
#include "fem/tensor.h"
#include "mesh/surface.h"
#include <math.h>
#include <omp.h>
#include <string.h>

static int64_t nodes_of(const bp_system *s)
{
  int64_t nq = s->problem->basis.nq;
  return nq * nq * nq;
}

int64_t bp_system_size(const bp_system *system)
{
  return system->row->components * system->unknowns->count;
}

/* ---- singular? ---- */

static int32_t find_root(int32_t *parent, int32_t v)
{
  while (parent[v] != v)
    v = parent[v] = parent[parent[v]];
  return v;
}

static bool is_fixed_face(const bp_connectivity *c, const bp_fixed *fixed, int64_t face)
{
  return fixed->kind == BP_FIXED_BOUNDARY ? c->face_sides[face] == 1
                                          : fixed->kind == BP_FIXED_FACES && fixed->faces[face];
}

static bool any_face_is_fixed(const bp_connectivity *c, const bp_fixed *fixed)
{
  for (int64_t face = 0; face < c->faces; ++face)
    if (is_fixed_face(c, fixed, face))
      return true;
  return false;
}

/* Elements that share a vertex are connected. Returns an element of a part without a fixed face,
 * or -1. */
static int64_t find_loose_part(const bp_connectivity *c, const bp_fixed *fixed)
{
  int64_t loose = -1;
  int32_t *parent = bp_alloc_array((size_t)c->vertices, sizeof *parent);
  bool *is_held = bp_alloc((size_t)c->vertices, sizeof *is_held);
  for (int64_t v = 0; v < c->vertices; ++v)
    parent[v] = (int32_t)v;
  for (int64_t n = 0; n < 8 * c->elements; ++n)
    parent[find_root(parent, c->vertex[n])] = find_root(parent, c->vertex[n & ~INT64_C(7)]);
  for (int64_t n = 0; n < 6 * c->elements; ++n)
    if (is_fixed_face(c, fixed, c->face[n]))
      is_held[find_root(parent, c->vertex[n / 6 * 8])] = true;
  for (int64_t e = 0; e < c->elements && loose < 0; ++e)
    if (!is_held[find_root(parent, c->vertex[8 * e])])
      loose = e;
  bp_free(parent);
  bp_free(is_held);
  return loose;
}

static bp_status check_regular(const bp_system_options *o, const bp_mesh *mesh,
                               const bp_connectivity *c, const bp_fixed *fixed)
{
  if (bp_bake_off_operator(o->row, o->lambda)->components == 1 || o->lambda > 0 ||
      bp_bake_off_is_wave(o->row)) /* which is stepped, not solved */
    return BP_OK;
  if (!any_face_is_fixed(c, fixed))
    return bp_fail(BP_BAD_INPUT,
                   "%s: expected a fixed boundary or lambda > 0 for %s, found nothing fixed and "
                   "lambda 0: the operator is singular",
                   mesh->name, o->row->name);
  int64_t e = find_loose_part(c, fixed);
  if (e < 0)
    return BP_OK;
  return bp_fail(
      BP_BAD_INPUT,
      "%s: expected something fixed in every connected part of the mesh or lambda > 0 "
      "for %s, found nothing fixed in the part of element %lld: the operator is singular",
      mesh->name, o->row->name, (long long)mesh->tag[e]);
}

/* What is fixed, after looking whether that will do; the faces are to be freed. */
static bp_status fix(const bp_system_options *o, const bp_mesh *mesh, const bp_connectivity *c,
                     bp_fixed *fixed, bool **faces)
{
  bp_status status = BP_OK;
  *fixed =
      (bp_fixed){.kind = o->row->dirichlet && !o->all_free ? BP_FIXED_BOUNDARY : BP_FIXED_NONE};
  *faces = NULL;
  if (fixed->kind == BP_FIXED_BOUNDARY && !o->fixed_count && bp_mesh_other_cells(mesh))
    return bp_fail(
        BP_BAD_INPUT,
        "%s: expected `fixed` or `group`, since cells that are no hexahedra are left out and "
        "all the boundary would be fixed, also where they were, found neither",
        mesh->name);
  if (o->fixed_count) {
    *faces = bp_alloc((size_t)c->faces, sizeof **faces);
    *fixed = (bp_fixed){.kind = BP_FIXED_FACES, .faces = *faces};
    status = bp_surfaces_mark(mesh, c, o->fixed, o->fixed_count, *faces);
  }
  if (!status && o->ranks <= 1) /* each rank looks at its own */
    status = bp_unknowns_check(mesh->name, o->space.degree, c->elements,
                               bp_connectivity_unique(c, o->space.degree));
  return status ? status : check_regular(o, mesh, c, fixed);
}

/* ---- create, destroy ---- */

/* Vectors of the caller and of what checks its result, copies on surfaces, lists. What devices need is
 * theirs. */
static bp_status check_memory(const bp_system *s, const bp_system_options *o,
                              const bp_connectivity *c)
{
  char needed[32], available[32];
  int64_t unique = bp_connectivity_unique(c, o->space.degree);
  double bytes = 8.0 * (double)unique * 3 * o->row->components +
                 2.0 * (double)bp_unknowns_bytes(o->space.degree, s->mesh->elements, unique);
  int64_t have = bp_memory_available();
  if (bytes <= (double)have)
    return BP_OK;
  return bp_fail(BP_ENVIRONMENT,
                 "memory: %s at degree %d with %lld unknowns needs %s, available: %s", o->row->name,
                 o->space.degree, (long long)unique, bp_print_bytes(needed, bytes),
                 bp_print_bytes(available, (double)have));
}

static bp_status number(bp_system *s, const bp_system_options *o, const bp_connectivity *c)
{
  bp_fixed fixed;
  bool *faces;
  bp_status status = fix(o, s->mesh, c, &fixed, &faces);
  if (!status)
    status = check_memory(s, o, c);
  if (!status)
    status = bp_unknowns_create(s->mesh, c, o->space.degree, fixed, &s->unknowns);
  bp_free(faces);
  return status;
}

static bp_status allocate(bp_system *s, const bp_system_options *o)
{
  enum { CHUNK_DOUBLES = 1 << 18, OF_THREAD = 4, ITERATIONS = 1000 };
  const int64_t elements = s->mesh->elements, usual = CHUNK_DOUBLES / nodes_of(s);
  const int64_t least = OF_THREAD * (int64_t)omp_get_max_threads();
  const int64_t most = usual > least ? usual : least;
  s->problem->unknowns = s->unknowns;
  s->problem->iterations = o->iterations > 0 ? o->iterations : ITERATIONS;
  s->chunk = elements < most ? elements : most;
  const size_t count = (size_t)(s->chunk * nodes_of(s));
  s->local_u = bp_alloc_array(count, sizeof *s->local_u);
  s->local_v = bp_alloc_array(count, sizeof *s->local_v);
  return BP_OK;
}

int64_t bp_system_chunk_end(const bp_system *system, int64_t first)
{
  const int64_t left = system->mesh->elements - first;
  return first + (left < system->chunk ? left : system->chunk);
}

static bp_status fill(bp_system *s, const bp_system_options *o)
{
  bp_connectivity *connectivity;
  double begin = bp_clock();
  bp_status status = bp_connectivity_create(s->mesh, &connectivity);
  s->connect_seconds = bp_clock_lap(&begin);
  if (!status)
    status = number(s, o, connectivity);
  bp_connectivity_destroy(connectivity);
  s->number_seconds = bp_clock_lap(&begin);
  if (!status)
    status = bp_problem_create(bp_bake_off_operator(o->row, o->lambda), o->space, o->lambda,
                               s->mesh, &s->problem);
  s->geometry_seconds = bp_clock_lap(&begin);
  return status ? status : allocate(s, o);
}

bp_status bp_system_create(bp_system_options options, const bp_mesh *mesh, bp_system **system)
{
  bp_system *made = bp_alloc(1, sizeof *made);
  made->row = options.row;
  made->mesh = mesh;
  made->comm = bp_comm_self();
  bp_status status = fill(made, &options);
  if (status)
    bp_system_destroy(made);
  *system = status ? NULL : made;
  return status;
}

/* Names between commas; the text is cut in pieces. */
static int split(char *text, const char **names)
{
  int count = 0;
  for (char *rest = text, *name; (name = strsep(&rest, ","));)
    names[count++] = name;
  return count;
}

/* Of a text; both are to be freed. */
typedef struct {
  char *text;
  const char **names;
} groups;

static groups read_fixed(const char *fixed, bp_system_options *options)
{
  groups g = {.text = bp_strdup(fixed ? fixed : "")};
  g.names = bp_alloc(strlen(g.text) + 1, sizeof *g.names);
  options->all_free = strcmp(g.text, "none") == 0;
  if (!options->all_free && *g.text) {
    options->fixed_count = split(g.text, g.names);
    options->fixed = g.names;
  }
  return g;
}

static void groups_destroy(groups *g)
{
  bp_free(g->names);
  bp_free(g->text);
}

bp_status bp_system_create_fixed(bp_system_options options, const char *fixed, const bp_mesh *mesh,
                                 bp_system **system)
{
  groups g = read_fixed(fixed, &options);
  bp_status status = bp_system_create(options, mesh, system);
  groups_destroy(&g);
  return status;
}

bp_status bp_system_check_fixed(bp_system_options options, const char *fixed, const bp_mesh *mesh,
                                const bp_connectivity *connectivity)
{
  groups g = read_fixed(fixed, &options);
  bp_fixed ignored;
  bool *faces;
  bp_status status = fix(&options, mesh, connectivity, &ignored, &faces);
  bp_free(faces);
  groups_destroy(&g);
  return status;
}

/* ---- ranks ---- */

/* marks[e], bit f: face f of element e is fixed. */
static uint8_t *mark_faces(const bp_connectivity *c, const bp_fixed *fixed)
{
  uint8_t *marks = bp_alloc((size_t)c->elements, sizeof *marks);
  for (int64_t slot = 0; slot < 6 * c->elements; ++slot)
    if (is_fixed_face(c, fixed, c->face[slot]))
      marks[slot / 6] |= (uint8_t)(1u << slot % 6);
  return marks;
}

/* What rank 0 finds out of the whole mesh. */
static bp_status survey(const bp_system_options *o, const bp_mesh *mesh, uint8_t **marks)
{
  bp_connectivity *connectivity = NULL;
  bp_fixed fixed;
  bool *faces = NULL;
  bp_status status = bp_connectivity_create(mesh, &connectivity);
  if (!status)
    status = fix(o, mesh, connectivity, &fixed, &faces);
  *marks = status ? NULL : mark_faces(connectivity, &fixed);
  bp_free(faces);
  bp_connectivity_destroy(connectivity);
  return status;
}

static bp_status cut(bp_system *s, const bp_system_options *o, const bp_mesh *mesh,
                     bp_partition_kind partition)
{
  uint8_t *marks = NULL;
  int32_t *rank_of = NULL;
  bp_status status = s->comm->rank == 0 ? survey(o, mesh, &marks) : BP_OK;
  if (!status && s->comm->rank == 0) {
    rank_of = bp_alloc_array((size_t)mesh->elements, sizeof *rank_of);
    status = bp_partition(partition, mesh, s->comm->size, rank_of);
  }
  status = bp_comm_agree(s->comm, status);
  if (!status)
    status = bp_piece_distribute(s->comm, mesh, rank_of, marks, &s->piece);
  bp_free(rank_of);
  bp_free(marks);
  return status;
}

static bp_status number_piece(bp_system *s, const bp_system_options *o, const bp_connectivity *c)
{
  bool *faces = bp_alloc((size_t)c->faces, sizeof *faces);
  for (int64_t slot = 0; slot < 6 * c->elements; ++slot)
    if (s->piece->marks[slot / 6] >> slot % 6 & 1)
      faces[c->face[slot]] = true;
  const bp_fixed fixed = {.kind = BP_FIXED_FACES, .faces = faces};
  bp_status status = bp_comm_agree(s->comm, check_memory(s, o, c));
  if (!status)
    status = bp_unknowns_create_shared(s->piece, c, o->space.degree, fixed, s->comm, &s->unknowns);
  bp_free(faces);
  return status;
}

static bp_status fill_piece(bp_system *s, const bp_system_options *o)
{
  s->mesh = s->piece->mesh;
  bp_connectivity *connectivity;
  double begin = bp_clock();
  bp_status status = bp_comm_agree(s->comm, bp_connectivity_create(s->mesh, &connectivity));
  s->connect_seconds = bp_clock_lap(&begin);
  if (!status)
    status = number_piece(s, o, connectivity);
  bp_connectivity_destroy(connectivity);
  s->number_seconds = bp_clock_lap(&begin);
  if (status)
    return status;
  status = bp_comm_agree(s->comm, bp_problem_create(bp_bake_off_operator(o->row, o->lambda),
                                                    o->space, o->lambda, s->mesh, &s->problem));
  s->geometry_seconds = bp_clock_lap(&begin);
  return status ? status : allocate(s, o);
}

bp_status bp_system_distribute(bp_system_options options, const char *fixed, const bp_mesh *mesh,
                               bp_partition_kind partition, bp_comm *comm, bp_system **system)
{
  options.ranks = comm->size;
  groups g = read_fixed(fixed, &options);
  bp_system *made = bp_alloc(1, sizeof *made);
  made->row = options.row;
  made->comm = comm;
  bp_status status = cut(made, &options, mesh, partition);
  if (!status)
    status = fill_piece(made, &options);
  if (status)
    bp_system_destroy(made);
  *system = status ? NULL : made;
  groups_destroy(&g);
  return status;
}

bp_status bp_system_create_like(const bp_system *other, bp_space space, const char *fixed,
                                bp_system **system)
{
  const bp_system_options options = {.row = other->row,
                                     .space = space,
                                     .lambda = other->problem->lambda,
                                     .ranks = other->comm->size,
                                     .iterations = 1};
  if (!other->piece)
    return bp_system_create_fixed(options, fixed, other->mesh, system);
  bp_system *made = bp_alloc(1, sizeof *made);
  made->row = other->row;
  made->comm = other->comm;
  made->piece = other->piece;
  made->is_like = true;
  bp_status status = fill_piece(made, &options);
  if (status)
    bp_system_destroy(made);
  *system = status ? NULL : made;
  return status;
}

bp_status bp_system_number(bp_system_options options, const char *fixed, const bp_mesh *mesh,
                           bp_unknowns **unknowns)
{
  groups g = read_fixed(fixed, &options);
  bp_connectivity *connectivity = NULL;
  bp_fixed what = {0};
  bool *faces = NULL;
  *unknowns = NULL;
  bp_status status = bp_connectivity_create(mesh, &connectivity);
  if (!status)
    status = fix(&options, mesh, connectivity, &what, &faces);
  if (!status)
    status = bp_unknowns_create(mesh, connectivity, options.space.degree, what, unknowns);
  bp_free(faces);
  bp_connectivity_destroy(connectivity);
  groups_destroy(&g);
  return status;
}

int64_t bp_system_total(const bp_system *system)
{
  const bp_unknowns *u = system->unknowns;
  return u->sharing ? u->sharing->total : u->count;
}

int64_t bp_system_total_fixed(const bp_system *system)
{
  const bp_unknowns *u = system->unknowns;
  return u->sharing ? u->sharing->total_fixed : u->fixed;
}

void bp_system_destroy(bp_system *system)
{
  if (!system)
    return;
  bp_unknowns_destroy(system->unknowns);
  bp_problem_destroy(system->problem);
  bp_free(system->local_u);
  bp_free(system->local_v);
  if (!system->is_like)
    bp_piece_destroy(system->piece);
  bp_free(system);
}

/* ---- A ---- */

void bp_system_apply(bp_system *system, const double *u, double *v)
{
  const bp_unknowns *all = system->unknowns;
  const size_t surface = (size_t)(all->elements * all->surface_nodes);
  double *copies = bp_alloc_array(surface, sizeof *copies);
  for (int c = 0; c < system->row->components; ++c) {
    const int64_t at = c * all->count;
    for (int64_t first = 0, last; first < all->elements; first = last) {
      last = bp_system_chunk_end(system, first);
      bp_unknowns_scatter(all, first, last, u + at, system->local_u);
      bp_reference_apply_part(system->problem, first, last, system->local_u, system->local_v);
      bp_unknowns_keep(all, first, last, system->local_v, v + at, copies);
    }
    bp_unknowns_add_copies(all, copies, v + at);
  }
  bp_free(copies);
}

/* ---- the diagonal ---- */

enum { SQUARES = BP_POINTS_MAX * BP_POINTS_MAX };

/* Products of entries of I (nodes to points) and S (the slopes there): what a node's shape function
 * times itself is made of. */
typedef struct {
  double II[SQUARES], SS[SQUARES], SI[SQUARES];
} squares;

static void square(const bp_basis *basis, squares *s)
{
  for (int b = 0; b < basis->nc; ++b)
    for (int a = 0; a < basis->nq; ++a) {
      long double value = basis->I[b * basis->nq + a], slope = 0;
      for (int c = 0; c < basis->nc; ++c)
        slope += (long double)basis->D[b * basis->nc + c] * basis->I[c * basis->nq + a];
      s->II[b * basis->nq + a] = (double)(value * value);
      s->SS[b * basis->nq + a] = (double)(slope * slope);
      s->SI[b * basis->nq + a] = (double)(slope * value);
    }
}

/* The terms of a diagonal entry: factor component and its weight, and the matrix along each
 * direction. */
static int list_terms(const bp_problem *problem, const squares *s, bp_tensor terms[7],
                      double weights[7])
{
  const double *II = s->II, *SS = s->SS, *SI = s->SI;
  const double *const along[7][3] = {{SS, II, II}, {SI, SI, II}, {SI, II, SI}, {II, SS, II},
                                     {II, SI, SI}, {II, II, SS}, {II, II, II}};
  const double stiffness[7] = {1, 2, 2, 1, 2, 1, problem->lambda};
  int count = problem->op->components, first = count == 1 ? 6 : 0;
  for (int n = 0; n < count; ++n) {
    const double *const *m = along[first + n];
    terms[n] = (bp_tensor){problem->basis.nc, problem->basis.nq, m[0], m[1], m[2]};
    weights[n] = count == 1 ? 1 : stiffness[n];
  }
  return count;
}

static void element_diagonal(const bp_tensor *terms, const double *weights, int count, int points,
                             const double *f, long double *work, double *diagonal)
{
  int nodes = terms->columns * terms->columns * terms->columns;
  long double *in = work, *sum = in + points, *scratch = sum + nodes;
  memset(sum, 0, (size_t)nodes * sizeof *sum);
  for (int n = 0; n < count; ++n) {
    for (int q = 0; q < points; ++q)
      in[q] = (long double)weights[n] * f[n * points + q];
    bp_tensor_add_transposed(&terms[n], in, scratch, sum);
  }
  for (int n = 0; n < nodes; ++n)
    diagonal[n] = (double)sum[n];
}

/* Of elements first..last-1, into local_v. */
static void chunk_diagonal(bp_system *system, const bp_tensor *terms, const double *weights,
                           int count, int64_t first, int64_t last)
{
  const bp_problem *p = system->problem;
  const int nc = p->basis.nc, points = nc * nc * nc;
  const int64_t nodes = nodes_of(system);
#pragma omp parallel
  {
    long double *work = bp_alloc((size_t)(points + nodes + bp_tensor_scratch(terms)), sizeof *work);
    double *buffer = bp_alloc((size_t)bp_problem_buffer(p), sizeof *buffer);
#pragma omp for schedule(static)
    for (int64_t e = first; e < last; ++e)
      element_diagonal(terms, weights, count, points, bp_problem_element(p, e, buffer), work,
                       system->local_v + (e - first) * nodes);
    bp_free(buffer);
    bp_free(work);
  }
}

void bp_system_diagonal(bp_system *system, double *diagonal)
{
  const bp_unknowns *u = system->unknowns;
  const bp_problem *p = system->problem;
  squares s;
  square(&p->basis, &s);
  bp_tensor terms[7];
  double weights[7] = {0};
  int count = list_terms(p, &s, terms, weights);
  double *copies = bp_alloc_array((size_t)(u->elements * u->surface_nodes), sizeof *copies);
  for (int64_t first = 0, last; first < u->elements; first = last) {
    last = bp_system_chunk_end(system, first);
    chunk_diagonal(system, terms, weights, count, first, last);
    bp_unknowns_keep(u, first, last, system->local_v, diagonal, copies);
  }
  bp_unknowns_add_copies(u, copies, diagonal);
  bp_free(copies);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < system->unknowns->count; ++n)
    if (diagonal[n] == 0) /* fixed: a free one is positive */
      diagonal[n] = 1;
}
