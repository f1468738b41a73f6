# Makefile -- sets up, builds, runs and tests bp. `make help` lists the targets.
#
# BUILD=DIR   where everything goes (default build)      V=1        show the commands
# INSTALL=no  print what would install a missing package instead of running it
# WERROR=1    warnings are errors                        COVERAGE=1 count the lines that ran
# SANITIZE=address,undefined   instrument everything     KERNEL_OPT='-O0 -w'   flags of CPU kernels, which bp compiles

BUILD   ?= build
PREFIX  ?= /usr/local
comma   := ,
CC      ?= cc
OPT     ?= -O2
V       ?= 0
VERSION := $(shell cat VERSION)

MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
Q       := $(if $(filter 1,$V),,@)
# On a terminal a line of what is compiled is overwritten by the next one.
line     = if [ -t 1 ]; then printf '\r\033[K'; fi
say      = $(if $(filter 1,$V),,@$(line); printf '  %-8s %s\n' '$1' '$2')
count    = $(eval DONE += x)$(if $(filter 1,$V),,@if [ -t 1 ]; then printf '\r  [%d/%d]' $(words $(DONE)) $(words $(ALL_OBJ)); fi)
# As many jobs as processors, up to 16, unless make was told a number.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n < 16 ? n : 16)))
endif

WARN := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wfloat-conversion \
        $(if $(WERROR),-Werror)
INSTRUMENT := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer) \
              $(if $(COVERAGE),--coverage -fprofile-update=atomic -DBP_COVERAGE)
CFLAGS_ALL := -std=c11 -D_GNU_SOURCE -DBP_VERSION='"$(VERSION)"' $(OPT) -g -fPIC -fvisibility=hidden -fopenmp -MMD -MP $(WARN) $(INSTRUMENT) $(CFLAGS)
INCLUDE := -Isrc -Icmd -I. -I$(BUILD)/gen

# In kernels a trap tells what messages would. What is left out the processor or AddressSanitizer finds.
KERNEL_OPT   ?= -O3
KERNEL_FLAGS := $(strip $(KERNEL_OPT) $(if $(SANITIZE),$(filter-out --coverage%,$(INSTRUMENT)) -fsanitize-undefined-trap-on-error \
                  -fno-sanitize=null$(comma)object-size$(comma)pointer-overflow) $(CFLAGS))
KERNEL_IN    := $(sort $(wildcard kernels/*/*.c kernels/*/*.cu kernels/*/*.h kernels/*/*/*.h kernels/*/rungs)) \
                kernels/best
ISAS         := base $(if $(filter x86_64-%,$(MACHINE)),avx2 avx512)

# libyaml goes into the binary where its archive is installed, so that the binary runs elsewhere.
YAML   := $(firstword $(wildcard $(addsuffix /libyaml.a,/usr/lib/$(subst -pc-,-,$(MACHINE)) /usr/lib /usr/lib64 /usr/local/lib))  -lyaml)
# MPI is that of the first of these that finds its header; bp opens the result at run time.
MPICC  ?= $(shell for c in mpicc mpicc.mpich mpicc.openmpi; do \
            $$c -include mpi.h -E -x c /dev/null >/dev/null 2>&1 && echo $$c && break; done)
MPILIB := $(if $(MPICC),$(BUILD)/libbp_mpi.so)
# The libCEED backend is built where libCEED is: CEED_DIR=DIR, or what pkg-config knows.
CEED   := $(if $(CEED_DIR),-I$(CEED_DIR)/include -L$(CEED_DIR)/lib -lceed,$(shell pkg-config --cflags --libs ceed 2>/dev/null))
CEEDLIB := $(if $(strip $(CEED)),$(BUILD)/libbp_ceed.so)
LIBS   := $(YAML) -lm -ldl -lpthread

SRC    := $(filter-out src/comm/mpi/% src/ceed/%,$(sort $(wildcard src/*/*.c src/*/*/*.c)))
OBJ    := $(SRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/registry.o $(BUILD)/obj/emulated.o
CMD    := $(sort $(wildcard cmd/*.c cmd/*/*.c))
CMDOBJ := $(CMD:%.c=$(BUILD)/obj/%.o)
UNIT   := $(sort $(wildcard tests/unit/*.c))
UNITOBJ:= $(UNIT:%.c=$(BUILD)/obj/%.o)
ALL_OBJ := $(OBJ) $(CMDOBJ) $(if $(findstring unit,$(MAKECMDGOALS)),$(UNITOBJ))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
.PHONY: all
all: $(BUILD)/bp $(MPILIB)

$(BUILD)/libbp_mpi.so: src/comm/mpi/bp_mpi.c src/comm/mpi/bp_mpi.h src/comm/comm.h
	$(call say,MPICC,$@)
	$Q$(MPICC) -std=c11 -O2 -g -fPIC -shared $(WARN) -Wno-stringop-overflow $(INCLUDE) -o $@ $<

$(BUILD)/bp: $(CMDOBJ) $(BUILD)/libbp.a
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS)

# What bp.h declares is all that others can link with.
.PHONY: lib
lib: $(BUILD)/libbp.so $(BUILD)/libbp.a $(CEEDLIB) ## the library: bp's operators and solves in other programs (src/bp.h)
$(BUILD)/libbp.so: $(OBJ)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -shared -Wl,-soname,libbp.so.0,-z,defs,--version-script=src/lib/libbp.map -o $@ $^ $(LIBS)
	$Qln -sf libbp.so $(BUILD)/libbp.so.0

$(BUILD)/libbp_ceed.so: $(wildcard src/ceed/*) src/bp.h $(BUILD)/libbp.so
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -shared -Isrc -o $@ $(filter %.c,$^) -L$(BUILD) -lbp -Wl,-rpath,'$$ORIGIN' $(CEED) -lm

$(BUILD)/libbp.a: $(OBJ)
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) rcs $@ $^

$(BUILD)/obj/%.o: %.c
	$(count)
	$Qmkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(INCLUDE) -c -o $@ $<

$(BUILD)/gen/registry.c: src/registry/registry.awk $(KERNEL_IN) $(BUILD)/gen/kernels
	$(call say,GEN,$@)
	$Qmkdir -p $(@D) && awk -f $< $(KERNEL_IN) > $@

# Writes the text in $$text, unless it stands there already: what depends on it is then made again.
write_changed = mkdir -p $(@D) && if [ "$$text" != "$$(cat $@ 2>/dev/null)" ]; then printf '%s\n' "$$text" > $@; fi

# The set of kernel files, and by what they are compiled.
$(BUILD)/gen/kernels: FORCE
	@text='$(KERNEL_IN) $(CC) $(KERNEL_FLAGS)'; $(write_changed)

# What this build is, for the records it will make and the kernels it will compile.
$(BUILD)/gen/build.h: FORCE
	@git=$$(git describe --always --dirty 2>/dev/null || echo unknown); \
	version=$$($(CC) --version 2>/dev/null | head -n 1 | cut -d ' ' -f 2-); \
	text=$$(printf '/* Generated by the Makefile. */\n#define BP_GIT "%s"\n#define BP_FLAGS "%s"\n#define BP_SOURCE "%s"\n' "$$git" \
	  '$(strip $(OPT) $(INSTRUMENT) $(CFLAGS)); kernels $(KERNEL_FLAGS)' '$(CURDIR)'; \
	  printf '#define BP_CC "%s"\n#define BP_CC_VERSION "%s"\n#define BP_KERNEL_FLAGS "%s"' '$(CC)' "$$version" '$(KERNEL_FLAGS)'); \
	$(write_changed)
$(addprefix $(BUILD)/obj/src/,bench/environment.o base/shipped.o device/cpu/cpu_build.o): $(BUILD)/gen/build.h
$(addprefix $(BUILD)/obj/,src/report/record.o src/comm/same.o src/bench/environment.o cmd/version.o cmd/cli/manual.o cmd/tune.o): VERSION
$(BUILD)/obj/tests/unit/exact.o: INCLUDE += -Ikernels
.PHONY: FORCE

# The emulator's runtime, compiled where kernels are emulated: its text goes into the binary.
EMULATED := $(sort $(wildcard src/device/emulate/runtime/*.[ch]))
$(BUILD)/gen/emulated.c: src/device/emulate/runtime/embed.awk $(EMULATED)
	$(call say,GEN,$@)
	$Qmkdir -p $(@D) && awk -f $< $(EMULATED) > $@

$(BUILD)/obj/registry.o $(BUILD)/obj/emulated.o: $(BUILD)/obj/%.o: $(BUILD)/gen/%.c
	$(count)
	$Qmkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(INCLUDE) -c -o $@ $<

$(BUILD)/unit: $(UNITOBJ) $(BUILD)/libbp.a
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ -lcunit $(LIBS)

# ---- what a person types ----

.PHONY: run test check-all check-gpu bench coverage format lint tidy docs info install deb dist
run: setup-run ## install what is missing, build, run configs/bp3.yaml on the GPU or else on the CPU
	@$(MAKE) --no-print-directory $(BUILD)/bp
	$(BUILD)/bp run configs/bp3.yaml

TESTED = $(addprefix $(BUILD)/,bp unit) $(MPILIB)
test: setup-test ## install what is missing, build, run the tests (STAGES="unit cli" runs those)
	@$(MAKE) --no-print-directory WERROR=1 $(TESTED)
	@MAKE='$(MAKE)' BUILD=$(BUILD) tests/run $(or $(STAGES),standard)

check-all: setup-check-all ## the tests, and the long ones: more degrees emulated, all rungs compiled, ends of options
	@$(MAKE) --no-print-directory WERROR=1 $(TESTED)
	@MAKE='$(MAKE)' BUILD=$(BUILD) tests/run $(or $(STAGES),standard long)

# Everything under sanitizers, built once for all stages that use it. Kernels are not optimised.
ASAN = $(BUILD)/asan
.PHONY: asan
asan:
	@$(MAKE) --no-print-directory BUILD=$(ASAN) SANITIZE=address,undefined OPT=-O1 KERNEL_OPT='-O0 -w' \
	  $(addprefix $(ASAN)/,bp unit $(FUZZ:%=mutate_%))

check-gpu: setup-test ## what needs an NVIDIA GPU: the backend, all variants, compute-sanitizer
	@$(MAKE) --no-print-directory $(BUILD)/bp $(BUILD)/unit
	@BUILD=$(BUILD) tests/device/run

# What a target lacks on this machine is installed first, and said so; INSTALL=no prints the command instead.
SETUPS := $(addprefix setup-,run test check-all bench lint bare)
.PHONY: $(SETUPS)
$(SETUPS): setup-%:
	@CC='$(CC)' CFLAGS='$(CFLAGS)' INSTALL='$(INSTALL)' ./setup.sh $*

format: ## put every C file into the project's style
	clang-format -i $(shell git ls-files '*.c' '*.h')

lint: ## style, layers, static analysis
	@tests/lint

tidy: ## the same, with all of the static analyzer (4 minutes)
	@tests/lint deep

docs: $(BUILD)/bp ## make again what is generated: docs/configuration.md, tables, figures
	$(BUILD)/bp help --format markdown > $(BUILD)/configuration.md
	mv $(BUILD)/configuration.md docs/configuration.md
	BP=$(BUILD)/bp docs/tables.py
	BP=$(BUILD)/bp docs/figures.sh

DOCS    = $(DESTDIR)$(PREFIX)/share/doc/bp
SHARE   = $(DESTDIR)$(PREFIX)/share
# What README and the docs name or link to.
PAGES   = README.md CHANGELOG.md CONTRIBUTING.md LICENSE $(KERNEL_IN) src/registry/layout.h docs/bp_records.py \
          docs/ranks_model.py src/bp.h $(wildcard docs/*.md docs/examples/* docs/*.json docs/results/* docs/figures/*/*.svg)
# See below; said before it is a prerequisite.
SHIPPED = $(BUILD)/shipped
SHIPPED_DEGREES = 1..15
install: $(BUILD)/bp lib $(MPILIB) $(SHIPPED)/made ## install bp, libbp, its meshes, configs, man page, completions and docs below PREFIX=/usr/local
	install -D -m 755 $(BUILD)/bp $(DESTDIR)$(PREFIX)/bin/bp
	$(if $(MPILIB),install -D -m 755 $(MPILIB) $(DESTDIR)$(PREFIX)/lib/bp/libbp_mpi.so)
	install -D -m 644 src/bp.h $(DESTDIR)$(PREFIX)/include/bp.h
	install -m 644 $(BUILD)/libbp.so $(DESTDIR)$(PREFIX)/lib/libbp.so.$(VERSION)
	ln -sfn libbp.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/libbp.so.0 && ln -sfn libbp.so.0 $(DESTDIR)$(PREFIX)/lib/libbp.so
	install -m 644 $(BUILD)/libbp.a $(DESTDIR)$(PREFIX)/lib/libbp.a
	install -d $(DESTDIR)$(PREFIX)/lib/cmake/bp
	sed 's/@VERSION@/$(VERSION)/' docs/packaging/bp-config.cmake > $(DESTDIR)$(PREFIX)/lib/cmake/bp/bp-config.cmake
	$(if $(CEEDLIB),install -m 755 $(CEEDLIB) $(DESTDIR)$(PREFIX)/lib/libbp_ceed.so)
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: bp' 'Description: operators and solves of the CEED bake-off problems' \
	  'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' 'Libs: -L$${prefix}/lib -lbp' \
	  'Libs.private: -lyaml -lgomp -ldl -lpthread -lm' > $(DESTDIR)$(PREFIX)/lib/pkgconfig/bp.pc
	rm -rf $(DESTDIR)$(PREFIX)/lib/bp/kernels && install -d $(DESTDIR)$(PREFIX)/lib/bp/kernels
	install -m 644 $(SHIPPED)/bp/kernel-* $(DESTDIR)$(PREFIX)/lib/bp/kernels
	install -d $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions \
	  $(SHARE)/fish/vendor_completions.d
	$(BUILD)/bp help --format man > $(SHARE)/man/man1/bp.1
	$(BUILD)/bp help --format bash > $(SHARE)/bash-completion/completions/bp
	$(BUILD)/bp help --format zsh > $(SHARE)/zsh/site-functions/_bp
	$(BUILD)/bp help --format fish > $(SHARE)/fish/vendor_completions.d/bp.fish
	for f in $(PAGES); do install -D -m 644 $$f $(DOCS)/$$f || exit; done
	for f in $(wildcard configs/*.yaml meshes/*); do install -D -m 644 $$f $(SHARE)/bp/$$f || exit; done
	ln -sfn ../../bp/configs $(DOCS)/configs

# CPU kernels of what `best` takes, in a cache of their own. Others are compiled where bp runs.
$(SHIPPED)/made: $(BUILD)/gen/kernels $(KERNEL_IN) src/device/cpu/cpu_build.c | $(BUILD)/bp
	$(call say,KERNELS,$(SHIPPED))
	$Qrm -rf $(SHIPPED) && mkdir -p -m 700 $(SHIPPED)
	$Qfor isa in $(ISAS); do \
	  env -u BP_CFLAGS -u CC XDG_CACHE_HOME=$(abspath $(SHIPPED)) XDG_CONFIG_HOME=$(abspath $(SHIPPED)) \
	    $(BUILD)/bp list --arch $$isa best --degrees $(SHIPPED_DEGREES) \
	    > $(SHIPPED)/$$isa || exit; done
	$Qtouch $@

# Of this machine's C library or a newer one.
DEB     = $(BUILD)/bp_$(VERSION)_$$(dpkg --print-architecture).deb
DEPENDS = libc6 (>= $$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)), libgomp1$(if $(filter -lyaml,$(YAML)),$(comma) libyaml-0-2)
deb: DESTDIR = $(BUILD)/deb
deb: PREFIX = /usr
deb: install ## a Debian package of what install installs: build/bp_VERSION_ARCHITECTURE.deb
	install -d $(BUILD)/deb/DEBIAN
	printf '%s\n' 'Package: bp' 'Version: $(VERSION)' 'Section: science' 'Maintainer: The bp developers <bp@localhost>' \
	  "Architecture: $$(dpkg --print-architecture)" "Depends: $(DEPENDS)" 'Recommends: gcc' 'Suggests: g++, gmsh, librsvg2-bin' \
	  'Description: how fast the CEED bake-off operators and solves run, and which kernel gets there' \
	  > $(BUILD)/deb/DEBIAN/control
	dpkg-deb --root-owner-group --build $(BUILD)/deb "$(DEB)"
	rm -r $(BUILD)/deb

dist: ## the sources as build/bp-VERSION.tar.gz, which builds without git
	$Qmkdir -p $(BUILD) && git archive --format=tar --prefix=bp-$(VERSION)/ HEAD | gzip -9n > $(BUILD)/bp-$(VERSION).tar.gz
	@echo $(BUILD)/bp-$(VERSION).tar.gz

bench: setup-bench ## time reading meshes, beside Gmsh; connectivity and factors of 4,000,000 elements
	@$(MAKE) --no-print-directory bench-mesh bench-connectivity

.PHONY: bench-aa
bench-aa: $(BUILD)/bp ## how often bp compare calls a build slower or faster than itself (RUNS=8 records)
	@BUILD=$(BUILD) tests/bench/compare aa $(BUILD)/aa $(or $(RUNS),8)

coverage: setup-test ## which lines of src/ the unit and CLI tests and bp check reach
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/coverage COVERAGE=1 OPT=-O1 \
	  $(addprefix $(BUILD)/coverage/,bp unit $(notdir $(MPILIB)))
	@BUILD=$(BUILD)/coverage tests/coverage

info: ## what this build is made of
	@echo 'compiler   $(shell $(CC) --version | head -1)'
	@echo 'machine    $(MACHINE)'
	@echo 'flags      $(CFLAGS_ALL)'
	@echo 'kernels    $(KERNEL_FLAGS)'
	@echo 'libyaml    $(YAML)'
	@echo 'sources    $(words $(SRC)) in src, $(words $(CMD)) in cmd, $(words $(wildcard kernels/*/*.c)) C and $(words $(wildcard kernels/*/*.cu)) CUDA kernels'

.PHONY: unit
unit: $(BUILD)/unit ## run the unit tests (ONLY=name runs those whose suite or name holds it)
	$Q$(BUILD)/unit $(ONLY)

.PHONY: clean
clean: ## remove what was built
	$Qrm -rf $(BUILD)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' Makefile $(wildcard tests/*/*.mk)

-include $(wildcard tests/*/*.mk)
-include $(OBJ:.o=.d) $(CMDOBJ:.o=.d) $(UNITOBJ:.o=.d)
