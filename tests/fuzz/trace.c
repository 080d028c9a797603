/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: traces with the right check sum, of an image with four trace
 * points that the input changes. The result is counts in the memory of its
 * counters, or an error. The first byte says how many groups of 3 bytes edit
 * the image, each a place and the byte there; the rest is the trace, in which a
 * byte from 128 on is a phrase.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "image/trace_counts.h"
#include "drafted.h"
#include "input.h"
#include "phrases.h"
#include "wire.h"

enum { LABELS = 5 };

static const char *const phrases[] = {
    "bareprof-trace 1\nbuild 0102030405060708\n",
    "bareprof-trace 2\n",
    "build 01\n",
    "c 1000 5\n",
    "c 1004 ffffffffffffffff\n",
    "c 1008 1\n",
    "b 88\n",
    "b 8f\n",
    "lost 3\n",
    "strange 1\n",
    "OCSD_GEN_TRC_ELEM_TRACE_ON()\n",
    "OCSD_GEN_TRC_ELEM_EO_TRACE()\n",
    "OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x1000:[0x100a])\n",
    "OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x1008:[0x",
    "OCSD_GEN_TRC_ELEM_",
    "ID:1; ",
    "c 1000\n",
    "c 1 2 3 4\n"};

static void make(struct buffer *file) {
  static const unsigned char code[16], note[] = {
      4, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,
      1, 2, 3, 4, 5, 6, 7, 8};
  static const uint32_t entries[LABELS][4] = {{0x1000, 8, 0, 0},
                                              {0x1005, 8, 8, 0},
                                              {0x1004, 16, 1U << 28, 0},
                                              {0x1008, 16, 2U << 28 | 1, 0},
                                              {0x1009, 16, 3U << 28, 0}};
  unsigned char labels[sizeof entries];
  for (size_t i = 0; i < sizeof entries / 4; i++)
    store32(labels + 4 * i, entries[i / 4][i % 4], false);
  const struct elf_section sections[] = {
      {.name = ".text",
       .type = 1,
       .flags = 6,
       .address = 0x1000,
       .size = sizeof code,
       .align = 4,
       .bytes = code},
      {.name = ".note.gnu.build-id",
       .type = 7,
       .size = sizeof note,
       .align = 4,
       .bytes = note},
      {.name = LABELS_COUNTS, .type = 8, .size = 24, .align = 8},
      {.name = LABELS_SECTION,
       .type = 1,
       .size = sizeof labels,
       .align = 4,
       .bytes = labels}};
  const struct elf_draft draft = {.type = 2,
                                  .machine = ELF_ARM,
                                  .sections = sections,
                                  .section_count = 4};
  drafted_append(file, &draft);
}

static void read_branches(const struct elf *elf, struct bytes trace,
                          const struct trace_options *how) {
  struct trace_counts traced;
  (void)board_trace_read_mtb(&traced, elf, how, trace);
  free(traced.counts);
  (void)board_trace_read_ranges(&traced, elf, how, trace);
  free(traced.counts);
}

static void read_trace(const struct elf *elf, struct bytes trace) {
  const struct trace_options counts = {.whole = false};
  const struct trace_options least = {
      .whole = true, .position = trace.size * 5 & 0xfffc, .least = true};
  struct trace_counts traced;
  struct dump_header header;
  const char *error = trace_counts_read(&traced, elf, trace);
  must(error || traced.size == 24 || elf->file.size, "counts have a place");
  (void)trace_parse_build_id(&header, &(struct bytes){trace.data, trace.size});
  free(traced.counts);
  read_branches(elf, trace, &counts);
  read_branches(elf, trace, &least);
  char *list = NULL;
  size_t length;
  FILE *out = open_memstream(&list, &length);
  (void)trace_write_point_list(elf, NULL, out);
  fclose(out);
  free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct buffer file = {.limit = 1 << 13}, trace = {.limit = 1 << 20};
  struct elf elf;
  char end[20];
  size_t edits = size ? *data % 8 : 0, at = 1, length;
  make(&file);
  for (; edits && at + 3 <= size; at += 3, edits--)
    file.data[(data[at] | data[at + 1] << 8) % file.size] = data[at + 2];
  at = at < size ? at : size;
  char *text = phrases_text(phrases, sizeof phrases / sizeof *phrases,
                            data + at, size - at, &length);
  must(!buffer_append_bytes(&trace, text, length), "there is room");
  snprintf(end, sizeof end, "end %lx\n",
           (unsigned long)bareprof_crc32(0, trace.data, trace.size));
  must(!buffer_append_bytes(&trace, end, strlen(end)), "there is room");
  if (!elf_open(&elf, (struct bytes){file.data, file.size}))
    read_trace(&elf, (struct bytes){trace.data, trace.size});
  buffer_free(&file);
  buffer_free(&trace);
  free(text);
  return 0;
}
