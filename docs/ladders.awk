# ladders.awk -- fills the tables of docs/ladders.md from the records of the ladders: `make ladders`.
#
#   awk -v bp=build/bp -v results=docs/results -f docs/ladders.awk docs/ladders.md
#
# Between '<!-- ladder RECORD ELEMENTS PREFIX -->' and '<!-- end -->': GFLOPS of the rungs whose name begins
# with PREFIX by degree, and the copy roofline; a RECORD is JSON or CSV (of NAME.csv NAME.json is taken, where it
# is there and has such rows); ELEMENTS may be * for a record with one size per degree.
# Where there is no such record, the text stays as it is.

# The fields of a CSV line into field[1..]; returns their number.
function split_csv(line, field,  count) {
  count = 0
  while (line != "" || count == 0) {
    if (match(line, /^"([^"]|"")*"/)) {
      field[++count] = substr(line, 2, RLENGTH - 2)
      gsub(/""/, "\"", field[count])
    } else {
      match(line, /^[^,]*/)
      field[++count] = substr(line, 1, RLENGTH)
    }
    line = substr(line, RLENGTH + 1)
    if (line == ",") field[++count] = ""
    sub(/^,/, "", line)
  }
  return count
}

# Three or four digits, for people.
function shown(gflops) { return sprintf(gflops < 10 ? "%.2f" : gflops < 100 ? "%.1f" : "%.0f", gflops) }

function table(record, elements, prefix,  command, line, name, field, n, count, at, rung, degree, low,
               high, row, cell, bound, device) {
  command = record ~ /\.csv$/ ? "cat '" record "'" : bp " report '" record "' --csv -"
  if ((command | getline line) <= 0) { close(command); return 0 }
  count = split_csv(line, name)
  for (n = 1; n <= count; ++n) at[name[n]] = n
  split("", order); split("", gflops); split("", roofline); split("", best)
  rungs_count = 0; low = 99; high = 0
  while ((command | getline line) > 0) {
    split_csv(line, field)
    rung = field[at["rung"]]; degree = field[at["degree"]] + 0
    if (index(rung, prefix) != 1) continue
    if (elements != "*" && field[at["elements"]] != elements) continue
    if (!((rung, "seen") in gflops)) { order[++rungs_count] = rung; gflops[rung, "seen"] = 1 }
    if (degree < low) low = degree
    if (degree > high) high = degree
    if (field[at["status"]] != "ok") continue
    gflops[rung, degree] = field[at["gflops"]] + 0
    if (gflops[rung, degree] > best[degree]) best[degree] = gflops[rung, degree]
    bound = field[at["roofline_gflops"]] + 0
    if (bound > roofline[degree]) roofline[degree] = bound
    device = field[at["device"]]
  }
  close(command)
  if (!rungs_count) return 0
  row = "| N |"
  for (degree = low; degree <= high; ++degree) row = row " " degree " |"
  print device ":\n\n" row
  row = "|:--|"
  for (degree = low; degree <= high; ++degree) row = row "--:|"
  print row
  for (n = 1; n <= rungs_count; ++n) {
    row = "| " order[n] " |"
    for (degree = low; degree <= high; ++degree) {
      if (!((order[n], degree) in gflops)) cell = "–"
      else cell = shown(gflops[order[n], degree])
      if (gflops[order[n], degree] == best[degree] && cell != "–") cell = "**" cell "**"
      row = row " " cell " |"
    }
    print row
  }
  row = "| roofline |"
  for (degree = low; degree <= high; ++degree)
    row = row " " (degree in roofline ? shown(roofline[degree]) : "–") " |"
  print row
  return 1
}

function is_there(file,  line, found) { found = (getline line < file) > 0; close(file); return found }

/^<!-- ladder [^ ]+ ([0-9]+|\*) [^ ]+ -->$/ {
  print
  record = json = results "/" $3
  sub(/\.csv$/, ".json", json)
  if (is_there(json)) replaced = table(json, $4, $5)
  if (!replaced && json != record && is_there(record)) replaced = table(record, $4, $5)
  next
}
/^<!-- end -->$/ { replaced = 0 }
!replaced { print }
