/* The reader's command line. */
#include "driver/cmd_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bundles/artifact.h"
#include "driver/read.h"

enum { STATUS_DONE = 0, STATUS_DIAGNOSED = 1, STATUS_USAGE = 2, STATUS_UNCHECKED = 4 };

struct option_row {
  const char *name;
  char letter;
  const char *arg, *help;
};
static const struct option_row rows[] = {
#define OPT(id, name, letter, arg, help) {name, letter, arg, help},
#include "driver/read_options.def"
#undef OPT
};

struct words {
  const char **p;
  size_t n;
};

static void print_help(const char *program) {
  printf("usage: %s [OPTION]… FILE…\n"
         "       %s [OPTION]… --package NAME [--kind KIND] [--target-name NAME]\n"
         "       %s diff A B\n\n"
         "Lists bundles, host programs with embedded bundles, cubins, LTO-IR, PTX and build "
         "records.\n\n",
         program, program, program);
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char left[64];
    const char *gap = rows[i].arg != NULL ? " " : "", *arg = rows[i].arg != NULL ? rows[i].arg : "";
    if (rows[i].letter != 0)
      (void)snprintf(left, sizeof left, "-%c, --%s%s%s", rows[i].letter, rows[i].name, gap, arg);
    else
      (void)snprintf(left, sizeof left, "    --%s%s%s", rows[i].name, gap, arg);
    printf("  %-34s %s\n", left, rows[i].help);
  }
  printf(
      "\nExit status: 0 done, 1 diagnosed, 2 usage; of diff also 3 different, 4 not comparable.\n");
}

static bool usage(const char *program, const char *what, const char *word) {
  fprintf(stderr, "%s: %s `%s`; try `%s --help`\n", program, what, word, program);
  return false;
}

/* The row that a word of the command line names; *value points behind `=` if there is one. */
static size_t find_option(const char *word, const char **value) {
  *value = NULL;
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    size_t n = strlen(rows[i].name);
    if (word[1] != '-') {
      if (rows[i].letter == 0 || word[1] != rows[i].letter)
        continue;
      *value = word[2] != 0 ? word + 2 : NULL;
      return i;
    }
    if (strncmp(word + 2, rows[i].name, n) != 0 || (word[2 + n] != 0 && word[2 + n] != '='))
      continue;
    *value = word[2 + n] == '=' ? word + 3 + n : NULL;
    return i;
  }
  return SIZE_MAX;
}

static bool parse(struct reader_run *r, int argc, char **argv, struct words *words) {
  bool only_words = false;
  for (int i = 1; i < argc; i++) {
    const char *value;
    if (only_words || argv[i][0] != '-' || argv[i][1] == 0) {
      words->p[words->n++] = argv[i];
      continue;
    }
    if (strcmp(argv[i], "--") == 0) {
      only_words = true;
      continue;
    }
    size_t row = find_option(argv[i], &value);
    if (row == SIZE_MAX)
      return usage(r->program, "unknown option", argv[i]);
    if (rows[row].arg == NULL && value != NULL)
      return usage(r->program, "no argument is taken by", argv[i]);
    if (rows[row].arg != NULL && value == NULL && i + 1 == argc)
      return usage(r->program, "an argument is missing after", argv[i]);
    if (rows[row].arg != NULL && value == NULL)
      value = argv[++i];
    r->values[row] = value != NULL ? value : "";
  }
  return true;
}

static bool choose_form(struct reader_run *r) {
  const char *format = r->values[RD_FORMAT], *color = r->values[RD_COLOR];
  const char *no_color = getenv("NO_COLOR");
  if (format != NULL && strcmp(format, "json") != 0 && strcmp(format, "human") != 0)
    return usage(r->program, "--message-format must be human or json, not", format);
  r->json_messages = format != NULL && strcmp(format, "json") == 0;
  r->color = isatty(STDERR_FILENO) && (no_color == NULL || no_color[0] == 0);
  if (color == NULL || strcmp(color, "auto") == 0)
    return true;
  r->color = strcmp(color, "always") == 0;
  return r->color || strcmp(color, "never") == 0 ||
         usage(r->program, "--color must be auto, always or never, not", color);
}

/* The artifact of a Cargo target. */
static bool find_target(struct reader_run *r, struct artifact_place *place) {
  const char *package = r->values[RD_PACKAGE], *name = r->values[RD_TARGET_NAME];
  const char *kind = r->values[RD_KIND] != NULL ? r->values[RD_KIND] : "lib";
  const char *arch = r->values[RD_ARCH] != NULL ? r->values[RD_ARCH] : "sm_90";
  struct artifact_unit u = {.package = str_from(package),
                            .target = str_from(name != NULL ? name : package),
                            .profile = str_from(r->values[RD_PROFILE]),
                            .test = r->values[RD_TEST] != NULL,
                            .triple = str_from(r->values[RD_TRIPLE])};
  enum artifact_kind emit = ART_BUNDLE;
  if (r->values[RD_EMIT] != NULL && !artifact_kind_parse(str_from(r->values[RD_EMIT]), &emit)) {
    diag_error(&r->sink, MD0532, SPAN_NONE, "unknown kind of artifact `%s`", r->values[RD_EMIT]);
    return false;
  }
  if (!unit_kind_parse(str_from(kind), &u.kind) || u.kind == UNIT_FILE) {
    diag_error(&r->sink, MD0532, SPAN_NONE, "unknown kind of Cargo target `%s`", kind);
    return false;
  }
  struct artifact_part part = {.kind = emit, .arch = str_from(arch)};
  if (r->values[RD_LINK_UNIT] != NULL) {
    uint64_t n;
    if (!str_to_u64(str_from(r->values[RD_LINK_UNIT]), &n) || n > UINT32_MAX) {
      diag_error(&r->sink, MD0532, SPAN_NONE, "`%s` is no number of a link unit",
                 r->values[RD_LINK_UNIT]);
      return false;
    }
    part.several_units = true;
    part.link_unit = (uint32_t)n;
  }
  const char *root = artifact_shared_dir(&r->sink, &r->arena, r->values[RD_OUT_DIR], NULL,
                                         r->values[RD_MANIFEST_PATH]);
  return root != NULL && artifact_find(&r->sink, &r->arena, root, &u, part, place);
}

static bool read_one(struct reader_run *r, const char *path) {
  struct read_file f;
  bool ok = read_open(r, path, &f);
  if (ok && r->values[RD_EXTRACT] != NULL)
    ok = read_extract(r, &f, r->values[RD_EXTRACT], r->values[RD_OUTPUT]);
  else if (ok && r->values[RD_CHECK] != NULL)
    ok = read_check(r, &f);
  else if (ok)
    ok = r->values[RD_JSON] != NULL ? read_show_json(r, &f) : read_show_text(r, &f);
  read_close(&f);
  return ok;
}

/* A failed write must not look like success. */
static bool flush_out(struct reader_run *r) {
  fwrite(sb_z(&r->out), 1, r->out.n, stdout);
  sb_clear(&r->out);
  if (diag_check_stdout(&r->sink))
    return true;
  r->json_messages = false; /* they would go the same way */
  return false;
}

static int run_diff(struct reader_run *r, const struct words *w) {
  struct read_file a, b;
  if (w->n != 3) {
    (void)usage(r->program, "two files are needed by", "diff");
    return STATUS_USAGE;
  }
  bool ok = read_open(r, w->p[1], &a);
  bool ok2 = read_open(r, w->p[2], &b);
  int status = ok && ok2 ? read_diff(r, &a, &b) : STATUS_UNCHECKED;
  read_close(&a);
  read_close(&b);
  return status;
}

static int run_files(struct reader_run *r, const struct words *w) {
  struct artifact_place place;
  int status = STATUS_DONE;
  if (r->values[RD_PACKAGE] != NULL) {
    if (w->n > 0) {
      (void)usage(r->program, "--package names the artifact; also given is", w->p[0]);
      return STATUS_USAGE;
    }
    if (!find_target(r, &place))
      return STATUS_DIAGNOSED;
    return read_one(r, place.path) ? STATUS_DONE : STATUS_DIAGNOSED;
  }
  if (w->n == 0) {
    (void)usage(r->program, "what to read is missing after", r->program);
    return STATUS_USAGE;
  }
  if (r->values[RD_EXTRACT] != NULL && w->n > 1) {
    (void)usage(r->program, "--extract takes one file, also given is", w->p[1]);
    return STATUS_USAGE;
  }
  for (size_t i = 0; i < w->n; i++) {
    if (!read_one(r, w->p[i]))
      status = STATUS_DIAGNOSED;
    if (!flush_out(r))
      return STATUS_DIAGNOSED;
  }
  return status;
}

int cmd_read_main(int argc, char **argv) {
  struct reader_run r = {.program = argc > 0 ? argv[0] : "mirdc-read"};
  const char *slash = strrchr(r.program, '/');
  if (slash != NULL)
    r.program = slash + 1;
  source_map_init(&r.sources);
  diag_sink_init(&r.sink, &r.sources);
  struct words w = {arena_array(&r.arena, const char *, (size_t)argc + 1), 0};
  int status = STATUS_USAGE;
  if (parse(&r, argc, argv, &w) && choose_form(&r)) {
    if (r.values[RD_HELP] != NULL) {
      print_help(r.program);
      status = STATUS_DONE;
    } else if (r.values[RD_VERSION] != NULL) {
      printf("mirdc-read %s\n", MIRDC_VERSION);
      status = STATUS_DONE;
    } else if (w.n > 0 && strcmp(w.p[0], "diff") == 0) {
      status = run_diff(&r, &w);
    } else {
      status = run_files(&r, &w);
    }
  }
  if (!flush_out(&r))
    status = STATUS_DIAGNOSED;
  diag_flush(&r.sink, r.json_messages, r.color);
  sb_free(&r.out);
  diag_sink_free(&r.sink);
  source_map_free(&r.sources);
  arena_free(&r.arena);
  return status;
}
