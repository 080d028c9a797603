/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the readers of tools/mip. The input chooses a profile, its form
 * (map, .mip, raw section and edges), and edits of it; or the input is the
 * file.
 *
 * What is not edited is read. Whatever is read is written, and read and
 * written again to the same bytes. What is refused of a target adds nothing.
 */
#include <string.h>

#include "mip_file.h"
#include "base/buffer.h"
#include "input.h"
#include "mip_model.h"

enum { FUNCTIONS_MOST = 6, BLOCKS_MOST = 4, EDGES_MOST = 6, EDITS_MOST = 24 };
#define LIMIT ((size_t)1 << 24)

/* ---- composing ---- */

static void compose_function(struct mip_profile *profile, struct input *input,
                             uint64_t *raw) {
  static const char letters[] = "fo\"\\\n\xC3\xA9\xE9 #,}";
  struct mip_block blocks[BLOCKS_MOST];
  char name[8];
  unsigned size = 1 + take(input) % 7;
  struct mip_function function = {0}, *added;
  for (unsigned i = 0; i < size; i++)
    name[i] = letters[take(input) % (sizeof letters - 1)];
  function.block_count = take(input) % (BLOCKS_MOST + 1);
  for (unsigned i = 0; i < function.block_count; i++)
    blocks[i] = (struct mip_block){.offset = (uint32_t)take_number(input, 2),
                                   .covered = profile->type & MIP_BLOCKS &&
                                              take(input) & 1};
  function.blocks = blocks;
  *raw += take(input) % 3;
  if (mip_has_counts(profile))
    *raw = (*raw + 3) / 4 * 4;
  function.raw = *raw;
  function.address = (int32_t)take_number(input, 4);
  if (profile->wide)
    function.address *= 1 + take(input);
  function.size = (uint32_t)take_number(input, 2);
  function.cfg = (uint32_t)take_number(input, 1) * 0x1010101;
  function.runs = take(input) % 3;
  if (function.runs && mip_has_counts(profile)) {
    function.calls = 1 + take_number(input, 2);
    function.order = take(input);
  } else if (function.runs) {
    function.calls = 1;
  }
  must(!mip_add_function(profile, &function,
                         (struct bytes){(unsigned char *)name, size}, &added),
       "functions are added");
  *raw += mip_function_raw_size(profile, added);
}

static void compose(struct mip_profile *profile, struct input *input) {
  static const uint32_t types[] = {1, 3, 12, 14, 8, 31};
  mip_profile_init(profile);
  unsigned what = take(input);
  profile->revision = what & 1 ? MIP_B : MIP_A;
  profile->wide = what & 1 && what & 2;
  profile->type = types[what / 4 % 6];
  profile->hash = take(input);
  uint64_t raw = mip_header_size(profile->revision);
  unsigned count = take(input) % (FUNCTIONS_MOST + 1);
  for (unsigned i = 0; i < count; i++)
    compose_function(profile, input, &raw);
  must(!mip_index_and_check_functions(profile), "what is composed is well");
  unsigned edges = count ? take(input) % (EDGES_MOST + 1) : 0;
  for (unsigned i = 0; i < edges; i++) {
    const struct mip_edge edge = {
        take(input) % count, (int16_t)take_number(input, 2), 1 + take(input)};
    mip_add_edge(profile, &edge);
  }
  if (edges > 2)
    profile->lost = take(input);
  mip_sort_and_merge_edges(profile);
}

/* ---- files ---- */

/* A block of its very size, for the sanitizer. */
static struct bytes copy(const void *bytes, size_t size) {
  unsigned char *block = malloc(size + !size);
  if (size)
    memcpy(block, bytes, size);
  return (struct bytes){block, size};
}

static void drop(struct bytes bytes) { free((void *)(uintptr_t)bytes.data); }

typedef void writer(const struct mip_profile *, struct buffer *);

static void write_to(struct buffer *buffer, writer *write,
                     const struct mip_profile *profile) {
  write(profile, buffer);
}

static struct bytes written(writer *write, const struct mip_profile *profile) {
  struct buffer buffer = {.limit = LIMIT};
  write_to(&buffer, write, profile);
  struct bytes bytes = copy(buffer.data, buffer.size);
  buffer_free(&buffer);
  return bytes;
}

static void put(struct buffer *to, uint64_t value, unsigned size) {
  mip_append_number(to, value, size);
}

static void put_header(struct buffer *to, const struct mip_profile *profile,
                       enum mip_kind kind) {
  struct mip_header header = mip_header_from_profile(profile, kind);
  mip_header_append(&header, to);
}

/* The raw section that says the same as the profile, of one run. */
static void put_raw(struct buffer *to, const struct mip_profile *profile) {
  put_header(to, profile, MIP_RAW);
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct mip_function *f =
        &profile->functions[profile->by_raw[i].number];
    while (to->size < f->raw)
      put(to, 0xFF, 1);
    if (mip_has_counts(profile)) {
      put(to, f->runs ? f->calls : UINT32_MAX, 4);
      put(to, f->runs ? f->order : UINT32_MAX, 4);
    } else
      put(to, f->runs ? 0 : 0xFF, 1);
    for (uint32_t k = 0; profile->type & MIP_BLOCKS && k < f->block_count; k++)
      put(to, f->blocks[k].covered ? 0 : 0xFF, 1);
  }
}

static void put_edges(struct buffer *to, const struct mip_profile *profile) {
  put_header(to, profile, MIP_EDGES);
  put(to, profile->edge_count, 4);
  put(to, profile->lost, 4);
  for (size_t i = 0; i < profile->edge_count; i++) {
    const struct mip_edge *edge = &profile->edges[i];
    put(to, profile->functions[edge->callee].raw, 4);
    put(to, (uint64_t)edge->from, 4);
    put(to, edge->count, 4);
  }
  mip_append_padding(to, 8);
}

static struct bytes written_sent(const struct mip_profile *profile) {
  struct buffer buffer = {.limit = LIMIT};
  put_raw(&buffer, profile);
  mip_append_padding(&buffer, 8);
  if (profile->edge_count)
    put_edges(&buffer, profile);
  struct bytes bytes = copy(buffer.data, buffer.size);
  buffer_free(&buffer);
  return bytes;
}

/* Returns whether something was edited. */
static bool edit(struct bytes *bytes, struct input *input) {
  unsigned char *data = (unsigned char *)(uintptr_t)bytes->data;
  bool edited = false;
  for (unsigned i = 0; more(input) && i < EDITS_MOST && bytes->size; i++) {
    unsigned what = take(input);
    size_t at = take_place(input, bytes->size, 60, 60);
    edited = true;
    if (!edit_byte(input, &data[at], what) && what > 100)
      bytes->size = at + 1;
  }
  return edited;
}

/* ---- what must hold ---- */

static bool same(struct bytes a, struct bytes b) {
  return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

/* Whether a raw offset is so large that what is written would be, too. */
static bool is_large(const struct mip_profile *profile) {
  for (size_t i = 0; i < profile->function_count; i++)
    if (profile->functions[i].raw > LIMIT / 2)
      return true;
  return false;
}

static void check_again(const struct mip_profile *profile) {
  struct mip_profile again;
  struct bytes first = written(mip_profile_append, profile);
  must(!mip_profile_parse(&again, first), "what is written is read");
  struct bytes second = written(mip_profile_append, &again);
  must(same(first, second), "it is written again as it was");
  drop(second);
  mip_profile_free(&again);
  struct bytes map = written(mip_map_append, profile);
  must(!mip_map_parse(&again, map), "a map that is written is read");
  must(!mip_check_same_build(profile, &again), "as the same build");
  must(!mip_add_profile(&again, profile), "to which the profile is added");
  drop(map);
  drop(first);
  mip_profile_free(&again);
}

static void check_sent(struct mip_profile *profile, struct bytes sent,
                       bool whole, bool strict) {
  const struct mip_raw_options options = {.strict = strict};
  struct bytes before = written(mip_profile_append, profile);
  const char *error = mip_add_file(profile, sent, &options);
  must(!whole || !error, "what a target sends is added");
  mip_sort_and_merge_edges(profile);
  struct bytes after = written(mip_profile_append, profile);
  must(!error || same(before, after), "what is refused adds nothing");
  drop(before);
  drop(after);
  check_again(profile);
}

static void run_sent(struct mip_profile *profile, struct input *input,
                     unsigned what) {
  struct bytes sent = what % 7 == 0 ? written(mip_profile_append, profile)
                                    : written_sent(profile);
  bool whole = !edit(&sent, input);
  check_sent(profile, sent, whole, what & 128);
  drop(sent);
}

static void run_file(const struct mip_profile *profile, struct input *input,
                     unsigned what) {
  struct mip_profile read;
  bool free_form = what & 64;
  struct bytes file =
      free_form
          ? copy(input->at, (size_t)(input->end - input->at))
          : written(what % 4 ? mip_map_append : mip_profile_append, profile);
  bool whole = !free_form && !edit(&file, input);
  const char *error = mip_parse_file(&read, file);
  must(!whole || !error, "what is not edited is read");
  if (!error && !is_large(&read))
    check_again(&read);
  mip_profile_free(&read);
  drop(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  struct mip_profile profile;
  unsigned what = take(&input);
  compose(&profile, &input);
  if (what % 4 == 2)
    run_sent(&profile, &input, what / 4);
  else
    run_file(&profile, &input, what);
  mip_profile_free(&profile);
  return 0;
}
