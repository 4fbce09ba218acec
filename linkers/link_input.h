/* Inputs of a link, recognised by their content, never by their name. */
#ifndef MIRDC_LINKERS_LINK_INPUT_H
#define MIRDC_LINKERS_LINK_INPUT_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "linkers/target.h"

enum link_kind {
  LINK_UNKNOWN,
  LINK_LTOIR,
  LINK_PTX,
  LINK_CUBIN,
  LINK_FATBIN,
  LINK_OBJECT,  /* host object with device code inside */
  LINK_ARCHIVE, /* of host objects */
};

struct link_input {
  enum link_kind kind;  /* LINK_UNKNOWN: recognise */
  str name;             /* logical; shown in messages, given to the library */
  str bytes;            /* borrowed, owned by the caller for the whole link */
  struct digest digest; /* of bytes; checked before the link */
  bool has_digest;      /* false: computed */
  struct target arch;   /* cc == 0: read from the content where it says */
};

const char *link_kind_name(enum link_kind k); /* "LTO-IR" */
enum link_kind link_kind_of(str bytes);
/* The target a piece of code was made for, as far as its header says. `f` is not recorded in
 * LTO-IR, so code of our own carries its target beside it. False: the content does not say. */
bool link_input_arch(enum link_kind kind, str bytes, struct target *out);
/* LTO-IR has the container's magic, sizes that fit, a payload. */
bool ltoir_well_formed(str bytes);

#endif
