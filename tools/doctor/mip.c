/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: Machine IR Profile. Where its sections are, whether somebody
 * initialises the raw one, and whether the map knows its build.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../mip/load.h"
#include "examine.h"

enum { HEADER = 24 };

/* A list of entries that the script places has the addresses of functions. */
static void check_room(const struct facts *facts, struct findings *to) {
  const struct others *others = &facts->others;
  uint64_t functions = others->entries.size / (facts->elf->wide ? 8 : 4);
  const struct symbol *end = &facts->symbols[MIP_END];
  uint64_t size =
      end->defined ? end->value - others->raw.address : others->raw.size;
  uint64_t room = size > HEADER ? size - HEADER : 0;
  if (!others->raw.size)
    findings_add(to, ERROR, MIP_ROOM,
                 "no room (__llvm_mipraw) for what functions write; compile "
                 "with -fpatchable-function-entry=4,4, or use "
                 "BAREPROF_MIP_ROOM");
  else if (room < functions)
    findings_add(to, WARNING, MIP_ROOM,
                 "room for %" PRIu64 " functions, and %" PRIu64 " can be "
                 "instrumented; use BAREPROF_MIP_ROOM(%" PRIu64 ")",
                 room, functions, functions);
}

/* Of a program for this machine the raw section is data that is loaded, and
 * begins as it should. */
static void check_start(const struct facts *facts, struct findings *to) {
  if (!facts->elf->symbol_count || is_loaded(&facts->others.raw))
    return;
  if (!facts->symbols[MIP_INIT].defined)
    findings_add(to, ERROR, MIP_NO_INIT,
                 "nothing calls bareprof_mip_init: what functions write "
                 "begins as anything; call it first in the reset handler");
  else if (!facts->symbols[MIP_BEGIN].defined)
    findings_add(to, ERROR, MIP_NO_BOUNDS,
                 "__bareprof_mip_begin is undefined, and the runtime finds no "
                 "raw section (BAREPROF_E_NO_BOUNDS); INCLUDE "
                 "bareprof-mip.ld");
}

static void check_loaded(const struct facts *facts, struct findings *to) {
  const struct others *others = &facts->others;
  uint64_t size = (is_loaded(&others->map) ? others->map.size : 0) +
                  (is_loaded(&others->entries) ? others->entries.size : 0);
  if (size)
    findings_add(to, WARNING, MIP_LOADED,
                 "%" PRIu64 " bytes of map or list of entries are loaded, and "
                 "nothing on the target reads them; INCLUDE bareprof-mip.ld",
                 size);
}

static void check_hash(const struct facts *facts, struct findings *to) {
  struct mip_header header;
  struct bytes map;
  unsigned char *memory = NULL;
  if (facts->others.map.size && !mip_elf_map(facts->elf, &map, &memory) &&
      !mip_header_read(&header, map) && !header.hash)
    findings_add(to, NOTE, MIP_NO_HASH,
                 "the map has no hash, so a raw section of another build is "
                 "taken for its own; give --unit to `bareprof mip instrument'");
  free(memory);
}

void check_mip(const struct facts *facts, struct findings *to) {
  if (!has_mip(facts))
    return;
  check_room(facts, to);
  if (facts->others.raw.size)
    check_start(facts, to);
  check_loaded(facts, to);
  check_hash(facts, to);
}
