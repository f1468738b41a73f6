# Makefile -- sets up, builds, runs and tests bp. `make help` lists the targets.
#
# BUILD=DIR   where everything goes (default build)      V=1        show the commands
# ISA=all     CPU kernels for every instruction set      WERROR=1   warnings are errors
# SANITIZE=address,undefined   instrument everything     COVERAGE=1 count the lines that ran

BUILD   ?= build
PREFIX  ?= /usr/local
CC      ?= cc
OPT     ?= -O2
V       ?= 0
ISA     ?= native
VERSION := $(shell cat VERSION)

MACHINE := $(shell $(CC) -dumpmachine)
Q       := $(if $(filter 1,$V),,@)
say      = $(if $(filter 1,$V),,@printf '  %-8s %s\n' '$1' '$2')

WARN := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wfloat-conversion \
        $(if $(WERROR),-Werror)
INSTRUMENT := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer) \
              $(if $(COVERAGE),--coverage -fprofile-update=atomic -DBP_COVERAGE)
CFLAGS_ALL := -std=c11 -D_GNU_SOURCE -DBP_VERSION='"$(VERSION)"' $(OPT) -g -fopenmp -MMD -MP $(WARN) $(INSTRUMENT) $(CFLAGS)
INCLUDE := -Isrc -I. -I$(BUILD)/gen

# CPU kernels: one object per file, instruction set and degree (degree 0: compiled once for all).
ARCH       := $(firstword $(subst -, ,$(MACHINE)))
ISA_HERE   := base $(if $(filter x86_64,$(ARCH)),$(shell \
              grep -qw avx2 /proc/cpuinfo 2>/dev/null && grep -qw bmi2 /proc/cpuinfo && echo avx2; \
              grep -qw avx512vl /proc/cpuinfo 2>/dev/null && echo avx512))
ISA_ALL    := base $(if $(filter x86_64,$(ARCH)),avx2 avx512)
ISAS       := $(if $(filter native,$(ISA)),$(ISA_HERE),$(if $(filter all,$(ISA)),$(ISA_ALL),$(ISA)))
FLAGS_base   := -DBP_LANES=2
FLAGS_avx2   := -DBP_LANES=4 -march=x86-64-v3
FLAGS_avx512 := -DBP_LANES=8 -march=x86-64-v4 -mprefer-vector-width=512
KERNEL_OPT ?= -O3
CFLAGS_KERNEL := -std=c11 -D_GNU_SOURCE $(KERNEL_OPT) -g1 -ffp-contract=fast -fno-math-errno -fno-trapping-math \
                 -MMD -MP $(WARN) $(INSTRUMENT) $(CFLAGS)
KERNEL_C   := $(sort $(wildcard kernels/*/*.c))
KERNEL_CU  := $(sort $(wildcard kernels/*/*.cu))
KERNEL_IN  := $(KERNEL_C) $(KERNEL_CU) $(sort $(wildcard kernels/*.h kernels/*/rungs) kernels/best)
KERNEL_AT  := $(shell awk 'FNR == 1 { f = FILENAME; sub(/^kernels\//, "", f); sub(/\.c$$/, "", f) } \
    /^ \* degrees:/ { split($$3, w, /\.\./); if (/compiled once/) print f "@0"; \
                      else for (d = w[1]; d <= w[2]; ++d) print f "@" d; nextfile }' $(KERNEL_C) /dev/null)
KERNEL_OBJ := $(foreach i,$(ISAS),$(KERNEL_AT:%=$(BUILD)/kern/$i/%.o))
at_file     = kernels/$(firstword $(subst @, ,$1)).c
at_degree   = $(lastword $(subst @, ,$1))
at_entry    = bp_cpu_$(subst .,_,$(subst /,_,$(subst -,_,$(firstword $(subst @, ,$1)))))

# libyaml goes into the binary where its archive is installed, so that the binary runs elsewhere.
YAML   := $(firstword $(wildcard $(addsuffix /libyaml.a,/usr/lib/$(subst -pc-,-,$(MACHINE)) /usr/lib /usr/lib64 /usr/local/lib))  -lyaml)
LIBS   := $(YAML) -lm -ldl -lpthread

SRC    := $(sort $(wildcard src/*/*.c))
OBJ    := $(SRC:%.c=$(BUILD)/obj/%.o)
CMD    := $(filter-out $(if $(wildcard src/mesh/box.c),,cmd/bench.c cmd/cases.c),$(sort $(wildcard cmd/*.c)))
CMDOBJ := $(CMD:%.c=$(BUILD)/obj/%.o)
UNIT   := $(sort $(wildcard tests/unit/*.c))
UNITOBJ:= $(UNIT:%.c=$(BUILD)/obj/%.o)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
.PHONY: all
all: $(BUILD)/bp

$(BUILD)/bp: $(CMDOBJ) $(BUILD)/libbp.a
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libbp.a: $(OBJ) $(BUILD)/obj/registry.o $(KERNEL_OBJ)
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) rcs $@ $^

$(BUILD)/obj/%.o: %.c
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(INCLUDE) -c -o $@ $<

$(BUILD)/gen/registry.c: src/kernel/registry.awk $(KERNEL_IN) $(BUILD)/gen/isas
	$(call say,GEN,$@)
	$Qmkdir -p $(@D) && awk -v isas='$(ISAS)' -f $< $(KERNEL_IN) > $@

# Rewritten only when the choice of instruction sets or the set of kernel files changes.
$(BUILD)/gen/isas: FORCE
	@mkdir -p $(@D) && echo '$(ISAS) $(KERNEL_IN)' | cmp -s - $@ || echo '$(ISAS) $(KERNEL_IN)' > $@
.PHONY: FORCE

$(BUILD)/obj/registry.o: $(BUILD)/gen/registry.c
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(INCLUDE) -c -o $@ $<

.SECONDEXPANSION:
define kernel_rule
$(BUILD)/kern/$1/%.o: $$$$(call at_file,$$$$*) kernels/cpu.h
	$$(call say,CC,$$(call at_file,$$*) $1 N=$$(call at_degree,$$*))
	$Qmkdir -p $$(@D) && $(CC) $(CFLAGS_KERNEL) $(FLAGS_$1) -Ikernels \
	  $$(if $$(filter-out 0,$$(call at_degree,$$*)),-DBP_N=$$(call at_degree,$$*)) \
	  -DBP_COLLOCATED=$$(if $$(filter bp3.5/%,$$*),1,0) \
	  -DBP_ENTRY=$$(call at_entry,$$*)_$1_n$$(call at_degree,$$*) -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call kernel_rule,$i)))

$(BUILD)/unit: $(UNITOBJ) $(BUILD)/libbp.a
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ -lcunit $(LIBS)

.PHONY: unit
unit: $(BUILD)/unit ## run the unit tests (ONLY=name runs those whose suite or name holds it)
	$Q$(BUILD)/unit $(ONLY)

.PHONY: clean
clean: ## remove what was built
	$Qrm -rf $(BUILD)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

-include $(wildcard tests/*/*.mk)
-include $(OBJ:.o=.d) $(KERNEL_OBJ:.o=.d) $(CMDOBJ:.o=.d) $(UNITOBJ:.o=.d)
