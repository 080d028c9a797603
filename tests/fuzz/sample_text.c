/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the text of a sample profile, as `bareprof match` reads it. The
 * input is a text of phrases.
 */
#include <string.h>

#include "input.h"
#include "base/buffer.h"
#include "base/map.h"
#include "phrases.h"
#include "sample/make.h"

enum { MOST = 4096 };

static const char *const phrases[] = {"main:100:2\n",
                                      "[a:1 @ b:2.3 @ main]:7:0\n",
                                      " 1: 20\n",
                                      " 2.1: 20 f:3 g.llvm.1:4\n",
                                      " 3: inner:9\n",
                                      "  1: 9\n",
                                      "  4: deeper:1\n",
                                      "   1: 1\n",
                                      " !CFGChecksum: 281479271677951\n",
                                      "  !CFGChecksum: 5\n",
                                      " !Attributes: 1\n",
                                      "f.__uniq.1:5:5\n",
                                      "\n",
                                      "\r\n",
                                      "# a comment\n",
                                      " ",
                                      ":",
                                      "[",
                                      "]:1:1\n",
                                      " @ ",
                                      "18446744073709551616",
                                      "18446744073709551615"};

/* No function with this checksum is there twice, and each has a name. */
static void check_records(const struct build_match *match) {
  const struct match_function *list = (const void *)match->records.data;
  size_t count = match->records.size / sizeof *list;
  for (size_t i = 0; i < count; i++) {
    must(list[i].weight >= 0, "a count is no less than 0");
    must(list[i].counters == 1 || list[i].counters == 2, "it has a structure");
    for (size_t k = 0; k < i; k++)
      must(strcmp(list[i].name, list[k].name) || list[i].hash != list[k].hash,
           "each is there once");
  }
}

/* A build that has just these functions takes all. */
static void check_taken(struct build_match *match) {
  must(!buffer_append_bytes(&match->build, match->records.data,
                            match->records.size),
       "there is memory");
  match_compute_reasons(match, true);
  must(match->sums[MATCH_TAKEN].functions == match->all.functions,
       "what is the same is taken");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
  size_t size = 0, line, lines = 1;
  struct build_match match;
  char *text = phrases_text(phrases, sizeof phrases / sizeof *phrases, data,
                            count < MOST ? count : MOST, &size);
  /* Of its very size, for the sanitizer. */
  unsigned char *bytes = malloc(size + !size);
  if (size)
    memcpy(bytes, text, size);
  free(text);
  for (size_t i = 0; i < size; i++)
    lines += bytes[i] == '\n';
  struct sample_function_table records = {.match = &match,
                                          .known = {.limit = (size_t)1 << 20}};
  match_begin(&match);
  sample_text_is_profile((struct bytes){bytes, size});
  const char *error =
      sample_text_parse(&records, (struct bytes){bytes, size}, &line);
  must(line <= lines, "an error is in a line of it");
  if (!error) {
    check_records(&match);
    check_taken(&match);
  }
  map_free(&records.known);
  match_free(&match);
  free(bytes);
  return 0;
}
