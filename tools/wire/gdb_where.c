/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Describes for the user where a core is halted, and why a visit failed.
 * gdb_visit.c calls these functions.
 */
#include "gdb.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "../base/number.h"

/* How many code bytes identify a place in the code. */
enum { SEEN = 16 };

/* The numbers of registers in GDB's description of Cortex-M, the offset of the
 * PC in an exception frame, and the address of the fault status register. */
enum { SP = 13, LR = 14, XPSR = 25, FRAME_PC = 24 };
#define CFSR UINT32_C(0xE000ED28)

/* Finds the place in the ELF whose code has the same bytes as the code at the
 * PC. Returns false if no place or several places match. */
static bool find_matching_code(const struct elf *elf,
                               const unsigned char seen[SEEN],
                               uint64_t *address) {
  unsigned count = 0;
  for (uint64_t i = 1; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (!elf_section_has_code(elf, (uint32_t)i) || !section.bytes)
      continue;
    for (uint64_t at = 0; at + SEEN <= section.size; at += 2)
      if (memcmp(section.bytes + at, seen, SEEN) == 0) {
        *address = section.address + at;
        count++;
      }
  }
  return count == 1;
}

/* Appends text to the description of where the core is halted. */
static void append_where_text(struct gdb_visit *visit, const char *format, ...)
    PRINTS_AS(2, 3);
static void append_where_text(struct gdb_visit *visit, const char *format,
                              ...) {
  size_t used = strlen(visit->where);
  va_list list;
  va_start(list, format);
  vsnprintf(visit->where + used, WHERE_ROOM - used, format, list);
  va_end(list);
}

static void append_code_address(struct gdb_visit *visit, uint64_t address) {
  const char *name = NULL;
  bool inside = false;
  for (size_t i = 0; i < visit->count && !name; i++) {
    inside |= elf_bytes_at(visit->list[i].counts.elf, address, 2) != NULL;
    name = elf_find_function(visit->list[i].counts.elf, address).name;
  }
  append_where_text(visit, "0x%" PRIx64, address);
  if (name || !inside)
    append_where_text(visit, name ? ", in %.60s" : ", outside of the ELF's %s",
                      name ? name : "code");
}

/* If a Cortex-M is in a fault handler, appends which fault it is, why it
 * happened, and where. */
static void append_fault(struct gdb_visit *visit) {
  static const char *const names[] = {"NMI",      "HardFault",  "MemManage",
                                      "BusFault", "UsageFault", "SecureFault"};
  struct gdb_client *gdb = &visit->gdb;
  bool big = visit->stops.elf->big;
  unsigned char word[4], fault[8], sp[4], lr[4];
  if (!gdb->m_profile || gdb_read_register(gdb, XPSR, word, sizeof word))
    return;
  uint32_t number = load32(word, big) & 0x1FF;
  if (number < 2 || number > 7 ||
      gdb_read_memory(gdb, CFSR, fault, sizeof fault))
    return;
  visit->fault = number > 2;
  append_where_text(
      visit, ", in %s (CFSR 0x%08" PRIx32 ", HFSR 0x%08" PRIx32 ")",
      names[number - 2], load32(fault, big), load32(fault + 4, big));
  /* If LR still has the value from the exception's entry, the exception frame
   * is on top of the stack. Exceptions: bit 2 names the process stack; if bit 5
   * is 0, 40 bytes of the Secure state are above the frame. */
  if (gdb_read_register(gdb, SP, sp, sizeof sp) ||
      gdb_read_register(gdb, LR, lr, sizeof lr) ||
      load32(lr, big) >> 24 != 0xFF || (load32(lr, big) & 0x24) != 0x20 ||
      gdb_read_memory(gdb, load32(sp, big) + FRAME_PC, word, sizeof word))
    return;
  append_where_text(visit, " from ");
  append_code_address(visit, load32(word, big));
}

/* Appends that the code runs at another address than its link address, if this
 * is so. */
static void append_moved_code_notice(struct gdb_visit *visit, uint64_t pc) {
  unsigned char seen[SEEN];
  uint64_t linked = 0;
  if (gdb_read_memory(&visit->gdb, pc, seen, SEEN))
    return;
  for (size_t i = 0; i < visit->count && !visit->moved; i++) {
    const struct elf *elf = visit->list[i].counts.elf;
    if (elf_bytes_at(elf, pc, 2) || !find_matching_code(elf, seen, &linked))
      continue;
    append_where_text(visit, ", with the code of ");
    append_code_address(visit, linked);
    append_where_text(visit,
                      ": this ELF does not run at its link address, so its "
                      "counters are elsewhere, too");
    visit->moved = true;
  }
}

void gdb_where_describe(struct gdb_visit *visit) {
  const struct elf *elf = visit->stops.elf;
  unsigned char bytes[8] = {0};
  unsigned size = elf->wide ? 8 : 4;
  uint64_t failed = visit->gdb.failed;
  visit->where[0] = 0;
  visit->fault = visit->moved = false;
  bool known = elf->machine == ELF_ARM || elf->machine == ELF_AARCH64 ||
               elf->machine == ELF_RISCV;
  if (!known || visit->gdb.state != GDB_STOPPED ||
      gdb_read_registers(
          &visit->gdb, size * (elf->machine == ELF_ARM ? 15 : 32), bytes, size))
    return;
  uint64_t pc = load_number(bytes, size, elf->big);
  append_where_text(visit, "the core is at ");
  append_code_address(visit, pc);
  append_fault(visit);
  if (!visit->fault)
    append_moved_code_notice(visit, pc);
  visit->gdb.failed = failed;
}

void gdb_visit_print_begin(const struct gdb_visit *visit) {
  char name[256], at[256];
  const char *text = visit->at_count
                         ? make_printable(at, sizeof at, visit->at[0])
                     : visit->until ? "the text of --until"
                                    : "its end";
  fprintf(stderr, "bareprof: %s runs, and its counters are read at %s",
          make_printable(name, sizeof name, visit->list->name),
          visit->ends || visit->at_count || visit->until ? text : "Ctrl-C");
  if (visit->most)
    fprintf(stderr, ", at Ctrl-C, or after %g s (--timeout)",
            (double)visit->most / 1000);
  fputs(visit->most ? "\n" : ", or at Ctrl-C\n", stderr);
}

int gdb_visit_report_error(const struct gdb_visit *visit, const char *source,
                           const char *error) {
  const char *about = visit->about ? visit->about : source;
  const char *where = visit->where, *join = *where ? "; " : "";
  bool writes = error == gdb_unwritable;
  if (writes || error == gdb_unreadable)
    return report(
        about,
        "the target's memory cannot be %s at 0x%" PRIx64
        "%s%s; check that the ELF is linked for this board, and that the MMU "
        "maps its data now; for a boot stage use --at ELF:FUNCTION",
        writes ? "written" : "read", visit->gdb.failed, join, where);
  if (error == gdb_counts_other && visit->moved)
    return report(about, "%s; link the ELF for the address where it runs",
                  where);
  if (error == gdb_counts_other)
    for (size_t i = 0; i < visit->count; i++)
      if (visit->list[i].name == about)
        return report(
            about,
            "the code on the target does not match this ELF, %s at 0x%" PRIx64
            "%s%s; pass the ELF that runs, or %s",
            visit->list[i].counts.blank ? "with no code" : "with a difference",
            visit->list[i].counts.other, join, where,
            visit->ends ? "let QEMU load this one: -kernel ELF"
                        : "flash this one");
  if (error == gdb_visit_other_machine)
    return report(about,
                  "the GDB server's target is %s, which cannot run this ELF; "
                  "start QEMU, or the probe, for the machine of the ELF",
                  visit->gdb.machine);
  return report(about, "%s", error);
}

const char *gdb_visit_find_missed_stop(const struct gdb_visit *visit) {
  for (size_t i = 0; i < visit->at_count; i++)
    for (size_t k = 0; k < visit->stops.count; k++)
      if (visit->stops.list[k].at == visit->at[i])
        return visit->at[i];
  return NULL;
}

int gdb_visit_report_no_counts(const struct gdb_visit *visit, size_t i) {
  const struct gdb_visit_elf *visited = &visit->list[i];
  return report(visited->name, "nothing counted%s%s; %s",
                *visit->where ? "; " : "", visit->where,
                visit->moved ? "link the ELF for the address where it runs"
                : visited->absent
                    ? "the ELF was not in the memory at reset; check that QEMU "
                      "loads the ELF with -kernel ELF"
                    : "check that this ELF runs, and that the "
                      "ELF is linked for this board");
}
