# gpu.mk -- programs that time a GPU like the H200 by themselves: pass.cu, traffic.cu; link.cu two of them.
NVCC ?= nvcc

$(BUILD)/pass $(BUILD)/traffic $(BUILD)/link: $(BUILD)/%: tests/bench/%.cu
	$(call say,NVCC,$@)
	$Qmkdir -p $(@D) && $(NVCC) -O3 -arch=sm_90 -o $@ $<

.PHONY: bench-pass bench-traffic bench-link
bench-pass: $(BUILD)/pass ## clocks of a pass over pencils of 2 to 11 (on a GPU like the H200)
	$Q$(BUILD)/pass

bench-traffic: $(BUILD)/traffic ## µs that the operators' data take, 4096 elements (on a GPU like the H200)
	$Q$(BUILD)/traffic

bench-link: $(BUILD)/link ## µs that bytes take between two GPUs of a host (like the H100)
	$Q$(BUILD)/link
