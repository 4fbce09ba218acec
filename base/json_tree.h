/* The tree behind base/json.h. Not for others. */
#ifndef MIRDC_BASE_JSON_TREE_H
#define MIRDC_BASE_JSON_TREE_H

#include "base/json_int.h"

struct json_node {
  enum json_kind kind;
  bool truth;              /* JSON_BOOL */
  str key;                 /* of a member; p == NULL for elements */
  str text;                /* JSON_STRING: decoded; JSON_NUMBER: the digits, if a double loses some */
  double number;           /* JSON_NUMBER without text */
  struct json_node *child; /* first */
  struct json_node *next;  /* sibling */
};

/* The value in a slice of text that the scan has accepted; NULL: cJSON cannot read it. The tree lives
 * in the arena and refers to nothing outside of it. */
struct json_node *json_tree(str text, struct arena *a);

#endif
