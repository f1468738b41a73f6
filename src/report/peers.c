/* peers.c -- reading other programs' figures, and which of them belong beside which rows. */
#include "report/peers.h"

#include "base/file.h"
#include "base/memory.h"
#include "report/csv_lines.h"
#include "report/series.h"
#include <ctype.h>
#include <string.h>

/* ---- reading ---- */

/* What a comment line "# machine: NVIDIA H200" says of all lines below it that do not say otherwise. */
typedef struct {
  const char *key;
  size_t offset; /* of the text in a bp_peer */
  const char *standard;
} told;

static const told tellable[] = {{"version", offsetof(bp_peer, version), ""},
                                {"machine", offsetof(bp_peer, machine), ""},
                                {"command", offsetof(bp_peer, command), ""},
                                {"date", offsetof(bp_peer, date), ""},
                                {"cache", offsetof(bp_peer, cache), "hot"}};
enum { TELLABLE = sizeof tellable / sizeof *tellable };

static char **text_of(bp_peer *peer, int n)
{
  return (char **)((char *)peer + tellable[n].offset);
}

static void note_comment(const char *comment, const char *said[TELLABLE])
{
  comment += strspn(comment, " \t");
  for (int n = 0; n < TELLABLE; ++n) {
    size_t length = strlen(tellable[n].key);
    if (strncmp(comment, tellable[n].key, length) == 0 && comment[length] == ':')
      said[n] = comment + length + 1 + strspn(comment + length + 1, " \t");
  }
}

static bp_status take_text(const bp_csv_lines *csv, const char *column, char **text)
{
  const char *cell = bp_csv_cell(csv, column);
  if (!cell || !*cell)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected a %s, found none", csv->name, csv->line, column);
  *text = bp_strdup(cell);
  return BP_OK;
}

/* How much of a cell a message shows: the beginning of its first line. */
static int shown(const char *cell)
{
  const int most = 40, line = (int)strcspn(cell, "\r\n");
  return line < most ? line : most;
}

/* A column that is not there, or empty, leaves *value as it is. */
static bp_status take_count(const bp_csv_lines *csv, const char *column, int64_t *value)
{
  const char *cell = bp_csv_cell(csv, column);
  if (cell && *cell && (!bp_parse_int(cell, value) || *value < 1 || *value > (int64_t)1 << 53))
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected a whole number from 1 on as '%s', found '%.*s'",
                   csv->name, csv->line, column, shown(cell), cell);
  return BP_OK;
}

/* As of records: what is drawn and divided stays a number. */
static const double TIME_LEAST = 1e-15, TIME_MOST = 1e12;

static bp_status take_seconds(const bp_csv_lines *csv, double *seconds)
{
  const char *cell = bp_csv_cell(csv, "seconds");
  const char *found = cell ? cell : "no such column";
  if (!cell || !bp_parse_double(cell, seconds) || !(*seconds > 0))
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected a positive time as 'seconds', found '%.*s'",
                   csv->name, csv->line, shown(found), found);
  return BP_OK;
}

static bp_status take_peer(const bp_csv_lines *csv, const char *const said[TELLABLE], bp_peer *peer)
{
  int64_t degree = 0, iterations = 1;
  const struct {
    const char *column;
    int64_t *value;
  } counts[] = {{"degree", &degree},
                {"elements", &peer->elements},
                {"dofs", &peer->dofs},
                {"iterations", &iterations}};
  for (int n = 0; n < TELLABLE; ++n) {
    const char *cell = bp_csv_cell(csv, tellable[n].key);
    *text_of(peer, n) = bp_strdup(cell && *cell ? cell : said[n]);
  }
  bp_status status = take_text(csv, "program", &peer->program);
  if (!status)
    status = take_text(csv, "problem", &peer->problem);
  for (size_t n = 0; !status && n < sizeof counts / sizeof *counts; ++n)
    status = take_count(csv, counts[n].column, counts[n].value);
  if (!status)
    status = take_seconds(csv, &peer->seconds);
  if (!status && (degree == 0 || degree >= BP_SERIES_DEGREES))
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected a degree from 1 to %d, found %s", csv->name,
                   csv->line, BP_SERIES_DEGREES - 1, degree ? "a higher one" : "none");
  if (!status && peer->elements == 0 && peer->dofs == 0)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected 'elements' or 'dofs', found neither", csv->name,
                   csv->line);
  peer->degree = (int)degree;
  peer->seconds /= (double)iterations;
  if (!status && !(peer->seconds >= TIME_LEAST && peer->seconds <= TIME_MOST))
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected seconds from 1e-15 to 1e12 %s, found %g",
                   csv->name, csv->line, iterations > 1 ? "for an iteration" : "as 'seconds'",
                   peer->seconds);
  return status;
}

static bool is_head(const bp_csv_lines *csv)
{
  return strncmp(csv->at, "program,", 8) == 0 || csv->count == 0;
}

static bp_status take_line(bp_csv_lines *csv, const char *const said[TELLABLE], bp_peers *peers)
{
  if (is_head(csv)) /* once more where files were joined */
    return bp_csv_take_heads(csv);
  bp_status status = bp_csv_take_cells(csv);
  if (status || (csv->count == 1 && !*csv->cells[0]))
    return status;
  peers->items = bp_realloc(peers->items, (size_t)peers->count + 1, sizeof *peers->items);
  bp_peer *peer = &peers->items[peers->count++];
  *peer = (bp_peer){0};
  return take_peer(csv, said, peer);
}

bp_status bp_peers_read_bytes(const char *name, const char *data, size_t size, bp_peers *peers)
{
  const char *said[TELLABLE], *comment;
  bp_csv_lines *csv = bp_csv_lines_create(name, data, size);
  bp_status status = BP_OK;
  for (int n = 0; n < TELLABLE; ++n)
    said[n] = tellable[n].standard;
  while (!status && !bp_csv_is_at_end(csv))
    if ((comment = bp_csv_take_comment(csv)))
      note_comment(comment, said);
    else
      status = take_line(csv, said, peers);
  if (!status && peers->count == 0)
    status = bp_fail(BP_BAD_INPUT, "%s: expected lines of a program's figures, found none", name);
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
  for (int n = 0; n < peers->count; ++n) {
    for (int t = 0; t < TELLABLE; ++t)
      bp_free(*text_of(&peers->items[n], t));
    bp_free(peers->items[n].program);
    bp_free(peers->items[n].problem);
  }
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
  for (int n = 0; n < peers->count && !peers->any_machine; ++n) {
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
  for (int n = 0; peers && n < peers->count; ++n) {
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
  for (int n = 0; best && n < peers->count; ++n) {
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
