/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a visit to a target through its GDB server: sets breakpoints, lets the
 * target run up to a stop, and reads the counts. cmd/run_gdb.c and
 * cmd/receive_gdb.c start visits; join_add_file joins the counts with the ELF.
 */
#include "gdb.h"

#include <stdlib.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/number.h"
#include "../base/os.h"
#include "session.h"

/* ---- stops ----
 *
 * A semihosting call that ends the program also ends QEMU, and the counts in
 * QEMU's memory are lost. So the target stops before each semihosting trap, and
 * continues if the trap does not end the program.
 */

enum { STOP_SLICE = 20 }; /* the milliseconds between two tests of `asked` */
enum { SYS_EXIT = 0x18, SYS_EXIT_EXTENDED = 0x20 }; /* semihosting calls */
enum { ARM_BE8 = 0x00800000 };

/* ---- where to stop ---- */

static void append_stop_point(struct stop_points *stops, uint64_t address,
                              unsigned size, enum stop_reason why, size_t of) {
  for (size_t i = 0; i < stops->count; i++)
    if (stops->list[i].address == address)
      return;
  if (stops->count == STOPS_MOST)
    return;
  stops->list[stops->count].address = address;
  stops->list[stops->count].size = size;
  stops->list[stops->count].of = of;
  stops->list[stops->count].cores = 0;
  stops->list[stops->count++].why = why;
}

/* Returns the size in bytes of the instruction at an address. */
static unsigned instruction_size(const struct elf *elf, uint64_t address) {
  const unsigned char *at = elf_bytes_at(elf, address, 2);
  return elf->machine == ELF_RISCV && at && (*at & 3) != 3 ? 2 : 4;
}

/* Adds a stop at an address of code. On Arm, bit 0 of the address selects
 * Thumb. */
static void add_code_stop(struct stop_points *stops, const struct elf *elf,
                          uint64_t address, enum stop_reason why, size_t of) {
  bool thumb = elf->machine == ELF_ARM && address & 1;
  append_stop_point(stops, address - thumb,
                    thumb ? 2 : instruction_size(elf, address), why, of);
}

/* Parses an address such as "0x80001234". */
static bool parse_address(const char *text, uint64_t *address) {
  const unsigned char *digits = (const unsigned char *)text + 2;
  return !strncmp(text, "0x", 2) &&
         parse_number_in_base((struct bytes){digits, strlen(text) - 2}, 16,
                              address);
}

/* Adds a stop at a function, or at an address that starts with 0x; on Arm, bit
 * 0 selects Thumb. `of` is the index of the ELF, as in struct stop_points.
 * Returns false if the ELF lacks the symbol, or there are too many stops. */
static bool add_symbol_stop(struct stop_points *stops, const struct elf *elf,
                            const char *symbol, enum stop_reason why,
                            size_t of) {
  enum { NAME_MOST = 500 };
  const char *plus = strstr(symbol, "+0x");
  uint64_t address, offset = 0;
  char name[NAME_MOST];
  stops->elf = elf;
  if (plus && parse_address(plus + 1, &offset)) {
    snprintf(name, sizeof name, "%.*s", (int)(plus - symbol), symbol);
    symbol = name;
  }
  if ((!parse_address(symbol, &address) &&
       !elf_find_symbol(elf, symbol, &address)) ||
      stops->count == STOPS_MOST)
    return false;
  add_code_stop(stops, elf, address + offset, why, of);
  return true;
}

/* The instructions that make a semihosting call, for each machine. */
static const struct semihosting_trap {
  uint16_t machine;
  unsigned size;
  uint32_t word; /* the instruction; for RISC-V, the first of three
                    instructions */
} traps[] = {
    {ELF_ARM, 2, 0xBEAB},       {ELF_ARM, 2, 0xDFAB},
    {ELF_ARM, 2, 0xBABC},       {ELF_ARM, 4, 0xEF123456},
    {ELF_ARM, 4, 0xE10F0070},   {ELF_AARCH64, 4, 0xD45E0000},
    {ELF_RISCV, 4, 0x01F01013},
};

static bool is_matching_trap(const struct elf *elf,
                             const struct semihosting_trap *trap,
                             const unsigned char *at, uint64_t left) {
  /* In a big-endian Arm image, the code is little-endian, except in old images
   * (BE-32). */
  bool big = elf->big && elf->machine == ELF_ARM && !(elf->flags & ARM_BE8);
  if (trap->machine != elf->machine || left < trap->size)
    return false;
  if (trap->size == 2)
    return load16(at, big) == trap->word;
  return load32(at, big) == trap->word &&
         (elf->machine != ELF_RISCV ||
          (left >= 12 && load32(at + 4, false) == 0x00100073 &&
           load32(at + 8, false) == 0x40705013));
}

static void add_trap_stops(struct stop_points *stops, const struct elf *elf,
                           const struct elf_section *section) {
  for (uint64_t at = 0; at < section->size; at += 2)
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++)
      if (is_matching_trap(elf, &traps[i], section->bytes + at,
                           section->size - at))
        append_stop_point(stops, section->address + at, traps[i].size,
                          STOP_TRAP, SIZE_MAX);
}

/* Adds stops where the program ends: at _exit (or exit), at abort, and at
 * semihosting traps. */
static void add_end_stops(struct stop_points *stops, const struct elf *elf) {
  stops->elf = elf;
  if (!add_symbol_stop(stops, elf, "_exit", STOP_EXIT, SIZE_MAX))
    add_symbol_stop(stops, elf, "exit", STOP_EXIT, SIZE_MAX);
  add_symbol_stop(stops, elf, "abort", STOP_EXIT, SIZE_MAX);
  for (uint64_t i = 1; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (elf_section_has_code(elf, (uint32_t)i) && section.bytes)
      add_trap_stops(stops, elf, &section);
  }
}

/* ---- the run ---- */

static const char *change_breakpoints(const struct stop_points *stops,
                                      struct gdb_client *gdb, bool set) {
  const char *error = NULL;
  for (size_t i = 0; i < stops->count && !error; i++) {
    error = gdb_change_breakpoint(gdb, stops->list[i].address,
                                  stops->list[i].size, set);
    /* If no hardware breakpoint is left, restarts are not noticed, which is not
     * an error. */
    if (stops->list[i].why == STOP_START && gdb->state == GDB_STOPPED)
      error = NULL;
  }
  return error;
}

/* Waits until the target stops, or until it must be halted. Sets *why to the
 * reason. */
static const char *wait_then_halt(const struct stop_points *stops,
                                  struct gdb_client *gdb, uint64_t begun,
                                  enum stop_reason *why) {
  const char *error = NULL;
  *why = STOP_OTHER;
  while (!error && gdb->state == GDB_RUNS && *why == STOP_OTHER) {
    error = gdb_wait_for_stop(gdb, STOP_SLICE);
    if (gdb->state != GDB_RUNS)
      break;
    if (stops->asked && stops->asked(stops->context))
      *why = STOP_ASKED;
    else if (stops->timeout && session_get_time() - begun >= stops->timeout)
      *why = STOP_TIME;
  }
  return error ? error : gdb_halt(gdb);
}

/* Reads a register. `number` is an index in the list of general registers and
 * PC. */
static const char *read_register(const struct stop_points *stops,
                                 struct gdb_client *gdb, size_t number,
                                 uint64_t *value) {
  unsigned char bytes[8] = {0};
  unsigned size = stops->elf->wide ? 8 : 4;
  const char *error = gdb_read_registers(gdb, size * number, bytes, size);
  *value = load_number(bytes, size, stops->elf->big);
  return error;
}

/* Executes the instruction at a breakpoint. The breakpoint is removed for this
 * step. */
static const char *step_over_breakpoint(const struct stop_points *stops,
                                        struct gdb_client *gdb, size_t i) {
  uint64_t address = stops->list[i].address;
  const char *error =
      gdb_change_breakpoint(gdb, address, stops->list[i].size, false);
  if (!error)
    error = gdb_resume(gdb, true);
  for (uint64_t begun = session_get_time();
       !error && gdb->state == GDB_RUNS && session_get_time() - begun < 5000;)
    error = gdb_wait_for_stop(gdb, STOP_SLICE);
  if (!error)
    error = gdb_halt(gdb);
  return error || gdb->state == GDB_ENDED
             ? error
             : gdb_change_breakpoint(gdb, address, stops->list[i].size, true);
}

/* Finds the stop at the PC. *i becomes the index of the stop, or stops->count
 * if no stop is at the PC. */
static const char *find_stop_at_pc(const struct stop_points *stops,
                                   struct gdb_client *gdb, size_t *i) {
  uint64_t pc;
  const char *error =
      read_register(stops, gdb, stops->elf->machine == ELF_ARM ? 15 : 32, &pc);
  for (*i = 0; *i < stops->count && !error; ++*i)
    if (stops->list[*i].address == pc)
      break;
  return error;
}

/* Executes the first instruction of a program, which a core has just started.
 */
static const char *step_past_entry(struct stop_points *stops,
                                   struct gdb_client *gdb, size_t i) {
  stops->list[i].cores |= UINT64_C(1) << gdb->thread % 64;
  return step_over_breakpoint(stops, gdb, i);
}

/* Decides which stop was reached. *goes becomes true if the target should
 * continue, because this stop does not end the run. */
static const char *classify_stop_or_step_past(struct stop_points *stops,
                                              struct gdb_client *gdb,
                                              enum stop_reason *why,
                                              bool *goes) {
  uint64_t call;
  size_t i;
  *goes = false;
  const uint16_t machine = stops->elf->machine;
  const char *error = find_stop_at_pc(stops, gdb, &i);
  if (error || i == stops->count)
    return error;
  stops->met = i;
  *why = stops->list[i].why;
  if (*why == STOP_START) {
    *goes = !(stops->list[i].cores >> gdb->thread % 64 & 1);
    return *goes ? step_past_entry(stops, gdb, i) : NULL;
  }
  if (*why != STOP_TRAP)
    return NULL;
  error = read_register(stops, gdb, machine == ELF_RISCV ? 10 : 0, &call);
  *why = STOP_EXIT;
  *goes = !error && (uint32_t)call != SYS_EXIT &&
          (uint32_t)call != SYS_EXIT_EXTENDED;
  return error || !*goes ? error : step_over_breakpoint(stops, gdb, i);
}

/* Lets the target run until a stop, and removes the breakpoints. *why becomes
 * the reason of the stop. If the program ended, gdb->state tells this. */
static const char *run_to_stop(struct stop_points *stops,
                               struct gdb_client *gdb, uint64_t begun,
                               enum stop_reason *why) {
  size_t first;
  bool goes = true;
  const char *error = change_breakpoints(stops, gdb, true);
  if (!error)
    error = find_stop_at_pc(stops, gdb, &first);
  if (!error && first < stops->count && stops->list[first].why == STOP_START)
    error = step_past_entry(stops, gdb, first);
  while (!error && goes && gdb->state == GDB_STOPPED) {
    goes = false;
    error = gdb_resume(gdb, false);
    if (!error)
      error = wait_then_halt(stops, gdb, begun, why);
    if (!error && gdb->state == GDB_STOPPED && *why == STOP_OTHER)
      error = classify_stop_or_step_past(stops, gdb, why, &goes);
  }
  return error || gdb->state == GDB_ENDED
             ? error
             : change_breakpoints(stops, gdb, false);
}

/* ---- visits ---- */

enum { WRITE_PATIENCE = 2000 }; /* in milliseconds */

/* Adds those stops of --at that are functions or addresses of this ELF. */
static void add_user_stops(struct gdb_visit *visit, const char *name,
                           const struct elf *elf) {
  for (size_t i = 0; i < visit->at_count; i++) {
    const char *at = visit->at[i], *colon = strrchr(at, ':');
    size_t size = colon ? (size_t)(colon - at) : 0;
    const char *base = os_base_name(name);
    size_t before = visit->stops.count;
    bool stage = colon && ((strlen(name) == size && !memcmp(at, name, size)) ||
                           (strlen(base) == size && !memcmp(at, base, size)));
    if ((!colon || stage) &&
        add_symbol_stop(&visit->stops, elf, stage ? colon + 1 : at, STOP_AT,
                        stage ? visit->count - 1 : SIZE_MAX)) {
      visit->found |= UINT32_C(1) << i;
      /* Another name of an earlier stop adds no stop. */
      if (visit->stops.count > before)
        visit->stops.list[before].at = at;
    }
  }
}

int gdb_visit_add_elf(struct gdb_visit *visit, const char *name,
                      const struct elf *elf) {
  if (!list_make_room(&visit->list, visit->count, sizeof *visit->list))
    return report_out_of_memory(name);
  struct gdb_visit_elf *visited = &visit->list[visit->count++];
  *visited = (struct gdb_visit_elf){.name = name};
  const char *error = gdb_counts_find_ranges(&visited->counts, elf);
  if (error)
    return report(name, "%s", error);
  if (!visited->counts.count)
    return report(name,
                  "no counters found; compile with -fprofile-instr-generate");
  add_user_stops(visit, name, elf);
  if (visit->ends)
    add_end_stops(&visit->stops, elf);
  visit->stops.elf = elf;
  return 0;
}

static const char *init_or_poison_counts(struct gdb_visit *visit, size_t i) {
  const char *error = NULL;
  visit->about = visit->list[i].name;
  if (visit->init)
    error = gdb_counts_write_initial(&visit->list[i].counts, &visit->gdb);
  if (!error && visit->poison)
    error = gdb_counts_poison(&visit->list[i].counts, &visit->gdb);
  return error;
}

static const char *read_and_verify_counts(struct gdb_visit *visit, size_t i) {
  struct gdb_visit_elf *visited = &visit->list[i];
  visit->about = visited->name;
  const char *error = gdb_counts_read(&visited->counts, &visit->gdb,
                                      visit->poison, &visited->core);
  if (!error)
    error = gdb_stack_add_note(&visit->gdb, visited->counts.elf,
                               visit->why == STOP_EXIT, &visited->core);
  return error ? error : gdb_counts_compare_code(&visited->counts, &visit->gdb);
}

/* Reads the counts of all ELFs. If the user did not ask for this stop, also
 * describes where the core is halted. */
static const char *read_all_counts(struct gdb_visit *visit) {
  const char *error = NULL;
  bool asks = visit->runs && visit->why > STOP_TRAP;
  for (size_t i = 0; i < visit->count && !error; i++) {
    if (!visit->list[i].read)
      error = read_and_verify_counts(visit, i);
    asks |= !visit->list[i].counts.counted;
  }
  if (error ? visit->gdb.state == GDB_STOPPED : asks)
    gdb_where_describe(visit);
  return error;
}

static const char ended[] =
    "the program ended before bareprof read the counters; pass the last "
    "function of the program to --at";

const char *gdb_visit_resume(struct gdb_visit *visit) {
  visit->about = NULL;
  return gdb_resume(&visit->gdb, false);
}

/* Reads all counts again, after the target has run on. */
static const char *read_counts_again(struct gdb_visit *visit) {
  for (size_t i = 0; i < visit->count; i++) {
    buffer_free(&visit->list[i].core);
    visit->list[i].read = false;
  }
  return read_all_counts(visit);
}

const char *gdb_visit_wait_and_read(struct gdb_visit *visit,
                                    uint64_t milliseconds) {
  visit->stops.timeout = milliseconds;
  const char *error = wait_then_halt(&visit->stops, &visit->gdb,
                                     session_get_time(), &visit->why);
  if (!error && visit->gdb.state == GDB_ENDED)
    error = ended;
  return error ? error : read_counts_again(visit);
}

/* Handles the restart of an ELF: reads its counts before the program clears
 * them, and passes them on. If RAM cannot be read at this moment, the counts
 * are lost. */
static const char *pass_on_and_reset_counts(struct gdb_visit *visit, size_t i) {
  struct gdb_visit_elf *visited = &visit->list[i];
  visit->restarts++;
  const char *error =
      gdb_counts_read(&visited->counts, &visit->gdb, false, &visited->core);
  bool failed = !error && visited->counts.counted && visit->on_restart &&
                visit->on_restart(visit->stops.context, visit, i);
  buffer_free(&visited->core);
  if (failed)
    return "counts from before a restart cannot be added";
  return error && error != gdb_unreadable ? error
                                          : init_or_poison_counts(visit, i);
}

/* Handles a stop, and decides whether the visit continues. If the stop belongs
 * to a boot stage, reads the counts of that stage. */
static const char *handle_reached_stop(struct gdb_visit *visit, bool *goes) {
  struct stop_points *stops = &visit->stops;
  size_t i = stops->list[stops->met].of;
  *goes = visit->why == STOP_START;
  if (*goes && !visit->list[i].read)
    return pass_on_and_reset_counts(visit, i);
  if (visit->why != STOP_AT || i == SIZE_MAX)
    return NULL;
  const char *error = read_and_verify_counts(visit, i);
  visit->list[i].read = true;
  stops->list[stops->met] = stops->list[--stops->count];
  for (i = 0; i < visit->count; i++)
    *goes |= !visit->list[i].read;
  return error;
}

/* Lets the target run until it reaches a stop that ends the visit. */
static const char *run_to_last_stop(struct gdb_visit *visit) {
  uint64_t begun = session_get_time();
  const char *error = NULL;
  for (bool goes = true; goes && !error;) {
    goes = false;
    error = run_to_stop(&visit->stops, &visit->gdb, begun, &visit->why);
    if (!error && visit->gdb.state == GDB_ENDED)
      error = ended;
    if (!error)
      error = handle_reached_stop(visit, &goes);
  }
  return error;
}

const char *gdb_visit_continue_and_read(struct gdb_visit *visit) {
  visit->about = NULL;
  const char *error = run_to_last_stop(visit);
  return error ? error : read_counts_again(visit);
}

const char gdb_visit_other_machine[] =
    "the GDB server's target is another machine";

/* Connects to the server, and prepares all ELFs before the program runs. */
static const char *connect_and_prepare_elfs(struct gdb_visit *visit) {
  const char *error = gdb_connect_and_halt(&visit->gdb);
  for (size_t i = 0; i < visit->count && !error; i++) {
    struct gdb_counts *counts = &visit->list[i].counts;
    visit->about = visit->list[i].name;
    if (!gdb_can_run_elf(&visit->gdb, counts->elf))
      return gdb_visit_other_machine;
    struct gdb_counts at_reset = *counts;
    at_reset.proven = false;
    visit->list[i].absent =
        visit->ends &&
        (gdb_counts_compare_code(&at_reset, &visit->gdb) || !at_reset.proven);
    error = init_or_poison_counts(visit, i);
    /* The initial values are read back, to check that RAM is accessible. RAM
     * that the MMU maps later is not accessible yet. */
    if (!error && visit->init)
      error = gdb_counts_read(counts, &visit->gdb, false, &visit->list[i].core);
    if (!error && visit->init && counts->counted) {
      visit->gdb.failed = counts->ranges->address;
      error = gdb_unwritable;
    }
    error = error == gdb_unreadable ? NULL : error;
    buffer_free(&visit->list[i].core);
    if (visit->runs)
      add_code_stop(&visit->stops, counts->elf, counts->elf->entry, STOP_START,
                    i);
  }
  return error;
}

const char *gdb_visit_run(struct gdb_visit *visit) {
  for (size_t i = 0; i < visit->at_count; i++)
    if (!(visit->found >> i & 1)) {
      visit->about = visit->at[i];
      return "no ELF has the symbol in --at; use a function of an ELF, or "
             "0xADDRESS";
    }
  const char *error = connect_and_prepare_elfs(visit);
  if (!error)
    visit->about = NULL;
  if (!error && visit->runs) {
    gdb_visit_print_begin(visit);
    error = run_to_last_stop(visit);
  }
  if (!error)
    error = read_all_counts(visit);
  else if (visit->gdb.state == GDB_STOPPED)
    gdb_where_describe(visit);
  return error;
}

void gdb_visit_warn_unproven(const struct gdb_visit *visit) {
  for (size_t i = 0; i < visit->count; i++)
    if (!visit->list[i].counts.proven)
      report(visit->list[i].name,
             "no code could be compared with the target, so the counts may "
             "come from another build; pass the ELF that ran, unstripped, or "
             "let the probe read the code");
}

void gdb_visit_free(struct gdb_visit *visit) {
  for (size_t i = 0; i < visit->count; i++) {
    gdb_counts_free(&visit->list[i].counts);
    buffer_free(&visit->list[i].core);
  }
  free(visit->list);
}

/* ---- helpers for links ---- */

bool gdb_visit_write_to_port(struct port *port, const void *bytes,
                             size_t size) {
  const unsigned char *next = bytes;
  while (size) {
    long sent = os_port_write(port->os, next, size, WRITE_PATIENCE);
    if (sent <= 0)
      return false;
    next += sent;
    size -= (size_t)sent;
  }
  return true;
}

void gdb_search_console(struct console_searcher *until,
                        const unsigned char *bytes, size_t size) {
  size_t length = until->text ? strlen(until->text) : 0;
  for (size_t i = 0; i < size && length && !until->seen; i++) {
    if (until->held == length)
      memmove(until->last, until->last + 1, --until->held);
    until->last[until->held++] = (char)bytes[i];
    until->seen =
        until->held == length && memcmp(until->last, until->text, length) == 0;
  }
}
