# pass.mk -- what a pass over an element's pencils takes at least on a GPU: pass.cu.
NVCC ?= nvcc

$(BUILD)/pass: tests/bench/pass.cu
	$(call say,NVCC,$@)
	$Qmkdir -p $(@D) && $(NVCC) -O3 -arch=sm_90 -o $@ $<

.PHONY: bench-pass
bench-pass: $(BUILD)/pass ## clocks of a pass over pencils of 2 to 11 (on a GPU like the H200)
	$Q$(BUILD)/pass
