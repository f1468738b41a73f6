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
CFLAGS_ALL := -std=c11 -D_GNU_SOURCE $(OPT) -g -fopenmp -MMD -MP $(WARN) $(INSTRUMENT) $(CFLAGS)
INCLUDE := -Isrc -I$(BUILD)/gen

# libyaml goes into the binary where its archive is installed, so that the binary runs elsewhere.
YAML   := $(firstword $(wildcard $(addsuffix /libyaml.a,/usr/lib/$(subst -pc-,-,$(MACHINE)) /usr/lib /usr/lib64 /usr/local/lib))  -lyaml)
LIBS   := $(YAML) -lm -ldl -lpthread

SRC    := $(sort $(wildcard src/*/*.c))
OBJ    := $(SRC:%.c=$(BUILD)/obj/%.o)
CMD    := $(sort $(wildcard cmd/*.c))
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

$(BUILD)/libbp.a: $(OBJ)
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) rcs $@ $^

$(BUILD)/obj/%.o: %.c
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(INCLUDE) -c -o $@ $<

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

-include $(OBJ:.o=.d) $(CMDOBJ:.o=.d) $(UNITOBJ:.o=.d)
