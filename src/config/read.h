/* read.h -- from a tree to the config, for files and for single settings alike. */
#ifndef BP_CONFIG_READ_H
#define BP_CONFIG_READ_H

#include "config/config.h"
#include "config/tree.h"

typedef struct {
  bp_source *source; /* takes the complaints */
  const bp_tree *tree;
  bp_config *config;
  const char
      *folder; /* that paths are relative to, with '/' at its end; "" for the working directory */
} bp_reader;

/* Everything of the tree's root, which should be a map of keys. */
void bp_read_root(bp_reader *reader);

/* One key from one node, and where it was. */
void bp_read_key(bp_reader *reader, int key, const bp_node *value);

/* The values of one option. */
void bp_read_option(bp_reader *reader, const char *name, const bp_node *value);

/* Complains that `name` is no key below `prefix` ("" or "measure."), and says which it could be. */
void bp_read_refuse_key(bp_source *source, int line, int column, const char *prefix,
                        const char *name);

/* Whether keys begin with `name` and a dot. */
bool bp_read_is_section(const char *name);

#endif
