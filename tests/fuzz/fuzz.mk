# fuzz.mk -- fuzzing the readers. tests/fuzz/NAME.c describes one; SEEDS_NAME are its seed files.
FUZZ         := $(filter-out mutate libfuzzer,$(basename $(notdir $(wildcard tests/fuzz/*.c))))
SEEDS_config := $(wildcard configs/*.yaml tests/configs/*/*.yaml)
SEEDS_mesh   := $(wildcard tests/meshes/*/*.msh)
SEEDS_cells  := $(wildcard tests/meshes/shapes/*.msh tests/meshes/good/*.msh)
SEEDS_record := $(wildcard tests/records/*.json tests/records/*.csv tests/records/bad/* tests/records/kinds/*)
SEEDS_peers  := $(wildcard tests/peers/*.csv docs/results/peers-*.csv)
SEEDS_best   := kernels/best $(wildcard tests/best/*)
SEEDS_npy    := $(wildcard tests/npy/*.npy)
# Of a kind of file; two readers of one kind share them.
SECONDS_EACH ?= 30
SHARING      := mesh cells record peers
SEED         ?= 1

$(BUILD)/mutate_%: $(BUILD)/obj/tests/fuzz/mutate.o $(BUILD)/obj/tests/fuzz/%.o $(BUILD)/libbp.a
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS)
.SECONDARY: $(patsubst %,$(BUILD)/obj/tests/fuzz/%.o,$(FUZZ) mutate)
-include $(wildcard $(BUILD)/obj/tests/fuzz/*.d)

# Guided by coverage, with clang; run one on a folder of its own.
LIBFUZZER = $(BUILD)/libfuzzer
$(BUILD)/libfuzzer_%: $(BUILD)/obj/tests/fuzz/libfuzzer.o $(BUILD)/obj/tests/fuzz/%.o $(BUILD)/libbp.a
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: fuzz libfuzzer
libfuzzer: ## build the readers as targets of libFuzzer (clang): build/libfuzzer/libfuzzer_mesh, ...
	@$(MAKE) --no-print-directory BUILD=$(LIBFUZZER) CC=clang SANITIZE=fuzzer-no-link,address,undefined \
	  OPT=-O1 $(FUZZ:%=$(LIBFUZZER)/libfuzzer_%)

# One allocation of more than 1 GB for files of at most 1 MB is a finding.
fuzz: asan ## read mutated files under sanitizers (SECONDS_EACH=30, SEED=1)
	$Qexport ASAN_OPTIONS=max_allocation_size_mb=1024:allocator_may_return_null=1; \
	passed=0; failed=0; \
	$(foreach f,$(FUZZ),out=$$($(ASAN)/mutate_$f --seconds $$(($(SECONDS_EACH) / $(if $(filter $f,$(SHARING)),2,1))) --seed $(SEED) $(SEEDS_$f) 2>&1); \
	  echo "$$out"; set -- $$(echo "$$out" | tail -n 1); passed=$$((passed + $$1)); failed=$$((failed + $$3));) \
	echo "$$passed passed, $$failed failed"; [ $$failed -eq 0 ]
