# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests the pages in Chromium, at three widths, light and dark: the index,
# functions, a source with MC/DC, one in object code, and live's page. `run`
# sources this file. build/axe.min.js, or AXE=FILE, is the file of the npm
# package axe-core, for rules of accessibility: npm pack axe-core && tar xf
# axe-core-*.tgz
# shellcheck disable=SC2154 # Of run.

browsed() {
  timeout 60 chromium --headless --no-sandbox --disable-gpu \
    --user-data-dir="$out/chromium" --allow-file-access-from-files \
    --disable-web-security "$@" 2>/dev/null
}

# framed FOLDER PAGE SCRIPT: makes FOLDER/seen.html, the page with a script in
# it. All folded parts are open. Names are as long as in C++.
framed() {
  long='std::map\&lt;std::basic_string\&lt;char\&gt;, std::vector\&lt;long\&gt;'
  long="$long\&gt;::emplace_hint_unique"
  { sed "s/<details/<details open/
      s/<th scope=\"row\"><a href=\([^>]*\)><code>/&$long$long$long$long/" "$1/$2"
    printf '<script>\n' && cat "$3" && printf '</script>\n'; } >"$1/seen.html"
}

# measured light|dark FOLDER PAGE: prints findings of measure.js at three
# widths.
measured() {
  dark=1
  [ "$1" = light ] || dark=0
  framed "$2" "$3" tests/report/html/measure.js
  for width in 1400 800 400; do
    echo "<iframe width=\"$width\" height=\"900\" src=\"seen.html\"></iframe>"
  done >"$2/frame.html"
  echo '<p id="all"></p><script>onload = function () {
    document.getElementById("all").textContent = Array.from(frames)
      .map(function (one) { return one.document.title; }).join("; "); };
    </script>' >>"$2/frame.html"
  browsed --blink-settings=preferredColorScheme=$dark \
    --virtual-time-budget=5000 --dump-dom "file://$2/frame.html" |
    sed -n 's/.*<p id="all">\(.*\)<\/p>.*/\1/p' >"$out/seen"
  rm -f "$2/seen.html" "$2/frame.html"
  [ "$(grep -o 'seen [1-9][0-9]* [0-9]* worst: *\(;\|$\)' "$out/seen" |
    wc -l)" = 3 ] || { cat "$out/seen"; return 1; }
}

# accessible FOLDER PAGE: axe finds nothing.
accessible() {
  { cat "$AXE"
    echo 'axe.run().then(function (found) {
      document.title = "ruled " + found.passes.length + ": " + found.violations
        .map(function (one) { return one.id + " " + one.nodes[0].html; })
        .join("; "); });'; } >"$out/axe.js"
  framed "$1" "$2" "$out/axe.js"
  browsed --virtual-time-budget=20000 --dump-dom "file://$1/seen.html" |
    grep -o '<title>ruled [^<]*' >"$out/seen"
  rm -f "$1/seen.html"
  grep -q 'ruled [1-9][0-9]*: $' "$out/seen" || { cat "$out/seen"; return 1; }
}

# looked_at LABEL FOLDER PAGE: measures a page in light and dark colours.
looked_at() {
  for scheme in light dark; do
    check "$label: $1: rows, widths, contrast, $scheme" \
      measured $scheme "$2" "$3"
  done
  if [ -e "${AXE:=$BUILD/axe.min.js}" ]; then
    check "$label: $1: axe" accessible "$2" "$3"
  else
    skip "$label: $1: axe" "no axe.min.js"
  fi
}

# A firmware that loops, without an instrumented file.
looping() {
  for source in tests/mistakes/target.c examples/start/mps2-an385.c \
    examples/start/libc.c; do
    clang-22 --target=thumbv7m-none-eabi -mcpu=cortex-m3 -O1 -g -DLOOP \
      -ffreestanding -Iexamples/start "$@" -c $source \
      -o "$out/loop-$(basename $source).o" || return
  done
  ld.lld-22 -T examples/start/mps2-an385.ld "$out"/loop-*.o -o "$out/loop.elf"
}
browser_machine="qemu-system-arm -machine mps2-an385 -nographic -monitor none"

# looped COMMAND OPTION...
looped() {
  timeout 60 "$BAREPROF" "$@" "$out/loop.elf" -q --timeout 3 -o "$out/loop" \
    -- $browser_machine -kernel "$out/loop.elf" \
    >"$out/loop.said" 2>&1 </dev/null ||
    { cat "$out/loop.said"; return 1; }
}

# Saves live's page as a browser shows it, in a folder with its style.
lived() {
  mkdir -p "$out/lived"
  "$BAREPROF" live "$out/live.elf" --gdb --page 0 --timeout 60 -o "$out/loop" \
    -- $browser_machine -kernel "$out/live.elf" >"$out/loop.said" \
    2>"$out/live.said" </dev/null &
  live=$!
  for i in $(seq 200); do
    address=$(sed -n 's/^bareprof: live at //p' "$out/live.said")
    [ -z "$address" ] || break
    sleep 0.1
  done
  # The first counters come some time after the address.
  for i in 1 2 3 4 5 6 7 8; do
    browsed --virtual-time-budget=3000 --dump-dom "$address" |
      sed '/<script src="live.js">/d' >"$out/lived/live.html"
    ! grep -q 'target.c</code></a></th>' "$out/lived/live.html" || break
  done
  source=$(sed -n 's/.*<th scope="row"><a href="\([^"]*target.c.html\)".*/\1/p' \
    "$out/lived/live.html")
  browsed --dump-dom "$address$source" >"$out/lived/source.html"
  browsed --dump-dom "${address}style.css" | sed 's/.*<pre[^>]*>//; s/<.pre>.*//
    s/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g' >"$out/lived/style.css"
  kill $live
  wait $live
  grep -q 'Coverage of live.elf</h1>' "$out/lived/live.html" &&
    grep -q 'target.c</code></a></th>' "$out/lived/live.html" &&
    grep -q 'target.c.html#L[0-9]*"><code>target.c:[0-9]' \
      "$out/lived/live.html" &&
    grep -q '<tr id="L[0-9]*" class="yes"' "$out/lived/source.html" &&
    grep -q 'class="bar"><svg><rect width="[0-9.]*%' "$out/lived/source.html" &&
    grep -q aria-live "$out/lived/live.html" &&
    grep -q '<th>Branches</th><th>Last change</th>' "$out/lived/live.html" &&
    grep -q 'table.functions' "$out/lived/style.css" ||
    { cat "$out/live.said"; return 1; }
}

row_browser() {
  label="report pages: a browser"
  wanted "$label" || return 0
  [ -n "${FULL:-}" ] || return 0
  needs "$label" chromium board:mps2-an385 || return 0
  folder=$(cd "$out/pages-made/html" && pwd)
  browsed --dump-dom "file://$folder/index.html" >"$out/pages.dom"
  check "$label: the script adds a search" grep -q 'class="find"' \
    "$out/pages.dom"
  check "$label: and sorting" grep -q 'aria-sort="none"' "$out/pages.dom"
  looked_at "the index" "$folder" index.html
  looked_at "functions" "$folder" functions.html
  looked_at "MC/DC" "$folder" page.c.html
  check "$label: a firmware for object code" looping
  check "$label: its report" looped run --trace --object-code
  looked_at "object code" "$(cd "$out/loop/html" && pwd)" \
    examples-start-mps2-an385.c.html
  check "$label: a firmware for live" live_firmware
  check "$label: the page of live, with links to its sources" lived
  tidied "$label: live: tidy" "$out/lived"
  looked_at "live" "$(cd "$out/lived" && pwd)" live.html
}

# The same with counters.
live_firmware() {
  "$BAREPROF" cc --coverage=mcdc clang-22 --target=thumbv7m-none-eabi \
    -mcpu=cortex-m3 -O1 -g -DLOOP -ffreestanding -Iexamples/start \
    -c tests/mistakes/target.c -o "$out/loop-target.c.o" &&
    ld.lld-22 -T examples/start/mps2-an385.ld "$out"/loop-*.o \
      -o "$out/live.elf"
}
