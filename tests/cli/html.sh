# html.sh -- the page in a browser: no error, nothing fetched, tables sort, no label on another or outside.
# Only where chromium is installed.
browser=$(command -v chromium || command -v chromium-browser || true)

# 19 variants at 15 degrees.
bp report --force docs/results/h200-ladder-bp3-large.csv --html "$here/page.html"
expect_exit 0
expect_no_stderr

# One variant at each degree, as of the fastest: a figure stands before the tables all the same.
bp report --force docs/results/h200-best.json --html "$here/best.html"
expect_equal "the first figure" "$(grep -o '<h2 id="[a-z]*"' "$here/best.html" | head -n 2 | tr '\n' ' ')" \
  '<h2 id="heatmap" <h2 id="tables" '
expect_equal "of many tables a sentence for each problem" "$(grep -o 'class="found">bp[0-9.]* reaches' "$here/best.html" | tr '\n' ' ')" \
  'class="found">bp1.0 reaches class="found">bp3.0 reaches class="found">bp3.5 reaches '

cat > "$here/check.js" <<'JS'
<script>
const found = [];
window.addEventListener('error', e => found.push('error: ' + e.message));
window.addEventListener('load', () => {
  for (const svg of document.querySelectorAll('svg')) {
    const outer = svg.getBoundingClientRect();
    const labels = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    labels.forEach(([text, a], n) => {
      if (a.left < outer.left - 1 || a.right > outer.right + 1 || a.top < outer.top - 1 || a.bottom > outer.bottom + 1)
        found.push('outside: ' + text);
      for (const [other, b] of labels.slice(n + 1))
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2.5)
          found.push('overlap: ' + text + ' / ' + other);
    });
  }
  if (document.documentElement.scrollWidth > window.innerWidth + 1)
    found.push('wider than the window: ' + document.documentElement.scrollWidth);
  if (window.innerWidth >= 1400 && document.querySelector('#tables').getBoundingClientRect().top > 2 * window.innerHeight)
    found.push('tables only after ' + document.querySelector('#tables').getBoundingClientRect().top + ' pixels');
  const table = document.querySelector('table'), heads = [...table.tHead.rows[0].cells];
  for (const name of ['time', 'GFLOPS', 'of copy', 'variant', 'N']) {
    const n = heads.findIndex(h => h.textContent === name), button = heads[n].querySelector('button');
    for (const direction of [-1, 1]) {
      button.click();
      const values = [...table.tBodies[0].rows].map(r => r.cells[n].dataset.v ?? r.cells[n].textContent.replace(' %', ''))
        .filter(v => v !== '');
      for (let i = 1; i < values.length; ++i) {
        const [a, b] = [values[i - 1], values[i]];
        const order = isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b;
        if (order * direction > 0) { found.push(`not sorted by ${name}: ${a} before ${b}`); break; }
      }
    }
  }
  const verdict = document.createElement('pre');
  verdict.textContent = 'VERDICT ' + found.length + '\n' + found.slice(0, 20).join('\n') + '\nEND';
  document.body.append(verdict);
});
</script>
JS

# look PAGE WIDTH: what the checks in the page found, and what the browser's console says. The page's policy would
# not let the checks run.
look() {
  local profile
  profile=$(mktemp -d)
  sed "/http-equiv/d; /<\/head>/{
    r $here/check.js
    N
  }" "$1" > "$here/checked.html"
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run \
    --user-data-dir="$profile" --enable-logging=stderr --window-size="$2,1000" --virtual-time-budget=20000 \
    --dump-dom "file://$here/checked.html" > "$here/dom" 2> "$here/console"
  rm -rf "$profile"
  sed -n '/<pre>VERDICT/,/^END/p' "$here/dom" | sed 's/<[^>]*>//g' | head -n 12 > "$here/verdict"
  grep ':CONSOLE' "$here/console" | head -n 3 >> "$here/verdict"
}

if [ -z "$browser" ]; then
  echo "tests/cli/html.sh: no chromium: the page was not looked at in a browser"
else
  bp report --force tests/records/schema-1.json --html "$here/small.html"
  for page in page small; do
    for width in 1400 600; do
      look "$here/$page.html" $width
      expect_equal "what is wrong with $page.html at $width pixels" "$(tr '\n' '~' < "$here/verdict")" \
        "VERDICT 0~~END~"
    done
  done
  # A page beside other programs, one of a size sweep, and a dark one.
  bp report --force docs/results/h200-best.json --with docs/results/peers-h200.csv --html "$here/peers.html"
  bp report --force tests/records/schema-2-sizes.json --html "$here/sizes.html"
  for page in peers sizes best; do
    look "$here/$page.html" 1400
    expect_equal "what is wrong with $page.html" "$(tr '\n' '~' < "$here/verdict")" "VERDICT 0~~END~"
  done
  # The checks do find what is wrong: a label twice, a cell out of order, a script that fails.
  sed '0,/<text [^>]*font-weight="600".*/s//&\n&/' "$here/small.html" > "$here/twice.html"
  look "$here/twice.html" 1400
  expect_true "an overlap is found" grep -q '^overlap: bp1.0, NVIDIA H200' "$here/verdict"
  sed 's/return down ? -order : order/return 0/' "$here/small.html" > "$here/unsorted.html"
  look "$here/unsorted.html" 1400
  expect_true "a table that does not sort is found" grep -q '^not sorted by' "$here/verdict"
  sed 's/<body class="bp">/&<script>nothing()<\/script>/' "$here/small.html" > "$here/failing.html"
  look "$here/failing.html" 1400
  expect_true "an error is found" grep -q 'nothing is not defined' "$here/verdict"
fi
