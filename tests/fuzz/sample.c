/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: samples of every form, and the decoders of instructions.
 * Accepted samples are folded without a loss, in order; an instruction is
 * within its bytes, and does not depend on the bytes after them.
 */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "sample/input.h"
#include "code/code.h"

static void hold(bool property, const char *what) {
  if (property)
    return;
  fprintf(stderr, "property: %s\n", what);
  abort();
}

static void check_samples(const struct samples *samples) {
  uint64_t sum = 0;
  for (size_t i = 0; i < samples->count; i++) {
    const struct sample *sample = &samples->list[i];
    unsigned depth = 0;
    hold(sample->count > 0, "each was seen");
    hold(!i || sample[-1].pc <= sample->pc, "they are in order");
    for (uint32_t chain = sample->chain; chain;
         chain = samples->chains[chain].outer)
      hold(++depth <= SAMPLES_DEPTH_MOST, "a chain ends");
    sum += sample->count;
  }
  hold(sum == samples->total, "none is lost");
}

/* What is compressed does not repeat itself once more, at the same length. */
static void check_compressed(struct bytes bytes) {
  unsigned char list[64];
  size_t size = bytes.size < sizeof list ? bytes.size : sizeof list;
  for (size_t i = 0; i < size; i++)
    list[i] = bytes.data[i] & 3;
  size_t left = flow_drop_repeats(list, 1, size);
  hold(left <= size && (left > 0) == (size > 0), "something is left");
  if (size && left == 1)
    for (size_t i = 1; i < size; i++)
      hold((bytes.data[i] & 3) == list[0], "what differs stays");
}

static void check_flow(const struct branch_flow *flow) {
  size_t count;
  struct flow_entry *list = flow_list_sorted_entries(&flow->ranges, &count);
  for (size_t i = 0; i < count; i++) {
    unsigned depth = 0;
    hold(list[i].count > 0, "each range ran");
    for (uint32_t at = list[i].context; at; at = flow->nodes[at].outer)
      hold(++depth <= FLOW_DEPTH_MOST, "a context ends");
  }
  free(list);
}

/* An ELF of which only segments and sections matter. */
static unsigned char image[64 + 56 + 2 * 64];
static void make_image(struct elf *elf) {
  static const unsigned char begin[] = {0x7F, 'E', 'L', 'F', 2, 1, 1};
  memcpy(image, begin, sizeof begin);
  store_number(image + 16, 3, 2, false);
  store_number(image + 18, ELF_X86_64, 2, false);
  store_number(image + 32, 64, 8, false);      /* segments */
  store_number(image + 40, 64 + 56, 8, false); /* sections */
  store_number(image + 54, 56, 2, false);
  store_number(image + 56, 1, 2, false);
  store_number(image + 58, 64, 2, false);
  store_number(image + 60, 2, 2, false);
  store_number(image + 64, 1, 4, false); /* loaded */
  store_number(image + 64 + 16, 0x1040, 8, false);
  store_number(image + 64 + 40, 0x100, 8, false);
  unsigned char *code = image + 64 + 56 + 64;
  store_number(code + 4, 8, 4, false); /* no contents */
  store_number(code + 8, 6, 8, false);
  store_number(code + 16, 0x1040, 8, false);
  store_number(code + 32, 0x100, 8, false);
  hold(!elf_open(elf, (struct bytes){image, sizeof image}), "it is an ELF");
}

static const char *read_text(struct samples *samples, struct bytes file,
                             enum samples_form form) {
  struct samples_text_reader text;
  samples_text_begin(&text, samples, form);
  const char *error = samples_text_parse_lines(&text, file);
  return error ? error : samples_text_end(&text);
}

static const char *read_file(struct samples *samples, struct bytes file,
                             enum samples_form form) {
  if (form == SAMPLES_AUTO)
    form = samples_detect_form(file);
  return form == SAMPLES_TARGET ? samples_parse_target(samples, file)
                                : read_text(samples, file, form);
}

static void read_samples(unsigned form, struct bytes bytes) {
  struct elf elf;
  struct samples samples;
  samples_begin(&samples);
  samples.offset = form & 8 ? 0x1000 : 0;
  if (form & 16) {
    make_image(&elf);
    samples.elf = &elf;
  }
  const char *error = read_file(&samples, bytes, form & 7);
  if (!error) {
    samples_sort_and_join(&samples);
    check_samples(&samples);
    check_flow(&samples.flow);
  }
  samples_free(&samples);
}

/* A header that fits, before entries. */
static void read_made(unsigned flags, struct bytes bytes) {
  unsigned char file[512] = {0xFA, 'B', 'P', 'S'};
  bool big = flags & 1;
  size_t size = bytes.size < 400 ? bytes.size : 400;
  unsigned chain = flags & 8 ? 3 : 0;
  size_t entry = (flags & 2 ? 8 : 4) * (2u + chain + (flags & 4 ? 1u : 0u));
  store_number(file + 4, 1, 2, big);
  store_number(file + 6, flags & 15, 2, big);
  store_number(file + 12, size / entry, 4, big);
  store_number(file + 24, chain, 4, big);
  if (size)
    memcpy(file + 32, bytes.data, size);
  read_samples(0, (struct bytes){file, 32 + size / entry * entry});
}

/* Text of words that the forms with branches have. */
static void read_words(unsigned form, struct bytes bytes) {
  static const char *const words[] = {
      "0x",
      "/",
      "-",
      ":",
      "->",
      "\n",
      "\n",
      "\t",
      " ",
      " ",
      "[",
      "]",
      "@",
      "0",
      "1",
      "7",
      "3",
      "a",
      "1040",
      "#",
      "x2",
      "\n1\n",
      "1040-1050:3\n",
      "1044->1060:2\n",
      "\n 1048\n",
      "1-4:7\n",
      "4->1:3\n",
      "\n2\n",
      "[0x4 @ 0x10]\n",
      "[1040 @ 1044]\n",
      "x1\n",
      "1048 0 1044 x3\n"};
  char text[4096];
  size_t size = 0;
  for (size_t i = 0; i < bytes.size; i++) {
    const char *word = words[bytes.data[i] % 32];
    size_t length = strlen(word);
    if (length > sizeof text - size)
      break;
    memcpy(text + size, word, length);
    size += length;
  }
  read_samples(form, (struct bytes){(const unsigned char *)text, size});
}

static void decode(unsigned which, struct bytes bytes) {
  static const struct instruction_set sets[] = {
      {.machine = ELF_X86},
      {.machine = ELF_X86_64, .wide = true},
      {.machine = ELF_ARM},
      {.machine = ELF_ARM, .thumb = true},
      {.machine = ELF_ARM, .big = true, .thumb = true},
      {.machine = ELF_AARCH64, .wide = true},
      {.machine = ELF_RISCV, .zcmp = true, .zcmt = true},
      {.machine = ELF_RISCV, .wide = true, .doubles = true}};
  const struct instruction_set *set = &sets[which % 8];
  struct instruction one, again;
  memset(&one, 0, sizeof one);
  if (!instruction_decode(&one, set, bytes, 0x1000))
    return;
  hold(one.length >= 1 && one.length <= 15 && one.length <= bytes.size,
       "an instruction is within its bytes");
  hold(instruction_decode(&again, set, (struct bytes){bytes.data, one.length},
                          0x1000) &&
           again.length == one.length && again.kind == one.kind &&
           again.target == one.target,
       "it is the same without what follows");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  struct bytes bytes = {data + 2, size - 2};
  check_compressed(bytes);
  if (data[0] % 4 == 3) {
    if (data[1] % 8 < SAMPLES_FORMS)
      read_words(data[1], bytes);
  } else if (data[0] % 4 == 0)
    decode(data[1], bytes);
  else if (data[0] % 4 == 1)
    read_made(data[1], bytes);
  else if (data[1] % 8 < SAMPLES_FORMS)
    read_samples(data[1], bytes);
  return 0;
}
