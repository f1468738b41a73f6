# Makefile -- sets up, builds, runs and tests bp. `make help` lists the targets.
#
# BUILD=DIR   where everything goes (default build)      V=1        show the commands
# ISA=all     CPU kernels for every instruction set      WERROR=1   warnings are errors
# ISA=here    for each that this processor has; wide for its two widest; native (the default) for its widest
# INSTALL=no  print what would install a missing package instead of running it
# SANITIZE=address,undefined   instrument everything     COVERAGE=1 count the lines that ran

BUILD   ?= build
PREFIX  ?= /usr/local
comma   := ,
CC      ?= cc
OPT     ?= -O2
V       ?= 0
VERSION := $(shell cat VERSION)

MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
Q       := $(if $(filter 1,$V),,@)
say      = $(if $(filter 1,$V),,@printf '  %-8s %s\n' '$1' '$2')

WARN := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wfloat-conversion \
        $(if $(WERROR),-Werror)
INSTRUMENT := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer) \
              $(if $(COVERAGE),--coverage -fprofile-update=atomic -DBP_COVERAGE)
CFLAGS_ALL := -std=c11 -D_GNU_SOURCE -DBP_VERSION='"$(VERSION)"' $(OPT) -g -fopenmp -MMD -MP $(WARN) $(INSTRUMENT) $(CFLAGS)
INCLUDE := -Isrc -Icmd -I. -I$(BUILD)/gen

# CPU kernels: one object per file, instruction set and degree (degree 0: compiled once for all).
ARCH       := $(firstword $(subst -, ,$(MACHINE)))
FLAGS_base   := -DBP_LANES=2 -Wno-psabi
FLAGS_avx2   := -DBP_LANES=4 -march=x86-64-v3
FLAGS_avx512 := -DBP_LANES=8 -march=x86-64-v4 -mprefer-vector-width=512
ISA_ALL    := base $(if $(filter x86_64,$(ARCH)),avx2 avx512)
# What this processor has and this compiler knows.
has_isa     = $(shell grep -qw $2 /proc/cpuinfo 2>/dev/null && grep -qw $3 /proc/cpuinfo && \
                $(CC) $(FLAGS_$1) -E -x c /dev/null >/dev/null 2>&1 && echo $1)
ISA_HERE    = base $(if $(filter x86_64,$(ARCH)),$(call has_isa,avx2,avx2,bmi2) $(call has_isa,avx512,avx512f,avx512vl))
# A package runs elsewhere; check-all checks the two widest, and the plainest under sanitizers (below); mutants are of
# the plainest.
ISA_OF_deb       := all
ISA_OF_check-all := wide
ISA_OF_mutants   := base
ISA        ?= $(or $(firstword $(foreach goal,$(MAKECMDGOALS),$(ISA_OF_$(goal)))),native)
ISAS_native = $(lastword $(ISA_HERE))
ISAS_here   = $(ISA_HERE)
ISAS_wide   = $(lastword $(filter-out $(ISAS_native),$(ISA_HERE))) $(ISAS_native)
ISAS_all    = $(ISA_ALL)
ISAS       := $(or $(ISAS_$(ISA)),$(ISA))
KERNEL_OPT ?= -O3
# Of the two widest, the narrower is there to be checked: not optimised, in a folder of its own. -w: then the compiler
# warns of pragmas it does not heed.
PLAIN_ISA  := $(if $(filter wide,$(ISA)),$(filter-out $(ISAS_native),$(ISAS)))
plain       = $(if $(filter $1,$(PLAIN_ISA)),-O0 -w)
# So are kernels under sanitizers. Both have some degrees only: odd and even numbers of nodes, few and many, and each
# branch that kernels have for a degree.
SOME_DEGREES := 1 2 3 4 8 15
degrees_of  = $(if $(filter $1,$(PLAIN_ISA)),$(SOME_DEGREES),$(KERNEL_DEGREES))
kern        = $(BUILD)/kern/$1$(if $(call plain,$1),-plain)
# In kernels a trap tells what messages would: these double what there is to compile, and make 200 MB of data. What is
# left out the processor or AddressSanitizer finds.
INSTRUMENT_KERNEL := $(if $(SANITIZE),$(INSTRUMENT) -fsanitize-undefined-trap-on-error \
                       -fno-sanitize=null$(comma)object-size$(comma)pointer-overflow,$(INSTRUMENT))
CFLAGS_KERNEL := -std=c11 -D_GNU_SOURCE $(KERNEL_OPT) -g1 -ffp-contract=fast -fno-math-errno -fno-trapping-math \
                 -MMD -MP $(WARN) $(INSTRUMENT_KERNEL) $(CFLAGS)
KERNEL_C   := $(sort $(wildcard kernels/*/*.c))
# What variants of a folder share, compiled as they are.
KERNEL_SHARED := $(if $(KERNEL_C),$(sort $(wildcard kernels/*/shared/*.c)))
KERNEL_CU  := $(sort $(wildcard kernels/*/*.cu))
KERNEL_H   := $(sort $(wildcard kernels/*/*.h kernels/*/*/*.h))
KERNEL_IN  := $(KERNEL_C) $(KERNEL_CU) $(KERNEL_H) $(sort $(wildcard kernels/*/rungs)) kernels/best kernels/renamed
KERNEL_AT  := $(shell awk 'FNR == 1 { f = FILENAME; sub(/^kernels\//, "", f); sub(/\.c$$/, "", f) } \
    /^ \* degrees:/ { split($$3, w, /\.\./); if (/compiled once/) print f "@0"; \
                      else for (d = w[1]; d <= w[2]; ++d) print f "@" d; nextfile }' $(KERNEL_C) $(KERNEL_SHARED) /dev/null)
at_of       = $(if $(call degrees_of,$1),$(filter $(addprefix %@,0 $(call degrees_of,$1)),$(KERNEL_AT)),$(KERNEL_AT))
KERNEL_OBJ := $(foreach i,$(ISAS),$(patsubst %,$(call kern,$i)/%.o,$(call at_of,$i)))
# For registry.awk: "avx2@1@2 avx512", the degrees where not all are there.
empty      :=
ISAS_AT    := $(foreach i,$(ISAS),$i$(subst $(empty) ,,$(patsubst %,@%,$(call degrees_of,$i))))
# Quadrature points beyond the degree, of each folder of kernels: "bp1.0+2 bp5+1 ...".
BEYOND     := $(sort $(shell awk -F '"' '/^  X."bp/ { split($$5, w, /, */); of[$$2] = w[3]; print $$2 "+" w[3] } \
    /^    {"(bp|wave)/ { print $$8 "+" of[$$6] }' src/fem/operator.h src/fem/bake_off.c))
beyond      = $(patsubst $1+%,%,$(filter $1+%,$(BEYOND)))
at_file     = kernels/$(firstword $(subst @, ,$1)).c
at_folder   = $(firstword $(subst /, ,$1))
at_degree   = $(lastword $(subst @, ,$1))
at_entry    = bp_cpu_$(subst .,_,$(subst /,_,$(subst -,_,$(firstword $(subst @, ,$1)))))

# libyaml goes into the binary where its archive is installed, so that the binary runs elsewhere.
YAML   := $(firstword $(wildcard $(addsuffix /libyaml.a,/usr/lib/$(subst -pc-,-,$(MACHINE)) /usr/lib /usr/lib64 /usr/local/lib))  -lyaml)
# MPI is that of the first of these that finds its header; bp opens the result at run time.
MPICC  ?= $(shell for c in mpicc mpicc.mpich mpicc.openmpi; do \
            $$c -include mpi.h -E -x c /dev/null >/dev/null 2>&1 && echo $$c && break; done)
MPILIB := $(if $(MPICC),$(BUILD)/libbp_mpi.so)
LIBS   := $(YAML) -lm -ldl -lpthread

SRC    := $(filter-out src/comm/mpi/%,$(sort $(wildcard src/*/*.c src/*/*/*.c)))
OBJ    := $(SRC:%.c=$(BUILD)/obj/%.o)
CMD    := $(sort $(wildcard cmd/*.c cmd/*/*.c))
CMDOBJ := $(CMD:%.c=$(BUILD)/obj/%.o)
UNIT   := $(sort $(wildcard tests/unit/*.c))
UNITOBJ:= $(UNIT:%.c=$(BUILD)/obj/%.o)

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

$(BUILD)/libbp.a: $(OBJ) $(BUILD)/obj/registry.o $(BUILD)/obj/emulated.o $(KERNEL_OBJ)
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) rcs $@ $^

$(BUILD)/obj/%.o: %.c
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(INCLUDE) -c -o $@ $<

$(BUILD)/gen/registry.c: src/registry/registry.awk $(KERNEL_IN) $(BUILD)/gen/isas
	$(call say,GEN,$@)
	$Qmkdir -p $(@D) && awk -v isas='$(ISAS_AT)' -f $< $(KERNEL_IN) > $@

# Writes the text in $$text, unless it stands there already: what depends on it is then made again.
write_changed = mkdir -p $(@D) && if [ "$$text" != "$$(cat $@ 2>/dev/null)" ]; then printf '%s\n' "$$text" > $@; fi

# The choice of instruction sets and the set of kernel files.
$(BUILD)/gen/isas: FORCE
	@text='$(ISAS_AT) $(KERNEL_IN)'; $(write_changed)

# What this build is, for the records it will make.
$(BUILD)/gen/build.h: FORCE
	@git=$$(git describe --always --dirty 2>/dev/null || echo unknown); \
	text=$$(printf '/* Generated by the Makefile. */\n#define BP_GIT "%s"\n#define BP_FLAGS "%s"\n#define BP_SOURCE "%s"' "$$git" \
	  '$(strip $(OPT) $(INSTRUMENT) $(CFLAGS)); kernels $(KERNEL_OPT) for $(strip $(ISAS))$(PLAIN_ISA:%=$(comma) -O0 for %)' '$(CURDIR)'); $(write_changed)
$(BUILD)/obj/src/bench/environment.o $(BUILD)/obj/src/base/shipped.o: $(BUILD)/gen/build.h
$(BUILD)/obj/tests/unit/exact.o: INCLUDE += -Ikernels
.PHONY: FORCE

# The emulator's runtime, compiled where kernels are emulated: its text goes into the binary.
EMULATED := $(sort $(wildcard src/device/emulate/runtime/*.[ch]))
$(BUILD)/gen/emulated.c: src/device/emulate/runtime/embed.awk $(EMULATED)
	$(call say,GEN,$@)
	$Qmkdir -p $(@D) && awk -f $< $(EMULATED) > $@

$(BUILD)/obj/registry.o $(BUILD)/obj/emulated.o: $(BUILD)/obj/%.o: $(BUILD)/gen/%.c
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(INCLUDE) -c -o $@ $<

.SECONDEXPANSION:
define kernel_rule
$(call kern,$1)/%.o: $$$$(call at_file,$$$$*) kernels/abi/cpu.h
	$$(call say,CC,$$(call at_file,$$*) $1 N=$$(call at_degree,$$*))
	$Qmkdir -p $$(@D) && $(CC) $(CFLAGS_KERNEL) $(FLAGS_$1) $(call plain,$1) -Ikernels \
	  $$(if $$(filter-out 0,$$(call at_degree,$$*)),-DBP_N=$$(call at_degree,$$*) \
	    '-DBP_NC=(BP_N+$$(call beyond,$$(call at_folder,$$*)))') \
	  $$(if $$(filter kernels/$$(call at_folder,$$*)/shared/apply.c,$(KERNEL_SHARED)), \
	    -DBP_APPLY=bp_cpu_$$(call at_folder,$$*)_shared_apply_$1_n$$(call at_degree,$$*)) \
	  -DBP_ENTRY=$$(call at_entry,$$*)_$1_n$$(call at_degree,$$*) -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call kernel_rule,$i)))

$(BUILD)/unit: $(UNITOBJ) $(BUILD)/libbp.a
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ -lcunit $(LIBS)

# ---- what a person types ----

# As many jobs as processors, up to 16, unless make was told a number.
JOBS = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n < 16 ? n : 16))))

.PHONY: run test check-all check-gpu bench coverage format lint tidy docs info install deb
run: setup-run ## install what is missing, build, run configs/bp3.yaml on the GPU or else on the CPU
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/bp
	$(BUILD)/bp run configs/bp3.yaml

TESTED = $(addprefix $(BUILD)/,bp planted/bp unit) $(MPILIB)
test: setup-test ## install what is missing, build, run the tests (STAGES="unit cli" runs those)
	@$(MAKE) --no-print-directory $(JOBS) WERROR=1 $(TESTED)
	@MAKE='$(MAKE)' BUILD=$(BUILD) tests/run $(or $(STAGES),standard)

check-all: setup-check-all ## the tests, and the long ones: all degrees emulated, all rungs compiled, ends of options
	@$(MAKE) --no-print-directory $(JOBS) WERROR=1 ISA='$(ISA)' $(TESTED)
	@MAKE='$(MAKE)' BUILD=$(BUILD) tests/run $(or $(STAGES),standard long)

# Everything under sanitizers, built once for all stages that use it. Kernels are for one instruction set and not
# optimised.
ASAN = $(BUILD)/asan
.PHONY: asan
asan:
	@$(MAKE) --no-print-directory $(JOBS) BUILD=$(ASAN) SANITIZE=address,undefined OPT=-O1 KERNEL_OPT='-O0 -w' \
	  ISA=base KERNEL_DEGREES='$(SOME_DEGREES)' \
	  $(addprefix $(ASAN)/,bp planted/bp unit $(FUZZ:%=mutate_%))

check-gpu: setup-test ## what needs an NVIDIA GPU: the backend, all variants, compute-sanitizer
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/bp $(BUILD)/unit
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
          docs/ranks_model.py $(wildcard docs/*.md docs/*.json docs/results/* docs/figures/*/*.svg)
install: $(BUILD)/bp $(MPILIB) ## install bp, its meshes, configs, man page, completions and docs below PREFIX=/usr/local
	install -D -m 755 $(BUILD)/bp $(DESTDIR)$(PREFIX)/bin/bp
	$(if $(MPILIB),install -D -m 755 $(MPILIB) $(DESTDIR)$(PREFIX)/lib/bp/libbp_mpi.so)
	install -d $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions \
	  $(SHARE)/fish/vendor_completions.d
	$(BUILD)/bp help --format man > $(SHARE)/man/man1/bp.1
	$(BUILD)/bp help --format bash > $(SHARE)/bash-completion/completions/bp
	$(BUILD)/bp help --format zsh > $(SHARE)/zsh/site-functions/_bp
	$(BUILD)/bp help --format fish > $(SHARE)/fish/vendor_completions.d/bp.fish
	for f in $(PAGES); do install -D -m 644 $$f $(DOCS)/$$f || exit; done
	for f in $(wildcard configs/*.yaml meshes/*); do install -D -m 644 $$f $(SHARE)/bp/$$f || exit; done
	ln -sfn ../../bp/configs $(DOCS)/configs

# Of this machine's C library or a newer one.
DEB     = $(BUILD)/bp_$(VERSION)_$$(dpkg --print-architecture).deb
DEPENDS = libc6 (>= $$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)), libgomp1$(if $(filter -lyaml,$(YAML)),$(comma) libyaml-0-2)
deb: DESTDIR = $(BUILD)/deb
deb: PREFIX = /usr
deb: install ## a Debian package of what install installs: build/bp_VERSION_ARCHITECTURE.deb
	install -d $(BUILD)/deb/DEBIAN
	printf '%s\n' 'Package: bp' 'Version: $(VERSION)' 'Section: science' 'Maintainer: The bp developers <bp@localhost>' \
	  "Architecture: $$(dpkg --print-architecture)" "Depends: $(DEPENDS)" 'Suggests: g++, gmsh, librsvg2-bin' \
	  'Description: how fast the CEED bake-off operators and solves run, and which kernel gets there' \
	  > $(BUILD)/deb/DEBIAN/control
	dpkg-deb --root-owner-group --build $(BUILD)/deb "$(DEB)"
	rm -r $(BUILD)/deb

bench: setup-bench ## time reading meshes, beside Gmsh; connectivity and factors of 4,000,000 elements
	@$(MAKE) --no-print-directory bench-mesh bench-connectivity

coverage: setup-test ## which lines of src/ the unit and CLI tests and bp check reach
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/coverage COVERAGE=1 OPT=-O1 KERNEL_OPT=-O1 ISA=base \
	  $(addprefix $(BUILD)/coverage/,bp unit planted/bp $(notdir $(MPILIB)))
	@BUILD=$(BUILD)/coverage tests/coverage

info: ## what this build is made of
	@echo 'compiler   $(shell $(CC) --version | head -1)'
	@echo 'machine    $(MACHINE)'
	@echo 'flags      $(CFLAGS_ALL)'
	@echo 'kernels    $(CFLAGS_KERNEL)'
	@echo 'ISAs       $(ISAS)'
	@echo 'libyaml    $(YAML)'
	@echo 'sources    $(words $(SRC)) in src, $(words $(CMD)) in cmd, $(words $(KERNEL_C)) C and $(words $(KERNEL_CU)) CUDA kernels, $(words $(KERNEL_OBJ)) kernel objects'

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
-include $(OBJ:.o=.d) $(KERNEL_OBJ:.o=.d) $(CMDOBJ:.o=.d) $(UNITOBJ:.o=.d)
