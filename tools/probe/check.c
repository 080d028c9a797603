/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Probes that are misplaced, or say less than they could. What is certain from
 * the ELF alone, and once for each mend, with the first function as example.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "check.h"
#include "show.h"

struct check {
  FILE *stream;
  const struct probes *probes;
  const struct elf *elf;
  unsigned findings;
};

/* How often, and where first. */
struct seen {
  size_t count;
  uint64_t guid;
};

static void see(struct seen *seen, uint64_t guid) {
  if (!seen->count++)
    seen->guid = guid;
}

/* WHAT: COUNT (FIRST[, ...]); MEND */
static void find(struct check *check, const struct seen *seen,
                 const char *what) {
  char room[PROBE_NAME_ROOM], shown[1024];
  if (!seen->count)
    return;
  check->findings++;
  const char *mend = strchr(what, ';');
  fprintf(check->stream, "%.*s: %zu (%s%s)%s\n", (int)(mend - what), what,
          seen->count,
          printable(shown, sizeof shown,
                    probe_name_shown(check->probes, seen->guid, room)),
          seen->count > 1 ? ", ..." : "", mend);
}

/* ---- records ---- */

static void check_placed(struct check *check) {
  struct seen seen[PROBE_DISAGREEING + 1] = {{0}};
  for (size_t i = 0; i < check->probes->record_count; i++) {
    const struct probe_record *record = &check->probes->records[i];
    see(&seen[record->placed], record->guid);
  }
  find(check, &seen[PROBE_GUESSED],
       "functions with a name that others have too, so that nobody knows "
       "where their probes are; compile with "
       "-funique-internal-linkage-names");
  find(check, &seen[PROBE_NO_SYMBOL],
       "functions with probes and without the symbol that says where they "
       "are; link "
       "without --strip-all, --discard-all and -x, and give the ELF before "
       "strip");
  find(check, &seen[PROBE_NO_CODE],
       "functions with probes whose code the linker dropped; nothing "
       "need be done, their probes are left out");
  find(check, &seen[PROBE_DISAGREEING],
       "functions with probes outside of all code, which are misplaced; "
       "compile with -mno-relax if this is RISC-V, else link "
       "again");
}

/* Whether code of this symbol may be a part or clone of the function. */
static bool is_part(const char *symbol, const char *function) {
  size_t size = strlen(function);
  return strncmp(symbol, function, size) == 0 &&
         (symbol[size] == 0 || symbol[size] == '.');
}

/* Whether of any code there it is known how it was inlined. */
static bool says_where(const struct probes *probes,
                       const struct probe_symbol *symbol) {
  for (size_t i = probes_from(probes, symbol->address);
       i < probes->count &&
       probes->list[i].address - symbol->address < symbol->size;
       i++)
    if (probes->list[i].frame)
      return true;
  return false;
}

/* With -g0 nothing says how code was inlined, so that what is inlined has a
 * record of its own in the midst of another function. Else only pieces do that
 * the optimiser has made of several ones, which are of no one place. */
static void check_inlined(struct check *check) {
  const struct probes *probes = check->probes;
  struct seen seen = {0};
  for (size_t i = 0; i < probes->record_count; i++) {
    const struct probe_record *record = &probes->records[i];
    const struct probe_symbol *symbol = probes_symbol(probes, record->address);
    const char *name = probes_name(probes, record->guid);
    if (symbol && name && record->count && record->placed <= PROBE_GUESSED &&
        !is_part(symbol->name, name) && symbol->guid != record->guid &&
        !probe_is_at(probes, record->guid, symbol->address) &&
        !says_where(probes, symbol))
      see(&seen, record->guid);
  }
  find(check, &seen,
       "functions that were inlined and do not say where; compile with -g1 or "
       "-gline-directives-only, and without -gno-inline-line-tables (-g0 "
       "loses it)");
}

static void check_descriptors(struct check *check) {
  struct seen seen = {0};
  for (size_t i = 0; i < check->probes->record_count; i++) {
    uint64_t guid = check->probes->records[i].guid;
    if (!probes_described(check->probes, guid))
      see(&seen, guid);
  }
  find(check, &seen,
       "functions with probes and without descriptor, so without checksum; "
       "keep the "
       "section .pseudo_probe_desc when linking");
  if (!check->probes->repeated)
    return;
  check->findings++;
  fprintf(check->stream,
          "functions of which two files have different checksums: %" PRIu64
          "; compile all with the same macros and compiler, and with "
          "-funique-internal-linkage-names\n",
          check->probes->repeated);
}

static void check_loaded(struct check *check) {
  if (!check->probes->loaded)
    return;
  check->findings++;
  fprintf(check->stream,
          "bytes of probes in the image: %" PRIu64 "; take .pseudo_probe "
          "and .pseudo_probe_desc out of the linker script's loaded sections, "
          "or place them at 0 as (INFO)\n",
          check->probes->loaded);
}

unsigned probes_check(FILE *stream, const struct probes *probes,
                      const struct elf *elf) {
  struct check check = {stream, probes, elf, 0};
  struct seen seen = {0};
  check_placed(&check);
  check_inlined(&check);
  check_descriptors(&check);
  check_loaded(&check);
  struct probe_misplaced misplaced;
  probe_misplaced_find(&misplaced, probes, elf);
  seen = (struct seen){misplaced.relaxed, misplaced.relaxed_guid};
  find(&check, &seen,
       "functions that the linker's relaxation made shorter behind the back of "
       "their probes, so that some are misplaced; compile with -mno-relax "
       "what has probes");
  seen = (struct seen){misplaced.inside, misplaced.inside_guid};
  find(&check, &seen,
       "probes that are not where an instruction begins; compile with "
       "-mno-relax "
       "if this is RISC-V, else link again");
  seen = (struct seen){misplaced.outside, misplaced.outside_guid};
  find(&check, &seen,
       "probes that are outside of the function that they are of; compile with "
       "-mno-relax if this is RISC-V, else link again");
  return check.findings;
}
