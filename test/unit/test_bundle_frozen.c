/* Bundles kept from earlier binaries: each version is read for ever, and today's writer makes the
 * same content. `test_bundle_frozen --write` made them, from cubins of the kernels in k.cu. */
#include "test/unit/bundle_fixture.h"

#include "base/fs.h"
#include "linkers/cubin.h"

#define FILES "test/golden/read/_files/"

static str load(struct fixture *f, const char *path) {
  struct bytes b = {0};
  assert_int_equal(fs_try_read(path, 0, &b), 0);
  str s = arena_str(&f->arena, (str){(const char *)b.p, b.n});
  bytes_free(&b);
  return s;
}

static struct manifest_resources resources_of(struct fixture *f, str image, uint16_t cc,
                                              const char *kernel) {
  struct cubin c;
  assert_true(cubin_open(&f->sink, &f->arena, STR("t"), image, &c));
  const struct cubin_kernel *k = cubin_kernel(&c, str_from(kernel));
  assert_non_null(k);
  return (struct manifest_resources){.arch = {cc, 0},
                                     .registers = k->registers,
                                     .stack = k->frame_bytes,
                                     .shared = k->shared_static,
                                     .constant = k->const_bank[0],
                                     .code = k->code_size};
}

/* A `lie` makes the manifest contradict the cubins, for the tests of --check. */
static void make_or_lie(struct fixture *f, unsigned version, bool lie, struct strbuf *out) {
  static struct manifest_resources resources[2][2];
  static struct manifest_kernel kernels[2];
  static struct manifest_global table = {{"TABLE", 5}, {"demo::TABLE", 11}, SPACE_CONST, 256, 4, 0};
  str c80 = load(f, FILES "k.80.cubin"), c90 = load(f, FILES "k.90.cubin");
  struct manifest m = fixture_manifest(version);
  for (int i = 0; i < 2; i++) {
    kernels[i] = m.kernels[i];
    const char *name = kernels[i].name.p;
    resources[i][0] = resources_of(f, c80, 80, name);
    resources[i][1] = resources_of(f, c90, 90, name);
    kernels[i].resources = resources[i];
    kernels[i].launch = (struct launch_facts){0};
    resources[i][1].registers += lie;
  }
  if (version == 2) {
    kernels[0].launch = (struct launch_facts){
        .flags = LAUNCH_DYN_SHARED, .dyn_shared = 1024, .dyn_shared_align = 16};
    kernels[1].launch = (struct launch_facts){.flags = LAUNCH_MAX_BLOCK, .max_block = 256};
    m.policy = policy_default();
    m.policy.trap_info = true;
  }
  m.kernels = kernels;
  m.globals = &table;
  struct bundle_input in[] = {
      {PAYLOAD_CUBIN, STR("sm_80"), 0, STR(""), c80},
      {PAYLOAD_CUBIN, STR("sm_90"), 0, STR(""), c90},
      {PAYLOAD_LTOIR, STR("sm_80"), 0, STR(""), load(f, FILES "k.ltoir")},
  };
  assert_true(bundle_write(&f->sink, &m, in, COUNT_OF(in), out));
}

static void make(struct fixture *f, unsigned version, struct strbuf *out) {
  make_or_lie(f, version, false, out);
}

/* The packed bytes may change with the packing library; what they hold may not. */
static void compare(struct fixture *f, unsigned version, const char *path) {
  struct strbuf now = {0};
  struct bundle a, b;
  make(f, version, &now);
  str then = load(f, path);
  assert_true(bundle_open(&f->sink, &f->arena, then, STR("then"), &a));
  assert_true(bundle_open(&f->sink, &f->arena, sb_str(&now), STR("now"), &b));
  assert_true(bundle_check(&f->sink, &a));
  assert_int_equal(a.version, version);
  assert_int_equal(b.version, version);
  assert_int_equal(a.flags, b.flags);
  assert_int_equal(a.n, b.n);
  for (size_t i = 0; i < a.n; i++) {
    assert_int_equal(a.sections[i].kind, b.sections[i].kind);
    assert_true(digest_eq(&a.sections[i].digest, &b.sections[i].digest));
  }
  sb_free(&now);
}

static void the_kept_bundle_of_version_1_is_read(void **state) {
  compare(*state, 1, FILES "plain.mirdc");
}

static void the_kept_bundle_of_version_2_is_read(void **state) {
  compare(*state, 2, FILES "full.mirdc");
}

/* Names that would play tricks on a terminal. */
static bool write_hostile(struct fixture *f) {
  struct strbuf sb = {0};
  struct manifest m;
  struct manifest_param p = {.name = STR("x\x1b[2J"), .size = 4, .align = 4, .label = STR("\x07u32")};
  struct manifest_kernel k = {.name = STR("red\x1b[31m"),
                              .path = STR("a\xe2\x80\xaegnp.exe\nkernel     faked"),
                              .params = &p,
                              .n_params = 1};
  struct bundle_input in = {PAYLOAD_PTX, STR("sm_80"), 0, STR("name\r\x1b[A"), STR(".version 9.0")};
  manifest_init(&m);
  m.target = STR("t\x9b");
  m.kernels = &k;
  m.n_kernels = 1;
  bool ok = bundle_write(&f->sink, &m, &in, 1, &sb) &&
            fs_write_atomic(&f->sink, FILES "hostile.mirdc", sb_str(&sb));
  sb_free(&sb);
  return ok;
}

static int write_files(void) {
  void *state;
  fixture_start(&state);
  struct fixture *f = state;
  bool ok = true;
  for (unsigned version = 1; version <= 2; version++) {
    struct strbuf sb = {0};
    make(f, version, &sb);
    ok = ok && fs_write_atomic(&f->sink, version == 1 ? FILES "plain.mirdc" : FILES "full.mirdc",
                               sb_str(&sb));
    sb_free(&sb);
  }
  struct strbuf sb = {0};
  make_or_lie(f, 2, true, &sb);
  ok = ok && fs_write_atomic(&f->sink, FILES "lying.mirdc", sb_str(&sb));
  sb_free(&sb);
  ok = ok && write_hostile(f);
  fixture_stop(&state);
  return ok ? 0 : 1;
}

int main(int argc, char **argv) {
  static const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, fixture_start, fixture_stop)
      T(the_kept_bundle_of_version_1_is_read),
      T(the_kept_bundle_of_version_2_is_read),
  };
  if (argc == 2 && strcmp(argv[1], "--write") == 0)
    return write_files();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
