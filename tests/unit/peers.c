/* peers.c -- tests of src/report/peers*: figures are read, refused, and put beside the right rows. */
#include "sample.h"
#include "test.h"

#include "base/memory.h"
#include "report/peers.h"
#include <stdlib.h>
#include <unistd.h>

static bp_status read_text(const char *text, bp_peers *peers)
{
  char path[] = "/tmp/bp-peers-XXXXXX";
  int fd = mkstemp(path);
  CU_ASSERT_FATAL(fd >= 0);
  CU_ASSERT(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  *peers = (bp_peers){0};
  bp_status status = bp_peers_read(path, peers);
  unlink(path);
  return status;
}

TEST(peers, are_read)
{
  bp_peers peers;
  CHECK(read_text("# machine: NVIDIA H200\n"
                  "# version: 1.2, patched\n"
                  "# something else: is passed over\n"
                  "program,problem,degree,elements,seconds,iterations,date\n"
                  "\"a, b\",bp1.0,3,4096,1e-2,100,2026-01-02\r\n"
                  "c,bp3.5,4,8,2.5e-3,,\n"
                  "# machine: elsewhere\n"
                  "program,problem,degree,dofs,seconds,version,cache\n"
                  "d,bp5,7,1000,1,9,cold\n",
                  &peers) == BP_OK,
        "%s", bp_message());
  CU_ASSERT_FATAL(peers.count == 3);
  const bp_peer *a = &peers.items[0], *c = &peers.items[1], *d = &peers.items[2];
  CU_ASSERT_STRING_EQUAL(a->program, "a, b");
  CU_ASSERT(a->degree == 3 && a->elements == 4096 && a->dofs == -1);
  CU_ASSERT_DOUBLE_EQUAL(a->seconds, 1e-4, 1e-15); /* of an iteration */
  CU_ASSERT_STRING_EQUAL(a->version, "1.2, patched");
  CU_ASSERT_STRING_EQUAL(a->date, "2026-01-02");
  CU_ASSERT(c->seconds == 2.5e-3 && !*c->date && strcmp(c->cache, "hot") == 0);
  CU_ASSERT_STRING_EQUAL(c->machine, "NVIDIA H200");
  CU_ASSERT_STRING_EQUAL(d->machine, "elsewhere");
  CU_ASSERT_STRING_EQUAL(d->version, "9");
  CU_ASSERT(d->dofs == 1000 && strcmp(d->cache, "cold") == 0);
  bp_peers_destroy(&peers);
}

TEST(peers, damage_is_named)
{
  static const char head[] = "program,problem,degree,elements,dofs,seconds,iterations\n";
  static const struct {
    const char *line, *message;
  } cases[] = {
      {"a,bp1.0,1,8,,1,1,1\n", ":2: expected 7 values as in the line of names, found 8"},
      {",bp1.0,1,8,,1,1\n", ":2: expected a program, found none"},
      {"a,,1,8,,1,1\n", ":2: expected a problem, found none"},
      {"a,bp1.0,,8,,1,1\n", ":2: expected a whole number from 0 on as 'degree', found null"},
      {"a,bp1.0,1025,8,,1,1\n", ":2: expected a degree from 1 to 1024"},
      {"a,bp1.0,1,-8,,1,1\n", "expected a whole number from 0 on or null as 'elements', found -8"},
      {"a,bp1.0,1,,,1,1\n", ":2: expected 'elements' or 'dofs', found neither"},
      {"a,bp1.0,1,8,,0,1\n", "expected seconds from 1e-15 to 1e12 as 'seconds', found 0"},
      {"a,bp1.0,1,8,,1e308,\n",
       ":2: expected seconds from 1e-15 to 1e12 as 'seconds', found 1e+308"},
      {"a,bp1.0,1,8,,1,0\n", "expected one iteration or more, found 0"},
      {"\"a,bp1.0,1,8,,1,1\n", ":2: expected a closing quote"},
      {"", "expected lines of a program's figures, found none"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    bp_peers peers;
    char *text = bp_format("%s%s", head, cases[n].line);
    CHECK(read_text(text, &peers) == BP_BAD_INPUT, "%s was read", cases[n].line);
    CHECK(strstr(bp_message(), cases[n].message) != NULL, "%s: %s", cases[n].line, bp_message());
    bp_peers_destroy(&peers);
    bp_free(text);
  }
}

static bp_record *record_of_best(void)
{
  static const sample_recipe recipe = {.problems = 2,
                                       .degrees = 3,
                                       .variants = 2,
                                       .samples = 20,
                                       .slower = 1,
                                       .drift = 1,
                                       .seed = 7};
  return sample_record(&recipe);
}

TEST(peers, of_another_machine_are_refused)
{
  static const struct {
    const char *machine, *message; /* NULL: welcome */
  } cases[] = {
      {"# machine: NVIDIA H200\n", NULL},
      {"# machine: NVIDIA H20\n", "found 'NVIDIA H20'; --any-machine"},
      {"# machine: NVIDIA H100\n", "expected a on 'NVIDIA H200', the machine of the record"},
      {"", "expected the machine of a, a line '# machine: NAME' or a column, found none"}};
  bp_record *record = record_of_best();
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    bp_peers peers;
    char *text = bp_format("%sprogram,problem,degree,elements,seconds\na,bp1.0,1,4096,1\n",
                           cases[n].machine);
    CU_ASSERT(read_text(text, &peers) == BP_OK);
    bp_status status = bp_peers_check_machines(&peers, record, "peers.csv");
    CHECK((status == BP_OK) == !cases[n].message, "%s", cases[n].machine);
    CHECK(!cases[n].message || strstr(bp_message(), cases[n].message), "%s", bp_message());
    peers.any_machine = true;
    CU_ASSERT(bp_peers_check_machines(&peers, record, "peers.csv") == BP_OK);
    bp_peers_destroy(&peers);
    bp_free(text);
  }
  bp_record_destroy(record);
}

TEST(peers, control_characters_and_markup_reach_no_reader)
{
  static const char hostile[] = "a\x1b[31m\x7f\xff|<script>";
  bp_record *record = record_of_best();
  bp_peers peers;
  char *text = bp_format("# machine: NVIDIA H200\n# version: %s\n# command: %s\n"
                         "program,problem,degree,elements,seconds\n%s,bp1.0,1,4096,1\n",
                         hostile, hostile, hostile);
  CU_ASSERT(read_text(text, &peers) == BP_OK);
  const bp_style style = {.width = 80};
  for (int form = 0; form < 3; ++form) {
    bp_text shown = {0};
    bp_peers_append(&peers, record, (bp_form)form, &style, &shown);
    const char *all = bp_text_string(&shown);
    CHECK(strstr(all, "\\x1b") != NULL, "form %d does not show the program", form);
    CHECK(!strpbrk(all, "\x1b\x7f\xff"), "form %d: %s", form, all);
    CHECK(form == 0 || !strstr(all, "<script>"), "form %d: %s", form, all);
    bp_text_destroy(&shown);
  }
  bp_peers_destroy(&peers);
  bp_free(text);
  bp_record_destroy(record);
}

/* A figure of another size, degree, problem or cache mode says nothing of this row. */
TEST(peers, stand_beside_rows_of_their_size)
{
  static const struct {
    const char *line;
    bool is_beside;
    double ratio; /* of 1 ms, for as many unknowns */
  } cases[] = {
      {"a,bp1.0,2,4096,,1e-3,hot\n", true, 1},      {"a,bp1.0,2,4095,,1e-3,hot\n", false, 0},
      {"a,bp3.5,2,4096,,1e-3,hot\n", false, 0},     {"a,bp1.0,9,4096,,1e-3,hot\n", false, 0},
      {"a,bp1.0,2,4096,,1e-3,cold\n", false, 0},    {"a,bp1.0,2,,35937,1e-3,hot\n", true, 1},
      {"a,bp1.0,2,,20000,1e-3,hot\n", true, 1.797}, {"a,bp1.0,2,,17000,1e-3,hot\n", false, 0},
      {"a,bp1.0,2,,72000,1e-3,hot\n", false, 0},
  };
  bp_record *record = record_of_best();
  bp_groups groups = bp_groups_of(record);
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    bp_peers peers;
    const bp_peer *programs[BP_PEERS_PROGRAMS];
    char *text = bp_format("# machine: NVIDIA H200\n"
                           "program,problem,degree,elements,dofs,seconds,cache\n%s",
                           cases[n].line);
    CU_ASSERT(read_text(text, &peers) == BP_OK);
    int count = bp_peers_programs(&peers, &groups.groups[0], programs);
    CHECK(count == cases[n].is_beside, "%s", cases[n].line);
    for (int64_t r = 0; count && r < groups.groups[0].count; ++r) {
      const bp_row *row = groups.groups[0].rows[r];
      const bp_peer *peer = bp_peers_find(&peers, programs[0], row);
      CU_ASSERT((peer != NULL) == (row->degree == 2));
      if (peer)
        CU_ASSERT_DOUBLE_EQUAL(bp_peer_ratio(peer, row) * row->seconds.statistics.median,
                               cases[n].ratio * 1e-3, 1e-6);
    }
    bp_peers_destroy(&peers);
    bp_free(text);
  }
  bp_groups_destroy(&groups);
  bp_record_destroy(record);
}

/* Theirs are the bake-off's points. */
TEST(peers, stand_beside_no_row_of_other_points)
{
  bp_record *record = record_of_best();
  bp_peers peers;
  const bp_peer *programs[BP_PEERS_PROGRAMS];
  CU_ASSERT(read_text("# machine: NVIDIA H200\nprogram,problem,degree,elements,seconds\n"
                      "a,bp1.0,2,4096,1e-3\n",
                      &peers) == BP_OK);
  for (int is_other = 0; is_other < 2; ++is_other) {
    for (int64_t r = 0; r < record->rows_count && is_other; ++r)
      bp_record_set(&record->rows[r].quadrature, "N+3 gauss");
    bp_groups groups = bp_groups_of(record);
    CU_ASSERT_EQUAL(bp_peers_programs(&peers, &groups.groups[0], programs), !is_other);
    bp_groups_destroy(&groups);
  }
  bp_peers_destroy(&peers);
  bp_record_destroy(record);
}

TEST(peers, table_says_what_and_from_where)
{
  bp_peers peers;
  bp_text text = {0};
  bp_style style = {0};
  bp_record *record = record_of_best();
  CU_ASSERT(read_text("# machine: NVIDIA H200\n# version: v7\n"
                      "program,problem,degree,elements,seconds\nother|one,bp1.0,2,4096,1e-3\n",
                      &peers) == BP_OK);
  bp_peers_append(&peers, record, BP_FORM_TERMINAL, &style, &text);
  CU_ASSERT(strstr(text.data, "bp1.0 on ") && strstr(text.data, "1.000 ms"));
  CU_ASSERT(strstr(text.data, "  other|one: v7, NVIDIA H200\n") != NULL);
  CU_ASSERT(strstr(text.data, "bp3.0 on ") == NULL); /* it has none */
  bp_text_destroy(&text);
  text = (bp_text){0};
  bp_peers_append(&peers, record, BP_FORM_MARKDOWN, NULL, &text);
  CU_ASSERT(strstr(text.data, "| other\\|one |") != NULL);
  bp_text_destroy(&text);
  bp_peers_destroy(&peers);
  bp_record_destroy(record);
}

TEST(peers, a_message_is_one_line)
{
  const char text[] = "program,problem,degree,elements,seconds\nother,bp1.0,3,\"4096,5\n7\",1e-3\n";
  bp_peers peers = {0};
  CU_ASSERT_EQUAL(bp_peers_read_bytes("f", text, sizeof text - 1, &peers), BP_BAD_INPUT);
  CHECK(strstr(bp_message(), "found '4096,5") && !strchr(bp_message(), '\n'), "%s", bp_message());
  bp_peers_destroy(&peers);
}
