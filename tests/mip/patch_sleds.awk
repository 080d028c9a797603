# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Follows sleds in llvm-mc's output, and prints those that do not reach the
# place that patch_sleds.c wants:
#   awk -v isa=NAME -f patch_sleds.awk PLACES INSTRUCTIONS
# PLACES has what patch_sleds.c prints.
function number(text) {
  gsub(/[^-0-9]/, "", text)
  return text + 0
}
# Returns the address modulo the width of addresses.
function wrap(value) {
  if (isa ~ /64/) return value
  return value - 4294967296 * int((value + (value < 0 ? -4294967295 : 0)) / \
    4294967296)
}
function behind(text,   part) {
  return match(text, /#[-0-9]+\]$/) ? number(substr(text, RSTART)) : 0
}
function wrong(why) {
  printf "%s: %s at %.0f: %s, wanted %.0f, got %.0f\n", isa, kind, address, \
    why, target, reached
  failed++
}
# Returns whether a direct sled must exist, by the distance from the
# instruction's end.
function is_near(   distance, from) {
  distance = target - address
  if (kind == "store") {
    if (isa == "thumb" || isa == "riscv32" || isa == "a32") return isa != "a32"
    if (isa == "aarch64")
      distance = int(target / 4096) * 4096 - int(address / 4096) * 4096
    if (isa == "riscv64") distance += 2048
    limit = isa == "aarch64" ? 4294967296 : 2147483648
  } else {
    from["thumb"] = 6; from["a32"] = 12; from["aarch64"] = 4
    distance -= from[isa]
    # Thumb's blx counts from a multiple of 4.
    if (isa == "thumb" && kind == "callx") distance += (address + 6) % 4
    if (isa == "thumb") limit = 16777216
    else if (isa == "a32") limit = 33554432
    else if (isa == "aarch64") limit = 134217728
    else limit = 1048576
  }
  return distance >= -limit && distance < limit
}
FNR == NR {
  n++
  kinds[n] = $1; addresses[n] = $2; targets[n] = $3; indices[n] = $4
  none[n] = $5 == "none"
  next
}
# Goes to the next place that has a sled.
function begin() {
  for (;;) {
    at++
    kind = kinds[at]; address = addresses[at]; target = targets[at]
    reached = -1
    if (at > n || !none[at]) break
    if (is_near()) wrong("there is none")
  }
  low = 0
}
function end() {
  if (reached != target) wrong("elsewhere")
  else if (low) wrong("stores no zero")
  begin()
}
FNR == 1 { begin() }
isa == "thumb" || isa == "a32" {
  if ($1 ~ /^mov(w|\.w)?$/ && $2 == "r12,") register = number($3)
  if ($1 == "orr") register += number($4)
  if ($1 == "movt") register = register % 65536 + 65536 * number($3)
  if ($1 ~ /^strb/) { reached = wrap(register + behind($0))
    low = register % 256 }
  if ($1 ~ /^blx?$/) {
    reached = address + (isa == "thumb" ? 6 : 12) + number($2)
    if (isa == "thumb" && $1 == "blx") reached -= (address + 6) % 4
  }
  if ($1 ~ /^bl/ && ($1 == "blx") != (kind == "callx")) wrong("state")
}
isa == "aarch64" {
  if ($1 == "adrp")
    register = int(address / 4096) * 4096 + number(substr($3, 2))
  if ($1 == "strb") reached = register + behind($0)
  if ($1 == "bl") reached = address + 4 + number($2)
}
isa ~ /^riscv/ {
  if ($1 == "lui" && $2 == "t1,") register = number($3) * 4096
  if ($1 == "auipc") { register = number($3) * 4096
    if (register >= 2147483648) register -= 4294967296
    register += address }
  if ($1 == "sb") { sub(/\(.*/, "", $3); reached = wrap(register + $3) }
  if ($1 == "jal" && $2 == "t0,") reached = address + number($3)
  if ($1 == "lui" && $2 == "zero," && number($3) != 16 * indices[at])
    wrong("index")
}
# The last instruction of each sled; on RISC-V the index follows a call.
$1 ~ /^(strb|strb\.w|sb|blx?)$/ ||
  ($1 == "lui" && $2 == "zero,") { end() }
END {
  if (at != n + 1 || n < 100) print isa ": " at " of " n " sleds"
  if (failed) print failed " wrong"
}
