# mirdc: builds, tests and installs. `make help` lists the targets.
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

MODE ?= release
B ?= build
O := $(B)/obj/$(MODE)
BIN := $(B)/bin
LIB := $(B)/lib
prefix ?= /usr/local
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
mandir ?= $(prefix)/share/man
datadir ?= $(prefix)/share
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
LLVM_CONFIG ?= llvm-config-14
PKG_CONFIG ?= pkg-config
PYTHON ?= /usr/bin/python3
VERSION := 0.1.0
# V=1 shows whole commands.
SAY = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$@';)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
  -Wundef -Wvla -Wformat=2 -Wwrite-strings -Wcast-qual -Wimplicit-fallthrough
ifdef CI
WARN += -Werror
endif
OPT_release := -O2 -g
OPT_debug := -O0 -g3 -DMIRDC_DEBUG
OPT_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
  -DMIRDC_DEBUG
OPT_cov := -O0 -g --coverage
ifeq ($(OPT_$(MODE)),)
$(error MODE must be one of debug, release, asan, cov)
endif
LD_asan := -fsanitize=address,undefined
LD_cov := --coverage
LLVM_INC = $(shell $(LLVM_CONFIG) --includedir)
LLVM_LIBS = $(shell $(LLVM_CONFIG) --ldflags --libs)
# The lowering takes the parts of LLVM that it uses out of the archives where they are installed: loading all of
# libLLVM takes longer than compiling a small kernel.
LLVM_PARTS := core passes analysis target
LLVM_LOWER = $(if $(shell $(LLVM_CONFIG) --link-static --libs $(LLVM_PARTS) 2>/dev/null),$(shell $(LLVM_CONFIG) \
  --link-static --ldflags --libs --system-libs $(LLVM_PARTS)) -lstdc++ -Xlinker --gc-sections,$(LLVM_LIBS))
CPP := -I. -isystem /usr/include/cjson -D_GNU_SOURCE -DMIRDC_VERSION='"$(VERSION)"'
ALL_CFLAGS := -std=c17 $(WARN) $(OPT_$(MODE)) -fPIC -fvisibility=hidden -MMD -MP $(CPP) $(CFLAGS)
ALL_LDFLAGS := $(LD_$(MODE)) $(LDFLAGS)
# Bits of every program: JSON floor, digests, compression, dlopen.
LIBS := -lcjson -lcrypto -lzstd -ldl -lpthread -lm

src = $(wildcard $(1)/*.c)
obj = $(patsubst %.c,$(O)/%.o,$(1))
SRC_base := $(call src,base)
SRC_ll := $(wildcard ir/ll*.c)
SRC_ir := $(filter-out $(SRC_ll),$(call src,ir))
SRC_callbacks := $(call src,callbacks)
SRC_linkers := $(call src,linkers)
SRC_lib := bundles/libmirdc.c $(wildcard bundles/cuda*.c)
SRC_bundles := $(filter-out $(SRC_lib),$(call src,bundles))
SRC_emulator := $(call src,emulator)
MAIN_mirdc := driver/main.c
MAIN_read := driver/read_main.c
SRC_driver := $(filter-out $(MAIN_mirdc) $(MAIN_read),$(call src,driver))
MAIN_rustc := cargo-integration/rustc/main.c
SRC_rustc := $(filter-out $(MAIN_rustc),$(call src,cargo-integration/rustc))
MAIN_cargo := cargo-integration/cargo-mirdc/main.c
SRC_cargo := $(filter-out $(MAIN_cargo),$(call src,cargo-integration/cargo-mirdc))
UNIT_SRC := $(wildcard test/unit/test_*.c)
UNIT := $(patsubst test/unit/%.c,$(O)/unit/%,$(UNIT_SRC))
# Unit tests that run the lowering link LLVM; the others must not need it.
UNIT_LL := $(filter $(O)/unit/test_ll%,$(UNIT))
FUZZ_SRC := $(wildcard test/fuzz/fuzz_*.c)
FUZZ := $(patsubst test/fuzz/%.c,$(O)/fuzz/%,$(FUZZ_SRC))

ARCHIVES := base ir callbacks linkers bundles emulator driver rustc cargo lib
$(foreach a,$(ARCHIVES),$(eval A_$(a) := $(O)/lib$(a).a))
$(foreach a,$(ARCHIVES),$(eval $(A_$(a)): $(call obj,$(SRC_$(a)))))
DRIVER_LIBS := $(A_driver) $(A_bundles) $(A_linkers) $(A_callbacks) $(A_ir) $(A_base)

PROGRAMS := $(BIN)/mirdc $(BIN)/mirdc-read $(BIN)/mirdc-rustc $(BIN)/cargo-mirdc
SHARED := $(LIB)/libmirdc-lower.so $(LIB)/libmirdc.so.0 $(LIB)/libmirdc-emu.so.0

.PHONY: all
all: $(PROGRAMS) $(SHARED)

$(O)/.flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)' > $@
.PHONY: FORCE
FORCE:

$(O)/ir/ll%.o: ir/ll%.c $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,CC)$(CC) $(ALL_CFLAGS) -isystem $(LLVM_INC) -c -o $@ $<
$(O)/emulator/%.o: emulator/%.c $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,CC)$(CC) $(ALL_CFLAGS) -isystem $(LLVM_INC) -c -o $@ $<
$(O)/%.o: %.c $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,CC)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(foreach a,$(ARCHIVES),$(A_$(a))):
	@mkdir -p $(@D)
	@rm -f $@
	$(if $(V),,@)ar rcs $@ $^

# The mode of the linked programs is remembered, so that switching modes relinks them.
$(B)/.mode: FORCE
	@mkdir -p $(B) $(BIN) $(LIB)
	@echo '$(MODE) $(CC)' | cmp -s - $@ || echo '$(MODE) $(CC)' > $@

$(BIN)/mirdc: $(call obj,$(MAIN_mirdc)) $(DRIVER_LIBS) $(B)/.mode
	$(call SAY,LD)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS)
$(BIN)/mirdc-read: $(call obj,$(MAIN_read)) $(DRIVER_LIBS) $(B)/.mode
	$(call SAY,LD)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS)
$(BIN)/mirdc-rustc: $(call obj,$(MAIN_rustc)) $(A_rustc) $(A_base) $(B)/.mode
	$(call SAY,LD)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS)
$(BIN)/cargo-mirdc: $(call obj,$(MAIN_cargo)) $(A_cargo) $(A_base) $(B)/.mode
	$(call SAY,LD)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS)
$(LIB)/libmirdc-lower.so: $(call obj,$(SRC_ll)) $(A_ir) $(A_base) $(B)/.mode
	$(call SAY,LD)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,libmirdc-lower.so -Wl,--version-script=ir/lower.map \
	  -o $@ $(filter %.o %.a,$^) -Wl,--as-needed $(LLVM_LOWER) $(LIBS)
$(LIB)/libmirdc.so.0: $(call obj,$(SRC_lib)) $(A_bundles) $(A_base) $(B)/.mode
	$(call SAY,LD)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,libmirdc.so.0 -Wl,--version-script=bundles/libmirdc.map \
	  -o $@ $(filter %.o %.a,$^) $(LIBS)
	ln -sf libmirdc.so.0 $(LIB)/libmirdc.so

$(LIB)/libmirdc-emu.so.0: $(call obj,$(SRC_emulator) $(SRC_ll)) $(A_ir) $(A_base) $(B)/.mode
	$(call SAY,LD)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,libmirdc-emu.so.0 -Wl,--version-script=emulator/emu.map \
	  -o $@ $(filter %.o %.a,$^) $(LLVM_LIBS) $(LIBS)
	ln -sf libmirdc-emu.so.0 $(LIB)/libmirdc-emu.so

$(O)/unit/test_ll%: test/unit/test_ll%.c $(call obj,$(SRC_ll)) $(DRIVER_LIBS) $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,LD)$(CC) $(ALL_CFLAGS) -isystem $(LLVM_INC) $(ALL_LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) \
	  $(LLVM_LIBS) -lcmocka $(LIBS)
$(O)/unit/test_pass%: test/unit/test_pass%.c $(A_rustc) $(A_base) $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.c %.a,$^) -lcmocka $(LIBS)
$(O)/unit/test_cargo%: test/unit/test_cargo%.c $(A_cargo) $(A_base) $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.c %.a,$^) -lcmocka $(LIBS)
$(O)/unit/test_emu_%: test/unit/test_emu_%.c $(A_emulator) $(A_ir) $(A_base) $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.c %.a,$^) -lcmocka $(LIBS)
$(O)/unit/test_check_%: test/unit/test_check_%.c $(A_emulator) $(A_ir) $(A_base) $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.c %.a,$^) -lcmocka $(LIBS)
$(O)/unit/test_%: test/unit/test_%.c $(A_lib) $(DRIVER_LIBS) $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.c %.a,$^) -lcmocka $(LIBS)
$(O)/fuzz/fuzz_%: test/fuzz/fuzz_%.c test/fuzz/replay.c $(A_rustc) $(DRIVER_LIBS) $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.c %.a,$^) $(LIBS)

# Runs functions of a dump on this CPU, for test/exec.
EXEC := $(O)/exec/run_pmir $(O)/exec/run_emulator $(O)/exec/emulated/libmirdc.so.0
$(O)/exec/run_pmir: test/exec/run_pmir.c $(call obj,$(SRC_ll)) $(A_ir) $(A_base) $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,LD)$(CC) $(ALL_CFLAGS) -isystem $(LLVM_INC) $(ALL_LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) \
	  $(LLVM_LIBS) $(LIBS)
# libmirdc for host programs that run in the emulator.
$(O)/exec/emulated/libmirdc.so.0: test/exec/emu_libmirdc.c $(LIB)/libmirdc-emu.so.0 $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -Wl,-soname,libmirdc.so.0 -o $@ $(filter %.c %.so.0,$^) \
	  -Wl,-rpath,$(abspath $(LIB))
	ln -sf libmirdc.so.0 $(@D)/libmirdc.so
$(O)/exec/run_emulator: test/exec/run_emulator.c $(LIB)/libmirdc-emu.so.0 $(O)/.flags
	@mkdir -p $(@D)
	$(call SAY,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.c %.so.0,$^) -Wl,-rpath,$(abspath $(LIB))

.PHONY: unit fuzz-replay
unit: $(UNIT)
fuzz-replay: $(FUZZ)

# The fast set. Prints one line per failure and closes with "N passed, N failed".
.PHONY: check check-all
check: all $(UNIT) $(FUZZ) $(EXEC)
	$(PYTHON) test/run.py --build $(B) --obj $(O) --fast
check-all: all $(UNIT) $(FUZZ) $(EXEC)
	$(PYTHON) test/run.py --build $(B) --obj $(O)

# The parts that a sanitizer can look into, under ASan and UBSan, in a build folder of their own.
# It lies where build does, since programs look for the crates of the tree beside it. -all takes the
# scripts too, which run the sanitized programs under cargo and on many inputs; ONLY= picks some.
.PHONY: check-asan check-asan-all check-asan-run
check-asan:
	@$(MAKE) --no-print-directory MODE=asan B=$(B)-asan KINDS=unit,golden,fuzz check-asan-run
check-asan-all:
	@$(MAKE) --no-print-directory MODE=asan B=$(B)-asan KINDS=unit,golden,fuzz,e2e,exec check-asan-run
check-asan-run: all $(UNIT) $(FUZZ) $(EXEC)
	$(PYTHON) test/run.py --build $(B) --obj $(O) --kinds $(KINDS) --fast --only '$(ONLY)'

-include test/more.mk

.PHONY: clean
clean:
	rm -rf $(B)

-include $(shell find $(O) -name '*.d' 2>/dev/null)
