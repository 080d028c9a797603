/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Collects the names and weights of input files, from arguments and list files.
 */
#include "profile_merge.h"

#include <stdlib.h>
#include <string.h>

#include "../base/storage.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"

enum { LIST_LIMIT = 1 << 28, COUNT_MOST = 1 << 24 };

/* Adds a name, which must live as long as the list. Returns 1 if memory runs
 * out. */
static int merge_inputs_add_file(struct merge_inputs *inputs, const char *name,
                                 uint64_t weight) {
  if (inputs->count == COUNT_MOST ||
      !list_make_room(&inputs->names, inputs->count, sizeof *inputs->names) ||
      !list_make_room(&inputs->weights, inputs->count, sizeof *inputs->weights))
    return 1;
  inputs->names[inputs->count] = name;
  inputs->weights[inputs->count++] = weight;
  return 0;
}

/* Whether the text has the form W,NAME. */
static bool parse_weighted(const char *text, uint64_t *weight,
                           const char **name) {
  char *end;
  if (*text < '0' || *text > '9')
    return false;
  *weight = strtoull(text, &end, 10);
  *name = end + 1;
  return *end == ',' && end[1] && *weight && *weight != UINT64_MAX;
}

const char *merge_inputs_add_weighted(void *given, const char *value) {
  uint64_t weight;
  const char *name;
  if (!parse_weighted(value, &weight, &name))
    return "--weighted-input must be W,FILE with W of at least 1";
  return merge_inputs_add_file(
             &((struct merge_input_arguments *)given)->weighted, name, weight)
             ? "too many --weighted-input"
             : NULL;
}

const char *merge_inputs_add_list(void *given, const char *value) {
  return merge_inputs_add_file(&((struct merge_input_arguments *)given)->lists,
                               value, 1)
             ? "too many --input-files"
             : NULL;
}

static int parse_list_lines(struct merge_inputs *inputs, char *text) {
  char *rest = NULL;
  for (char *line = strtok_r(text, "\r\n", &rest); line;
       line = strtok_r(NULL, "\r\n", &rest)) {
    uint64_t weight;
    const char *name;
    line += strspn(line, " \t");
    if (*line == '\0' || *line == '#')
      continue;
    if (!parse_weighted(line, &weight, &name)) {
      weight = 1;
      name = line;
    }
    if (merge_inputs_add_file(inputs, name, weight))
      return 1;
  }
  return 0;
}

int merge_inputs_read_list(struct merge_inputs *inputs, const char *name) {
  struct file file;
  if (file_read(&file, name, LIST_LIMIT))
    return 1;
  char *text = malloc(file.bytes.size + 1);
  if (!text || !list_make_room(&inputs->texts, inputs->text_count,
                               sizeof *inputs->texts)) {
    free(text);
    file_close(&file);
    return report_memory(name);
  }
  if (file.bytes.size)
    memcpy(text, file.bytes.data, file.bytes.size);
  text[file.bytes.size] = '\0';
  inputs->texts[inputs->text_count++] = text;
  file_close(&file);
  return parse_list_lines(inputs, text) ? report_memory(name) : 0;
}

int merge_inputs_collect(struct merge_inputs *inputs,
                         const struct merge_input_arguments *given) {
  const struct merge_inputs *weighted = &given->weighted;
  int failed = 0;
  for (char **name = given->names; *name && !failed; name++)
    failed = merge_inputs_add_file(inputs, *name, 1);
  for (size_t i = 0; i < weighted->count && !failed; i++)
    failed =
        merge_inputs_add_file(inputs, weighted->names[i], weighted->weights[i]);
  if (failed)
    return report_memory(NULL);
  for (size_t i = 0; i < given->lists.count && !failed; i++)
    failed = merge_inputs_read_list(inputs, given->lists.names[i]);
  return failed;
}

void merge_inputs_free(struct merge_inputs *inputs) {
  for (size_t i = 0; i < inputs->text_count; i++)
    free(inputs->texts[i]);
  free(inputs->texts);
  free(inputs->names);
  free(inputs->weights);
}
