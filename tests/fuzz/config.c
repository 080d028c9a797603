/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: files of options. A command has an option of each kind. This
 * file decides again, from the docs, which lines are right.
 */
#include <string.h>

#include "base/options.h"
#include "input.h"
#include "phrases.h"

enum { MOST = 512 };

struct given {
  const char *text;
  bool open;
  unsigned number, word;
  double real;
  unsigned listed;
};

static const char *take_item(void *context, const char *value) {
  struct given *given = context;
  given->listed++;
  return *value == '(' ? "--item is no pattern" : NULL;
}

static const char *const words[] = {"any", "all", NULL};
static const struct option_row rows[] = {
    {.help = "Heading"},
    {.name = "text", .help = "h", .value = "T", OPTION(struct given, text)},
    {.name = "open", .help = "h", OPTION(struct given, open)},
    {.name = "number",
     .help = "h",
     .value = "N",
     OPTION(struct given, number),
     .least = 3,
     .most = 70},
    {.name = "real",
     .help = "h",
     .value = "S",
     OPTION(struct given, real),
     .most = 9},
    {.name = "word",
     .help = "h",
     .value = "W",
     OPTION(struct given, word),
     .words = words},
    {.name = "item", .help = "h", .value = "I", .parse_value = take_item},
    {.name = "mine", .help = "h", .commands = 2, OPTION(struct given, open)},
    CONFIG_ROWS,
    {0}};
static const struct option_row others[] = {{.name = "theirs", .help = "h"},
                                           {0}};
static const struct command command = {
    .name = "fuzzed", .options = rows, .other_options = others, .as = 1};

static const char *const phrases[] = {"text",     "open",       "number",
                                      "real",     "word",       "item",
                                      "mine",     "theirs",     "config",
                                      "\n",       "\r\n",       " = ",
                                      "=",        " ",          "\t",
                                      "# ",       "any",        "all",
                                      "3",        "70",         "71",
                                      "2",        "0.5",        "9",
                                      "9.5",      "0x10",       "-1",
                                      "(",        "--",         "no-config",
                                      "\n\n",     "\nopen\n",   "\nopen any\n",
                                      "\ntext\n", "\ntext a\n", "\nnumber 5\n"};

/* Whether a line is right. It is cut here. */
static bool is_right(char *line) {
  line += strspn(line, " \t");
  size_t size = strlen(line);
  while (size && strchr(" \t\r", line[size - 1]))
    line[--size] = 0;
  if (!size || *line == '#')
    return true;
  char *value = line + strcspn(line, " \t=");
  size_t name = (size_t)(value - line);
  value += strspn(value, " \t");
  value += *value == '=';
  value += strspn(value, " \t");
  line[name] = 0;
  if (!strcmp(line, "theirs") || !strcmp(line, "mine"))
    return true;
  if (!strcmp(line, "open"))
    return !*value;
  if (!strcmp(line, "word"))
    return !strcmp(value, "any") || !strcmp(value, "all");
  if (!strcmp(line, "item"))
    return *value && *value != '(';
  if (!strcmp(line, "real")) {
    char *end;
    double real = strtod(value, &end);
    return end != value && !*end && real > 0 && real <= 9;
  }
  if (!strcmp(line, "number")) {
    char *end;
    unsigned long number = strtoul(
        value, &end, value[0] == '0' && (value[1] | 32) == 'x' ? 16 : 10);
    return *value && !strchr("+- \t\v\f", *value) && !*end && number >= 3 &&
           number <= 70;
  }
  return !strcmp(line, "text") && *value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
  size_t size = 0;
  char *text = phrases_text(phrases, sizeof phrases / sizeof *phrases, data,
                            count < MOST ? count : MOST, &size);
  text[strlen(text)] = 0;
  char *copy = strdup(text);
  bool right = true;
  for (char *at = text, *next; *at && right; at = next) {
    size_t line = strcspn(at, "\n");
    next = at + line + (at[line] == '\n');
    at[line] = 0;
    right = is_right(at);
  }
  struct given given = {.text = NULL};
  int status = options_parse_lines(&command, "a.conf", copy, &given);
  must(status == (right ? 0 : 2), "a wrong line is an error, others are not");
  must(!given.number || right == false ||
           (given.number >= 3 && given.number <= 70),
       "a number is in its range");
  must(given.word < 2, "a word is one of the list");
  must(!given.text || (given.text >= copy && given.text < copy + size + 1),
       "a text is in the file");
  free(text);
  free(copy);
  return 0;
}
