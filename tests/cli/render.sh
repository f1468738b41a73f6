# render.sh -- figures as programs without CSS and a browser, light and dark, paint them: librsvg (rsvg-convert) stands
# for Inkscape and LaTeX, Chromium for what reads the media query. What is not installed is said and passed over.
browser=$(command -v chromium || command -v chromium-browser || true)
best=docs/results/h200-best.json

# sheet light|dark NAME...: figures as images on one page, 480 pixels wide as a README shows them, each $height high.
height=480
sheet() {
  local profile=$here/$1-profile scheme=1 name
  mkdir "$profile"
  [ "$1" = light ] || scheme=0
  { echo "<body style='margin:0'>"
    for name in "${@:2}"; do
      echo "<div style='height:${height}px;overflow:hidden'><img src='file://$here/figures/$name.svg' style='width:480px;display:block'></div>"
    done; } > "$profile/p.html"
  timeout 600 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files \
    --no-first-run --disable-background-networking --blink-settings=preferredColorScheme=$scheme \
    --user-data-dir="$profile/data" --window-size=480,$((height * ($# - 1))) --screenshot="$here/$1.png" \
    "file://$profile/p.html" > /dev/null 2>&1
  rm -rf "$profile"
}

bp report --force $best --with docs/results/peers-h200.csv --svg "$here/figures/" 
expect_exit 0
bp report --force tests/records/schema-2-sizes.json --svg "$here/figures/sizes.svg" --figure sizes
expect_exit 0
bp report --force docs/results/h200-solves.json --with docs/results/peers-h200-solves.csv --svg "$here/figures/bars.svg" \
  --figure peers
expect_exit 0
bp report --force docs/results/h200-ladder-bp1-large.csv --svg "$here/figures/ladder.svg" --figure ladder
expect_exit 0

if ! command -v rsvg-convert > /dev/null; then
  echo "tests/cli/render.sh: no rsvg-convert (librsvg2-bin): figures were not painted without CSS"
else
  names=()
  for figure in "$here"/figures/*.svg; do
    name=$(basename "$figure" .svg)
    names+=("$name")
    rsvg-convert -w 480 "$figure" -o "$here/$name.png"
    [ -n "$browser" ] || expect_true "$name.svg without CSS" grep -qx fine \
      <(python3 tests/cli/render.py look "$here/$name.png" '#ffffff')
  done
  if [ -n "$browser" ]; then
    sheet light "${names[@]}"
    sheet dark "${names[@]}"
    python3 tests/cli/render.py sheets "$here" $height "${names[@]}" > "$here/found"
    for name in "${names[@]}"; do
      for what in plain browser dark; do
        expect_equal "$name.svg, $what:" "$(sed -n "s/^$name $what: //p" "$here/found")" fine
      done
    done
  fi
  # The look does find a figure that needs CSS.
  sed 's/ fill="[^"]*"//g; s/ stroke="[^"]*"//g' "$here/figures/sizes.svg" > "$here/bare.svg"
  rsvg-convert -w 480 "$here/bare.svg" -o "$here/bare.png"
  expect_true "a black figure is found" grep -q '^the corner is' <(python3 tests/cli/render.py look "$here/bare.png" '#ffffff')
fi
[ -n "$browser" ] || echo "tests/cli/render.sh: no chromium: figures were not looked at in a browser"

# The figures of the docs say what bp says of their records today; `make docs` draws them again.
BP=$BP FOLDER=$here/docs docs/figures.sh > /dev/null
texts() { sed 's/<style>//; s/<[^>]*>//g; /^[.@]/d' "$1"; }
for figure in docs/figures/*/*.svg; do
  expect_true "$figure is of today" cmp -s <(texts "$figure") <(texts "$here/docs/${figure#docs/figures/}")
done
