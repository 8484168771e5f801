# make, make check, make install PREFIX= DESTDIR=; see make help.
# SAN=address,undefined builds everything again under build/san-…; DEV=1 makes warnings errors.

PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
CC      ?= cc
CFLAGS  ?= -O2 -g
SAN     ?=
DEV     ?=
V       ?=

VERSION := 0.1.0
comma   := ,
B       := build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))
Q       := $(if $(V),,@)

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
        -Wwrite-strings -Wvla -Wformat=2 -Wno-missing-field-initializers $(if $(DEV),-Werror)
OPTS := -std=gnu17 -fno-strict-aliasing -fstack-protector-strong \
        $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all,-D_FORTIFY_SOURCE=2)
CPPFLAGS_ALL := -D_GNU_SOURCE -DPROJECT_VERSION='"$(VERSION)"' -I. -I$(B)/gen $(CPPFLAGS)
CFLAGS_ALL   := $(OPTS) $(WARN) $(CFLAGS)
LDFLAGS_ALL  := $(if $(SAN),-fsanitize=$(SAN)) -Wl,--as-needed $(LDFLAGS)

# A program is a folder under cmd/ with a main.c; cmd/NAME/deps lists what it links, one name a line.
PROGRAMS := $(patsubst cmd/%/main.c,%,$(wildcard cmd/*/main.c))
BINARIES := $(PROGRAMS:%=$(B)/bin/%)
COMMON   := $(patsubst %.c,$(B)/obj/%.o,$(wildcard common/*/*.c))
LIB      := $(B)/lib/libcommon.a
PROTOS   := $(wildcard proto/*.proto)
PB_C     := $(PROTOS:proto/%.proto=$(B)/gen/proto/%.pb-c.c)
PB_O     := $(PB_C:$(B)/gen/%.c=$(B)/obj/gen/%.o)
PBLIB    := $(B)/lib/libproto.a
UNITS    := $(patsubst test/unit/%.c,$(B)/test/%,$(wildcard test/unit/*_test.c))

all: $(BINARIES)

include scripts/link.mk

.SECONDEXPANSION:
$(BINARIES): $(B)/bin/%: $$(addprefix $(B)/obj/,$$(addsuffix .o,$$(basename $$(wildcard cmd/$$*/*.c)))) $(LIB) $(PBLIB) cmd/%/deps
	@mkdir -p $(@D)
	$(Q)echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $(filter %.o,$^) $(LIB) $(call link,$(shell cat cmd/$*/deps))

$(LIB): $(COMMON)
$(PBLIB): $(PB_O)
$(LIB) $(PBLIB):
	@mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(B)/obj/%.o: %.c | $(PB_C)
	@mkdir -p $(@D)
	$(Q)echo "  CC    $<"
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

# Generated code is not ours to warn about.
$(B)/obj/gen/%.o: $(B)/gen/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -w -MMD -MP -c -o $@ $<

$(B)/gen/proto/%.pb-c.c: proto/%.proto
	@mkdir -p $(@D)
	$(Q)echo "  PB    $<"
	$(Q)protoc-c --c_out=$(B)/gen $<

# A unit test is test/unit/NAME_test.c. "// link: json-c" in its first lines adds libraries, and
# "// with: cmd/x/y.c" adds sources of a program.
$(UNITS): $(B)/test/%: test/unit/%.c $$(wildcard $$(shell sed -n 's,^// with: ,,p' test/unit/$$*.c)) $(LIB) $(PBLIB)
	@mkdir -p $(@D)
	$(Q)echo "  TEST  $@"
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -Wno-missing-prototypes -MMD -MP $(LDFLAGS_ALL) -o $@ $(filter %.c,$^) $(LIB) \
	    $(call link,$(shell sed -n 's,^// link: ,,p' test/unit/$*.c)) -lcmocka

check-unit: $(UNITS)
	$(Q)failed=0; for t in $(UNITS); do $$t || failed=1; done; exit $$failed

check:
	$(Q)SAN=$(SAN) ./scripts/check

# The sweeps that take too long for every change.
night: all
	$(Q)failed=0; for t in test/*/night; do ./$$t || failed=1; done; exit $$failed

# A fuzzer is test/fuzz/NAME_fuzz.c, with the same comments as a unit test; test/fuzz/seeds/NAME/ is its
# committed corpus. What it finds lands in build/fuzz/NAME.
FUZZERS      := $(patsubst test/fuzz/%.c,$(B)/fuzz/%,$(wildcard test/fuzz/*_fuzz.c))
FUZZ_SECONDS ?= 60

fuzz:
	$(Q)$(MAKE) --no-print-directory CC=clang-14 SAN=fuzzer-no-link,address,undefined run-fuzzers

$(FUZZERS): $(B)/fuzz/%: $(B)/obj/test/fuzz/%.o $$(addprefix $(B)/obj/,$$(addsuffix .o,$$(basename $$(wildcard $$(shell sed -n 's,^// with: ,,p' test/fuzz/$$*.c))))) $(LIB) $(PBLIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(LIB) \
	    $(call link,$(shell sed -n 's,^// link: ,,p' test/fuzz/$*.c))

run-fuzzers: $(FUZZERS)
	$(Q)for f in $(FUZZERS); do n=$$(basename $$f _fuzz); mkdir -p build/fuzz/$$n test/fuzz/seeds/$$n; \
	    $$f -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024 -print_final_stats=0 -verbosity=0 \
	        -artifact_prefix=build/fuzz/$$n- build/fuzz/$$n test/fuzz/seeds/$$n || exit 1; \
	    echo "fuzz $$n: $(FUZZ_SECONDS) s without a finding"; done

# Small programs that benchmarks need beside the real ones; gRPC is linked as it is in bes-recv.
BENCH_C := $(patsubst bench/%.c,$(B)/bench/%,$(wildcard bench/*.c))

$(BENCH_C): $(B)/bench/%: bench/%.c $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(LIB) \
	    $(call link,$(shell sed -n 's,^// link: ,,p' $<))

ARGS_bes-transport = $(BES_TRANSPORT_BENCHMARK_ARGS)
ARGS_bes-live      = $(BES_LIVE_BENCHMARK_ARGS)

bench-programs: all $(BENCH_C)

bench-%: bench-programs
	$(Q)./bench/$* $(BENCH_ARGS) $(ARGS_$*)

format:
	clang-format-14 -i $(shell git ls-files '*.c' '*.h')

install: all
	install -d $(DESTDIR)$(BINDIR)
	install -m 755 $(BINARIES) $(DESTDIR)$(BINDIR)
	for page in man/*.[157]; do s=$${page##*.}; install -d $(DESTDIR)$(MANDIR)/man$$s; \
	    install -m 644 $$page $(DESTDIR)$(MANDIR)/man$$s; done

uninstall:
	rm -f $(PROGRAMS:%=$(DESTDIR)$(BINDIR)/%)
	for page in man/*.[157]; do rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}; done

clean:
	rm -rf build

help:
	@echo "make                            build everything into build/bin"
	@echo "make check                      every test; ends with 'N passed, N failed'"
	@echo "make check-unit                 the unit tests only"
	@echo "make SAN=address,undefined check   the same under sanitizers, in build/san-address-undefined"
	@echo "make night                      the long sweeps: every kill, fault and power-cut point"
	@echo "make fuzz FUZZ_SECONDS=60       each fuzzer for a while (clang-14)"
	@echo "make install PREFIX= DESTDIR=   programs and man pages; make uninstall takes them away"
	@echo "make format                     clang-format over all sources"
	@echo "make bench-NAME                 a benchmark of bench/ (prints JSON): $(notdir $(filter-out %.c %.py,$(wildcard bench/*)))"
	@echo "make clean                      remove build/"

.PHONY: all check check-unit night fuzz run-fuzzers format install uninstall clean help bench-programs
# Generated sources are kept, so that a second make has nothing to do.
.SECONDARY: $(PB_C)
.DELETE_ON_ERROR:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
