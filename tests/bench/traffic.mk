# traffic.mk -- what an operator's data take on a GPU without the operator: traffic.cu.
NVCC ?= nvcc

$(BUILD)/traffic: tests/bench/traffic.cu
	$(call say,NVCC,$@)
	$Qmkdir -p $(@D) && $(NVCC) -O3 -arch=sm_90 -o $@ $<

.PHONY: bench-traffic
bench-traffic: $(BUILD)/traffic ## µs of the operators' traffic at 4096 elements (on a GPU like the H200)
	$Q$(BUILD)/traffic
