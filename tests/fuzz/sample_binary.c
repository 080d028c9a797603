/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the binary form of a sample profile, as `bareprof match` reads
 * it. The input makes up a profile, which is written in both forms; then some
 * bytes of the binary one are replaced.
 */
#include <string.h>

#include "input.h"
#include "base/buffer.h"
#include "base/map.h"
#include "sample/make.h"
#include "sample/sampled.h"

static const char *const names[] = {
    "main", "f", "_ZL1gi.__uniq.12345", "a_longer_name", "h.llvm.7", "k",
};
enum { NAMES = sizeof names / sizeof *names, DEPTH = 5, DAMAGES = 8 };

static const char *pick(struct input *input) {
  return names[take(input) % NAMES];
}

/* One more element somewhere below the function. kind: 1 if functions have
 * contexts, plus 2 if they have checksums. */
static void add(struct sampled *profile, struct sampled_function *function,
                struct input *input, unsigned kind) {
  bool contexts = kind & 1, probed = kind & 2;
  for (unsigned depth = 0; depth < DEPTH; depth++) {
    unsigned what = take(input);
    const struct sampled_site site = {what >> 2 & 15, what >> 6};
    if (what % 4 == 0 && !contexts) {
      function = sampled_inlined(profile, function, site, pick(input));
      continue;
    }
    if (what % 4 == 1 && probed) {
      function->hash = take_number(input, 8);
      function->hashed = probed;
      return;
    }
    struct sampled_line *line = sampled_line(profile, function, site);
    line->weight += (double)take_number(input, 3);
    if (what % 4 == 2)
      sampled_target(profile, line, pick(input))->weight = 1;
    return;
  }
}

static void make_up(struct sampled *profile, struct input *input) {
  unsigned kind = take(input);
  bool contexts = kind & 1;
  sampled_begin(profile);
  for (unsigned count = take(input) % 40; count; count--) {
    char context[40] = "";
    unsigned site = contexts ? take(input) : 0;
    if (site & 1)
      snprintf(context, sizeof context, "%s:%u", pick(input), site);
    struct sampled_function *function =
        sampled_function(profile, contexts ? context : NULL, pick(input));
    function->hashed = kind & 2;
    add(profile, function, input, kind);
  }
  must(!sampled_finish(profile, 1), "it is finished");
}

static const char *read_binary(struct match *match, struct bytes file) {
  struct sample_records records = {.match = match,
                                   .add = sample_records_add,
                                   .known = {.limit = (size_t)1 << 20}};
  match_begin(match);
  const char *error = sample_binary_read(&records, file);
  map_free(&records.known);
  return error;
}

/* Both forms have the same functions. */
static void check_same(const struct sampled *profile, struct bytes binary) {
  struct match from_text, from_binary;
  struct sample_records records = {.match = &from_text,
                                   .add = sample_records_add,
                                   .known = {.limit = (size_t)1 << 20}};
  char *text;
  size_t size, line;
  FILE *stream = open_memstream(&text, &size);
  sampled_put_text(stream, profile);
  fclose(stream);
  match_begin(&from_text);
  must(!sample_text_read(&records, (struct bytes){(void *)text, size}, &line),
       "the text is read");
  must(sample_binary_is(binary) && !read_binary(&from_binary, binary),
       "the binary form is read");
  must(from_text.records.size == from_binary.records.size,
       "both have as many functions");
  must(!buffer_append(&from_binary.build, from_text.records.data,
                      from_text.records.size) &&
           !match_settle(&from_binary, true) && !match_settle(&from_text, true),
       "there is memory");
  must(from_binary.sums[MATCH_TAKEN].functions == from_text.all.functions &&
           from_binary.all.weight == from_text.all.weight,
       "both have the same functions");
  map_free(&records.known);
  match_free(&from_text);
  match_free(&from_binary);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
  struct input input = {data, data + count};
  struct buffer binary = {.limit = (size_t)1 << 28};
  struct sampled profile;
  struct match match;
  make_up(&profile, &input);
  must(!sampled_put_binary(&binary, &profile), "it is written");
  check_same(&profile, (struct bytes){binary.data, binary.size});
  for (unsigned i = 0; i < DAMAGES && more(&input); i++) {
    size_t at = take_number(&input, 2) % binary.size;
    edit_byte(&input, &binary.data[at], take(&input));
  }
  size_t size = binary.size - take(&input) % binary.size;
  /* Of its very size, for the sanitizer. */
  unsigned char *bytes = malloc(size);
  memcpy(bytes, binary.data, size);
  read_binary(&match, (struct bytes){bytes, size});
  match_free(&match);
  free(bytes);
  buffer_free(&binary);
  sampled_free(&profile);
  return 0;
}
