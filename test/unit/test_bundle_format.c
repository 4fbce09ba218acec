/* bundles/bundle: what is written is read back, and damage of every kind is one coded error. */
#include "test/unit/bundle_fixture.h"

#include "base/fs.h"
#include "bundles/format.h"

static void a_plain_bundle_has_version_1_and_reads_back(void **state) {
  struct fixture *f = *state;
  struct strbuf sb = {0};
  struct bundle b;
  fixture_bundle(f, 1, &sb);
  assert_true(bundle_open(&f->sink, &f->arena, sb_str(&sb), STR("t"), &b));
  assert_int_equal(b.version, 1);
  assert_int_equal(b.flags, 0);
  assert_int_equal(b.n, FIXTURE_PAYLOADS + 1);
  assert_int_equal(b.manifest.n_kernels, 2);
  assert_true(str_eqz(b.manifest.kernels[0].name, "saxpy"));
  assert_true(policy_is_default(&b.manifest.policy));
  sb_free(&sb);
}

static void facts_policy_and_traps_need_version_2(void **state) {
  struct fixture *f = *state;
  static const uint32_t flags[] = {BUNDLE_HAS_POLICY, BUNDLE_HAS_TRAPS, BUNDLE_HAS_LAUNCH};
  for (int which = 0; which < 3; which++) {
    struct strbuf sb = {0};
    struct bundle b;
    struct manifest m, full = fixture_manifest(2);
    manifest_init(&m);
    if (which == 0)
      m.policy = full.policy;
    if (which == 1)
      m.traps = full.traps, m.n_traps = full.n_traps;
    struct manifest_kernel k = {.name = STR("k"), .path = STR("k")};
    k.launch = full.kernels[1].launch;
    if (which == 2)
      m.kernels = &k, m.n_kernels = 1;
    assert_true(bundle_write(&f->sink, &m, NULL, 0, &sb));
    assert_true(bundle_open(&f->sink, &f->arena, sb_str(&sb), STR("t"), &b));
    assert_int_equal(b.version, 2);
    assert_int_equal(b.flags, flags[which]);
    sb_free(&sb);
  }
}

static void every_payload_comes_back_as_it_was(void **state) {
  struct fixture *f = *state;
  struct strbuf sb = {0};
  struct bundle b;
  struct bundle_input in[FIXTURE_PAYLOADS];
  fixture_inputs(in);
  fixture_bundle(f, 2, &sb);
  assert_true(bundle_open(&f->sink, &f->arena, sb_str(&sb), STR("t"), &b));
  for (size_t i = 0; i < FIXTURE_PAYLOADS; i++) {
    struct gpu_arch arch = {0, 0};
    assert_true(in[i].arch.n == 0 || gpu_arch_parse(in[i].arch, &arch));
    size_t at = bundle_find(&b, in[i].kind, &arch, in[i].unit);
    str got;
    assert_true(at != SIZE_MAX);
    assert_true(bundle_payload(&f->sink, &f->arena, &b, at, &got));
    assert_true(str_eq(got, in[i].bytes));
    assert_true(str_eq(b.sections[at].name, in[i].name));
    assert_int_equal(b.sections[at].zstd, in[i].kind == PAYLOAD_NVVM);
  }
  assert_true(bundle_check(&f->sink, &b));
  sb_free(&sb);
}

static void the_order_of_inputs_does_not_change_the_bytes(void **state) {
  struct fixture *f = *state;
  struct strbuf one = {0}, two = {0};
  struct manifest m = fixture_manifest(2);
  struct manifest_kernel swapped[2] = {m.kernels[1], m.kernels[0]};
  struct bundle_input in[FIXTURE_PAYLOADS], back[FIXTURE_PAYLOADS];
  fixture_inputs(in);
  for (size_t i = 0; i < FIXTURE_PAYLOADS; i++)
    back[i] = in[FIXTURE_PAYLOADS - 1 - i];
  assert_true(bundle_write(&f->sink, &m, in, FIXTURE_PAYLOADS, &one));
  m.kernels = swapped;
  assert_true(bundle_write(&f->sink, &m, back, FIXTURE_PAYLOADS, &two));
  assert_true(str_eq(sb_str(&one), sb_str(&two)));
  sb_free(&one);
  sb_free(&two);
}

static void every_prefix_is_refused_with_one_error(void **state) {
  struct fixture *f = *state;
  for (unsigned version = 1; version <= 2; version++) {
    struct strbuf sb = {0};
    fixture_bundle(f, version, &sb);
    for (size_t n = 0; n < sb.n; n++) {
      struct bundle b;
      char *copy = malloc(n + 1); /* its own block, so that a read past the end is seen */
      memcpy(copy, sb.p, n);
      assert_false(bundle_open(&f->sink, &f->arena, (str){copy, n}, STR("t"), &b));
      enum diag_code c = fixture_take(f);
      assert_true(c == (n < 8 ? MD0500 : MD0501));
      free(copy);
    }
    sb_free(&sb);
  }
}

static void every_flipped_bit_is_noticed(void **state) {
  struct fixture *f = *state;
  struct strbuf sb = {0};
  fixture_bundle(f, 2, &sb);
  for (size_t bit = 0; bit < sb.n * 8; bit++) {
    struct bundle b;
    struct arena_mark mark = arena_save(&f->arena);
    sb.p[bit / 8] ^= (char)(1 << (bit % 8));
    bool ok = bundle_open(&f->sink, &f->arena, sb_str(&sb), STR("t"), &b) &&
              bundle_check(&f->sink, &b);
    assert_false(ok);
    (void)fixture_take(f);
    sb.p[bit / 8] ^= (char)(1 << (bit % 8));
    arena_rewind(&f->arena, mark);
  }
  sb_free(&sb);
}

/* Writes a number into the head and makes the digest right again. */
static void poke(struct strbuf *sb, size_t at, uint64_t v, unsigned bytes) {
  uint64_t n = 0, names = 0;
  memcpy(sb->p + at, &v, bytes);
  memcpy(&n, sb->p + AT_COUNT, 4);
  memcpy(&names, sb->p + AT_NAMES, 8);
  uint64_t head = FORMAT_HEADER + n * FORMAT_RECORD;
  if (head > sb->n || names > sb->n - head)
    return;
  struct digest d = format_digest((str){sb->p, (size_t)format_align(head + names)});
  memcpy(sb->p + AT_DIGEST, d.b, 32);
}

struct hostile {
  size_t at;
  uint64_t v;
  unsigned bytes;
  enum diag_code code;
};
#define REC(i, field) (FORMAT_HEADER + (i)*FORMAT_RECORD + (field))
static const struct hostile hostiles[] = {
    {AT_MAGIC, 0, 8, MD0500},
    {AT_VERSION, 3, 2, MD0502},
    {AT_VERSION, 65535, 2, MD0502},
    {AT_VERSION, 0, 2, MD0504},
    {AT_VERSION, 1, 2, MD0504}, /* version 1 with the flags of version 2 */
    {AT_HEADER, 64, 2, MD0504},
    {AT_RECORD, 96, 4, MD0504},
    {AT_FLAGS, BUNDLE_FLAGS_KNOWN | 0x80000u, 4, MD0503},
    {AT_FLAGS, BUNDLE_HAS_LAUNCH, 4, MD0504},
    {AT_FLAGS, 0, 4, MD0504},
    {AT_TOTAL, UINT64_MAX, 8, MD0501},
    {AT_TOTAL, UINT64_MAX - 15, 8, MD0501},
    {AT_TOTAL, 0, 8, MD0504},
    {AT_TOTAL, 80, 8, MD0504},
    {AT_TOTAL, 81, 8, MD0504},
    {AT_COUNT, 0, 4, MD0504},
    {AT_COUNT, UINT32_MAX, 4, MD0504},
    {AT_NAMES, UINT64_MAX, 8, MD0504},
    {AT_NAMES, UINT64_MAX - 1000, 8, MD0504},
    {AT_ZERO, 1, 8, MD0504},
    {REC(1, REC_KIND), 99, 4, MD0503},            /* a cubin is marked as critical */
    {REC(7, REC_KIND), 5, 4, MD0504},             /* not in order any more */
    {REC(1, REC_FLAGS), 0x80020000u, 4, MD0503},  /* an unknown critical flag */
    {REC(1, REC_ARCH), 1000, 2, MD0504},
    {REC(1, REC_SUFFIX), 'x', 1, MD0504},
    {REC(1, REC_ZERO), 1, 1, MD0504},
    {REC(1, REC_ZERO2), 1, 8, MD0504},
    {REC(1, REC_NAME), UINT64_MAX, 8, MD0504},
    {REC(1, REC_NAME_LENGTH), UINT64_MAX, 8, MD0504},
    {REC(1, REC_OFFSET), UINT64_MAX - 15, 8, MD0504},
    {REC(2, REC_OFFSET), 0, 8, MD0504},           /* overlaps the header */
    {REC(1, REC_STORED), UINT64_MAX, 8, MD0504},
    {REC(1, REC_STORED), 0, 8, MD0504},
    {REC(1, REC_LENGTH), UINT64_MAX, 8, MD0504},
    {REC(1, REC_UNIT), 1, 4, MD0506},             /* doubles the key of the next section */
};

static void numbers_that_lie_are_refused_by_their_code(void **state) {
  struct fixture *f = *state;
  for (size_t i = 0; i < COUNT_OF(hostiles); i++) {
    struct strbuf sb = {0};
    struct bundle b;
    const struct hostile *h = &hostiles[i];
    fixture_bundle(f, 2, &sb);
    poke(&sb, h->at, h->v, h->bytes);
    bool ok = bundle_open(&f->sink, &f->arena, sb_str(&sb), STR("t"), &b);
    if (ok)
      print_error("case %zu is taken\n", i);
    assert_false(ok);
    if (f->sink.first->code != h->code)
      print_error("case %zu\n", i);
    fixture_expect(f, h->code);
    sb_free(&sb);
  }
}

static void an_unknown_section_that_may_be_ignored_is_kept_as_unknown(void **state) {
  struct fixture *f = *state;
  struct strbuf sb = {0};
  struct bundle b;
  fixture_bundle(f, 2, &sb);
  poke(&sb, REC(7, REC_KIND), 99, 4); /* the record, marked as one that can be ignored */
  poke(&sb, REC(7, REC_FLAGS), 0x1234, 4);
  assert_true(bundle_open(&f->sink, &f->arena, sb_str(&sb), STR("t"), &b));
  assert_false(b.sections[7].known);
  assert_true(bundle_check(&f->sink, &b));
  sb_free(&sb);
}

static void packed_payloads_that_lie_about_their_size_are_refused(void **state) {
  struct fixture *f = *state;
  static const uint64_t sizes[] = {0, 3999, 4001, 1ull << 33, UINT64_MAX};
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    struct strbuf sb = {0};
    struct bundle b;
    str got;
    fixture_bundle(f, 2, &sb);
    poke(&sb, REC(6, REC_LENGTH), sizes[i], 8);
    assert_true(bundle_open(&f->sink, &f->arena, sb_str(&sb), STR("t"), &b));
    assert_int_equal(b.sections[6].kind, PAYLOAD_NVVM);
    assert_false(bundle_payload(&f->sink, &f->arena, &b, 6, &got));
    fixture_expect(f, MD0505);
    sb_free(&sb);
  }
}

static void doubled_inputs_are_not_written(void **state) {
  struct fixture *f = *state;
  struct strbuf sb = {0};
  struct manifest m = fixture_manifest(1);
  struct bundle_input in[FIXTURE_PAYLOADS];
  fixture_inputs(in);
  in[1] = in[2];
  assert_false(bundle_write(&f->sink, &m, in, FIXTURE_PAYLOADS, &sb));
  fixture_expect(f, MD0506);
  assert_int_equal(sb.n, 0);
  sb_free(&sb);
}

static void a_manifest_that_names_a_missing_cubin_is_not_written(void **state) {
  struct fixture *f = *state;
  struct strbuf sb = {0};
  struct manifest m = fixture_manifest(1);
  struct bundle_input in[FIXTURE_PAYLOADS];
  fixture_inputs(in);
  in[1].unit = 5;
  assert_false(bundle_write(&f->sink, &m, in, FIXTURE_PAYLOADS, &sb));
  fixture_expect(f, MD0506);
  assert_int_equal(sb.n, 0);
  sb_free(&sb);
}

static void bundles_lying_together_are_walked(void **state) {
  struct fixture *f = *state;
  struct strbuf sb = {0};
  struct bundle b;
  bool done;
  static const char anchor[16] = "MIRDCBND\0\0\x10";
  sb_add(&sb, (str){anchor, 16});
  fixture_bundle(f, 1, &sb);
  for (int i = 0; i < 48; i++)
    sb_addc(&sb, 0);
  fixture_bundle(f, 2, &sb);
  sb_add(&sb, (str){anchor, 16});
  str rest = sb_str(&sb);
  for (unsigned i = 1; i <= 2; i++) {
    assert_true(bundle_next(&f->sink, &f->arena, &rest, STR("t"), &b, &done));
    assert_false(done);
    assert_int_equal(b.version, i);
  }
  assert_true(bundle_next(&f->sink, &f->arena, &rest, STR("t"), &b, &done));
  assert_true(done);
  sb_addz(&sb, "garbage");
  rest = str_drop(sb_str(&sb), sb.n - 7);
  assert_false(bundle_next(&f->sink, &f->arena, &rest, STR("t"), &b, &done));
  fixture_expect(f, MD0500);
  sb_free(&sb);
}

static void bytes_after_a_bundle_are_an_error(void **state) {
  struct fixture *f = *state;
  struct strbuf sb = {0};
  struct bundle b;
  fixture_bundle(f, 1, &sb);
  sb_addc(&sb, 0);
  assert_false(bundle_open(&f->sink, &f->arena, sb_str(&sb), STR("t"), &b));
  fixture_expect(f, MD0501);
  sb_free(&sb);
}

static void this_program_has_no_embedded_bundle(void **state) {
  struct fixture *f = *state;
  struct bytes self = {0};
  str section;
  assert_int_equal(fs_try_read("/proc/self/exe", 0, &self), 0);
  str all = {(const char *)self.p, self.n};
  assert_true(bundle_section_of_elf(&f->sink, all, STR("t"), &section));
  assert_int_equal(section.n, 0);
  /* Cut files never crash; most are damaged, some lose only what is not looked at. */
  for (size_t n = 0; n < all.n; n += n < 256 ? 1 : all.n / 400 + 1) {
    if (!bundle_section_of_elf(&f->sink, (str){all.p, n}, STR("t"), &section))
      fixture_expect(f, MD0542);
  }
  bytes_free(&self);
}

int main(int argc, char **argv) {
  static const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, fixture_start, fixture_stop)
      T(a_plain_bundle_has_version_1_and_reads_back),
      T(facts_policy_and_traps_need_version_2),
      T(every_payload_comes_back_as_it_was),
      T(the_order_of_inputs_does_not_change_the_bytes),
      T(every_prefix_is_refused_with_one_error),
      T(every_flipped_bit_is_noticed),
      T(numbers_that_lie_are_refused_by_their_code),
      T(an_unknown_section_that_may_be_ignored_is_kept_as_unknown),
      T(packed_payloads_that_lie_about_their_size_are_refused),
      T(doubled_inputs_are_not_written),
      T(a_manifest_that_names_a_missing_cubin_is_not_written),
      T(bundles_lying_together_are_walked),
      T(bytes_after_a_bundle_are_an_error),
      T(this_program_has_no_embedded_bundle),
  };
  (void)argc;
  (void)argv;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
