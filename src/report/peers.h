/* peers.h -- figures of other programs, to stand beside a record's. The CSV is described in
 * docs/record.md.
 *
 * A peer's figure belongs beside the rows of a group that has the same problem, machine and cache mode,
 * and at that degree a row of the same size: as many elements, or where it tells its unknowns only, at
 * most BP_PEERS_SIZE times as many or as few. */
#ifndef BP_REPORT_PEERS_H
#define BP_REPORT_PEERS_H

#include "report/group.h"
#include "report/table.h"

enum { BP_PEERS_SIZE = 2, BP_PEERS_PROGRAMS = 16 };

typedef struct {
  char *program, *problem;
  char *version, *machine, *command, *date; /* "" where not told */
  char *cache;                              /* "hot" unless told */
  int degree;
  int64_t elements, dofs; /* -1: not told, but never both */
  int64_t iterations;     /* that the file's seconds were of; -1: one */
  double seconds;         /* of one application; of a solve's one iteration */
} bp_peer;

typedef struct {
  bp_peer *items;
  int64_t count;
  bool any_machine; /* what ran elsewhere is shown as well */
} bp_peers;

/* BP_BAD_INPUT with `path:line: expected, found`. To be destroyed in either case. */
bp_status bp_peers_read(const char *path, bp_peers *peers);
bp_status bp_peers_read_bytes(const char *name, const char *data, size_t size, bp_peers *peers);
void bp_peers_destroy(bp_peers *peers);

/* BP_BAD_INPUT where a figure is from a machine of which the record has no row, or from an unknown one,
 * unless any_machine is set. */
bp_status bp_peers_check_machines(const bp_peers *peers, const bp_record *record, const char *path);

/* The programs with a figure beside this group, in the order of the file; returns how many. With
 * any_machine those of one name on two machines are two. */
int bp_peers_programs(const bp_peers *peers, const bp_group *group,
                      const bp_peer *programs[BP_PEERS_PROGRAMS]);

/* The figure of that program at that degree beside `best`, the row of the group that it is compared
 * with; NULL: none. */
const bp_peer *bp_peers_find(const bp_peers *peers, const bp_peer *program, const bp_row *best);

/* How often `best` does in a second what the program does, over the program: 2 is twice as fast. */
double bp_peer_ratio(const bp_peer *peer, const bp_row *best);

/* "libCEED gen", with the machine where that is another one. Free with bp_free. */
char *bp_peer_label(const bp_peers *peers, const bp_peer *program, const bp_row *best);

/* A table per group that has peers: the best variant of each degree, the programs, and their ratios.
 * Nothing without peers. `style` is a terminal's; others need none. */
void bp_peers_append(const bp_peers *peers, const bp_record *record, bp_form form,
                     const bp_style *style, bp_text *text);

#endif
