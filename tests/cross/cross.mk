# cross.mk -- other processors, emulated.
.PHONY: check-aarch64
check-aarch64: ## build for 64-bit ARM, run every CPU variant there under QEMU
	@MAKE='$(MAKE)' BUILD=$(BUILD) tests/cross/aarch64
