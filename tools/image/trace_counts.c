/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads traces of the QEMU plugin, and writes the list of trace points for the
 * plugin. trace_counts.h describes both formats.
 */
#include "trace_counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/number.h"
#include "image.h"
#include "wire.h"

static const char first_line[] = "bareprof-trace 1\n";
const char trace_broken[] =
    "the trace is incomplete or was changed; trace the run again, to its end";
const char trace_unknown[] = "the trace has an unknown version; use bareprof "
                             "and the plugin of one release";
static const char other[] =
    "the trace is from another build; pass the ELF that ran";

bool trace_file_has_magic(struct bytes file) {
  const unsigned char *at = file.data;
  return file.size &&
         skip_prefix(&at, file.data + file.size, "bareprof-trace ");
}

/* ---- lines ---- */

bool trace_pop_and_parse_line(struct bytes *left, struct trace_line *line) {
  const unsigned char *at = left->data;
  const unsigned char *end = left->size ? memchr(at, '\n', left->size) : NULL;
  *line = (struct trace_line){.count = 0};
  if (!end)
    return false;
  for (unsigned i = 0; at <= end; i++, at++) {
    struct bytes part = {at, 0};
    while (at < end && *at != ' ')
      at++;
    part.size = (size_t)(at - part.data);
    if (!i)
      line->word = part;
    else if (line->count == TRACE_NUMBERS ||
             !parse_number_in_base(part, 16, &line->values[line->count++]))
      return false;
  }
  left->size -= (size_t)(end + 1 - left->data);
  left->data = end + 1;
  return true;
}

bool trace_line_equals_word(const struct trace_line *line, const char *word) {
  return line->word.size == strlen(word) &&
         memcmp(line->word.data, word, line->word.size) == 0;
}

/* Removes the last line. Returns false if its CRC is wrong. */
static bool check_and_remove_crc(struct bytes *file) {
  struct trace_line line;
  size_t at = file->size;
  if (!at || file->data[at - 1] != '\n')
    return false;
  for (at--; at && file->data[at - 1] != '\n';)
    at--;
  struct bytes last = {file->data + at, file->size - at};
  file->size = at;
  return trace_pop_and_parse_line(&last, &line) &&
         trace_line_equals_word(&line, "end") && line.count == 1 &&
         line.values[0] == bareprof_crc32(0, file->data, at);
}

const char *trace_remove_frame(struct bytes *file, const char *first,
                               struct bytes *build) {
  if (!check_and_remove_crc(file))
    return trace_broken;
  const unsigned char *at = file->data, *end = at + file->size;
  if (!skip_prefix(&at, end, first))
    return trace_unknown;
  if (!skip_prefix(&at, end, "build "))
    return trace_broken;
  *file = (struct bytes){at, (size_t)(end - at)};
  return bytes_next_line(file, build) ? NULL : trace_broken;
}

const char *trace_parse_build_id(struct dump_header *header,
                                 struct bytes *file) {
  struct bytes text;
  const char *error = trace_remove_frame(file, first_line, &text);
  *header = (struct dump_header){.build_id_size = 0};
  if (error)
    return error;
  for (; text.size >= 2; text.data += 2, text.size -= 2) {
    unsigned high = digit_value(text.data[0]), low = digit_value(text.data[1]);
    if (high > 15 || low > 15 ||
        header->build_id_size == sizeof header->build_id)
      return trace_broken;
    header->build_id[header->build_id_size++] =
        (unsigned char)(high << 4 | low);
  }
  return text.size || !header->build_id_size ? trace_broken : NULL;
}

/* ---- counts ---- */

const char *trace_counts_read_and_allocate(struct trace_counts *trace,
                                           struct linked_trace_points *labels,
                                           const struct elf *elf,
                                           const char *const *switches) {
  const char *error = linked_points_read(labels, elf, switches);
  if (!error && labels->size > PIECE_LIMIT)
    error = PIECE_TOO_LARGE;
  if (error)
    return error;
  trace->address = labels->counts_address;
  trace->size = labels->size;
  trace->counts = calloc((size_t)labels->size + 1, 1);
  return trace->counts ? NULL : out_of_memory;
}

/* Adds a count to all counters at an address. */
static bool add_trace_count(struct trace_counts *trace,
                            const struct linked_trace_points *labels,
                            const struct elf *elf, const uint64_t *value) {
  size_t i = linked_points_find_from_address(labels, value[0]);
  bool found = false;
  for (; i < labels->count && labels->list[i].code == value[0]; i++) {
    const struct linked_trace_point *label = &labels->list[i];
    if (label->kind != LABEL_COUNTER)
      continue;
    unsigned char *at = trace->counts + (label->target - trace->address);
    store64(at, load64(at, elf->big) + value[1], elf->big);
    found = true;
  }
  return found;
}

static bool set_decision_bit(struct trace_counts *trace, uint64_t bit) {
  uint64_t at = bit / 8 - trace->address;
  if (bit / 8 < trace->address || at >= trace->size)
    return false;
  trace->counts[at] |= (unsigned char)(1U << bit % 8);
  return true;
}

static const char *
parse_and_add_counts(struct trace_counts *trace,
                     const struct linked_trace_points *labels,
                     const struct elf *elf, struct bytes file) {
  struct trace_line line;
  if (!file.size)
    return "no trace point ran; check that the program starts, and that the "
           "command runs this ELF";
  while (file.size) {
    if (!trace_pop_and_parse_line(&file, &line) || line.count > 2)
      return trace_broken;
    if (trace_line_equals_word(&line, "strange"))
      return TRACED_STRANGE;
    if (trace_line_equals_word(&line, "lost"))
      trace->lost = line.values[0];
    else if (trace_line_equals_word(&line, "c")
                 ? !add_trace_count(trace, labels, elf, line.values)
                 : !trace_line_equals_word(&line, "b") ||
                       !set_decision_bit(trace, line.values[0]))
      return other;
  }
  return NULL;
}

const char *trace_counts_read(struct trace_counts *trace, const struct elf *elf,
                              struct bytes file) {
  struct linked_trace_points labels = {0};
  struct dump_header header;
  unsigned char digest[16];
  struct bytes id;
  *trace = (struct trace_counts){0};
  const char *error = trace_parse_build_id(&header, &file);
  if (!error && (!image_find_or_make_id(elf, &id, digest) ||
                 !elf_build_ids_match(id, header_build_id(&header))))
    error = other;
  if (!error)
    error = trace_counts_read_and_allocate(trace, &labels, elf, NULL);
  if (!error)
    error = parse_and_add_counts(trace, &labels, elf, file);
  linked_points_free(&labels);
  return error;
}

/* ---- the list ---- */

static void print_trace_point(const struct linked_trace_point *label,
                              FILE *out) {
  static const char letters[] = "cdaes";
  uint64_t value = label->value;
  fprintf(out, "%c %" PRIx64, letters[label->kind], label->code);
  if (label->kind == LABEL_ENDS)
    value =
        label->value == LABEL_NO_BIT ? UINT64_MAX : value + 8 * label->target;
  if (label->target && label->kind != LABEL_COUNTER)
    fprintf(out, " %" PRIx64 " %" PRIx64, trace_decision_key(label), value);
  fputc('\n', out);
}

const char *trace_write_point_list(const struct elf *elf,
                                   const char *const *switches, FILE *out) {
  struct linked_trace_points labels;
  unsigned char digest[16];
  struct bytes id;
  if (!image_find_or_make_id(elf, &id, digest))
    return "the build id is missing, so the trace may come from another build; "
           "link with --build-id";
  const char *error = linked_points_read(&labels, elf, switches);
  if (!error) {
    fputs("bareprof-labels 1\nbuild ", out);
    for (size_t i = 0; i < id.size; i++)
      fprintf(out, "%02x", id.data[i]);
    fputc('\n', out);
    for (size_t i = 0; i < labels.count; i++)
      print_trace_point(&labels.list[i], out);
    fputs("end\n", out);
  }
  linked_points_free(&labels);
  return error;
}
