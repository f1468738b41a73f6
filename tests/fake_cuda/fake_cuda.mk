# fake_cuda.mk -- a driver, a compiler, an NCCL and an NVML that pretend, for tests on machines without a GPU.
FAKE := $(addprefix $(BUILD)/fake/,libcuda.so.1 libnvrtc.so.13 libnccl.so.2 libnvidia-ml.so.1)

$(BUILD)/fake/libcuda.so.1: $(addprefix tests/fake_cuda/,cuda.c launches.c kernels.c driver.h kernels.h)
$(BUILD)/fake/libnvrtc.so.13: tests/fake_cuda/nvrtc.c
$(BUILD)/fake/libnccl.so.2: tests/fake_cuda/nccl.c
$(BUILD)/fake/libnvidia-ml.so.1: tests/fake_cuda/nvml.c
$(FAKE):
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) -std=c11 -D_GNU_SOURCE -O1 -g -fPIC -shared $(WARN) -Isrc -I. -o $@ $(filter %.c,$^)

$(BUILD)/unit: | $(FAKE)
