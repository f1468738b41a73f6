# planted.mk -- build/planted/bp: bp with the kernels of this folder instead of its own, each wrong on
# purpose.
PLANTED := $(sort $(wildcard tests/planted/*/*.cu))

$(BUILD)/planted/registry.c: src/registry/registry.awk $(PLANTED) tests/planted/planted.h $(KERNEL_H)
	$(call say,GEN,$@)
	$Qmkdir -p $(@D) && awk -v isas='$(ISAS)' -f $< $(PLANTED) tests/planted/planted.h $(KERNEL_H) kernels/renamed > $@

$(BUILD)/planted/registry.o: $(BUILD)/planted/registry.c
	$(call say,CC,$<)
	$Q$(CC) $(CFLAGS_ALL) $(INCLUDE) -c -o $@ $<

$(BUILD)/planted/bp: $(CMDOBJ) $(BUILD)/planted/registry.o $(BUILD)/libbp.a
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS)
