# connectivity.mk -- times connectivity and factors of 4,000,000 elements.
$(BUILD)/bench_connectivity: $(BUILD)/obj/tests/bench/connectivity.o $(BUILD)/obj/tests/unit/numbering.o $(BUILD)/libbp.a
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: bench-connectivity
bench-connectivity: $(BUILD)/bench_connectivity ## time connectivity and factors of 4,000,000 elements
	$Q$(BUILD)/bench_connectivity $(BOX) $(ROUNDS)
-include $(BUILD)/obj/tests/bench/connectivity.d
