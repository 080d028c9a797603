/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof receive --port gdb: reads the counters from the memory of a target,
 * once or repeatedly, and writes profiles or ELF cores. The target runs on
 * afterwards, unless the user wants it halted. wire/gdb.h reads the memory.
 */
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../doctor/findings.h"
#include "../image/image.h"
#include "../wire/gdb.h"

struct receive_gdb_state {
  const struct gdb_settings *settings;
  struct port server, console;
  bool console_is_open;
  struct console_searcher until;
  struct buffer before; /* the core file of the previous read, for
                           --increments */
  unsigned char warned; /* the warnings that an earlier read has printed: see
                           struct image_join */
  bool stopped;         /* the user was told that increments are too low */
};

static void print_and_search_console(void *context, const unsigned char *bytes,
                                     size_t size) {
  struct receive_gdb_state *work = context;
  if (!work->settings->quiet)
    fwrite(bytes, 1, size, stdout);
  gdb_search_console(&work->until, bytes, size);
}

static void read_and_print_console(struct receive_gdb_state *work) {
  static unsigned char bytes[4096];
  long got = work->console_is_open
                 ? port_read(&work->console, bytes, sizeof bytes, 0)
                 : 0;
  if (got > 0)
    print_and_search_console(work, bytes, (size_t)got);
  if (got >= 0)
    return;
  port_close(&work->console);
  work->console_is_open = false;
}

static long read_gdb_and_console(void *context, void *bytes, size_t size,
                                 int wait) {
  struct receive_gdb_state *work = context;
  read_and_print_console(work);
  fflush(stdout);
  return port_read(&work->server, bytes, size, wait);
}

static bool write_gdb_bytes(void *context, const void *bytes, size_t size) {
  struct receive_gdb_state *work = context;
  return gdb_visit_write_to_port(&work->server, bytes, size);
}

static bool is_read_due(void *context) {
  const struct receive_gdb_state *work = context;
  return work->until.seen || port_is_stop_requested();
}

/* Returns whether the name is OUT.core. Such a file gets the memory itself, as
 * input for bareprof report and join. */
static bool is_core_name(const char *name) {
  size_t size = strlen(name);
  return size > 5 && strcmp(name + size - 5, ".core") == 0;
}

const char *receive_gdb_check_settings(const struct gdb_settings *settings) {
  bool waits = settings->at || settings->until || settings->timeout;
  if (settings->poison && settings->reset)
    return "--poison and --reset both set the counters; use only one of them";
  if ((settings->poison || settings->reset) && !waits)
    return "--poison and --reset let the target run; use --at, --until or "
           "--timeout to say when to read";
  if (settings->count > 1 && !settings->every)
    return "with --port gdb:, --count needs --every";
  if (settings->increments && settings->count == 1)
    return "--increments needs a second read; use a larger --count, or remove "
           "--count";
  if (settings->increments && (!settings->every || is_core_name(settings->out)))
    return "with --port gdb:, --increments needs --every, and OUT must be a "
           "profile";
  if (settings->until && strlen(settings->until) > UNTIL_MOST)
    return "--until is longer than 255 bytes; use a part of the text";
  return NULL;
}

/* Leaves only the counts since the previous read. After a restart of the
 * program, all counts are newer than that read, so none are subtracted. */
static int subtract_previous_counts(struct receive_gdb_state *work,
                                    const struct gdb_visit_elf *visited,
                                    struct snapshot *now) {
  struct image_join earlier = {.elf = visited->counts.elf,
                               .elf_name = visited->name,
                               .warned = work->warned};
  const char *server = work->settings->server;
  int status = join_add_file(&earlier, server, buffer_bytes(&work->before));
  if (!status && !snapshot_follows(now, &earlier.profile))
    warn(server,
         "counts have fallen, because the program restarted or reset them, or "
         "a 32-bit counter wrapped; counts between the last read and this "
         "moment are missing from the increments");
  else if (!status) {
    snapshot_warn_stopped_once(now, visited->name, &work->stopped);
    if (!snapshot_subtract(now, &earlier.profile))
      status = report_out_of_memory(NULL);
  }
  join_free(&earlier);
  return status;
}

static int keep_previous_core(struct receive_gdb_state *work,
                              const struct buffer *core) {
  const char *error = NULL;
  buffer_free(&work->before);
  work->before.limit = core->size;
  if (work->settings->increments)
    error = buffer_append_bytes(&work->before, core->data, core->size);
  return error ? report(work->settings->server, "%s", error) : 0;
}

static int write_counters_profile(struct receive_gdb_state *work,
                                  const struct gdb_visit_elf *visited,
                                  const char *out) {
  const char *server = work->settings->server;
  struct image_join join = {.elf = visited->counts.elf,
                            .elf_name = visited->name,
                            .warned = work->warned};
  char shown[256];
  int status = join_add_file(&join, server, buffer_bytes(&visited->core));
  work->warned = join.warned;
  if (!status && work->before.size)
    status = subtract_previous_counts(work, visited, &join.profile);
  if (!status)
    status = join_write(&join, out);
  if (!status)
    fprintf(
        stderr,
        "bareprof: %s: raw profile, %" PRIu64 " counters from the GDB "
        "server\n",
        make_printable(shown, sizeof shown, out),
        join.profile.header.pieces[BAREPROF_PIECE_COUNTERS].size /
            header_element_size(&join.profile.header, BAREPROF_PIECE_COUNTERS));
  work->warned = join.warned;
  join_free(&join);
  return status ? status : keep_previous_core(work, &visited->core);
}

/* Writes the result of a read. The first result goes to OUT, the second to
 * OUT-2 and so on, with the number before the extension. */
static int write_counts_of_read(struct receive_gdb_state *work,
                                struct gdb_visit *visit, unsigned number) {
  const struct gdb_settings *settings = work->settings;
  const char *base = os_base_name(settings->out), *dot = strrchr(base, '.');
  const char *end = dot && dot > base ? dot : base + strlen(base);
  char name[4200];
  int size = snprintf(name, sizeof name, "%s", settings->out);
  if (number > 1)
    size = snprintf(name, sizeof name, "%.*s-%u%s", (int)(end - settings->out),
                    settings->out, number, end);
  if ((size_t)size >= sizeof name)
    return report(settings->out,
                  "the file name is too long; use a shorter one");
  return is_core_name(name)
             ? output_write_bytes(name, buffer_bytes(&visit->list->core))
             : write_counters_profile(work, visit->list, name);
}

/* Reports errors and missing counts. Only the first read waits for --at, and
 * notices restarts; later reads of --every end by time. Returns 1 if nothing is
 * to be written, otherwise 0. */
static int report_visit_problems(const struct gdb_visit *visit,
                                 const struct gdb_settings *settings,
                                 const char *error, bool first) {
  const char *join = *visit->where ? " (" : "";
  if (error)
    return gdb_visit_report_error(visit, settings->server, error);
  if (first && visit->why == STOP_TIME && (settings->at || settings->until))
    return report(settings->server,
                  "after %g s the target did not %s%s%s%s; nothing is written; "
                  "use a longer --timeout",
                  (double)settings->timeout / 1000,
                  settings->at ? "reach the function of --at"
                               : "print the text of --until",
                  join, visit->where, *join ? ")" : "");
  if (first && visit->restarts)
    warn(visit->list->name,
         "the program restarted %zu time%s before bareprof read the counters, "
         "so earlier counts are lost; use --at to read the counters before the "
         "restart",
         visit->restarts, visit->restarts == 1 ? "" : "s");
  if (visit->list->counts.counted || settings->every)
    return 0;
  gdb_visit_report_no_counts(visit, 0);
  doctor_check_and_report(visit->list->name, visit->list->counts.elf);
  return !settings->allow_missing;
}

static const char *detach_unless_halt(const struct gdb_settings *settings,
                                      struct gdb_visit *visit) {
  return settings->halt || visit->gdb.state != GDB_STOPPED
             ? NULL
             : gdb_detach(&visit->gdb);
}

/* Reads the counts for the first time. The target continues to run before the
 * file is written. */
static int read_and_write_first_counts(struct receive_gdb_state *work,
                                       struct gdb_visit *visit) {
  const struct gdb_settings *settings = work->settings;
  const char *error = gdb_visit_run(visit);
  const char *leave_error = NULL;
  if (!error && settings->every)
    leave_error = gdb_visit_resume(visit);
  else if (!error || visit->about) /* the server still answers */
    leave_error = detach_unless_halt(settings, visit);
  if (report_visit_problems(visit, settings, error ? error : leave_error, true))
    return 1;
  gdb_visit_warn_unproven(visit);
  return write_counts_of_read(work, visit, 1);
}

static int poll_and_write_counts(struct receive_gdb_state *work,
                                 struct gdb_visit *visit) {
  const struct gdb_settings *settings = work->settings;
  bool goes = true;
  int status = 0;
  for (unsigned i = 2; goes && !status; i++) {
    const char *error = gdb_visit_wait_and_read(visit, settings->every);
    goes =
        !port_is_stop_requested() && (!settings->count || i < settings->count);
    if (!error)
      error =
          goes ? gdb_visit_resume(visit) : detach_unless_halt(settings, visit);
    status = report_visit_problems(visit, settings, error, false) ||
             write_counts_of_read(work, visit, i);
  }
  return status;
}

static int read_and_write_counts(struct receive_gdb_state *work,
                                 const char *elf_name, const struct elf *elf) {
  const struct gdb_settings *settings = work->settings;
  struct gdb_visit visit = {
      .at = &settings->at,
      .at_count = settings->at != NULL,
      .until = settings->until,
      .most = settings->timeout,
      .init = settings->reset,
      .poison = settings->poison,
      .runs = settings->at || settings->until || settings->timeout,
      .gdb.link = {work, read_gdb_and_console, write_gdb_bytes,
                   print_and_search_console},
      .stops = {
          .asked = is_read_due, .context = work, .timeout = settings->timeout}};
  int status = gdb_visit_add_elf(&visit, elf_name, elf) ||
               read_and_write_first_counts(work, &visit);
  if (!status && settings->every)
    status = poll_and_write_counts(work, &visit);
  gdb_visit_free(&visit);
  buffer_free(&work->before);
  return status;
}

static int connect_read_and_write(struct receive_gdb_state *work,
                                  const char *elf_name, const struct elf *elf) {
  const struct gdb_settings *settings = work->settings;
  char name[SERVER_NAME];
  if (port_make_gdb_name(name, settings->server))
    return 1;
  if (settings->console &&
      port_open(&work->console, settings->console, settings->baud))
    return 1;
  work->console_is_open = settings->console != NULL;
  int status = port_open(&work->server, name, 0);
  if (!status) {
    status = read_and_write_counts(work, elf_name, elf);
    port_close(&work->server);
  }
  if (work->console_is_open)
    port_close(&work->console);
  return status;
}

int receive_gdb_counters(const struct gdb_settings *settings,
                         const char *elf_name) {
  struct receive_gdb_state work = {.settings = settings,
                                   .until.text = settings->until};
  struct file file;
  struct elf elf;
  if (image_open_file(&elf, &file, elf_name))
    return 1;
  port_catch_signals();
  int status = connect_read_and_write(&work, elf_name, &elf);
  file_close(&file);
  return status;
}
