/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The man page, of the tables of all commands.
 */
#include <string.h>

#include "bareprof.h"
#include "help.h"

/* Of the release: a page that is made twice is the same. */
#define DATE "2026-11-22"

/* Text as it is: no request at the start of a line, hyphens that can be
 * searched for. */
static void put(FILE *stream, const char *text, size_t size) {
  if (size && (*text == '.' || *text == '\''))
    fputs("\\&", stream);
  for (size_t i = 0; i < size; i++)
    if (text[i] == '\\')
      fputs("\\e", stream);
    else if (text[i] == '-')
      fputs("\\-", stream);
    else
      fputc(text[i], stream);
}

static void put_text(FILE *stream, const char *text) {
  put(stream, text, strlen(text));
}

/* Paragraphs; lines that begin with blanks stay lines. */
static void put_paragraphs(FILE *stream, const char *text) {
  bool listed = false;
  while (*text) {
    size_t size = strcspn(text, "\n");
    if ((*text == ' ') != listed)
      fputs(listed ? ".fi\n" : ".nf\n", stream);
    listed = *text == ' ';
    put(stream, text, size);
    fputc('\n', stream);
    text += size + (text[size] == '\n');
  }
  if (listed)
    fputs(".fi\n", stream);
}

static void put_option(FILE *stream, const struct option_row *row) {
  if (!row->help)
    return;
  if (!row->name) {
    fputs(".PP\n", stream);
    put_text(stream, row->help);
    fputc('\n', stream);
    return;
  }
  fputs(".TP\n", stream);
  if (row->letter)
    fprintf(stream, "\\fB\\-%c\\fR, ", row->letter);
  fputs("\\fB\\-\\-", stream);
  put_text(stream, row->name);
  fputs("\\fR", stream);
  if (row->value) {
    fputs(" \\fI", stream);
    put_text(stream, row->value);
    fputs("\\fR", stream);
  }
  fputc('\n', stream);
  put_text(stream, row->help);
  fputc('\n', stream);
}

static void put_usage(FILE *stream, const struct command *command) {
  for (const char *usage = command->usage; *usage;) {
    size_t size = strcspn(usage, "\n");
    fputs("\\fBbareprof ", stream);
    put_text(stream, command->name);
    fputs("\\fR ", stream);
    put(stream, usage, size);
    fputc('\n', stream);
    usage += size + (usage[size] == '\n');
    if (*usage)
      fputs(".br\n", stream);
  }
}

static void put_command(FILE *stream, const struct command *command) {
  if (command->run) {
    fputs(".SS ", stream);
    put_text(stream, command->name);
    fputc('\n', stream);
    put_usage(stream, command);
    fputs(".PP\n", stream);
    put_paragraphs(stream, command->about);
    for (const struct option_row *row = command->options;
         row && (row->name || row->help); row++)
      put_option(stream, row);
    if (command->notes) {
      fputs(".PP\n", stream);
      put_paragraphs(stream, command->notes);
    }
  }
  for (const struct command *const *at = command->below; at && *at; at++)
    put_command(stream, *at);
}

void help_man(FILE *stream, const struct command *head) {
  fprintf(stream,
          ".TH BAREPROF 1 \"" DATE "\" \"bareprof %d.%d.%d\"\n"
          ".SH NAME\n"
          "bareprof \\- LLVM profiles from bare metal\n"
          ".SH SYNOPSIS\n"
          "\\fBbareprof\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] "
          "\\fIFILE\\fR...\n"
          ".SH DESCRIPTION\n",
          BAREPROF_VERSION >> 16, BAREPROF_VERSION >> 8 & 255,
          BAREPROF_VERSION & 255);
  put_text(stream,
           "Takes the coverage and profiles that firmware sends, and makes "
           "reports of them, and what compilers and linkers take.");
  fputs("\n.SH COMMANDS\n", stream);
  for (const struct command *const *at = head->below; *at; at++)
    put_command(stream, *at);
  fputs(".SH EXIT STATUS\n"
        "0 done; 1 the input is bad or incomplete, one line on standard error "
        "says why and what to do; 2 wrong usage.\n"
        ".SH SEE ALSO\n"
        ".BR llvm\\-profdata (1),\n"
        ".BR llvm\\-cov (1)\n",
        stream);
}
