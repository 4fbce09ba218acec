# Targets beside building and testing; included by the Makefile.
.PHONY: demo setup install uninstall headers layers lint docs golden update format tidy cov dist help

setup:
	@.ci/setup

# The main job on every example: installs what is missing, builds, compiles, prints.
demo: setup
	@$(MAKE) -s all
	@$(PYTHON) examples/demo.py --build $(B)

DOCS_MAN := $(wildcard docs/*.1)
CRATES := mirdc mirdc-macros mirdc-build mirdc-host
DESTDIR ?=
install: all
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)/mirdc $(DESTDIR)$(mandir)/man1 \
	  $(DESTDIR)$(prefix)/include $(DESTDIR)$(datadir)/mirdc/crates
	install -m 755 $(PROGRAMS) $(DESTDIR)$(bindir)
	install -m 755 $(LIB)/libmirdc-lower.so $(DESTDIR)$(libdir)/mirdc
	install -m 755 $(LIB)/libmirdc.so.0 $(DESTDIR)$(libdir)
	ln -sf libmirdc.so.0 $(DESTDIR)$(libdir)/libmirdc.so
	install -m 755 $(LIB)/libmirdc-emu.so.0 $(DESTDIR)$(libdir)
	ln -sf libmirdc-emu.so.0 $(DESTDIR)$(libdir)/libmirdc-emu.so
	install -m 644 bundles/mirdc.h $(DESTDIR)$(prefix)/include
	install -m 644 emulator/emu.h $(DESTDIR)$(prefix)/include/mirdc-emu.h
	$(if $(DOCS_MAN),install -m 644 $(DOCS_MAN) $(DESTDIR)$(mandir)/man1)
	for c in $(CRATES); do \
	  (cd cargo-integration && find $$c -path '*/target' -prune -o -type f -print) | while read -r f; do \
	    install -D -m 644 "cargo-integration/$$f" "$(DESTDIR)$(datadir)/mirdc/crates/$$f"; \
	  done; done
	(cd callbacks/providers && find . -type f) | while read -r f; do \
	  install -D -m 644 "callbacks/providers/$$f" "$(DESTDIR)$(datadir)/mirdc/providers/$$f"; done

uninstall:
	rm -f $(addprefix $(DESTDIR)$(bindir)/,$(notdir $(PROGRAMS))) \
	  $(DESTDIR)$(libdir)/libmirdc.so $(DESTDIR)$(libdir)/libmirdc.so.0 \
	  $(DESTDIR)$(libdir)/libmirdc-emu.so $(DESTDIR)$(libdir)/libmirdc-emu.so.0 \
	  $(DESTDIR)$(prefix)/include/mirdc.h $(DESTDIR)$(prefix)/include/mirdc-emu.h \
	  $(addprefix $(DESTDIR)$(mandir)/man1/,$(notdir $(DOCS_MAN)))
	rm -rf $(DESTDIR)$(libdir)/mirdc $(DESTDIR)$(datadir)/mirdc

# Each header compiles alone.
HEADERS := $(wildcard base/*.h ir/*.h callbacks/*.h linkers/*.h bundles/*.h driver/*.h emulator/*.h \
  cargo-integration/*/*.h)
headers:
	@for h in $(HEADERS); do \
	  $(CC) -std=c17 -Wall -Wextra -fsyntax-only -x c $(CPP) -isystem $(LLVM_INC) -include $$h /dev/null \
	    || { echo "header $$h does not compile alone"; exit 1; }; done

lint:
	@$(PYTHON) test/lint.py
layers:
	@$(PYTHON) test/lint.py layers closed_includes
docs:
	@$(PYTHON) test/gen_docs.py
golden:
	@BUILD=$(abspath $(B)) $(PYTHON) test/golden.py $(CASE)
update:
	@BUILD=$(abspath $(B)) $(PYTHON) test/golden.py --update $(CASE)
format:
	clang-format-14 -i $(shell git ls-files '*.c' '*.h')
tidy:
	clang-tidy-14 $(shell git ls-files '*.c') -- -std=c17 $(CPP) -isystem $(LLVM_INC)
cov:
	$(MAKE) MODE=cov B=$(B)-cov check
dist:
	git archive --prefix=mirdc-$(VERSION)/ -o mirdc-$(VERSION).tar.gz HEAD

help:
	@echo 'make            programs under $(B)/bin, libraries under $(B)/lib'
	@echo 'make demo       install what is missing, compile every example, print what came out'
	@echo 'make check      the fast tests; check-all: all of them'
	@echo 'make install    honours DESTDIR and prefix (now $(prefix))'
	@echo 'make docs lint headers layers golden update format tidy cov dist clean'
	@echo 'MODE=debug|release|asan|cov, CC=gcc|clang, CI=1 for -Werror'
