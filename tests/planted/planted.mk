# planted.mk -- build/planted/bp: bp with the kernels of this folder instead of its own, each wrong on
# purpose. The CPU's copy is its own, so that `bp run` times them.
PLANTED     := $(sort $(wildcard tests/planted/*/*.cu))
PLANTED_C   := $(sort $(wildcard tests/planted/*/*.c))
PLANTED_IN  := $(PLANTED) $(PLANTED_C) $(wildcard tests/planted/*.h) $(sort $(wildcard kernels/peaks/*.c)) $(KERNEL_H)
PLANTED_OBJ := $(foreach i,$(ISAS),$(PLANTED_C:tests/planted/%.c=$(BUILD)/planted/$i/%.o))

$(BUILD)/planted/registry.c: src/registry/registry.awk tests/planted/planted.mk $(PLANTED_IN) kernels/renamed $(BUILD)/gen/isas
	$(call say,GEN,$@)
	$Qmkdir -p $(@D) && awk -v isas='$(ISAS)' -f $< $(PLANTED_IN) kernels/renamed > $@

$(BUILD)/planted/registry.o: $(BUILD)/planted/registry.c
	$(call say,CC,$<)
	$Q$(CC) $(CFLAGS_ALL) $(INCLUDE) -c -o $@ $<

# All of them are compiled once for all degrees.
define planted_rule
$(BUILD)/planted/$1/%.o: tests/planted/%.c tests/planted/planted_cpu.h kernels/abi/cpu.h
	$$(call say,CC,$$< $1)
	$Qmkdir -p $$(@D) && $(CC) $(CFLAGS_KERNEL) $(FLAGS_$1) -Ikernels -Itests/planted \
	  -DBP_ENTRY=bp_cpu_$$(subst .,_,$$(subst /,_,$$(subst -,_,$$*)))_$1_n0 -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call planted_rule,$i)))

$(BUILD)/planted/bp: $(CMDOBJ) $(BUILD)/planted/registry.o $(PLANTED_OBJ) $(BUILD)/libbp.a
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS)

-include $(PLANTED_OBJ:.o=.d)
