/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the snapshots of `receive` to files. The first file has the given
 * name; further files get a number before the extension. If the given extension
 * is one of bareprof's extensions, the content decides the extension: .profraw
 * for full dumps, .bpdump for lean dumps, .mipraw for MIP, .samples for
 * samples. The name of a dump with gaps gets .partial before the extension.
 */
#include "session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/storage.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"
#include "../image/dumpfile.h"
#include "../image/snapshot.h"

/* Returns the offset of a name's extension, or the length of the name. */
static size_t stem_length(const char *name) {
  const char *base = os_base_name(name), *dot = strrchr(base, '.');
  return dot && dot > base ? (size_t)(dot - name) : strlen(name);
}

enum file_form { PROFILE, DUMP, MIP, SAMPLES };
static const char *const extensions[] = {".profraw", ".bpdump", ".mipraw",
                                         ".samples"};

static enum file_form choose_file_form(const struct snapshot *snapshot) {
  if (snapshot->header.kind == BAREPROF_KIND_MIP)
    return MIP;
  if (snapshot->header.kind == BAREPROF_KIND_SAMPLES)
    return SAMPLES;
  return snapshot->header.kind == BAREPROF_KIND_PROFILE &&
                 !snapshot->header.lean
             ? PROFILE
             : DUMP;
}

/* Makes the name of the next file. Returns NULL if memory runs out. */
static char *make_file_name(const struct dump_writer *writer,
                            enum file_form form, bool partial) {
  size_t stem = stem_length(writer->out);
  size_t room = strlen(writer->out) + 40;
  const char *extension = writer->out + stem;
  char number[16] = "";
  char *name = malloc(room);
  if (!name || strcmp(writer->out, "-") == 0)
    return name ? strcpy(name, "-") : NULL;
  for (unsigned i = PROFILE; i <= SAMPLES; i++)
    if (strcmp(extension, extensions[i]) == 0) {
      extension = extensions[form];
      break;
    }
  if (writer->files)
    snprintf(number, sizeof number, "-%u", writer->files + 1);
  snprintf(name, room, "%.*s%s%s%s", (int)stem, writer->out, number,
           partial ? ".partial" : "", extension);
  return name;
}

static void print_mip_description(const struct snapshot *snapshot) {
  const struct dump_piece *pieces = snapshot->header.pieces;
  struct mipfile_edge_counts edges = mipfile_count_edges(snapshot);
  fprintf(stderr, ", %" PRIu64 " bytes",
          pieces[BAREPROF_PIECE_RECORDS].size +
              pieces[BAREPROF_PIECE_COUNTERS].size);
  if (pieces[BAREPROF_PIECE_BITMAP].size)
    fprintf(stderr, ", %" PRIu32 " edges", edges.count);
  if (edges.lost)
    fprintf(stderr, ", no space for %" PRIu32 " calls", edges.lost);
}

static void print_samples_description(const struct snapshot *snapshot) {
  struct samplesfile_counts counts = samplesfile_read_counts(snapshot);
  fprintf(stderr, ": %" PRIu32 " of %" PRIu32 " taken",
          counts.taken - counts.lost, counts.taken);
}

static void print_counts_description(const struct snapshot *snapshot) {
  const struct dump_header *header = &snapshot->header;
  const struct dump_piece *pieces = header->pieces;
  fprintf(stderr, ", %" PRIu64 " counters",
          pieces[BAREPROF_PIECE_COUNTERS].size /
              header_element_size(header, BAREPROF_PIECE_COUNTERS));
  if (pieces[BAREPROF_PIECE_BITMAP].size)
    fprintf(stderr, ", %" PRIu64 " bitmap bytes",
            pieces[BAREPROF_PIECE_BITMAP].size);
  if (pieces[BAREPROF_PIECE_SLOTS].size)
    fprintf(stderr, ", %" PRIu32 " of %" PRIu64 " value slots in use",
            slots_count_used(snapshot),
            pieces[BAREPROF_PIECE_SLOTS].size / SLOT_BYTES);
  if (header->build_id_size) {
    fprintf(stderr, ", build id ");
    for (size_t i = 0; i < header->build_id_size && i < 8; i++)
      fprintf(stderr, "%02x", header->build_id[i]);
  }
}

/* Reports which dump the file contains, and how complete the dump is. */
static void print_file_description(const char *name,
                                   const struct snapshot *snapshot,
                                   enum file_form form) {
  const struct dump_header *header = &snapshot->header;
  char shown[256];
  fprintf(stderr, "bareprof: %s: %s", make_printable(shown, sizeof shown, name),
          form == MIP       ? "MIP raw section"
          : form == SAMPLES ? "samples"
          : header->lean    ? "lean dump"
                            : "full dump");
  if (header->core || header->image || header->boot)
    fprintf(stderr, " of core %u, image %u, boot %u", header->core,
            header->image, header->boot);
  if (form == MIP)
    print_mip_description(snapshot);
  else if (form == SAMPLES)
    print_samples_description(snapshot);
  else
    print_counts_description(snapshot);
  fprintf(stderr, "%s\n",
          snapshot->several_moments
              ? "; not of one instant: frames were sent again"
              : "");
}

static bool write_dump_file(struct dump_writer *writer,
                            const struct snapshot *snapshot,
                            enum file_form form, bool partial) {
  struct output_file output;
  char *name = make_file_name(writer, form, partial);
  bool written = false;
  if (!name) {
    report_out_of_memory(writer->out);
  } else if (output_open(&output, name) == 0) {
    const char *error = NULL;
    if (form == PROFILE)
      error = raw_write_profile(snapshot, output.stream);
    else if (form == MIP)
      error = mipfile_write(snapshot, output.stream);
    else if (form == SAMPLES)
      samplesfile_write(snapshot, output.stream);
    else
      dumpfile_write(snapshot, output.stream);
    if (error) {
      output_abandon(&output);
      report(name, "not written: the image sent is not valid: %s", error);
    } else {
      written = output_commit(&output) == 0;
    }
  }
  if (written) {
    writer->files++;
    print_file_description(name, snapshot, form);
    if (header_is_modulo(&snapshot->header) && !writer->modulo)
      counter_width_warn_modulo(name, false);
    writer->modulo |= header_is_modulo(&snapshot->header);
    if (snapshot_is_saturated(snapshot))
      counter_width_warn_saturated(name);
  }
  free(name);
  return written;
}

/* ---- increments: the counts between two dumps ---- */

static bool copy_snapshot(struct snapshot *to, const struct snapshot *from) {
  return snapshot_init(to, &from->header) && snapshot_fill_gaps(to, from);
}

static bool is_same_sender(const struct dump_header *a,
                           const struct dump_header *b) {
  return a->core == b->core && a->image == b->image;
}

/* Reports that the last known boot of this sender has ended. */
static void report_new_boot(const struct dump_writer *writer,
                            const struct dump_header *header) {
  for (size_t i = writer->before_count; i-- > 0;) {
    const struct dump_header *before = &writer->before[i].header;
    if (!is_same_sender(before, header))
      continue;
    report(writer->out,
           "boot %u has ended, and boot %u begins; the increments lack the "
           "counts of the ended boot after its last dump",
           before->boot, header->boot);
    return;
  }
}

/* The number of boots of a sender whose last dumps are kept. The reassembler
 * completes a dump late only for its last 16 boots. */
enum { SENDER_BOOTS_MOST = 16 };

/* Frees the last dump of the sender's oldest boot, if the sender has had many
 * boots, so that the memory does not grow with each boot. */
static void drop_oldest_boot(struct dump_writer *writer,
                             const struct dump_header *header) {
  size_t boots = 0, oldest = 0;
  for (size_t i = writer->before_count; i-- > 0;)
    if (is_same_sender(&writer->before[i].header, header)) {
      boots++;
      oldest = i;
    }
  if (boots < SENDER_BOOTS_MOST)
    return;
  snapshot_free(&writer->before[oldest]);
  writer->before_count--;
  memmove(&writer->before[oldest], &writer->before[oldest + 1],
          (writer->before_count - oldest) * sizeof *writer->before);
}

/* Subtracts the last dump of the boot from a snapshot. If counts have fallen,
 * nothing can be subtracted. Returns false if memory runs out. */
static bool subtract_last_dump(struct dump_writer *writer,
                               struct snapshot *snapshot,
                               const struct snapshot *last) {
  if (snapshot_follows(snapshot, last)) {
    snapshot_warn_stopped_once(snapshot, writer->out, &writer->stopped);
    return snapshot_subtract(snapshot, last);
  }
  report(writer->out,
         "counts of boot %u have fallen, because the firmware reset them, or a "
         "32-bit counter wrapped; the next file has all counts of its dump",
         snapshot->header.boot);
  return true;
}

/* Changes a snapshot to the difference from the last dump of the same boot, or
 * from the boot's beginning. Keeps this snapshot for the next difference.
 * Returns false if memory runs out. */
static bool turn_into_increment(struct dump_writer *writer,
                                struct snapshot *snapshot) {
  struct snapshot now;
  size_t i = 0;
  if (!copy_snapshot(&now, snapshot))
    return false;
  while (i < writer->before_count &&
         !header_is_same_boot(&writer->before[i].header, &snapshot->header))
    i++;
  bool known = i < writer->before_count;
  if (!known) {
    report_new_boot(writer, &snapshot->header);
    drop_oldest_boot(writer, &snapshot->header);
    i = writer->before_count;
  }
  if (known ? !subtract_last_dump(writer, snapshot, &writer->before[i])
            : !list_make_room(&writer->before, i, sizeof now)) {
    snapshot_free(&now);
    return false;
  }
  if (known)
    snapshot_free(&writer->before[i]);
  else
    writer->before_count++;
  writer->before[i] = now;
  return true;
}

/* ---- events ---- */

/* Chooses the file format for a dump with gaps. Returns false if no format
 * fits. */
static bool choose_partial_form(const struct snapshot *snapshot,
                                enum file_form *form) {
  struct snapshot_gap names = {BAREPROF_PIECE_NAMES, 0, 0};
  struct snapshot_gap records = {BAREPROF_PIECE_RECORDS, 0, 0};
  bool known = !snapshot_find_gap(snapshot, &records) ||
               records.piece != BAREPROF_PIECE_RECORDS;
  *form = choose_file_form(snapshot);
  /* A raw profile needs all records and names, so a dump without them becomes a
   * .bpdump. */
  if (*form == PROFILE && (!known || snapshot_find_gap(snapshot, &names)))
    *form = DUMP;
  if (*form == SAMPLES)
    return false;
  return *form != MIP || (known && !mipfile_has_counts(snapshot));
}

void dump_writer_write_complete(struct dump_writer *writer,
                                struct snapshot *snapshot) {
  enum file_form form = choose_file_form(snapshot);
  bool done = true;
  if (writer->increments && (form == MIP || form == SAMPLES)) {
    report(writer->out,
           "%s; remove --increments, or let the firmware reset its counts",
           form == MIP ? "MIP has no increments"
                       : "samples have no increments");
    done = false;
  } else if (writer->increments && !snapshot->header.boot) {
    report(writer->out,
           "the dump has no boot number, so the difference after a restart is "
           "unknown; link the firmware with a boot number (BAREPROF_BOOT, -u "
           "bareprof_boot_number), or request dumps without --increments");
    done = false;
  } else if (writer->increments && !turn_into_increment(writer, snapshot)) {
    report_out_of_memory(writer->out);
    done = false;
  }
  if (done && write_dump_file(writer, snapshot, form, false))
    writer->whole++;
  else
    writer->broken++;
}

void dump_writer_write_partial(struct dump_writer *writer,
                               struct snapshot *snapshot) {
  if (writer->elf)
    image_fill_constant_gaps(snapshot, writer->elf);
  if (snapshot_is_complete(snapshot)) {
    dump_writer_write_complete(writer, snapshot);
    return;
  }
  writer->broken++;
  const struct dump_header *header = &snapshot->header;
  report(writer->out, "the dump of core %u, image %u, boot %u has gaps; %s",
         header->core, header->image, header->boot,
         writer->partial ? "only certain data is written"
                         : "send the dump again, or use --partial");
  functions_print_gaps(snapshot, writer->elf_name, writer->elf);
  if (!writer->partial)
    return;
  enum file_form form;
  snapshot_fill_gaps_as_not_run(snapshot);
  if (choose_partial_form(snapshot, &form))
    write_dump_file(writer, snapshot, form, true);
  else
    report(writer->out, "%s cannot be saved with gaps; receive the data again",
           form == MIP ? "MIP data with counts, or without its header,"
                       : "samples");
}

void dump_writer_free(struct dump_writer *writer) {
  for (size_t i = 0; i < writer->before_count; i++)
    snapshot_free(&writer->before[i]);
  free(writer->before);
}
