/* msh_read.c -- reads a Gmsh file: what it is, then section after section. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "mesh/msh/msh.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- what is not a mesh of ours ---- */

static const struct {
  const char *start, *what;
} foreign[] = {
    {"version https://git-lfs", "a Git LFS pointer (run `git lfs pull` to fetch the file itself)"},
    {"\x1f\x8b", "gzip (decompress it with gunzip first)"},
    {"BZh", "bzip2 (decompress it with bunzip2 first)"},
    {"\xfd"
     "7zXZ",
     "xz (decompress it with unxz first)"},
    {"\x28\xb5\x2f\xfd", "zstd (decompress it with unzstd first)"},
    {"PK\x03\x04", "a zip archive"},
    {"\x89HDF", "HDF5 (perhaps MED, CGNS or Exodus)"},
    {"CDF", "netCDF (perhaps Exodus)"},
    {"\xff\xfe", "UTF-16 text (save it as UTF-8 or ASCII)"},
    {"\xfe\xff", "UTF-16 text (save it as UTF-8 or ASCII)"},
    {"# vtk DataFile", "a VTK file"},
    {"<?xml", "XML"},
    {"<VTKFile", "a VTK file"},
    {"MFEM mesh", "an MFEM mesh"},
    {"MESH ", "a GiD mesh"},
    {"mesh dimension", "a GiD mesh"},
    {"MeshVersionFormatted", "an INRIA Medit mesh"},
    {"ply", "a PLY file"},
    {"solid ", "an STL file"},
    {"*HEADING", "an Abaqus input file"},
    {"*Heading", "an Abaqus input file"},
    {"**", "an Abaqus input file"},
    {"(", "a Fluent or ANSYS mesh"},
    {"//", "a Gmsh .geo script or other source (make a mesh of it with `gmsh FILE -3`)"},
};

static void fail_foreign(bp_msh *msh)
{
  const char *p = bp_msh_skip_space(msh, msh->data);
  size_t left = (size_t)(msh->end - p);
  for (size_t n = 0; n < sizeof foreign / sizeof *foreign; ++n) {
    size_t length = strlen(foreign[n].start);
    if (left >= length && memcmp(p, foreign[n].start, length) == 0)
      bp_msh_fail(msh, p, "expected a Gmsh mesh ($MeshFormat), found %s", foreign[n].what);
  }
  bp_msh_unexpected(msh, p, "a Gmsh mesh ($MeshFormat)");
}

/* ---- $MeshFormat ---- */

static const struct {
  const char *text;
  int version;
} versions[] = {{"2", 20},   {"2.0", 20}, {"2.1", 20}, {"2.2", 20}, {"4", 40},  {"4.0", 40},
                {"4.1", 41}, {"1", 10},   {"1.0", 10}, {"3", 30},   {"3.0", 30}};

/* "2.200000" is 2.2 as some tools print it. */
static int find_version(const char *p, size_t length)
{
  const char *point = memchr(p, '.', length);
  while (point && p + length > point + 2 && p[length - 1] == '0')
    --length;
  for (size_t n = 0; n < sizeof versions / sizeof *versions; ++n)
    if (strlen(versions[n].text) == length && memcmp(p, versions[n].text, length) == 0)
      return versions[n].version;
  return 0;
}

static void take_version(bp_msh *msh)
{
  const char *at = msh->p = bp_msh_skip_space(msh, msh->p);
  while (msh->p < msh->end && (unsigned char)*msh->p > ' ')
    ++msh->p;
  msh->version = find_version(at, (size_t)(msh->p - at));
  if (msh->version == 0)
    bp_msh_unexpected(msh, at, "a version of the format: 1, 2.0 to 2.2, 4.0 or 4.1");
  if (msh->version == 30)
    bp_msh_fail(msh, at,
                "expected version 1, 2.0 to 2.2, 4.0 or 4.1, found 3.0 (convert it with "
                "`gmsh %s -save -format msh41 -o OUTPUT.msh`)",
                msh->name);
}

/* In binary the number 1 follows, and tells the byte order. */
static void take_byte_order(bp_msh *msh)
{
  bp_msh_skip_line(msh);
  msh->binary = msh->bytes = true;
  const char *at = bp_msh_take_bytes(msh, "the number 1 in binary", 1, 4);
  if (!at)
    return;
  msh->swap = bp_msh_load_int(at, 4, false) != 1;
  if (bp_msh_load_int(at, 4, msh->swap) != 1)
    bp_msh_fail(msh, at, "expected the number 1 in binary, found %" PRId64,
                bp_msh_load_int(at, 4, false));
}

static void read_format(bp_msh *msh)
{
  take_version(msh);
  const char *at = msh->p;
  int type = bp_msh_take_int(msh, "the file type, 0 for ASCII or 1 for binary");
  if (bp_msh_ok(msh) && type != 0 && type != 1)
    bp_msh_unexpected(msh, at, "the file type, 0 for ASCII or 1 for binary");
  msh->by_entity = msh->version >= 40;
  at = msh->p;
  msh->width = bp_msh_take_int(msh, "the size of a number in bytes, 8");
  if (bp_msh_ok(msh) && type == 1 && msh->width != 8 && (msh->width != 4 || msh->version < 40))
    bp_msh_unexpected(msh, at, "the size of a number in bytes, 8");
  if (bp_msh_ok(msh) && type == 1)
    take_byte_order(msh);
}

/* ---- sections ---- */

static void read_any_elements(bp_msh *msh)
{
  (msh->binary ? bp_msh_read_element_records : bp_msh_read_elements)(msh);
}

static const struct {
  const char *name;
  int first, last; /* versions */
  void (*read)(bp_msh *msh);
} sections[] = {
    {"$PhysicalNames", 0, 41, bp_msh_read_names},
    {"$Entities", 40, 41, bp_msh_read_entities},
    {"$PartitionedEntities", 40, 41, bp_msh_read_partitioned_entities},
    {"$Nodes", 10, 20, bp_msh_read_nodes},
    {"$NOD", 10, 20, bp_msh_read_nodes},
    {"$ParametricNodes", 10, 20, bp_msh_read_parametric_nodes},
    {"$Nodes", 40, 41, bp_msh_read_node_blocks},
    {"$Elements", 10, 20, read_any_elements},
    {"$ELM", 10, 20, read_any_elements},
    {"$Elements", 40, 41, bp_msh_read_element_blocks},
    {"$Periodic", 10, 41, bp_msh_read_periodic},
};

static bool is_name(const char *p, size_t length, const char *name)
{
  return strlen(name) == length && strncasecmp(p, name, length) == 0;
}

/* A section that bp does not use ends where its end stands at the beginning of a line. */
static void skip_section(bp_msh *msh, const char *end_name)
{
  size_t length = strlen(end_name);
  for (const char *p = msh->p; (p = memmem(p, (size_t)(msh->end - p), end_name, length)); ++p)
    if (msh->binary || p[-1] == '\n') {
      msh->p = p;
      return;
    }
  msh->p = msh->end;
}

/* Whether `word` is what stands next. */
static bool is_next(const bp_msh *msh, const char *word)
{
  const char *at = bp_msh_skip_space(msh, msh->p);
  size_t length = strlen(word);
  return (size_t)(msh->end - at) >= length && strncasecmp(at, word, length) == 0;
}

static void take_section_end(bp_msh *msh, const char *name, size_t length, const char *end_name)
{
  if (is_name(name, length, "$ParametricNodes") && is_next(msh, "$EndNodes"))
    end_name = "$EndNodes";
  const char *at = bp_msh_skip_space(msh, msh->p);
  if (is_next(msh, end_name))
    msh->p = at + strlen(end_name);
  else
    bp_msh_unexpected(msh, at, end_name);
}

static void fail_without_format(bp_msh *msh, const char *name, size_t length)
{
  bp_msh_fail(msh, name, "expected $MeshFormat before %.*s, found none",
              length > 40 ? 40 : (int)length, name);
}

/* Reads what stands between the section's name and its end. */
static void read_body(bp_msh *msh, const char *name, size_t length, const char *end_name)
{
  if (is_name(name, length, "$MeshFormat")) {
    read_format(msh);
    return;
  }
  if (is_next(msh, end_name)) /* some tools leave out even the 0 */
    return;
  if (msh->version == 0 && is_name(name, length, "$NOD"))
    msh->version = 10;
  bool known = false;
  for (size_t n = 0; n < sizeof sections / sizeof *sections; ++n) {
    if (!is_name(name, length, sections[n].name))
      continue;
    known = true;
    if (sections[n].first <= msh->version && msh->version <= sections[n].last) {
      if (msh->binary)
        bp_msh_skip_line(msh);
      sections[n].read(msh);
      return;
    }
  }
  if (known && msh->version == 0)
    fail_without_format(msh, name, length);
  skip_section(msh, end_name);
}

static void read_section(bp_msh *msh)
{
  enum { LONGEST_NAME = 200 };
  const char *name = msh->p;
  while (msh->p < msh->end && (unsigned char)*msh->p > ' ' && msh->p - name < LONGEST_NAME)
    ++msh->p;
  size_t length = (size_t)(msh->p - name);
  if (length < 2 || (length >= 4 && strncasecmp(name, "$End", 4) == 0)) {
    bp_msh_unexpected(msh, name, "the name of a section");
    return;
  }
  char *end_name = bp_format("$End%.*s", (int)length - 1, name + 1);
  read_body(msh, name, length, end_name);
  if (bp_msh_ok(msh))
    take_section_end(msh, name, length, end_name);
  bp_free(end_name);
}

/* To the next line that begins with '$'; text between sections is nobody's. */
static bool find_section(bp_msh *msh)
{
  for (;; bp_msh_skip_line(msh)) {
    msh->p = bp_msh_skip_space(msh, msh->p);
    if (msh->p == msh->end || *msh->p == '$')
      return msh->p < msh->end;
  }
}

/* A line `$MeshFormat` or (1.0) `$NOD`, wherever it is; a Gmsh file that a tool has put its own
 * words before is one all the same. */
static bool is_gmsh(const bp_msh *msh)
{
  static const char *const marks[] = {"$MeshFormat", "$NOD"};
  for (size_t n = 0; n < sizeof marks / sizeof *marks; ++n) {
    size_t length = strlen(marks[n]);
    for (const char *p = msh->data; (p = memmem(p, (size_t)(msh->end - p), marks[n], length)); ++p)
      if (p == msh->data || (unsigned char)p[-1] <= ' ' || (unsigned char)p[-1] >= 0x80)
        return true;
  }
  return false;
}

static void read_all(bp_msh *msh)
{
  static const char mark[] = "\xef\xbb\xbf";
  if (!is_gmsh(msh)) {
    fail_foreign(msh);
    return;
  }
  if (bp_msh_left(msh) > 3 && memcmp(msh->p, mark, 3) == 0)
    msh->p += 3;
  while (bp_msh_ok(msh) && find_section(msh))
    read_section(msh);
}

static void read_data(bp_msh *msh, const char *data, size_t size, bp_cell shape)
{
  const char *newline = size ? memrchr(data, '\n', size) : NULL;
  msh->data = msh->p = data;
  msh->end = data + size;
  msh->lines_end = newline ? newline + 1 : data;
  msh->shape = shape;
  for (int type = 0; type < BP_GMSH_TYPES; ++type)
    msh->kind_of_type[type] = bp_kind_find(shape, type);
  read_all(msh);
}

bp_msh *bp_msh_open_bytes(const char *name, const char *data, size_t size, bp_cell shape)
{
  bp_msh *msh = bp_alloc(1, sizeof *msh);
  msh->name = name;
  read_data(msh, data, size, shape);
  return msh;
}

bp_msh *bp_msh_open(const char *path, bp_cell shape)
{
  bp_msh *msh = bp_alloc(1, sizeof *msh);
  msh->name = path;
  msh->status = bp_file_map(path, &msh->file);
  msh->mapped = bp_msh_ok(msh);
  if (msh->mapped)
    read_data(msh, msh->file.data, msh->file.size, shape);
  return msh;
}

bp_status bp_msh_close(bp_msh *msh)
{
  bp_status status = msh->status;
  if (msh->mapped && bp_file_check(&msh->file, msh->name)) /* whatever else was wrong, or right */
    status = BP_BAD_INPUT;
  if (msh->mapped)
    bp_file_unmap(&msh->file);
  for (int kind = 0; kind < BP_ELEMENT_KINDS; ++kind) {
    bp_free(msh->elements[kind].node);
    bp_free(msh->elements[kind].tag);
  }
  for (int64_t n = 0; n < msh->names_count; ++n)
    bp_free(msh->names[n].name);
  bp_tag_map_destroy(&msh->map);
  bp_free(msh->names);
  bp_free(msh->node_tag);
  bp_free(msh->x);
  bp_free(msh->batches);
  bp_free(msh->records);
  bp_free(msh->runs);
  for (int d = 0; d < 4; ++d)
    bp_free(msh->entities[d].items);
  bp_free(msh->quads);
  bp_free(msh->physicals);
  bp_free(msh->pairs);
  bp_free(msh->buffer);
  bp_free(msh);
  return status;
}

static bp_status close(bp_msh *msh, bp_mesh **mesh)
{
  *mesh = bp_msh_ok(msh) ? bp_msh_build(msh) : NULL;
  bp_status status = bp_msh_close(msh);
  if (status) {
    bp_mesh_destroy(*mesh);
    *mesh = NULL;
  }
  return status;
}

bp_status bp_mesh_read_bytes(const char *name, const char *data, size_t size, bp_mesh **mesh)
{
  return close(bp_msh_open_bytes(name, data, size, BP_HEXAHEDRON), mesh);
}

bp_status bp_mesh_read(const char *path, bp_mesh **mesh)
{
  return close(bp_msh_open(path, BP_HEXAHEDRON), mesh);
}
