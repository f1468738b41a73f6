# mutants.mk -- kernels with one thing changed at random: does bp check find them?
MUTANTS      ?= 200
MUTANTS_SEED ?= 1

.PHONY: mutants
mutants: $(BUILD)/bp ## change kernels at random and tell which changes bp check misses (MUTANTS=200, MUTANTS_SEED=1)
	@BUILD=$(BUILD) tests/mutants/run $(MUTANTS) $(MUTANTS_SEED)

.PHONY: mutants-src
mutants-src: $(BUILD)/unit ## change src/ at random and tell which changes the unit tests miss
	@BUILD=$(BUILD) CC='$(CC)' tests/mutants/src $(MUTANTS) $(MUTANTS_SEED)
