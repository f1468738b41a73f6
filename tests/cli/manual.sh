# manual.sh -- what is generated from the tables: the man page, the completions, docs/configuration.md.

bp help --format markdown
expect_exit 0
expect_true "docs/configuration.md is what bp help --format markdown prints" cmp "$out" docs/configuration.md

bp help --format man
expect_exit 0
expect_stdout '^\.TH BP 1 "" "bp '
expect_stdout '^\.SH EXIT STATUS'
expect_stdout '^\.SH FILES'
expect_stdout '^\.SH EXAMPLES'
cp "$out" "$here/bp.1"
if command -v man > /dev/null; then
  expect_equal "man's warnings" "$(MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 "$here/bp.1" 2>&1 > /dev/null)" ""
fi
# every option stands in it
bp help check
options=$(grep -oE '^  --[a-z-]+' "$out" | sort -u)
for option in $options; do
  [ "$option" = --help ] && continue
  expect_true "the man page tells of $option" grep -qF "${option//-/\\-}" "$here/bp.1"
done

bp help --format bash
expect_exit 0
cp "$out" "$here/bp.bash"
expect_true "bash reads its completion" bash -n "$here/bp.bash"

# complete WORD...: what bash offers for the last word
complete_words() {
  bash -c '
    source "$0"
    PATH=$(dirname "$BP"):$PATH
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _bp
    echo "${COMPREPLY[*]}"' "$here/bp.bash" "$@"
}
expect_equal "completion" "$(complete_words bp che)" "check"
expect_equal "completion" "$(complete_words bp --v)" "--version"
expect_equal "completion" "$(complete_words bp check --backend c)" "cpu cuda"
expect_equal "completion" "$(complete_words bp check --backend = em)" "emulate"
expect_equal "completion" "$(complete_words bp check --backend =)" "auto cpu cuda emulate"
expect_equal "completion" "$(complete_words bp check --is)" "--isa"
expect_equal "completion" "$(complete_words bp version --)" "--help"
expect_equal "completion" "$(complete_words bp mesh b)" "box"
expect_equal "completion" "$(complete_words bp mesh box --ver)" "--version"
expect_equal "completion" "$(complete_words bp mesh box --version "")" "2.2 4.1"

expect_equal "variants" "$(complete_words bp check two-kernel-r)" "two-kernel-ranks"
expect_equal "variants" "$(complete_words bp list bp5/one-p)" "bp5/one-pass bp5/one-pass-ranks"
expect_equal "variants" "$(complete_words bp run --variants be)" "best"
expect_equal "rungs" "$(complete_words bp check --force merged-a)" "merged-atomic"
expect_equal "keys" "$(complete_words bp run --set measure.c)" "measure.cache= measure.confidence="
expect_equal "values of keys" "$(complete_words bp run --set measure.cache = c)" "cold"
expect_equal "values of keys" "$("$BP" help --format words -- run --set measure.cache=c | grep -c '^measure.cache=cold')" 1
expect_equal "help" "$(complete_words bp help measure.c)" "measure.cache measure.confidence"
expect_equal "help" "$(complete_words bp help mesh)" "mesh"
expect_equal "help" "$(complete_words bp help mesh k)" "kershaw"
expect_equal "no variant is offered for a path" "$(complete_words bp check ./)" ""

for shell in zsh fish; do
  bp help --format $shell
  expect_exit 0
  cp "$out" "$here/bp.$shell"
  command -v $shell > /dev/null && expect_true "$shell reads its completion" $shell -n "$here/bp.$shell"
done
if command -v fish > /dev/null; then
  offered=$(PATH=$(dirname "$BP"):$PATH fish -c "source '$here/bp.fish'; complete -C 'bp check --backend '" 2>&1 | cut -f 1 | sort | tr '\n' ' ')
  expect_equal "fish's completion" "$offered" "auto cpu cuda emulate "
fi
if command -v zsh > /dev/null; then
  offered=$(PATH=$(dirname "$BP"):$PATH zsh -c '
    _describe() { print -r -- $offered }
    words=(bp check --backend "") CURRENT=4
    source $0' "$here/bp.zsh" | grep -o '[a-z]*:' | tr '\n' ' ')
  expect_equal "zsh's completion" "$offered" "auto: cpu: cuda: emulate: "
fi

bp help --format xml
expect_exit 2
expect_stderr "^--format: expected one of text, man, bash, zsh, fish, words, markdown, found 'xml'\$"
