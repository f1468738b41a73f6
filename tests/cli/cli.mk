# cli.mk -- the command-line tests.
.PHONY: cli
cli: $(BUILD)/bp ## run the CLI tests (ONLY=name runs one file of tests/cli)
	$QBP=$(BUILD)/bp tests/cli/run $(ONLY)
