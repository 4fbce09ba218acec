/* Foreign dumps: from the roots to the text of a prepared dump. */
#include "ir/smir.h"

#include "ir/smir_impl.h"

static const char *const split[] = {"allocs", "functions", "items", "types", "spans", NULL};

/* ---- outline ---- */

static bool take_member(struct smir *s, const char *name, const struct json_member **out) {
  *out = json_member(&s->o, str_from(name));
  if (*out && ((*out)->elems || s->t.text.p[(*out)->value.lo] == '['))
    return true;
  struct diag *d =
      json_error_at(&s->t, MD0851, *out ? (*out)->value.lo : s->t.text.n, STR_NULL,
                    *out ? "/%s: expected an array" : "the member `%s` is missing", name);
  diag_help(d,
            "give a file that stable-mir-json has made; docs/foreign-dumps.md names the versions");
  return false;
}

static bool missing(struct smir *s, const char *name) {
  json_error_at(&s->t, MD0851, s->t.text.n, STR_NULL, "the member `%s` is missing", name);
  return false;
}

static bool check_machine(struct smir *s) {
  const struct json_member *m = json_member(&s->o, STR("machine"));
  struct json_at root, width;
  str endian;
  uint64_t bits;
  if (!m)
    return missing(s, "machine");
  if (!sm_parse(s, m->value, &s->scratch, STR("/machine"), &root) ||
      !json_get_str(&root, "endian", &s->scratch, &endian) ||
      !json_get(&root, "pointer_width", &width) ||
      !json_get_u64(&width, "num_bits", UINT64_MAX, &bits))
    return false;
  if (str_eqz(endian, "Little") && bits == 64)
    return true;
  struct diag *d = json_error_code(&root, MD0206, "the dump is of a %llu-bit %.*s-endian target",
                                   (unsigned long long)bits, STR_ARG(endian));
  diag_help(d, "GPUs have 64-bit pointers and are little-endian: compile for a host like that");
  return false;
}

static bool read_outline(struct smir *s) {
  return json_scan(&s->t, &s->a, split, &s->o) && take_member(s, "allocs", &s->allocs) &&
         take_member(s, "functions", &s->functions) && take_member(s, "items", &s->items_m) &&
         take_member(s, "types", &s->types) && take_member(s, "spans", &s->spans) &&
         check_machine(s) && sm_read_tables(s);
}

/* ---- drop glue ---- */

static bool is_glue(str name) {
  return str_starts(name, STR("core::ptr::drop_in_place::<")) ||
         str_starts(name, STR("std::ptr::drop_in_place::<"));
}

static bool find_glue(struct smir *s) {
  for (size_t i = 0; i < s->items.n; i++) {
    struct sm_item *it = s->items.p[i];
    if (it->kind != SM_FN || !is_glue(it->name))
      continue;
    if (it->body.lo == it->body.hi) {
      s->glue_is_missing = true;
      continue;
    }
    if (!sm_signature(s, it))
      return false;
    if (it->n_args == 1 && it->args[0]->kind == SM_PTR)
      (void)sm_insert(s, &s->glue, it->args[0]->elem->id, (uint32_t)i);
  }
  for (size_t i = 0; i < s->functions->n_elems; i++) {
    str text = str_sub(s->t.text, s->functions->elems[i].lo, s->functions->elems[i].hi);
    size_t at = str_find(text, STR("drop_in_place"), 0), open = str_rfind_char(text, ':');
    size_t lo = at == SIZE_MAX ? SIZE_MAX : str_find_char(text, '"', open);
    if (lo == SIZE_MAX)
      continue;
    str symbol = str_sub(text, lo + 1, str_find_char(text, '"', lo + 1));
    if (!map_get(&s->item_symbols, symbol))
      s->glue_is_missing = true;
  }
  return true;
}

/* ---- roots ---- */

static bool names_root(const struct sm_item *it, str path) {
  if (it->kind != SM_FN)
    return false;
  if (str_eq(it->name, path) || str_eq(it->symbol, path))
    return true;
  return it->name.n > path.n + 2 && str_ends(it->name, path) &&
         it->name.p[it->name.n - path.n - 1] == ':';
}

static bool legal_symbol(str s) {
  for (size_t i = 0; i < s.n; i++) {
    char c = s.p[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
    if (!letter && (i == 0 || c < '0' || c > '9'))
      return false;
  }
  return s.n > 0;
}

static bool bad_root(struct smir *s, str path, const char *why) {
  struct diag *d = diag_error(s->sink, MD0852, SPAN_NONE, "`%.*s` %s", STR_ARG(path), why);
  size_t shown = 0;
  for (size_t i = 0; i < s->items.n && shown < 8; i++) {
    const struct sm_item *it = s->items.p[i];
    if (it->kind != SM_FN || sm_in_std(it->name) || it->name.p[0] == '<')
      continue;
    diag_note(d, "the dump has `%.*s`", STR_ARG(it->name));
    shown++;
  }
  diag_help(d, "name a function of the dump with its path, `--entry PATH=NAME`");
  return false;
}

static bool find_root(struct smir *s, const struct smir_root *r, struct sm_item **out) {
  *out = NULL;
  for (size_t i = 0; i < s->items.n; i++) {
    struct sm_item *it = s->items.p[i];
    if (!names_root(it, r->path))
      continue;
    bool exact = str_eq(it->name, r->path);
    if (*out && !exact && !str_eq((*out)->name, r->path))
      return bad_root(s, r->path, "names several functions of the dump");
    if (!*out || exact)
      *out = it;
  }
  if (!*out)
    return bad_root(s, r->path, "is no function of the dump");
  if ((*out)->body.lo == (*out)->body.hi)
    return bad_root(s, r->path, "has no body in the dump");
  return true;
}

static str last_part(str path) {
  for (size_t i = path.n; i > 0; i--)
    if (path.p[i - 1] == ':')
      return str_drop(path, i);
  return path;
}

static bool take_roots(struct smir *s) {
  struct smir_root *roots = arena_array(&s->a, struct smir_root, s->opt->n_roots);
  uint32_t n;
  for (size_t i = 0; i < s->opt->n_roots; i++) {
    struct sm_item *it;
    roots[i] = s->opt->roots[i];
    if (!roots[i].name.n)
      roots[i].name = last_part(roots[i].path);
    if (!find_root(s, &roots[i], &it))
      return false;
    bool fresh;
    (void)map_put(&s->symbols, roots[i].name, &fresh);
    if (!legal_symbol(roots[i].name) || !fresh || it->root)
      return bad_root(s, roots[i].name,
                      it->root ? "is taken twice"
                      : fresh  ? "is no symbol"
                               : "is the name of two");
    it->root = &roots[i];
    (void)sm_need_fn(s, it, &n);
  }
  if (s->opt->n_roots)
    return true;
  struct diag *d =
      diag_error(s->sink, MD0852, SPAN_NONE, "no function of the dump is named as a kernel");
  diag_help(d, "a foreign dump has no marks: add `--entry PATH=NAME`");
  return false;
}

/* ---- kernels ---- */

static const char *pass_of(const struct sm_type *t) {
  if (t->size == 0)
    return "zst";
  switch (t->kind) {
  case SM_INT:
  case SM_FLOAT:
  case SM_BOOL:
  case SM_CHAR:
    return "scalar";
  case SM_PTR:
    if (!t->wide)
      return t->ref ? NULL : "pointer";
    return t->elem->kind == SM_SLICE ? "slice" : NULL;
  case SM_STRUCT:
    if (str_starts(t->name, STR("mirdc::PerThread<")) || str_starts(t->name, STR("mirdc::Buffer<")))
      return "slice";
    return "aggregate";
  case SM_TUPLE:
  case SM_ARRAY:
  case SM_ENUM:
  case SM_UNION:
    return "aggregate";
  case SM_UNKNOWN:
  case SM_STR:
  case SM_NEVER:
  case SM_SLICE:
  case SM_DYN:
  case SM_OPAQUE:
  case SM_CLOSURE:
  case SM_FNPTR:
    break;
  }
  return NULL;
}

static void write_param_fields(struct smir *s, struct jsonw *w, const struct sm_type *t) {
  jw_key(w, "fields");
  jw_array(w);
  for (uint32_t i = 0; (t->kind == SM_STRUCT || t->kind == SM_TUPLE) && i < t->n_fields; i++) {
    if (!sm_load(s, t->fields[i]))
      continue;
    jw_object(w);
    jw_kstr(w, "name", arena_printf(&s->scratch, "%u", i));
    jw_ku64(w, "off", t->offs[i]);
    jw_ku64(w, "size", t->fields[i]->size);
    jw_ku64(w, "align", t->fields[i]->align);
    jw_end_object(w);
  }
  jw_end_array(w);
}

/* A name by its position, from the function's debug information. */
static str param_name(struct smir *s, const struct json_at *body, uint32_t i) {
  struct json_at vars, e, v;
  uint32_t at;
  str name = STR_NULL;
  if (!json_opt(body, "var_debug_info", &vars) || !vars.node)
    return name;
  JSON_EACH(&vars, e) {
    if (json_opt(&e, "argument_index", &v) && v.node && json_u32(&v, UINT32_MAX, &at) &&
        at == i + 1 && json_get_str(&e, "name", &s->scratch, &name))
      break;
  }
  return name;
}

static bool write_param(struct smir *s, struct sm_item *it, const struct json_at *body,
                        uint32_t i) {
  struct jsonw *w = &s->kernels;
  struct sm_type *t = it->args[i];
  if (!sm_load(s, t) || (t->kind == SM_PTR && !sm_load(s, t->elem)))
    return false;
  const char *pass = pass_of(t);
  str name = param_name(s, body, i);
  if (!name.n)
    name = arena_printf(&s->scratch, "arg%u", i);
  if (!pass) {
    struct diag *d = sm_error(s, MD0857,
                              "the parameter `%.*s` of type `%.*s` cannot be passed to a "
                              "kernel",
                              STR_ARG(name), STR_ARG(sm_label(s, t)));
    diag_help(d,
              "pass numbers, slices, raw pointers or structs of these; docs/abi.md has the list");
    return false;
  }
  jw_object(w);
  jw_kstr(w, "name", name);
  jw_ku64(w, "ty", sm_number(s, t));
  jw_kz(w, "pass", pass);
  jw_ku64(w, "size", t->size);
  jw_ku64(w, "align", t->align);
  write_param_fields(s, w, t);
  jw_end_object(w);
  return true;
}

static bool write_kernel(struct smir *s, struct sm_item *it) {
  struct jsonw *w = &s->kernels;
  struct json_at body;
  uint64_t span;
  s->at = it;
  s->at_span = SM_NONE;
  if (!sm_signature(s, it) || !sm_parse_item(s, it, &body) ||
      !json_get_u64(&body, "span", UINT64_MAX, &span))
    return false;
  s->at_span = (uint32_t)span;
  if (it->ret->size != 0) {
    struct diag *d = sm_error(s, MD0857, "the kernel `%.*s` returns a value", STR_ARG(it->name));
    diag_help(d, "write results through a slice or a pointer");
    return false;
  }
  jw_object(w);
  jw_ku64(w, "fn", it->pm);
  jw_kstr(w, "name", it->root->name);
  jw_kstr(w, "path", it->name);
  jw_key(w, "span");
  uint32_t at = sm_span(s, span);
  if (at == SM_NONE)
    jw_null(w);
  else
    jw_u64(w, at);
  jw_ku64(w, "protocol", 0);
  jw_key(w, "params");
  jw_array(w);
  for (uint32_t i = 0; i < it->n_args; i++)
    if (!write_param(s, it, &body, i))
      return false;
  jw_end_array(w);
  jw_key(w, "launch");
  jw_object(w);
  jw_end_object(w);
  jw_end_object(w);
  return true;
}

/* ---- all of it ---- */

/* Functions need memory, memory needs functions and statics. */
static bool write_queues(struct smir *s) {
  size_t fn = 0, mem = 0, st = 0;
  bool ok = true;
  while (fn < s->fn_queue.n || mem < s->alloc_queue.n || st < s->static_queue.n) {
    if (fn < s->fn_queue.n)
      ok = sm_write_fn(s, s->fn_queue.p[fn++]);
    else if (st < s->static_queue.n)
      ok = sm_write_static(s, s->static_queue.p[st++]);
    else
      ok = sm_write_alloc(s, mem++);
    if (!ok)
      return false;
  }
  for (size_t i = 0; i < s->fn_queue.n; i++) {
    struct sm_item *it = s->fn_queue.p[i];
    struct arena_mark mark = arena_save(&s->scratch);
    if (it->root && it->root->kernel && !write_kernel(s, it))
      return false;
    arena_rewind(&s->scratch, mark);
  }
  return true;
}

static void write_externs(struct smir *s, struct jsonw *w) {
  jw_array(w);
  for (size_t i = 0; i < s->externs.n; i++) {
    const struct sm_extern *x = &s->externs.p[i];
    jw_object(w);
    jw_kstr(w, "symbol", x->symbol);
    jw_kz(w, "abi", "c");
    jw_key(w, "args");
    jw_array(w);
    for (uint32_t k = 0; k < x->n_args; k++)
      jw_u64(w, sm_number(s, x->args[k]));
    jw_end_array(w);
    jw_ku64(w, "ret", sm_number(s, x->ret));
    if (x->noreturn)
      jw_kbool(w, "noreturn", true);
    jw_key(w, "span");
    uint32_t at = sm_span(s, x->span);
    if (at == SM_NONE)
      jw_null(w);
    else
      jw_u64(w, at);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static bool write_unit(struct smir *s, struct jsonw *w) {
  const struct json_member *m = json_member(&s->o, STR("name"));
  struct json_at root;
  str name;
  if (!m)
    return missing(s, "name");
  if (!sm_parse(s, m->value, &s->scratch, STR("/name"), &root) || !json_str(&root, &name))
    return false;
  jw_key(w, "unit");
  jw_object(w);
  jw_kstr(w, "crate", name);
  jw_kz(w, "edition", "");
  jw_kz(w, "opt_level", "");
  jw_kbool(w, "overflow_checks", s->opt->overflow_checks);
  jw_kbool(w, "debug_assertions", false);
  jw_key(w, "cfgs");
  jw_array(w);
  jw_end_array(w);
  jw_key(w, "features");
  jw_array(w);
  jw_end_array(w);
  jw_end_object(w);
  return true;
}

static void add_list(struct jsonw *w, const char *key, struct jsonw *list) {
  jw_end_array(list);
  jw_key(w, key);
  jw_raw(w, sb_str(&list->out));
  jw_newline(w);
}

static bool write_all(struct smir *s, struct jsonw *w) {
  struct jsonw externs;
  struct jsonw types;
  jw_init(&externs, false);
  jw_init(&types, false);
  write_externs(s, &externs);
  bool ok = sm_write_types(s, &types);
  jw_object(w);
  jw_kz(w, "schema", "pmir");
  jw_ku64(w, "version", 1);
  jw_key(w, "producer");
  jw_raw(w, STR("{\"tool\":\"mirdc " MIRDC_VERSION "\",\"rustc\":\"unknown (stable-mir-json)\","
                "\"flags\":[]}"));
  jw_key(w, "target");
  jw_raw(w, STR("{\"ptr_bits\":64,\"endian\":\"little\"}"));
  ok = ok && write_unit(s, w);
  add_list(w, "files", &s->files);
  add_list(w, "spans", &s->spans_w);
  jw_key(w, "types");
  jw_raw(w, sb_str(&types.out));
  jw_newline(w);
  jw_key(w, "externs");
  jw_raw(w, sb_str(&externs.out));
  add_list(w, "allocs", &s->mem);
  add_list(w, "statics", &s->statics);
  add_list(w, "fns", &s->fns);
  add_list(w, "kernels", &s->kernels);
  jw_end_object(w);
  jw_free(&externs);
  jw_free(&types);
  return ok;
}

static void open_lists(struct smir *s) {
  struct jsonw *all[] = {&s->fns, &s->mem, &s->statics, &s->spans_w, &s->files, &s->kernels};
  for (size_t i = 0; i < COUNT_OF(all); i++) {
    jw_init(all[i], false);
    jw_array(all[i]);
  }
}

static void release(struct smir *s) {
  struct jsonw *lists[] = {&s->fns, &s->mem, &s->statics, &s->spans_w, &s->files, &s->kernels};
  struct map *maps[] = {&s->type_map,      &s->type_ids,       &s->alloc_ids, &s->span_ids,
                        &s->item_symbols,  &s->static_defs,    &s->callees,   &s->glue,
                        &s->alloc_numbers, &s->extern_numbers, &s->symbols,   &s->file_numbers,
                        &s->span_numbers};
  for (size_t i = 0; i < COUNT_OF(lists); i++)
    jw_free(lists[i]);
  for (size_t i = 0; i < COUNT_OF(maps); i++)
    map_free(maps[i]);
  vec_free(&s->type_rows);
  vec_free(&s->items);
  vec_free(&s->type_queue);
  vec_free(&s->opaques);
  vec_free(&s->fn_queue);
  vec_free(&s->static_queue);
  vec_free(&s->alloc_queue);
  vec_free(&s->externs);
  arena_free(&s->scratch);
  arena_free(&s->a);
}

bool smir_prepare(str text, str path, const struct smir_options *o, struct diag_sink *sink,
                  struct strbuf *out) {
  struct smir s = {.t = {text, path, sink, MD0850, MD0851}, .sink = sink, .opt = o};
  struct jsonw w;
  const size_t errors = sink->errors;
  jw_init(&w, false);
  open_lists(&s);
  s.isize = sm_new_type(&s, SM_INT);
  s.isize->name = STR("isize");
  s.isize->bits = 64;
  s.isize->size = s.isize->align = 8;
  s.isize->is_signed = true;
  bool ok = read_outline(&s) && find_glue(&s) && take_roots(&s) && write_queues(&s) &&
            write_all(&s, &w) && sink->errors == errors;
  if (ok) {
    sb_add(out, sb_str(&w.out));
    sb_addc(out, '\n');
  }
  jw_free(&w);
  release(&s);
  return ok;
}
