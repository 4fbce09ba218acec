/* Families of functions by parts of their paths; the first that fits decides. */
#include "cargo-integration/rustc/advice.h"

#include "base/fatal.h"

static const struct family {
  const char *part; /* of the path; with `^` in front: its beginning */
  struct advice advice;
} FAMILIES[] = {
#define HOST                                                                                       \
  {                                                                                                \
    MD0187, "is an instruction of the host's processor",                                           \
        "write the operation in plain Rust, or with `mirdc::ptx!`"                                 \
  }
    {"::core_arch::", HOST},
    {"::arch::x86", HOST},
    {"::arch::aarch64", HOST},
#define PRINT                                                                                      \
  { MD0179, "prints text", "print with `mirdc::printf!`" }
    {"::io::_print", PRINT},
    {"::io::_eprint", PRINT},
#define TEXT                                                                                       \
  { MD0179, "formats text", "print with `mirdc::printf!`, and keep formatting to panic messages" }
    {"::fmt::", TEXT},
#define HEAP                                                                                       \
  { MD0178, "needs a heap", "use arrays, slices or shared memory in device code" }
    {"^alloc::", HEAP},
    {"^<alloc::", HEAP},
    {"^std::alloc::", HEAP},
    {"^__rust_alloc", HEAP},
    {"::boxed::", HEAP},
    {"::vec::Vec", HEAP},
    {"::string::String", HEAP},
    {"::rc::Rc", HEAP},
    {"::sync::Arc", HEAP},
    {"std::collections::", HEAP},
#define LOCK                                                                                       \
  {                                                                                                \
    MD0174, "waits for other threads with the help of an operating system",                        \
        "use the atomics of `core::sync::atomic`, or shared memory and a barrier"                  \
  }
    {"std::sync::", LOCK},
    {"std::sys::sync::", LOCK},
    {"std::sys::pal::unix::sync::", LOCK},
    {"std::sys::poison::", LOCK},
#define SYSTEM                                                                                     \
  { MD0174, "asks an operating system", "do this on the host, and pass the result to the kernel" }
    {"std::env::", SYSTEM},
    {"std::fs::", SYSTEM},
    {"std::hash::random::", SYSTEM},
    {"std::io::", SYSTEM},
    {"std::net::", SYSTEM},
    {"std::os::", SYSTEM},
    {"std::process::", SYSTEM},
    {"std::sys::", SYSTEM},
    {"std::thread::", SYSTEM},
    {"std::time::", SYSTEM},
#define STRING                                                                                     \
  {                                                                                                \
    MD0174, NULL,                                                                                  \
        "work on the bytes of the text, `s.as_bytes()`, in a loop of this crate: rustc does not "  \
        "show this part of core"                                                                   \
  }
    {"core::str::", STRING},
    {"std::str::", STRING},
    {"core::unicode::", STRING},
    {"core::char::", STRING},
    {"::imp::dec2flt::", STRING},
    {"core::num::dec2flt::", STRING},
    {"cell::BorrowRef",
     {MD0174, NULL, "use `Cell`, or a plain `&mut`: the guards of `RefCell` are private to core"}},
#define CHAIN                                                                                      \
  {                                                                                                \
    MD0174, NULL,                                                                                  \
        "use a plain `for` loop in place of the deepest iterator adapters, or a function of this " \
        "crate"                                                                                    \
  }
    {"core::iter::", CHAIN},
    {"std::iter::", CHAIN},
    {"core::ops::", CHAIN},
    {"{closure", CHAIN},
};

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool has(str path, const char *part) {
  if (part[0] == '^')
    return str_starts(path, str_from(part + 1));
  size_t at = str_find(path, str_from(part), 0);
  return at != SIZE_MAX && (at == 0 || !is_word(part[0]) || !is_word(path.p[at - 1]));
}

struct advice advice_for(str path) {
  static const struct advice other = {MD0174, NULL,
                                      "write a function of this crate that does the same"};
  for (size_t i = 0; i < COUNT_OF(FAMILIES); i++)
    if (has(path, FAMILIES[i].part))
      return FAMILIES[i].advice;
  return other;
}

const char *advice_for_const(str path) {
  if (str_starts(path, STR("core::str::")))
    return "the table is private to core: work on the bytes of the text, `s.as_bytes()`";
  if (str_starts(path, STR("core::")) || str_starts(path, STR("std::")) ||
      str_starts(path, STR("alloc::")))
    return "the value is private to the library: write the function that uses it in this crate";
  return "use a literal or a `static`, or a `const` item that is visible from the crate root";
}
