/* `mirdc emulate`, in parts: cmd_emulate.c has the course of it, emulate_args.c makes parameters
 * and buffers of the command line, emulate_value.c their contents. */
#ifndef MIRDC_DRIVER_EMULATE_H
#define MIRDC_DRIVER_EMULATE_H

#include "base/jsonw.h"
#include "driver/emulate_value.h"
#include "driver/session.h"
#include "emulator/emu.h"

/* libmirdc-emu.so, opened on demand. */
struct emu_api {
#define EMU_API(name) __typeof__(&mirdc_emu_##name) name;
#include "driver/emulate_api.def"
#undef EMU_API
};

/* Memory that the kernel was given, or a static: what --out can name. */
struct emu_buffer {
  str name;
  uint64_t address, size;
  const struct value_type *type; /* NULL: shown as bytes */
};

struct emulation {
  struct session *s;
  struct arena *arena;
  struct emu_api api;
  mirdc_emu *e;
  uint32_t number; /* of the kernel */
  mirdc_emu_kernel kernel;
  mirdc_emu_launch launch;
  uint8_t *params;
  VEC(struct emu_buffer) buffers;
};

/* Parameters and statics from --arg and --static. */
bool emulate_take_args(struct emulation *m) MUST_CHECK;
bool emulate_take_statics(struct emulation *m) MUST_CHECK;
/* --out: refuses unknown names before the launch; afterwards prints, writes, or adds to the report.
 */
bool emulate_check_outs(struct emulation *m) MUST_CHECK;
bool emulate_put_outs(struct emulation *m, struct jsonw *report) MUST_CHECK;

#endif
