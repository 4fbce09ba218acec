/* libmirdc: the kernel descriptor of a host program is compared with the manifest member by member. */
#include "test/unit/bundle_fixture.h"

#include "bundles/mirdc.h"

/* The layout of docs/abi.md, written down a second time on purpose. */
struct d_str {
  const char *p;
  uint64_t n;
};
struct d_field {
  struct d_str name;
  uint64_t offset, size, align;
};
struct d_param {
  struct d_str name;
  uint64_t size, align;
  uint32_t kind, n_fields;
  const struct d_field *fields;
};
struct d_kernel {
  uint64_t magic;
  uint32_t protocol, flags, block[3], max_block, min_blocks, cluster[3];
  uint64_t dyn_shared;
  uint32_t dyn_shared_align, n_params;
  const void *entry;
  struct d_str name, path;
  const struct d_param *params;
};

static struct d_field fields[2];
static struct d_param params[3];

/* What the macro would emit for the fixture's kernel `scale`, with a zero-sized parameter. */
static struct d_kernel right(void) {
  fields[0] = (struct d_field){{"bias", 4}, 8, 8, 8};
  fields[1] = (struct d_field){{"scale", 5}, 0, 4, 4};
  params[0] = (struct d_param){{"data", 4}, 16, 8, 3, 0, NULL};
  params[1] = (struct d_param){{"marker", 6}, 0, 1, 4, 0, NULL};
  params[2] = (struct d_param){{"by", 2}, 16, 8, 4, 2, fields};
  return (struct d_kernel){.magic = 0x4e524b4344524d49u,
                           .protocol = 1,
                           .flags = 1 | 4 | 8 | 16,
                           .block = {128, 2, 1},
                           .min_blocks = 2,
                           .cluster = {2, 1, 1},
                           .dyn_shared = 4096,
                           .dyn_shared_align = 16,
                           .n_params = 3,
                           .name = {"scale", 5},
                           .path = {"demo::scale", 11},
                           .params = params};
}

static mirdc_bundle *open_fixture(struct fixture *f) {
  struct strbuf sb = {0};
  mirdc_bundle *b = NULL;
  fixture_bundle(f, 2, &sb);
  assert_int_equal(mirdc_open_memory(sb.p, sb.n, &b, NULL), MIRDC_OK);
  sb_free(&sb);
  return b;
}

static void an_equal_descriptor_is_taken(void **state) {
  mirdc_bundle *b = open_fixture(*state);
  struct d_kernel d = right();
  mirdc_error err;
  assert_int_equal(mirdc_compare_descriptor(b, &d, &err), MIRDC_OK);
  d.dyn_shared_align = 0; /* not given: 16 */
  assert_int_equal(mirdc_compare_descriptor(b, &d, &err), MIRDC_OK);
  params[2].kind = 0; /* unknown to the macro */
  params[2].n_fields = 0;
  assert_int_equal(mirdc_compare_descriptor(b, &d, &err), MIRDC_OK);
  d.path = (struct d_str){"elsewhere::scale", 16}; /* then the symbol decides */
  assert_int_equal(mirdc_compare_descriptor(b, &d, &err), MIRDC_OK);
  mirdc_close(b);
}

static void expect(mirdc_bundle *b, const struct d_kernel *d, mirdc_status s, const char *text) {
  mirdc_error err;
  assert_int_equal(mirdc_compare_descriptor(b, d, &err), s);
  if (strstr(err.text, text) == NULL)
    print_error("%s\n", err.text);
  assert_non_null(strstr(err.text, text));
}

static void each_difference_is_named(void **state) {
  mirdc_bundle *b = open_fixture(*state);
  struct d_kernel d = right();
  d.magic++;
  expect(b, &d, MIRDC_ERROR_MISMATCH, "another version of mirdc");
  d = right();
  d.protocol = 2;
  expect(b, &d, MIRDC_ERROR_MISMATCH, "another version of mirdc");
  d = right();
  d.block[0] = 64;
  expect(b, &d, MIRDC_ERROR_MISMATCH, "launch facts");
  d = right();
  d.dyn_shared = 0;
  expect(b, &d, MIRDC_ERROR_MISMATCH, "launch facts");
  d = right();
  params[0].size = 8;
  expect(b, &d, MIRDC_ERROR_MISMATCH, "parameter data: size is 8 in the host program and 16");
  d = right();
  params[2].align = 4;
  expect(b, &d, MIRDC_ERROR_MISMATCH, "parameter by: alignment is 4");
  d = right();
  params[0].kind = 4;
  expect(b, &d, MIRDC_ERROR_MISMATCH, "parameter data: kind");
  d = right();
  fields[0].offset = 4;
  expect(b, &d, MIRDC_ERROR_MISMATCH, "offset of a field is 4 in the host program and 8");
  d = right();
  fields[0].name = (struct d_str){"biaz", 4};
  expect(b, &d, MIRDC_ERROR_MISMATCH, "no field `biaz`");
  d = right();
  d.n_params = 2;
  expect(b, &d, MIRDC_ERROR_MISMATCH, "number of parameters");
  d = right();
  params[1].size = 4; /* one more than the manifest has */
  params[1] = params[0];
  expect(b, &d, MIRDC_ERROR_MISMATCH, "parameter by");
  d = right();
  d.name = d.path = (struct d_str){"other", 5};
  expect(b, &d, MIRDC_ERROR_NOT_FOUND, "no kernel `other`");
  mirdc_close(b);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, fixture_start, fixture_stop)
      T(an_equal_descriptor_is_taken),
      T(each_difference_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
