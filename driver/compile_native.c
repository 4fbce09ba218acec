/* Native algorithms: manifests, then headers and C++ to LTO-IR. Nothing of CUDA is touched before it is
 * known that all that the program asks for is offered. */
#include "driver/compile_native.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/depends.h"
#include "base/fatal.h"
#include "callbacks/admit.h"
#include "linkers/tool_log.h"

/* ---- providers ---- */

static struct provider_path search_path(struct compile *c) {
  const struct options *o = &c->s->options;
  size_t n = o->values[OPT_PROVIDERS].n, k = 0;
  const char **dirs = arena_array(c->arena, const char *, n + 3);
  for (size_t i = 0; i < n; i++)
    dirs[k++] = o->values[OPT_PROVIDERS].p[i];
  dirs[k++] = path_join(c->arena, arena_strz(c->arena, path_dir(str_from(c->input))), "providers");
  char *self = path_self_dir(c->arena);
  char *installed = path_join(c->arena, self, "../share/mirdc/providers");
  char *tree = path_join(c->arena, self, "../../callbacks/providers");
  char *shipped = path_real(c->arena, fs_is_dir(installed) ? installed : tree);
  if (shipped)
    dirs[k++] = shipped;
  return (struct provider_path){dirs, k};
}

/* Each provider is looked for once, and reported once when it is not there. */
static const struct provider *find_provider(void *context, str name, struct span at) {
  struct compile *c = context;
  for (size_t i = 0; i < c->natives->asked.n; i++)
    if (str_eq(c->natives->asked.p[i].name, name))
      return c->natives->asked.p[i].p;
  struct provider_path path = search_path(c);
  struct native_provider *np = arena_new(c->arena, struct native_provider);
  np->p = provider_find(&c->s->sink, c->arena, &path, name, at);
  if (np->p)
    vec_push(c->arena, &c->natives->providers, np);
  vec_push(c->arena, &c->natives->asked, ((struct native_asked){name, np->p}));
  return np->p;
}

static const struct provider_entry *find_entry(void *context, const struct pm_native *n, struct span at) {
  const struct provider *p = find_provider(context, n->provider, at);
  return p ? provider_entry_find(p, n->entry) : NULL;
}

bool compile_find_natives(struct compile *c) {
  if (!c->m || !c->m->n_natives)
    return true;
  c->natives = arena_new(c->arena, struct natives);
  struct request_source from = {find_provider, c};
  unsigned cc = c->n_archs ? c->archs[0].cc : UINT16_MAX;
  return admit_check(c->m, &(struct admit_source){find_entry, c}, &c->s->sink) && !diag_failed(&c->s->sink) &&
         requests_make(&c->s->sink, c->arena, c->m, cc, &from, &c->natives->requests);
}

const str *compile_native_symbols(const struct compile *c) {
  return c->natives ? c->natives->requests.symbols : NULL;
}

/* ---- headers ---- */

static bool prepare_roots(struct compile *c, struct native_provider *np) {
  struct cuda_location at;
  size_t n = 0;
  np->roots[n++] = (struct include_root){.dir = arena_strz(c->arena, np->p->dir),
                                         .name = arena_printf(c->arena, "@%.*s", STR_ARG(np->p->name)),
                                         .strict = true};
  static const enum cuda_part parts[] = {CUDA_CCCL, CUDA_HEADERS};
  for (size_t i = 0; i < COUNT_OF(parts); i++) {
    if (!(i ? np->p->cuda : np->p->cccl))
      continue;
    if (!cuda_require(&c->s->sink, c->cuda, parts[i], &at))
      return false;
    np->roots[n++] = (struct include_root){.dir = at.path};
  }
  include_set_init(&np->headers, np->roots, n);
  np->scanned = true;
  return true;
}

static bool no_file(struct compile *c, const struct native_code *n, str file, const char *what) {
  struct span at = c->natives->requests.calls[n->r->native];
  struct diag *d = diag_error(&c->s->sink, MD0708, at, "%s `%.*s` of provider `%.*s` is not there", what,
                              STR_ARG(file), STR_ARG(n->provider->p->name));
  diag_note(d, "`%.*s` names it", STR_ARG(n->provider->p->manifest));
  return false;
}

static bool scan_headers(struct compile *c, struct native_code *n) {
  struct native_provider *np = n->provider;
  const struct provider *p = np->p;
  size_t *first = arena_array(c->arena, size_t, p->n_computed_includes + 1);
  if (!np->scanned && !prepare_roots(c, np))
    return false;
  if (!include_set_add(&c->s->sink, &np->headers, n->r->entry->file, &first[0]))
    return false;
  if (first[0] == SIZE_MAX)
    return no_file(c, n, n->r->entry->file, "the template");
  for (size_t i = 0; i < p->n_computed_includes; i++) {
    if (!include_set_add(&c->s->sink, &np->headers, p->computed_includes[i], &first[i + 1]))
      return false;
    if (first[i + 1] == SIZE_MAX)
      return no_file(c, n, p->computed_includes[i], "the computed include");
  }
  include_set_close(&np->headers, first, p->n_computed_includes + 1, c->arena, &n->headers);
  return true;
}

/* ---- one request ---- */

static struct digest key_of(const struct native_code *n, const struct digest *compiler) {
  struct hasher *h = hash_new();
  hash_field(h, STR("stage"), STR("provider 1"));
  hash_field(h, STR("contract"), (str){(const char *)n->r->contract.b, 32});
  hash_field(h, STR("text"), n->r->cxx);
  /* What the code was judged by. */
  hash_field_u64(h, STR("scope"), n->r->entry->scope);
  hash_field_u64(h, STR("converged"), n->r->entry->converged);
  hash_field(h, STR("headers"), (str){(const char *)n->headers.digest.b, 32});
  hash_field(h, STR("compiler"), (str){(const char *)compiler->b, 32});
  return hash_finish(h);
}

static struct nvrtc_options compiler_options(const struct compile *c) {
  return (struct nvrtc_options){.cc = c->archs[0].cc, .line_info = c->line_info};
}

/* "`T = i32`, `BLOCK = 256`" */
static void add_instance(struct strbuf *b, const struct request *r) {
  const char *between = "";
  for (size_t i = 0; i < r->entry->n_types; i++, between = ", ")
    sb_addf(b, "%s`%.*s = %s`", between, STR_ARG(r->entry->types[i].name), provider_scalar_word(r->types[i]));
  for (size_t i = 0; i < r->entry->n_consts; i++, between = ", ")
    sb_addf(b, "%s`%.*s = %llu`", between, STR_ARG(r->entry->consts[i].name),
            (unsigned long long)r->consts[i]);
}

static str line_of(str text, uint64_t number) {
  str line = STR_NULL;
  for (uint64_t i = 0; i < number; i++)
    if (!str_next_line(&text, &line))
      return STR_NULL;
  return line;
}

/* `NAME(LINE): error: …` in a file that the compiler was given: shows that line. */
static bool show_place(struct diag *d, const struct native_code *n, str line) {
  size_t open = str_find_char(line, '(', 0), close = str_find(line, STR("): "), 0);
  uint64_t number;
  if (open == SIZE_MAX || close == SIZE_MAX || close < open ||
      !str_to_u64(str_sub(line, open + 1, close), &number) || str_find(line, STR("error"), close) == SIZE_MAX)
    return false;
  str name = str_sub(line, 0, open), text = STR_NULL;
  for (size_t i = 0; i < n->headers.n && !text.n; i++)
    if (str_eq(n->headers.files[i]->name, name))
      text = n->headers.files[i]->text;
  if (!text.n)
    text = n->r->cxx;
  str shown = line_of(text, number);
  size_t col = 0;
  while (col < shown.n && (shown.p[col] == ' ' || shown.p[col] == '\t'))
    col++;
  if (shown.n)
    diag_snippet(d, name, str_sub(shown, 0, 400), (uint32_t)number, (uint32_t)col + 1);
  return shown.n > 0;
}

static void report_refusal(struct compile *c, struct native_code *n) {
  const struct request *r = n->r;
  struct strbuf b = {0};
  add_instance(&b, r);
  struct diag *d = diag_error(&n->sink, MD0711, c->natives->requests.calls[r->native],
                              "entry `%.*s` of provider `%.*s` does not compile%s%s",
                              STR_ARG(r->entry->name), STR_ARG(r->provider->name),
                              b.n ? " for " : "", sb_z(&b));
  sb_free(&b);
  diag_note_at(d, pm_span_of(c->m, c->m->natives[r->native].span), "`%.*s` is declared here",
               STR_ARG(c->m->natives[r->native].path));
  str rest = sb_str(&n->log), line;
  while (str_next_line(&rest, &line))
    if (show_place(d, n, line))
      break;
  tool_log_notes(d, "NVRTC", sb_str(&n->log), 6);
  diag_help(d, "files called `@%.*s/…` are in the folder of `%.*s`", STR_ARG(r->provider->name),
            STR_ARG(r->provider->manifest));
}

static bool compile_code(struct compile *c, struct native_code *n) {
  const char **names = arena_array(&n->sink.arena, const char *, n->headers.n * 2 + 1);
  const char **texts = names + n->headers.n;
  for (size_t i = 0; i < n->headers.n; i++) {
    names[i] = arena_strz(&n->sink.arena, n->headers.files[i]->name);
    texts[i] = n->headers.files[i]->text.p;
  }
  struct nvrtc_source src = {
      .name = arena_printf(&n->sink.arena, "%.*s.cu", STR_ARG(n->r->symbol)).p,
      .text = n->r->cxx,
      .header_names = names,
      .header_texts = texts,
      .n_headers = n->headers.n};
  struct nvrtc_options o = compiler_options(c);
  switch (nvrtc_compile(&n->sink, c->cuda, &src, &o, &n->ltoir, &n->log)) {
  case NVRTC_OK:
    return true;
  case NVRTC_REFUSED:
    report_refusal(c, n);
    return false;
  case NVRTC_FAILED:
    break;
  }
  return false;
}

/* ---- all of them ---- */

struct native_crew {
  struct compile *c;
  pthread_mutex_t lock;
  size_t next;
};

static void *work(void *arg) {
  struct native_crew *w = arg;
  for (;;) {
    pthread_mutex_lock(&w->lock);
    size_t i = w->next++;
    pthread_mutex_unlock(&w->lock);
    if (i >= w->c->natives->requests.n)
      return NULL;
    struct native_code *n = &w->c->natives->code[i];
    if (!n->cached)
      n->ok = compile_code(w->c, n);
  }
}

static void run_crew(struct compile *c, size_t misses) {
  struct native_crew w = {.c = c, .lock = PTHREAD_MUTEX_INITIALIZER};
  size_t n_threads = c->jobs < misses ? c->jobs : misses, started = 0;
  pthread_t *threads = arena_array(c->arena, pthread_t, n_threads);
  while (started + 1 < n_threads && pthread_create(&threads[started], NULL, work, &w) == 0)
    started++;
  work(&w);
  for (size_t i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
}

static struct native_provider *provider_of(const struct natives *all, const struct request *r) {
  for (size_t i = 0; i < all->providers.n; i++)
    if (all->providers.p[i]->p == r->provider)
      return all->providers.p[i];
  BUG("a request without a provider");
}

static bool look_up(struct compile *c, struct native_code *n, const struct digest *compiler) {
  n->provider = provider_of(c->natives, n->r);
  n->name = arena_printf(c->arena, "%.*s.ltoir", STR_ARG(n->r->symbol));
  if (!scan_headers(c, n))
    return false;
  n->key = key_of(n, compiler);
  n->cached = store_get_output(c->store, &n->key, STR("ltoir"), &n->ltoir) &&
              ltoir_well_formed((str){(const char *)n->ltoir.p, n->ltoir.n});
  if (!n->cached)
    bytes_free(&n->ltoir);
  n->ok = n->cached;
  return true;
}

static bool collect(struct compile *c) {
  struct natives *all = c->natives;
  bool ok = true;
  for (size_t i = 0; i < all->requests.n; i++) {
    struct native_code *n = &all->code[i];
    diag_flush(&n->sink, c->s->json, c->s->color);
    c->s->sink.errors += n->sink.errors;
    c->s->sink.warnings += n->sink.warnings;
    ok = ok && n->ok;
  }
  return ok;
}

/* Only what was judged is kept, so that it need not be again. */
static void keep(struct compile *c) {
  for (size_t i = 0; i < c->natives->requests.n; i++) {
    struct native_code *n = &c->natives->code[i];
    if (!n->cached)
      store_put_output(c->store, &n->key, STR("ltoir"), (str){(const char *)n->ltoir.p, n->ltoir.n});
  }
}

bool compile_make_natives(struct compile *c) {
  struct natives *all = c->natives;
  struct digest compiler;
  struct nvrtc_options o = compiler_options(c);
  size_t misses = 0;
  if (!all || !all->requests.n)
    return true;
  uint64_t t0 = now_ns();
  if (!cuda_part_digest(&c->s->sink, c->cuda, CUDA_NVRTC, &all->nvrtc) ||
      !nvrtc_identity(&c->s->sink, c->cuda, &o, &compiler))
    return false;
  all->code = arena_array(c->arena, struct native_code, all->requests.n);
  for (size_t i = 0; i < all->requests.n; i++) {
    all->code[i].r = &all->requests.list[i];
    diag_sink_init(&all->code[i].sink, &c->s->sources);
  }
  for (size_t i = 0; i < all->requests.n; i++) {
    if (!look_up(c, &all->code[i], &compiler))
      return false;
    misses += !all->code[i].cached;
  }
  if (misses)
    run_crew(c, misses);
  bool ok = collect(c) && compile_probe_natives(c);
  if (ok)
    keep(c);
  c->times.native = now_ns() - t0;
  return ok;
}

void compile_release_natives(struct compile *c) {
  struct natives *all = c->natives;
  for (size_t i = 0; all && all->code && i < all->requests.n; i++) {
    bytes_free(&all->code[i].ltoir);
    sb_free(&all->code[i].log);
    diag_sink_free(&all->code[i].sink);
  }
  for (size_t i = 0; all && i < all->providers.n; i++)
    include_set_free(&all->providers.p[i]->headers);
}

static int by_name(const void *a, const void *b) {
  const struct include_file *const *x = a, *const *y = b;
  return str_cmp((*x)->name, (*y)->name);
}

void compile_native_headers(struct compile *c, struct include_closure *out) {
  const struct natives *all = c->natives;
  size_t n = 0, kept = 0;
  *out = (struct include_closure){0};
  if (!all || !all->code)
    return;
  for (size_t i = 0; i < all->requests.n; i++)
    n += all->code[i].headers.n;
  out->files = arena_array(c->arena, const struct include_file *, n + 1);
  for (size_t i = 0; i < all->requests.n; i++)
    for (size_t k = 0; k < all->code[i].headers.n; k++)
      out->files[out->n++] = all->code[i].headers.files[k];
  if (n)
    qsort(out->files, n, sizeof *out->files, by_name);
  /* Providers read the same headers each for itself. */
  for (size_t i = 0; i < n; i++)
    if (!kept || !str_eq(out->files[kept - 1]->name, out->files[i]->name))
      out->files[kept++] = out->files[i];
  out->n = kept;
}

void compile_native_list(struct compile *c, struct depends *d) {
  struct include_closure headers;
  for (size_t i = 0; c->natives && i < c->natives->providers.n; i++) {
    const struct provider *p = c->natives->providers.p[i]->p;
    depends_content(d, path_join(c->arena, arena_strz(c->arena, p->dir), "provider.json"), &p->digest);
  }
  compile_native_headers(c, &headers);
  for (size_t i = 0; i < headers.n; i++)
    depends_content(d, arena_strz(c->arena, headers.files[i]->path), &headers.files[i]->digest);
}

const struct digest *compile_native_compiler(const struct compile *c) {
  return c->natives && c->natives->code ? &c->natives->nvrtc : NULL;
}

void compile_native_report(struct compile *c) {
  const struct natives *all = c->natives;
  for (size_t i = 0; all && all->code && i < all->requests.n; i++)
    session_say(c->s, "native %.*s: %s\n", STR_ARG(all->code[i].r->symbol),
                all->code[i].cached ? "from the cache" : "made");
}

/* ---- links ---- */

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

size_t compile_unit_natives(const struct compile *c, const struct lower_result *lowered, struct arena *a,
                            uint32_t **out) {
  size_t n = 0, kept = 0;
  uint32_t *list = arena_array(a, uint32_t, lowered->n_natives + 1);
  for (uint32_t i = 0; i < lowered->n_natives; i++)
    list[n++] = c->natives->requests.of_native[lowered->natives[i]];
  if (n)
    qsort(list, n, sizeof *list, by_number);
  for (size_t i = 0; i < n; i++)
    if (!kept || list[kept - 1] != list[i])
      list[kept++] = list[i];
  *out = list;
  return kept;
}

str compile_native_symbol(const struct compile *c, uint32_t request) {
  return c->natives->requests.list[request].symbol;
}

struct link_input compile_native_input(const struct compile *c, uint32_t request) {
  const struct native_code *n = &c->natives->code[request];
  return (struct link_input){.kind = LINK_LTOIR,
                             .name = n->name,
                             .bytes = {(const char *)n->ltoir.p, n->ltoir.n},
                             .arch = {.cc = c->archs[0].cc},
                             .own = true};
}
