/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints the JSON of `bareprof show --json` in the lines that said.awk makes of
 * llvm-profdata show's output: told [cs] <DOCUMENT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "strict.h"

static struct json_reader json;
static char key[JSON_KEY];
static unsigned tops, cutoffs, traces;

/* for (each member) of what is next. */
static int member(void) { return json_next_member(&json, key); }

static int is(const char *name) { return strcmp(key, name) == 0; }

struct record {
  char *name, *hash;
};

static void tell_value(const struct record *record, const char *kind,
                       unsigned site) {
  uint64_t count = 0, size = 0;
  char *name = NULL;
  json_enter_bracket(&json, '{');
  while (member())
    if (is("count"))
      count = json_parse_number(&json);
    else if (is("size"))
      size = json_parse_number(&json);
    else if (*json.at == 'n')
      json_skip_and_get_text(&json);
    else
      name = json_parse_string(&json);
  printf("value\t%s\t%s\t%s\t%u\t", record->name, record->hash, kind, site);
  if (strcmp(kind, "memop") == 0)
    printf("%" PRIu64, size);
  printf("%s\t%" PRIu64 "\n", name ? name : "", count);
  free(name);
}

static void tell_sites(const struct record *record) {
  char kind[JSON_KEY];
  unsigned site = 0;
  strcpy(kind, key);
  for (json_enter_bracket(&json, '['); json_next_element(&json, ']'); site++)
    for (json_enter_bracket(&json, '['); json_next_element(&json, ']');)
      tell_value(record, kind, site);
}

static void tell_counters(const struct record *record) {
  const char *between = "\t";
  printf("record\t%s\t%s", record->name, record->hash);
  for (json_enter_bracket(&json, '['); json_next_element(&json, ']');
       between = " ")
    printf("%s%" PRIu64, between, json_parse_number(&json));
  printf("\n");
}

static void tell_record(void) {
  struct record record = {NULL, NULL};
  char *text;
  json_enter_bracket(&json, '{');
  while (member())
    if (is("name")) {
      record.name = json_parse_string(&json);
    } else if (is("hash")) {
      record.hash = json_parse_string(&json);
    } else if (is("pseudo") && (text = json_parse_string(&json))) {
      printf("record\t%s\t%s\t%s\n", record.name, record.hash, text);
      free(text);
    } else if (is("counters")) {
      tell_counters(&record);
    } else if (is("bitmap") && (text = json_parse_string(&json))) {
      if (*text)
        printf("bitmap\t%s\t%s\t%s\n", record.name, record.hash, text);
      free(text);
    } else if (is("call") || is("memop") || is("vtable")) {
      tell_sites(&record);
    } else {
      json_skip_and_get_text(&json);
    }
  free(record.name);
  free(record.hash);
}

static void tell_top(void) {
  json_enter_bracket(&json, '{');
  while (member())
    if (is("most"))
      printf("top %u %" PRIu64 "\n", ++tops, json_parse_number(&json));
    else
      json_skip_and_get_text(&json);
}

static void tell_totals(void) {
  char kind[JSON_KEY];
  for (json_enter_bracket(&json, '{'); member();) {
    strcpy(kind, key);
    uint64_t sites = 0, with = 0, values = 0;
    for (json_enter_bracket(&json, '{'); member();)
      if (is("sites"))
        sites = json_parse_number(&json);
      else if (is("with_values"))
        with = json_parse_number(&json);
      else if (is("values"))
        values = json_parse_number(&json);
      else
        for (json_enter_bracket(&json, '['); json_next_element(&json, ']');) {
          uint64_t pair[2] = {0, 0};
          unsigned i = 0;
          for (json_enter_bracket(&json, '['); json_next_element(&json, ']');
               i ^= 1)
            pair[i] = json_parse_number(&json);
          if (pair[0])
            printf("histogram %s %" PRIu64 " %" PRIu64 "\n", kind, pair[0],
                   pair[1]);
        }
    if (sites)
      printf("sites %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", kind, sites,
             with, values);
  }
}

static void tell_cutoff(void) {
  uint64_t least = 0, counters = 0;
  json_enter_bracket(&json, '{');
  while (member())
    if (is("least"))
      least = json_parse_number(&json);
    else if (is("counters"))
      counters = json_parse_number(&json);
    else
      json_skip_and_get_text(&json);
  printf("cutoff %u %" PRIu64 " %" PRIu64 "\n", ++cutoffs, least, counters);
}

static void tell_summary(void) {
  static const char *const lines[][2] = {{"records", "records"},
                                         {"counters", "counters"},
                                         {"most_first", "first"},
                                         {"most_others", "others"},
                                         {"total", "total"}};
  for (json_enter_bracket(&json, '{'); member();) {
    const char *line = NULL;
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
      if (is(lines[i][0]))
        line = lines[i][1];
    if (line)
      printf("%s %" PRIu64 "\n", line, json_parse_number(&json));
    else if (is("cutoffs"))
      for (json_enter_bracket(&json, '['); json_next_element(&json, ']');)
        tell_cutoff();
    else
      json_skip_and_get_text(&json);
  }
}

static void tell_part(void) {
  char *name;
  for (json_enter_bracket(&json, '{'); member();)
    if (is("summary"))
      tell_summary();
    else if (is("sites"))
      tell_totals();
    else if (is("list"))
      for (json_enter_bracket(&json, '['); json_next_element(&json, ']');)
        tell_record();
    else if (is("hottest"))
      for (json_enter_bracket(&json, '['); json_next_element(&json, ']');)
        tell_top();
    else if (is("covered"))
      for (json_enter_bracket(&json, '['); json_next_element(&json, ']');
           free(name))
        if ((name = json_parse_string(&json)))
          printf("covered %s\n", name);
        else
          break;
    else
      json_skip_and_get_text(&json);
}

static void tell_trace(void) {
  char *name;
  traces++;
  for (json_enter_bracket(&json, '{'); member();)
    if (is("weight"))
      printf("trace %u %" PRIu64 "\n", traces, json_parse_number(&json));
    else
      for (json_enter_bracket(&json, '['); json_next_element(&json, ']');
           free(name))
        if ((name = json_parse_string(&json)))
          printf("called %u %s\n", traces, name);
}

static void tell_traces(void) {
  for (json_enter_bracket(&json, '{'); member();)
    if (is("runs")) {
      uint64_t runs = json_parse_number(&json);
      if (runs)
        printf("runs %" PRIu64 "\n", runs);
    } else {
      for (json_enter_bracket(&json, '['); json_next_element(&json, ']');)
        tell_trace();
    }
}

int main(int argc, char **argv) {
  const char *part =
      argc > 1 && strcmp(argv[1], "cs") == 0 ? "context_sensitive" : "regular";
  struct file file;
  char *text;
  if (file_read(&file, "-", (size_t)1 << 30))
    return 1;
  check_json(file.bytes);
  json = json_make_reader(file.bytes);
  for (json_enter_bracket(&json, '{'); member();)
    if (is(part))
      tell_part();
    else if (is("traces"))
      tell_traces();
    else if (is("build_ids"))
      for (json_enter_bracket(&json, '['); json_next_element(&json, ']');
           free(text))
        printf("id %s\n", (text = json_parse_string(&json)) ? text : "");
    else
      json_skip_and_get_text(&json);
  file_close(&file);
  return json.failed;
}
