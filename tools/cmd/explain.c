/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof explain: prints what an error number of the runtime or a code of the
 * doctor means. The texts come from docs/reference/errors.md.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/options.h"
#include "../base/text_part.h"
#include "commands.h"

/* The table rows of docs/reference/errors.md, each as a string. rules.mk makes
 * the file that is included here. */
static const char *const rows[] = {
#include "errors.inc"
};

enum { CELLS = 3, CELL_ROOM = 4096 };

/* Copies the text of a table cell, without its Markdown and HTML escapes, to
 * `to`, which holds CELL_ROOM bytes. Returns the start of the next cell. */
static const char *copy_unescaped_cell(char *to, const char *at) {
  static const struct {
    const char *markup, *text;
  } known[] = {
      {"<br>", "\n"}, {"&lt;", "<"}, {"\\|", "|"}, {"\\_", "_"}, {"\\*", "*"}};
  size_t used = 0;
  while (*at == ' ')
    at++;
  while (*at && strncmp(at, " |", 2) != 0 && used + 1 < CELL_ROOM) {
    size_t i = 0, count = sizeof known / sizeof *known;
    while (i < count &&
           strncmp(at, known[i].markup, strlen(known[i].markup)) != 0)
      i++;
    const char *text = i < count ? known[i].text : at;
    size_t size = i < count ? strlen(text) : 1;
    memcpy(to + used, text, size);
    used += size;
    at += i < count ? strlen(known[i].markup) : 1;
  }
  to[used] = 0;
  return *at ? at + 2 : at;
}

/* Returns whether a word denotes this row, as a code or a name: D023, d23, 023,
 * -8, 8, NOT_INIT. Three digits that begin with 0 are the code of a finding. */
static bool is_row_of_code(char cells[CELLS][CELL_ROOM], const char *word) {
  const char *code = cells[0];
  if (strncmp(word, "BAREPROF_E_", 11) == 0)
    word += 11;
  if (text_equals_ignoring_case(word, cells[1]))
    return true;
  if (*word == '0' && strspn(word, "0123456789") == 3)
    return *code == 'D' && !word[3] && strcmp(word, code + 1) == 0;
  if ((*word == 'D' || *word == 'd') != (*code == 'D'))
    return false;
  word += *code == 'D' || *word == '-';
  size_t digits = strspn(word, "0123456789");
  return digits && digits < 6 && !word[digits] &&
         strtoul(word, NULL, 10) == strtoul(code + 1, NULL, 10);
}

/* Prints the meaning of a code. Several findings may share a code. Then each
 * line of the text is about one finding, and is printed as a list item. */
static void print_meaning(const char *text) {
  bool listed = strchr(text, '\n') != NULL;
  while (*text) {
    char part[CELL_ROOM];
    int size = (int)strcspn(text, "\n");
    snprintf(part, sizeof part, "%.*s", size, text);
    fputs(listed ? "  - " : "  ", stdout);
    options_print_wrapped(stdout, part, listed ? 4 : 2, listed ? 4 : 2);
    text += size + (text[size] == '\n');
  }
}

/* Prints the row that a word denotes. Returns the exit status. */
static int explain_code(const struct command *command, const char *word) {
  static char cells[CELLS][CELL_ROOM];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *at = rows[i] + 1;
    for (unsigned cell = 0; cell < CELLS; cell++)
      at = copy_unescaped_cell(cells[cell], at);
    if (!is_row_of_code(cells, word))
      continue;
    printf("%s %s, %s\n", cells[0], cells[1],
           *cells[0] == 'D' ? "a finding of bareprof doctor"
                            : "an error of the runtime");
    print_meaning(cells[2]);
    return 0;
  }
  char shown[100];
  return options_report_misuse(
      command,
      "unknown code %.80s; use a finding such as D023, or a number such as -8",
      make_printable(shown, sizeof shown, word));
}

static int run_explain(const struct command *command, int argc, char **argv) {
  for (int i = 1; i < argc; i++) /* -8 is an error number, not an option */
    if (argv[i][0] == '-' && strchr("0123456789", argv[i][1]) && argv[i][1])
      argv[i]++;
  int status = 0;
  for (char **at = options_parse(command, argc, argv, NULL); *at && !status;
       at++) {
    if (at != argv + optind)
      putchar('\n');
    status = explain_code(command, *at);
  }
  return status;
}

const struct command command_explain = {
    .name = "explain",
    .summary = "explain a finding of doctor, or an error number of the runtime",
    .examples = "bareprof explain D023\n"
                "bareprof explain -8",
    .usage = "CODE...",
    .about =
        "Prints the explanation of a finding of `bareprof doctor`, or of an "
        "error of the runtime, from docs/reference/errors.md. CODE is the code "
        "or the name of a finding, such as D023 or heap-over-counters, or the "
        "number or the name of an error, such as -8 or NOT_INIT. In the "
        "printed text, `...` stands for a name and N for a number.",
    RUNS(run_explain, NULL, 1, 0, "a code, such as D023 or -8")};
