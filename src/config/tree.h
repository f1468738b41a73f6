/* tree.h -- YAML as a tree of scalars, lists and maps, each with its place; nothing else of YAML.
 */
#ifndef BP_CONFIG_TREE_H
#define BP_CONFIG_TREE_H

#include "config/source.h"

/* What was refused was complained of already, and stands for nothing. */
typedef enum { BP_NODE_SCALAR, BP_NODE_LIST, BP_NODE_MAP, BP_NODE_REFUSED } bp_node_kind;

typedef struct {
  bp_node_kind kind;
  int line, column; /* from 1 */
  char *text;       /* a scalar's, as it stands, whatever it looks like; else NULL */
  int first,
      next; /* first child, next child of the same parent; 0: none. A map's are key, value, ... */
} bp_node;

typedef struct {
  bp_node *nodes; /* nodes[0] is unused, nodes[1] the root */
  int count;
} bp_tree;

/* Parses one document. Anchors, tags, aliases, a second document and what is not YAML at all are
 * complaints to `source`; after the last kind the tree is empty (count 0), as it is for a text
 * without any value. BP_ENVIRONMENT when memory ran out. */
bp_status bp_tree_read(bp_source *source, bp_tree *tree);
void bp_tree_destroy(bp_tree *tree);

#endif
