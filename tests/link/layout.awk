# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Judges one linked image of the link tests, from `llvm-readelf -SlsW`.
# Prints a line for each group of properties: its name, a tab, and what is
# wrong, nothing if all is right. Variables: kind (full or lean), rom, ram
# (where the regions begin, hex), records, stride, counters (bytes; or "any",
# then neither is counted), names (bytes), bin (bytes of the flat image, or
# "any"), dead (0: dead functions must be gone, 1: must be there).

function hex(text,   i, n) {
  n = 0
  text = tolower(text)
  sub(/^0x/, "", text)
  for (i = 1; i <= length(text); i++)
    n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
  return n
}
function up(n, to) { return int((n + to - 1) / to) * to }
function bad(group, text) { why[group] = why[group] " " text ";" }
function want(group, text, is, should) {
  if (is != should) bad(group, text " is " is ", not " should)
}

/^ *\[ *[0-9]+\] [._a-zA-Z]/ {
  sub(/^ *\[ *[0-9]+\] /, "")
  n = $1
  type[n] = $2; addr[n] = hex($3); size[n] = hex($5)
  flags[n] = NF == 10 ? $7 : ""
  next
}
$1 == "LOAD" {
  loads++
  load_addr[loads] = hex($3); load_phys[loads] = hex($4)
  load_file[loads] = hex($5); load_size[loads] = hex($6)
}
/^ *[0-9]+: / { symbol[$8] = hex($2); if ($4 == "FUNC") function_[$8] = 1 }

# Start and stop of a section equal its extent, up to padding at the end.
function extent(name, padding,   start, stop, slack) {
  start = symbol["__start_" name]
  stop = symbol["__stop_" name]
  if (!(("__start_" name) in symbol)) bad("bounds", name " has none")
  if (!(name in size) || size[name] == 0) {
    want("bounds", "the extent of the empty " name, stop - start, 0)
    return
  }
  want("bounds", "the start of " name, start, addr[name])
  slack = addr[name] + size[name] - stop
  if (slack < 0 || slack > padding) bad("bounds", name " ends elsewhere")
}

function in_ram(name,   i) {
  if (!(name in size) || size[name] == 0) return
  want("layout", name, type[name], "NOBITS")
  if (addr[name] < ram || addr[name] + size[name] > ram + 65536)
    bad("layout", name " is not in RAM")
  want("layout", name " modulo 8", addr[name] % 8, 0)
  want("layout", "the size of " name " modulo 8", size[name] % 8, 0)
  if (addr[name] + size[name] > symbol["__bareprof_guard"] &&
      name != ".bareprof_guard")
    bad("layout", name " is behind the guard")
  for (i = 1; i <= loads; i++) {
    if (addr[name] < load_addr[i]) continue
    if (addr[name] >= load_addr[i] + load_size[i]) continue
    if (addr[name] < load_addr[i] + load_file[i])
      bad("layout", name " is in the file")
    want("layout", "the load address of " name, load_phys[i], load_addr[i])
  }
}

function in_rom(name) {
  if (!(name in size) || size[name] == 0) return
  if (flags[name] !~ /A/) bad("layout", name " is not loaded")
  if (type[name] == "NOBITS") bad("layout", name " is NOBITS")
  if (addr[name] < rom || addr[name] + size[name] > rom + 262144)
    bad("layout", name " is not in ROM")
}

function host_only(name, needed) {
  if (!(name in size) || size[name] == 0) {
    if (needed) bad("layout", name " is missing")
    return
  }
  if (flags[name] ~ /A/) bad("layout", name " is loaded")
  if (type[name] != "PROGBITS") bad("layout", name " is " type[name])
  want("layout", "the address of " name, addr[name], 0)
}

function placed(list, how,   part, i) {
  split(list, part, " ")
  for (i in part) {
    if (how == "ram") { in_ram(part[i]); extent(part[i], 7) }
    if (how == "rom") { in_rom(part[i]); extent(part[i], 0) }
    if (how == "host") {
      host_only(part[i], 0)
      want("bounds", "the start of " part[i], symbol["__start_" part[i]], 0)
      want("bounds", "the stop of " part[i], symbol["__stop_" part[i]], 0)
    }
  }
}

function judge_flash(   expected) {
  expected = up(symbol["__flash_end"] - rom, 4) + 36
  if (kind == "full")
    expected = up(expected, 8) + records * stride + names
  want("flash bytes", "the flat image", bin, expected)
}

function judge_dead(   i, list, state, bytes) {
  split("dead_c dead_cpp _Z5twiceIxET_S0_", list, " ")
  for (i in list) {
    state = (list[i] in function_) ? "there" : "gone"
    want("dead functions", list[i], state, dead ? "there" : "gone")
  }
  want("dead functions", "records", size["__llvm_prf_data"],
       records * stride)
  bytes = symbol["__stop___llvm_prf_cnts"]
  bytes -= symbol["__start___llvm_prf_cnts"]
  want("dead functions", "counters", bytes, counters)
}

function judge_ends(   guard) {
  guard = ".bareprof_guard"
  want("bounds", "the size of the guard", size[guard], 8)
  want("bounds", "__bareprof_guard", symbol["__bareprof_guard"], addr[guard])
  want("bounds", "end", symbol["end"], addr[guard] + 8)
  guard = ".note.gnu.build-id"
  want("bounds", "the build id", symbol["__bareprof_build_id_start"],
       addr[guard])
  want("bounds", "the build id's end", symbol["__bareprof_build_id_end"],
       addr[guard] + 36)
}

END {
  rom = hex(rom)
  ram = hex(ram)
  rom_list = "__llvm_prf_data __llvm_prf_names __llvm_prf_vtab __llvm_prf_vns"
  placed("__llvm_prf_cnts __llvm_prf_bits", "ram")
  placed("__llvm_prf_vals __llvm_prf_vnds", "host")
  in_ram(".bareprof_guard")
  placed(rom_list, kind == "full" ? "rom" : "host")
  in_rom(".note.gnu.build-id")
  host_only("__llvm_covmap", counters != "any")
  host_only("__llvm_covfun", counters != "any")
  host_only("__llvm_covdata", 0)
  host_only("__llvm_covnames", 0)
  if (size["__llvm_prf_cnts"] == 0) bad("layout", "no counters")
  want("layout", "the size of __llvm_prf_names", size["__llvm_prf_names"],
       names)
  judge_ends()
  print "layout\t" why["layout"]
  print "bounds and end\t" why["bounds"]
  if (bin != "any") {
    judge_flash()
    print "flash bytes\t" why["flash bytes"]
  }
  if (counters != "any") {
    judge_dead()
    print "dead functions\t" why["dead functions"]
  }
}
