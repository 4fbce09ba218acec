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
  str path;             /* as the user gave it, where `name` may not say enough; or empty */
  str bytes;            /* borrowed, owned by the caller for the whole link */
  struct digest digest; /* of bytes; checked before the link */
  bool has_digest;      /* false: computed */
  struct target arch;   /* cc == 0: read from the content where it says */
  bool own;             /* made by this tool in this run or out of its store. A link of other inputs
                         * runs in a child process: some make the library crash. */
};

/* What to call it in a message about several. */
static inline str link_input_shown(const struct link_input *in) {
  return in->path.n ? in->path : in->name;
}
const char *link_kind_name(enum link_kind k); /* "LTO-IR" */
enum link_kind link_kind_of(str bytes);
/* The target a piece of code was made for, as far as its header says. `f` is not recorded in
 * LTO-IR, so code of our own carries its target beside it. False: the content does not say. */
bool link_input_arch(enum link_kind kind, str bytes, struct target *out);
/* A cubin that is the result of a link: the library takes it as input and drops it silently. */
bool cubin_is_finished(str bytes);
/* LTO-IR has the container's magic, sizes that fit, a payload. */
bool ltoir_well_formed(str bytes);

/* What a fatbin, host object or archive offers to a link for a target. */
struct link_offer {
  bool any;          /* there is device code at all */
  bool lto;          /* some of it is LTO-IR that fits */
  bool fits;         /* some of it fits the target */
  bool finished;     /* some of it is linked already, which the library drops without a word */
  struct target one; /* one target it is for, for messages */
};
/* False with *what (static text) when the container is damaged. */
bool link_offer_of(struct arena *a, enum link_kind kind, str bytes, struct target dst,
                   struct link_offer *out, const char **what) MUST_CHECK;
/* The archive without members that hold no device code: the linker library stops at the first such
 * member and skips the rest silently. `*out` is `bytes` itself when nothing has to go. */
bool archive_device_part(struct arena *a, str bytes, str *out, const char **what) MUST_CHECK;

#endif
