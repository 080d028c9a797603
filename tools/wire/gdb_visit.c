/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The steps of a visit.
 */
#include "gdb.h"

#include <stdlib.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "session.h"

enum { WRITE_PATIENCE = 2000, SLICE = 20 }; /* milliseconds */

int visit_elf(struct visit *visit, const char *name, const struct elf *elf) {
  if (!list_more(&visit->list, visit->count, sizeof *visit->list))
    return report_memory(name);
  struct visited *visited = &visit->list[visit->count++];
  *visited = (struct visited){.name = name};
  const char *error = counts_find(&visited->counts, elf);
  if (error)
    return report(name, "%s", error);
  if (!visited->counts.count)
    return report(name, "it has no counters; compile with "
                        "-fprofile-instr-generate");
  if (visit->at && stops_at(&visit->stops, elf, visit->at, STOP_AT))
    visit->about = name;
  if (visit->ends)
    stops_at_ends(&visit->stops, elf);
  visit->stops.elf = elf;
  return 0;
}

static const char *prepare(struct visit *visit) {
  const char *error = NULL;
  for (size_t i = 0; i < visit->count && !error; i++) {
    visit->about = visit->list[i].name;
    if (visit->init)
      error = counts_init(&visit->list[i].counts, &visit->gdb);
    if (!error && visit->poison)
      error = counts_poison(&visit->list[i].counts, &visit->gdb);
  }
  return error;
}

static const char *take_all(struct visit *visit) {
  const char *error = NULL;
  for (size_t i = 0; i < visit->count && !error; i++) {
    visit->about = visit->list[i].name;
    error = counts_take(&visit->list[i].counts, &visit->gdb, visit->poison,
                        &visit->list[i].core);
  }
  return error;
}

static const char ended[] =
    "the program ended, and its memory went with it, before the read; name its "
    "last function by --at";

const char *visit_resume(struct visit *visit) {
  visit->about = NULL;
  return gdb_go(&visit->gdb, false);
}

const char *visit_again(struct visit *visit, uint64_t milliseconds) {
  const struct stops *stops = &visit->stops;
  const char *error = NULL;
  uint64_t begun = session_now();
  while (!error && visit->gdb.state == GDB_RUNS &&
         session_now() - begun < milliseconds && !stops->asked(stops->context))
    error = gdb_wait(&visit->gdb, SLICE);
  if (!error)
    error = gdb_halt(&visit->gdb);
  if (error || visit->gdb.state == GDB_ENDED)
    return error ? error : ended;
  for (size_t i = 0; i < visit->count; i++)
    buffer_free(&visit->list[i].core);
  return take_all(visit);
}

const char *visit_on(struct visit *visit) {
  visit->about = NULL;
  const char *error = stops_run(&visit->stops, &visit->gdb, &visit->why);
  if (error || visit->gdb.state == GDB_ENDED)
    return error ? error : ended;
  for (size_t i = 0; i < visit->count; i++)
    buffer_free(&visit->list[i].core);
  return take_all(visit);
}

const char *visit_run(struct visit *visit) {
  bool known = !visit->at || visit->about;
  visit->about = NULL;
  if (!known)
    return "no ELF has the symbol of --at; name a function of it";
  const char *error = gdb_begin(&visit->gdb);
  if (!error)
    error = prepare(visit);
  visit->about = NULL;
  if (!error && visit->runs)
    error = stops_run(&visit->stops, &visit->gdb, &visit->why);
  if (!error && visit->gdb.state == GDB_ENDED)
    return ended;
  return error ? error : take_all(visit);
}

void visit_tell(const struct visit *visit) {
  for (size_t i = 0; i < visit->count; i++)
    if (!visit->list[i].counts.proven)
      report(visit->list[i].name,
             "it has no code to compare with the target's, so the counts may "
             "be of another build; give the ELF as it was linked");
}

void visit_free(struct visit *visit) {
  for (size_t i = 0; i < visit->count; i++) {
    counts_free(&visit->list[i].counts);
    buffer_free(&visit->list[i].core);
  }
  free(visit->list);
}

/* ---- parts of links ---- */

bool visit_send(struct port *port, const void *bytes, size_t size) {
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

void until_feed(struct until *until, const unsigned char *bytes, size_t size) {
  size_t length = until->text ? strlen(until->text) : 0;
  for (size_t i = 0; i < size && length && !until->seen; i++) {
    if (until->held == length)
      memmove(until->last, until->last + 1, --until->held);
    until->last[until->held++] = (char)bytes[i];
    until->seen =
        until->held == length && memcmp(until->last, until->text, length) == 0;
  }
}
