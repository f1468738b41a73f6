/* peers.c -- reading other programs' figures, and which of them belong beside which rows. */
#include "report/peers.h"

#include "base/file.h"
#include "base/memory.h"
#include "report/record_fields.h"
#include "report/series.h"
#include <ctype.h>
#include <string.h>

/* ---- reading ---- */

#define FIELD(member, kind, needed) BP_MEMBER(bp_peer, member, kind, needed)

/* The first of them may stand in comments, "# machine: NVIDIA H200", for all lines below that do not say
 * otherwise. */
enum { TELLABLE = 5 };
static const bp_field peer_fields[] = {
    FIELD(version, MAYBE_TEXT, false),
    FIELD(machine, MAYBE_TEXT, false),
    FIELD(command, MAYBE_TEXT, false),
    FIELD(date, MAYBE_TEXT, false),
    FIELD(cache, MAYBE_TEXT, false),
    FIELD(program, STRING, true),
    FIELD(problem, STRING, true),
    FIELD(degree, INT, true),
    FIELD(elements, MAYBE, false),
    FIELD(dofs, MAYBE, false),
    FIELD(iterations, MAYBE, false),
    FIELD(seconds, TIME, true),
    {0},
};

static char **text_of(bp_peer *peer, int n)
{
  return (char **)((char *)peer + peer_fields[n].offset);
}

/* `said` has the texts of comments. */
static void note_comment(const char *comment, bp_peer *said)
{
  comment += strspn(comment, " \t");
  for (int n = 0; n < TELLABLE; ++n) {
    size_t length = strlen(peer_fields[n].key);
    if (strncmp(comment, peer_fields[n].key, length) == 0 && comment[length] == ':')
      bp_record_set(text_of(said, n), comment + length + 1 + strspn(comment + length + 1, " \t"));
  }
}

static bp_status check_peer(const char *place, int line, const bp_peer *peer)
{
  const char *missing = !*peer->program ? "a program" : !*peer->problem ? "a problem" : NULL;
  if (missing)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected %s, found none", place, line, missing);
  if (peer->degree < 1 || peer->degree >= BP_SERIES_DEGREES)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected a degree from 1 to %d, found %d", place, line,
                   BP_SERIES_DEGREES - 1, peer->degree);
  if (peer->iterations == 0)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected one iteration or more, found 0", place, line);
  if (peer->elements < 1 && peer->dofs < 1)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected 'elements' or 'dofs', found neither", place,
                   line);
  return BP_OK;
}

static bp_status take_line(bp_csv_lines *csv, bp_peer *said, bp_peers *peers)
{
  if (strncmp(csv->at, "program,", 8) == 0 ||
      csv->count == 0) /* once more where files were joined */
    return bp_csv_take_heads(csv);
  bp_status status = bp_csv_take_cells(csv);
  if (status || (csv->count == 1 && !*csv->cells[0]))
    return status;
  bp_peer *peer = bp_list_add(&peers->items, peer_fields, sizeof *peer);
  bp_json_value *line = bp_alloc(1, sizeof *line);
  *line = bp_fields_of_csv(csv, peer_fields);
  for (int n = 0; n < TELLABLE; ++n)
    bp_record_set(text_of(peer, n), *text_of(said, n));
  status = bp_fields_read(csv->name, line, peer_fields, peer);
  bp_json_destroy(line);
  if (!status)
    status = check_peer(csv->name, csv->line, peer);
  if (peer->iterations > 0)
    peer->seconds /= (double)peer->iterations;
  return status;
}

bp_status bp_peers_read_bytes(const char *name, const char *data, size_t size, bp_peers *peers)
{
  const char *comment;
  bp_peer said = {0};
  bp_csv_lines *csv = bp_csv_lines_create(name, data, size);
  bp_status status = BP_OK;
  for (int n = 0; n < TELLABLE; ++n)
    bp_record_set(text_of(&said, n), strcmp(peer_fields[n].key, "cache") == 0 ? "hot" : "");
  while (!status && !bp_csv_is_at_end(csv))
    if ((comment = bp_csv_take_comment(csv)))
      note_comment(comment, &said);
    else
      status = take_line(csv, &said, peers);
  if (!status && peers->count == 0)
    status = bp_fail(BP_BAD_INPUT, "%s: expected lines of a program's figures, found none", name);
  bp_fields_free(&said, peer_fields);
  bp_csv_lines_destroy(csv);
  return status;
}

bp_status bp_peers_read(const char *path, bp_peers *peers)
{
  bp_file file;
  bp_status status = bp_file_map(path, &file);
  if (status)
    return status;
  status = bp_peers_read_bytes(path, file.data, file.size, peers);
  if (bp_file_check(&file, path)) /* whatever else was found wrong, or right, then */
    status = BP_BAD_INPUT;
  bp_file_unmap(&file);
  return status;
}

void bp_peers_destroy(bp_peers *peers)
{
  for (int64_t n = 0; n < peers->count; ++n)
    bp_fields_free(&peers->items[n], peer_fields);
  bp_free(peers->items);
  *peers = (bp_peers){0};
}

/* ---- machines ---- */

/* "NVIDIA H200", and "AMD EPYC 9V84" for the device "AMD EPYC 9V84, 2 threads avx512". */
static bool is_of_machine(const bp_peer *peer, const bp_row *row)
{
  size_t length = strlen(peer->machine);
  return length > 0 && strncmp(row->device, peer->machine, length) == 0 &&
         !isalnum((unsigned char)row->device[length]);
}

bp_status bp_peers_check_machines(const bp_peers *peers, const bp_record *record, const char *path)
{
  for (int64_t n = 0; n < peers->count && !peers->any_machine; ++n) {
    const bp_peer *peer = &peers->items[n];
    bool is_here = false;
    for (int64_t r = 0; r < record->rows_count; ++r)
      is_here |= is_of_machine(peer, &record->rows[r]);
    if (is_here)
      continue;
    if (!*peer->machine)
      return bp_fail(BP_BAD_INPUT,
                     "%s: expected the machine of %s, a line '# machine: NAME' or a column, found "
                     "none; --any-machine compares none the less",
                     path, peer->program);
    return bp_fail(BP_BAD_INPUT,
                   "%s: expected %s on '%s', the machine of the record, found '%s'; --any-machine "
                   "compares none the less",
                   path, peer->program, record->rows_count ? record->rows[0].device : "none",
                   peer->machine);
  }
  return BP_OK;
}

/* ---- which belong where ---- */

static bool has_size_of(const bp_peer *peer, const bp_row *row)
{
  if (peer->elements > 0)
    return peer->elements == row->elements;
  return row->dofs > 0 && peer->dofs <= BP_PEERS_SIZE * row->dofs &&
         row->dofs <= BP_PEERS_SIZE * peer->dofs;
}

static bool is_beside(const bp_peers *peers, const bp_peer *peer, const bp_row *row)
{
  return peer->degree == row->degree && row->status == BP_ROW_OK && !*row->preconditioner &&
         bp_row_has_usual_lambda(row) && !*row->quadrature && !*row->geometry && !*row->precision &&
         strcmp(peer->problem, row->problem) == 0 && strcmp(peer->cache, row->cache) == 0 &&
         has_size_of(peer, row) && (peers->any_machine || is_of_machine(peer, row));
}

static bool is_same_program(const bp_peer *a, const bp_peer *b)
{
  return strcmp(a->program, b->program) == 0 && strcmp(a->machine, b->machine) == 0;
}

int bp_peers_programs(const bp_peers *peers, const bp_group *group,
                      const bp_peer *programs[BP_PEERS_PROGRAMS])
{
  int count = 0;
  for (int64_t n = 0; peers && n < peers->count; ++n) {
    const bp_peer *peer = &peers->items[n];
    bool is_new = count < BP_PEERS_PROGRAMS, is_here = false;
    for (int p = 0; p < count; ++p)
      is_new &= !is_same_program(programs[p], peer);
    for (int64_t r = 0; is_new && !is_here && r < group->count; ++r)
      is_here = is_beside(peers, peer, group->rows[r]);
    if (is_here)
      programs[count++] = peer;
  }
  return count;
}

const bp_peer *bp_peers_find(const bp_peers *peers, const bp_peer *program, const bp_row *best)
{
  const bp_peer *found = NULL; /* the fastest, where there are several */
  for (int64_t n = 0; best && n < peers->count; ++n) {
    const bp_peer *peer = &peers->items[n];
    if (is_same_program(peer, program) && is_beside(peers, peer, best) &&
        (!found || bp_peer_ratio(peer, best) < bp_peer_ratio(found, best)))
      found = peer;
  }
  return found;
}

double bp_peer_ratio(const bp_peer *peer, const bp_row *best)
{
  double more = peer->elements > 0 ? 1 : (double)best->dofs / (double)peer->dofs;
  return more * peer->seconds / best->seconds.statistics.median;
}

char *bp_peer_label(const bp_peers *peers, const bp_peer *program, const bp_row *best)
{
  if (!peers->any_machine || is_of_machine(program, best))
    return bp_strdup(program->program);
  return bp_format("%s on %s", program->program,
                   *program->machine ? program->machine : "an unknown machine");
}
