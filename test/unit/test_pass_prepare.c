/* The pieces of the pass that need no rustc: generic lists, unification, intrinsics, descriptors,
 * memory of constants, symbols. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cargo-integration/rustc/consts.h"
#include "cargo-integration/rustc/descriptor.h"
#include "cargo-integration/rustc/generics.h"
#include "cargo-integration/rustc/intrinsics.h"

struct fix {
  struct arena arena;
  struct rty_table types;
  struct source_map sources;
  struct diag_sink sink;
};

static int setup(void **state) {
  struct fix *f = test_calloc(1, sizeof *f);
  rty_table_init(&f->types, &f->arena);
  source_map_init(&f->sources);
  diag_sink_init(&f->sink, &f->sources);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fix *f = *state;
  rty_table_free(&f->types);
  diag_sink_free(&f->sink);
  source_map_free(&f->sources);
  arena_free(&f->arena);
  test_free(f);
  return 0;
}

static const struct rty *ty(struct fix *f, const char *text) {
  struct rty_error e;
  const struct rty *t = rty_parse(&f->types, str_from(text), &e);
  if (!t)
    fail_msg("%s: %s", text, e.want);
  return t;
}

/* ---- generic lists ---- */
static void generic_lists_give_names_without_lifetimes(void **state) {
  static const struct {
    const char *text, *names; /* a star marks constants */
    bool ok;
  } rows[] = {
      {"", "", true},
      {"(x: u32)", "", true},
      {"<T>", "T", true},
      {"<'a, T: 'a + Copy, U>", "T U", true},
      {"<const N: usize, T>", "*N T", true},
      {"<F: Fn(u32, (u8, T)) -> Vec<U>, T>", "F T", true},
      {"<T: Into<Option<Box<[u8; 3]>>> = X<Y>,>", "T", true},
      {"< /* one */ A, // two\n  B >", "A B", true},
      {"<const N: usize = { 1 + (2 > 1) as usize }, U>", "*N U", true},
      {"<T", "", false},
      {"<T: Fn(u32", "", false},
      {"<,>", "", false},
  };
  (void)state;
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct generic_name names[8];
    size_t n = 0, pos = 0;
    struct strbuf b = {0};
    bool ok = generics_list(str_from(rows[i].text), &pos, names, 8, &n);
    if (ok != rows[i].ok)
      fail_msg("%s", rows[i].text);
    for (size_t k = 0; ok && k < n; k++)
      sb_addf(&b, "%s%s%.*s", k ? " " : "", names[k].is_const ? "*" : "", STR_ARG(names[k].name));
    if (ok)
      assert_string_equal(sb_z(&b), rows[i].names);
    sb_free(&b);
  }
}

static void a_list_with_more_names_than_room_is_no_list(void **state) {
  struct generic_name names[1];
  size_t n, pos = 0;
  (void)state;
  assert_false(generics_list(STR("<A, B>"), &pos, names, 1, &n));
}

/* ---- unification ---- */
static void unification_binds_parameters(void **state) {
  struct fix *f = *state;
  static const struct {
    const char *formal, *actual, *param, *bound; /* bound NULL: does not unify */
  } rows[] = {
      {"T", "u32", "T", "u32"},
      {"&'{erased} [T]", "&'{erased} [f32]", "T", "f32"},
      {"core::option::Option<T>", "core::option::Option<(u8, u16)>", "T", "(u8, u16)"},
      {"(T, T)", "(u8, u8)", "T", "u8"},
      {"(T, T)", "(u8, u16)", "T", NULL},
      {"fn(T) -> U", "fn(u8) -> i64", "U", "i64"},
      {"*const T", "*mut u8", "T", NULL},
      {"core::option::Option<T>", "core::result::Result<u8, u8>", "T", NULL},
      {"[T; ValTree(Leaf(0x0000000000000002): usize)]", "[u8; ValTree(Leaf(0x0000000000000003): usize)]",
       "T", NULL},
      {"(<T as core::ops::Add>::Output, T)", "(u64, u32)", "T", "u32"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct binding b = {.n = 0};
    bool ok = mono_unify(&b, ty(f, rows[i].formal), ty(f, rows[i].actual));
    if (ok != (rows[i].bound != NULL))
      fail_msg("row %zu: %s and %s", i, rows[i].formal, rows[i].actual);
    bool found = false;
    for (size_t k = 0; ok && k < b.n; k++)
      found = found || (b.from[k] == ty(f, rows[i].param) && b.to[k] == ty(f, rows[i].bound));
    assert_true(!ok || found);
  }
}

static void array_lengths_bind_constant_parameters(void **state) {
  struct fix *f = *state;
  struct binding b = {.n = 0};
  const struct rty *formal = ty(f, "[T; N/#1]");
  const struct rty *actual = rty_array(&f->types, ty(f, "u8"), 7);
  assert_true(mono_unify(&b, formal, actual));
  assert_int_equal(b.n, 2);
  assert_ptr_equal(b.from[1], formal->len);
  assert_int_equal(b.to[1]->lo, 7);
}

/* ---- intrinsics ---- */
static const struct rty *path(struct fix *f, const char *text) {
  struct rty_error e;
  size_t pos = 0;
  const struct rty *t = rty_parse_path_at(&f->types, str_from(text), &pos, &e);
  if (!t)
    fail_msg("%s: %s", text, e.want);
  return t;
}

static void intrinsics_of_each_version_have_one_name(void **state) {
  struct fix *f = *state;
  static const struct {
    const char *rust, *ours, *type;
  } rows[] = {
      {"core::intrinsics::ctpop::<u32>", "ctpop", "u32"},
      {"core::intrinsics::sqrtf32", "sqrt", "f32"},
      {"std::intrinsics::fabsf64", "fabs", "f64"},
      {"core::intrinsics::fabs::<f32>", "fabs", "f32"},
      {"core::intrinsics::round_ties_even_f64", "round_ties_even", "f64"},
      {"core::intrinsics::maximum_number_nsz_f32", "maxnum", "f32"},
      {"core::intrinsics::maxnumf32", "maxnum", "f32"},
      {"core::intrinsics::typed_swap_nonoverlapping::<u64>", "typed_swap", "u64"},
      {"core::intrinsics::powif64", "powi", "f64"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct intrinsic in;
    if (!intrinsic_find(&f->types, path(f, rows[i].rust), &in))
      fail_msg("%s", rows[i].rust);
    assert_string_equal(in.name, rows[i].ours);
    assert_int_equal(in.n_types, 1);
    assert_ptr_equal(in.types[0], ty(f, rows[i].type));
  }
}

static void unknown_intrinsics_are_not_guessed(void **state) {
  struct fix *f = *state;
  static const char *const rows[] = {
      "core::intrinsics::ctpop", /* lacks its type */
      "core::intrinsics::simd::simd_add::<u32>", "core::intrinsics::sqrtf128",
      "core::intrinsics::ctpopf32", "core::intrinsics::atomic_load::<u32>"};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct intrinsic in;
    if (intrinsic_find(&f->types, path(f, rows[i]), &in))
      fail_msg("%s became %s", rows[i], in.name);
  }
}

static void orderings_are_renumbered(void **state) {
  struct fix *f = *state;
  static const uint64_t want[] = {0, 2, 1, 3, 4};
  for (unsigned k = 0; k < 6; k++) {
    struct intrinsic in;
    str text = arena_printf(&f->arena,
                            "core::intrinsics::atomic_xadd::<u32, u32, "
                            "ValTree(Branch([ValTree(Leaf(0x0000000%u): u32)]): "
                            "core::intrinsics::AtomicOrdering)>",
                            k);
    bool ok = intrinsic_find(&f->types, path(f, text.p), &in);
    assert_int_equal(ok, k < 5);
    if (!ok)
      continue;
    assert_string_equal(in.name, "atomic_add");
    assert_int_equal(in.n_types, 1);
    assert_int_equal(in.n_consts, 1);
    assert_int_equal(in.consts[0], want[k]);
  }
}

static void library_math_has_a_width(void **state) {
  struct fix *f = *state;
  const struct rty *t = NULL;
  assert_string_equal(intrinsic_of_libm(path(f, "std::sys::cmath::tanf"), &t, &f->types), "tan");
  assert_ptr_equal(t, ty(f, "f32"));
  assert_string_equal(intrinsic_of_libm(path(f, "core::num::libm::cbrt"), &t, &f->types), "cbrt");
  assert_ptr_equal(t, ty(f, "f64"));
  assert_string_equal(intrinsic_of_libm(path(f, "core::num::imp::libm::cbrtf"), &t, &f->types), "cbrt");
  assert_null(intrinsic_of_libm(path(f, "std::sys::cmath::lgamma_r"), &t, &f->types));
  assert_null(intrinsic_of_libm(path(f, "user::tan"), &t, &f->types));
}

static void ends_of_core_are_panics(void **state) {
  struct fix *f = *state;
  assert_true(mono_is_panic(path(f, "core::panicking::panic_fmt")));
  assert_true(mono_is_panic(path(f, "core::option::unwrap_failed")));
  assert_true(mono_is_panic(path(f, "core::slice::index::slice_index_fail")));
  assert_false(mono_is_panic(path(f, "mine::panic_button")));
  assert_false(mono_is_panic(path(f, "core::num::from_str_radix")));
}

/* ---- descriptors ---- */
struct desc {
  uint8_t kernel[112], param[48], text[16], init[112];
  struct mir_reloc relocs[4], param_relocs[1];
  struct mir_alloc allocs[4];
  const struct mir_alloc *list[4];
  struct mir_file file;
};

static void put(uint8_t *p, uint64_t v, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    p[i] = (uint8_t)(v >> (8 * i));
}

/* A kernel `go` with one parameter `x` of 4 bytes and a block of 32. */
static void make_descriptor(struct fix *f, struct desc *d) {
  *d = (struct desc){.file = {.n_allocs = 4}};
  memset(d->init, 1, sizeof d->init);
  memcpy(d->text, "gox", 3);
  put(d->kernel, KERNEL_MAGIC, 8);
  put(d->kernel + 8, 1, 4);
  put(d->kernel + 12, KERNEL_BLOCK, 4);
  for (unsigned i = 0; i < 3; i++)
    put(d->kernel + 16 + 4 * i, i ? 1 : 32, 4);
  put(d->kernel + 60, 1, 4);
  put(d->kernel + 80, 2, 8);
  put(d->kernel + 96, 2, 8);
  put(d->param + 8, 1, 8);
  put(d->param + 16, 4, 8);
  put(d->param + 24, 4, 8);
  put(d->param + 32, 1, 4);
  d->relocs[0] = (struct mir_reloc){.offset = 64, .alloc = 3};
  d->relocs[1] = (struct mir_reloc){.offset = 72, .alloc = 1};
  d->relocs[2] = (struct mir_reloc){.offset = 88, .alloc = 1};
  d->relocs[3] = (struct mir_reloc){.offset = 104, .alloc = 2};
  d->param_relocs[0] = (struct mir_reloc){.offset = 0, .alloc = 1, .addend = 2};
  d->allocs[0] = (struct mir_alloc){.kind = MA_STATIC, .has_bytes = true, .size = 112, .align = 8,
                                    .bytes = d->kernel, .init = d->init, .relocs = d->relocs,
                                    .n_relocs = 4, .path = path(f, "m::__MIRDC_KERNEL")};
  d->allocs[1] = (struct mir_alloc){.id = 1, .has_bytes = true, .size = 16, .align = 1,
                                    .bytes = d->text, .init = d->init};
  d->allocs[2] = (struct mir_alloc){.id = 2, .has_bytes = true, .size = 48, .align = 8,
                                    .bytes = d->param, .init = d->init, .relocs = d->param_relocs,
                                    .n_relocs = 1};
  d->allocs[3] = (struct mir_alloc){.id = 3, .kind = MA_FN, .path = path(f, "m::go")};
  for (unsigned i = 0; i < 4; i++)
    d->list[i] = &d->allocs[i];
  d->file.allocs = d->list;
}

static void a_descriptor_is_read(void **state) {
  struct fix *f = *state;
  struct desc d;
  struct kernel_facts k;
  make_descriptor(f, &d);
  assert_true(descriptor_is(&d.allocs[0]));
  assert_true(descriptor_read(&f->sink, &f->arena, &d.file, &d.allocs[0], &k));
  assert_true(str_eqz(k.name, "go") && str_eqz(k.params[0].name, "x"));
  assert_int_equal(k.n_params, 1);
  assert_int_equal(k.params[0].size, 4);
  assert_int_equal(k.block[0], 32);
  assert_ptr_equal(k.entry, path(f, "m::go"));
}

static void damaged_descriptors_are_refused(void **state) {
  struct fix *f = *state;
  for (int how = 0; how < 9; how++) {
    struct desc d;
    struct kernel_facts k;
    make_descriptor(f, &d);
    switch (how) {
    case 0: d.kernel[0] ^= 1; break;             /* magic */
    case 1: d.kernel[8] = 2; break;              /* protocol */
    case 2: d.allocs[0].size = 100; break;       /* short */
    case 3: d.allocs[0].n_relocs = 0; break;     /* no pointers */
    case 4: d.allocs[3].kind = MA_EXTERN; break; /* entry is no function */
    case 5: put(d.kernel + 80, 99, 8); break;    /* name past its text */
    case 6: d.text[0] = 0xff; break;             /* name is not UTF-8 */
    case 7: put(d.kernel + 60, 5000, 4); break;  /* too many parameters */
    default: put(d.kernel + 60, 2, 4); break;    /* second parameter is not there */
    }
    if (descriptor_read(&f->sink, &f->arena, &d.file, &d.allocs[0], &k))
      fail_msg("damage %d was not seen", how);
    assert_int_equal(f->sink.errors, how + 1);
  }
}

static void only_statics_of_that_name_are_descriptors(void **state) {
  struct fix *f = *state;
  struct desc d;
  make_descriptor(f, &d);
  d.allocs[0].path = path(f, "m::MIRDC_KERNEL");
  assert_false(descriptor_is(&d.allocs[0]));
  d.allocs[0].path = path(f, "__MIRDC_KERNEL");
  assert_true(descriptor_is(&d.allocs[0]));
  d.allocs[0].kind = MA_MEMORY;
  assert_false(descriptor_is(&d.allocs[0]));
}

/* ---- constants ---- */
static void copied_memory_takes_its_pointers_along(void **state) {
  struct fix *f = *state;
  struct prep p = {.sink = &f->sink, .arena = &f->arena, .types = &f->types};
  struct cmem *a = cmem_new(&p, 24, 8), *b = cmem_new(&p, 16, 8);
  struct cmem_reloc r = {.off = 8, .add = 5, .to = {"alloc", 3}, .local = PREP_NONE};
  cmem_put(a, 0, 0x1122334455667788u, 8);
  vec_push(p.arena, &a->relocs, r);
  memset(a->init + 8, 1, 8);
  cmem_copy(&p, b, 0, a, 8, 16);
  assert_int_equal(b->relocs.n, 1);
  assert_int_equal(b->relocs.p[0].off, 0);
  assert_int_equal(b->init[7], 1);
  assert_int_equal(b->init[8], 0);
  uint32_t id = cmem_emit(&p, b);
  assert_int_equal(id, 0);
  assert_true(str_eqz(p.allocs.p[0].json, "{\"size\":16,\"align\":8,\"bytes\":\"00000000000000000000000000000000\","
                                          "\"init\":[[0,8]],\"relocs\":[[0,\"alloc\",3,5]]"));
}

/* ---- symbols ---- */
static void symbols_are_legal_and_differ(void **state) {
  struct fix *f = *state;
  struct prep p = {.sink = &f->sink, .arena = &f->arena};
  static const char *const labels[] = {"a::b", "a::b", "a__b", "f<u32>", "f<i32>", "é", "1x", "a b"};
  str seen[COUNT_OF(labels)];
  for (size_t i = 0; i < COUNT_OF(labels); i++) {
    seen[i] = prep_symbol(&p, str_from(labels[i]));
    for (size_t k = 0; k < seen[i].n; k++) {
      char c = seen[i].p[k];
      assert_true((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_');
    }
    for (size_t j = 0; j < i; j++)
      assert_false(str_eq(seen[i], seen[j]));
  }
  assert_true(str_eqz(seen[0], "m_a_b"));
  map_free(&p.symbols);
}

static void library_files_keep_their_place(void **state) {
  struct fix *f = *state;
  struct unit u = {.cwd = NULL};
  struct prep p = {.sink = &f->sink, .arena = &f->arena, .unit = &u};
  static const char *const rows[][2] = {
      {"/rustc/0123abcd/library/core/src/slice/mod.rs", "library/core/src/slice/mod.rs"},
      {"/usr/src/rustc-1.96.0/library/alloc/src/boxed.rs", "library/alloc/src/boxed.rs"},
      {"/x/lib/rustlib/src/rust/library/std/src/lib.rs", "library/std/src/lib.rs"},
      {"/nowhere/registry/thing-1.0.0/src/a/b.rs", "thing-1.0.0/src/a/b.rs"},
      {"/nowhere/at/all.rs", "all.rs"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    str got = prep_file_name(&p, str_from(rows[i][0]));
    if (!str_eqz(got, rows[i][1]))
      fail_msg("%s became %.*s", rows[i][0], STR_ARG(got));
  }
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void) {
  const struct CMUnitTest tests[] = {
      T(generic_lists_give_names_without_lifetimes),
      T(a_list_with_more_names_than_room_is_no_list),
      T(unification_binds_parameters),
      T(array_lengths_bind_constant_parameters),
      T(intrinsics_of_each_version_have_one_name),
      T(unknown_intrinsics_are_not_guessed),
      T(orderings_are_renumbered),
      T(library_math_has_a_width),
      T(ends_of_core_are_panics),
      T(a_descriptor_is_read),
      T(damaged_descriptors_are_refused),
      T(only_statics_of_that_name_are_descriptors),
      T(copied_memory_takes_its_pointers_along),
      T(symbols_are_legal_and_differ),
      T(library_files_keep_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
