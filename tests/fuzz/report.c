/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: an earlier report as JSON, and raw profiles. The input chooses
 * the text's contents, and edits. An accepted report is in order and adds up;
 * its Cobertura XML has quotes and brackets in pairs.
 */
#include <string.h>

#include "coverage/out/out.h"
#include "input.h"
#include "image_layout.h"
#include "coverage/inputs/inputs.h"
#include "coverage/model/coverage_model.h"

enum { MOST = 4096 };

static unsigned char text[MOST];
static size_t size;

static void put(const void *bytes, size_t count) {
  if (size + count <= MOST) {
    memcpy(text + size, bytes, count);
    size += count;
  }
}

static void put_word(const char *word) { put(word, strlen(word)); }

/* Of its very size, for the sanitizer. */
static struct bytes block(void) {
  unsigned char *bytes = malloc(size + !size);
  memcpy(bytes, text, size);
  return (struct bytes){bytes, size};
}

/* ---- JSON ---- */

static void put_number(struct input *input) {
  static const char *const numbers[] = {"0", "1", "-1.5e+3",
                                        "99999999999999999999"};
  put_word(numbers[take(input) % 4]);
}

static void put_string(struct input *input) {
  static const char *const parts[] = {"a", "\\u00e9", "\\ud83d\\uDE00", "\\\"",
                                      "\\uD800"};
  put_word("\"");
  for (unsigned length = take(input) % 4; length--;)
    put_word(parts[take(input) % 5]);
  put_word("\"");
}

/* Elements that an export may have, and others, in any order. */
static void put_scores(struct input *input) {
  static const char *const names[] = {"lines",
                                      "functions",
                                      "regions",
                                      "mcdc",
                                      "branches",
                                      "instantiations",
                                      "a name longer than any"};
  put_word("{");
  for (unsigned count = take(input) % 4; count; count--) {
    put_word("\"");
    put_word(names[take(input) % 7]);
    put_word("\":{\"count\":");
    put_number(input);
    put_word(",\"covered\" : ");
    put_number(input);
    put_word(take(input) & 1 ? ",\"percent\":1e1}" : "}\n");
    put_word(count == 1 ? "" : ",");
  }
  put_word("}");
}

static void put_file(struct input *input) {
  put_word("{\"filename\":");
  put_string(input);
  put_word(take(input) & 1 ? ",\"x\":[[],{},\"]\",null]" : "");
  put_word(",\"summary\":");
  put_scores(input);
  put_word("}");
}

static void put_places(struct input *input, const char *kind) {
  put_word("[");
  for (unsigned count = take(input) % 3; count; count--) {
    put_word("[1,2,");
    put_number(input);
    put_word(",3,");
    put_number(input);
    put_word(take(input) & 3 ? ",0,0,0" : ",0,1,7");
    put_word(kind);
    put_word(count == 1 ? "]" : "],");
  }
  put_word("]");
}

static void put_function(struct input *input) {
  put_word("{\"name\":");
  put_string(input);
  put_word(",\"filenames\":[");
  put_string(input);
  put_word(take(input) & 1 ? ",\"b\"" : "");
  put_word("],\"count\":1,\"regions\":");
  put_places(input, ",0");
  put_word(",\"branches\":");
  put_places(input, ",0,4");
  put_word(",\"mcdc_records\":[[1,2,3,4,");
  put_number(input);
  put_word(take(input) & 3 ? ",0,0,0,5,[true]" : ",5,[false,true],");
  put_word(take(input) & 3 ? ",[{\"conditions\":[null],\"result\":true}]" : "");
  put_word("]]");
  put_word("}");
}

static void put_export(struct input *input) {
  put_word("{\"files\":[");
  for (unsigned count = take(input) % 3; count; count--) {
    put_file(input);
    put_word(count == 1 ? "" : ",");
  }
  put_word("],\"functions\":[");
  for (unsigned count = take(input) % 4; count; count--) {
    put_function(input);
    put_word(count == 1 ? "" : ",");
  }
  put_word("],\"totals\":");
  put_scores(input);
  put_word("}");
}

static void edit(struct input *input) {
  for (unsigned count = take(input) % 4; count-- && size;) {
    size_t at = take_number(input, 2) % size;
    text[at] = (unsigned char)take(input);
    size = take(input) % 4 ? size : at;
  }
}

/* Of one file, functions first. */
static bool in_order(const struct place *a, const struct place *b) {
  return a->line <= b->line ||
         (a->metric == FUNCTIONS && b->metric != FUNCTIONS);
}

static void check_xml(const struct places *places) {
  char *written = NULL;
  size_t length = 0, opened = 0, closed = 0, quotes = 0;
  char here[] = "/here";
  static const char *const maps[] = {"a=/here/x", "b=c"};
  const struct source_maps paths = {maps, 2, here};
  must(!paths_refuse_map(maps[0]) && paths_refuse_map("a=b,c"),
       "maps are told apart");
  FILE *stream = open_memstream(&written, &length);
  cobertura_print_xml(places, &paths, stream);
  fclose(stream);
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)written[i];
    must(byte >= 0x20 || byte == '\n', "no control characters");
    opened += byte == '<';
    closed += byte == '>';
    quotes += byte == '"';
    must(opened - closed <= 1, "no tag in a tag");
  }
  must(opened == closed && quotes % 2 == 0, "tags, quotes in pairs");
  free(written);
}

static void check_places(const struct model *exported, unsigned release) {
  struct places places;
  places_make(&places, exported, release);
  for (size_t i = 0; i < places.file_count; i++)
    for (size_t k = places.files[i].begin + 1; k < places.files[i].end; k++)
      must(in_order(&places.list[k - 1], &places.list[k]), "places in order");
  check_xml(&places);
  places_free(&places);
}

static void one_json(struct input *input) {
  struct model exported;
  put_export(input);
  edit(input);
  struct bytes bytes = block();
  if (!model_parse(&exported, bytes)) {
    const struct scores_summary *summary = &exported.summary;
    for (size_t i = 0; i < summary->count; i++)
      for (unsigned k = 0; k < METRICS; k++)
        must(summary->rows[i].name && summary->rows[i].scores[k].covered <=
                                          summary->rows[i].scores[k].count,
             "no more is covered than there is");
    check_places(&exported, 14);
    check_places(&exported, 22);
  }
  model_free(&exported);
  free((void *)(uintptr_t)bytes.data);
}

/* ---- raw profiles ---- */

/* A header with small sizes, of which the input changes some, and as many
 * bytes as it may need. */
static void compose_raw(struct input *input) {
  bool big = take(input) & 1, wide = take(input) & 1;
  uint64_t version = 7 + take(input) % 5;
  const struct bareprof_image image = {.version = &version,
                                       .pointer_size = wide ? 8 : 4};
  const struct bareprof_layout *layout = bareprof_layout_find(&image);
  unsigned char word[8];
  store64(word,
          wide ? UINT64_C(0xFF6C70726F667281) : UINT64_C(0xFF6C70726F665281),
          big);
  put(word, sizeof word);
  store64(word, version | (uint64_t)(take(input) & 1) << 60, big);
  put(word, sizeof word);
  for (unsigned i = BAREPROF_VERSION_WORD + 1; i < BAREPROF_FIELDS; i++)
    if (layout->fields >> i & 1) {
      uint64_t value = take(input) % 16;
      if (i == BAREPROF_BINARY_IDS_SIZE)
        value = 8 * value;
      if (value == 15)
        value = take_number(input, 8);
      store64(word, value, big);
      put(word, sizeof word);
    }
  store64(word, 1 + take(input) % 20, big);
  put(word, sizeof word);
  while (more(input))
    put(&(unsigned char){(unsigned char)take(input)}, 1);
  for (size_t room = take(input) ? 100 : 2000; room-- && size < MOST;)
    text[size++] = 0x55;
}

static void one_raw(struct input *input) {
  struct snapshot snapshot;
  if (take(input) % 4)
    compose_raw(input);
  else
    put(input->at, (size_t)(input->end - input->at));
  struct bytes bytes = block();
  if (file_is_raw_profile(bytes) &&
      !inputs_parse_raw_profile(&snapshot, bytes)) {
    must(snapshot_is_complete(&snapshot), "what is accepted is whole");
    must(snapshot.header.build_id_size &&
             snapshot.header.build_id_size <= sizeof snapshot.header.build_id,
         "it has a build id");
    snapshot_free(&snapshot);
  }
  free((void *)(uintptr_t)bytes.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
  struct input input = {data, data + (count < MOST ? count : MOST)};
  unsigned which = take(&input) % 2;
  size = 0;
  if (which == 0)
    one_json(&input);
  else
    one_raw(&input);
  return 0;
}
