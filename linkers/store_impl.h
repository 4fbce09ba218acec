/* Between the files of the store. */
#ifndef MIRDC_LINKERS_STORE_IMPL_H
#define MIRDC_LINKERS_STORE_IMPL_H

#include "linkers/store.h"

enum { STORE_PATH = 4096 };
enum store_kind { STORE_OBJECT, STORE_ACTION, STORE_MEMO };

struct store {
  struct arena arena;
  const char *dir;  /* as named */
  const char *root; /* the format's folder */
  bool usable;
};

char *store_kind_dir(const struct store *st, struct arena *a, enum store_kind k);
/* Takes the checksum line off a text file of the store; false if it does not fit. */
bool store_text_open(str *text) MUST_CHECK;

#endif
