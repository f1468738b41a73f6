# fake_cuda.mk -- a driver that pretends, for the unit tests of the cuda backend on machines without a GPU.
$(BUILD)/fake/libcuda.so.1: tests/fake_cuda/cuda.c
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) -std=c11 -D_GNU_SOURCE -O1 -g -fPIC -shared $(WARN) -Isrc -I. -o $@ $<

$(BUILD)/unit: | $(BUILD)/fake/libcuda.so.1
