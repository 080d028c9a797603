/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Describes a command and its options with a table. From the table come the
 * parser of the arguments, --help, the man page and the shells' completions.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <getopt.h> /* declares optind */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

/* The type of field that an option sets. */
enum option_kind {
  OPTION_NOTHING, /* no field: a heading, or an option whose value parse_value
                     parses */
  OPTION_BOOL,
  OPTION_TEXT, /* a text that is not empty */
  OPTION_LIST, /* an array, to which each use of the option adds a text */
  OPTION_UNSIGNED,
  OPTION_LONG,
  OPTION_LONG_LONG,
  OPTION_REAL
};

/* A row of a command's table of options. The table ends with {0}. A row lists
 * name, letter and value first, without designators. */
struct option_row {
  const char *name;  /* the name without --; NULL: a heading, whose text is
                        `help` */
  char letter;       /* the letter of the option; 0: none */
  const char *value; /* the name of the value in --help; NULL: no value */
  const char *help;  /* the help text, one sentence in one line */
  enum option_kind kind;
  size_t to; /* the offset of the field in the command's arguments */

  /* The commands that have the option, as bits of command.as, if several
   * commands share the table. 0: all commands have the option. */
  unsigned commands;
  bool often;  /* the option is listed by -h; if no row of a command has
                  `often`, -h lists all options */
  bool needed; /* the option is required */
  /* The range of a number; `most` 0: no upper limit. A real number must be
   * above 0 and at most `most`. */
  uint64_t least, most;
  uint64_t is; /* the value that an option without a value sets */
  /* The allowed values, ended by NULL; the unsigned field becomes the index of
   * the value. */
  const char *const *words;
  size_t given; /* the offset of a bool that the option sets, too; or 0 */
  size_t count; /* the offset of the number of texts in a list */
  /* Returns the error of a text that the option does not allow, or NULL. */
  const char *(*refuse)(const char *value);
  /* Parses the value of the option, in place of the parser for `kind`. `field`
   * points to the field at `to`, or to all arguments. Returns NULL or the
   * error. */
  const char *(*parse_value)(void *field, const char *value);
};

/* Sets a row's `to` to the offset of the field, and `kind` to the field's type.
 */
#define OPTION(type, field) \
  .to = offsetof(type, field),                  \
  .kind = _Generic(((type *)NULL)->field,       \
      bool: OPTION_BOOL,                        \
      const char *: OPTION_TEXT,                \
      unsigned: OPTION_UNSIGNED,                \
      unsigned long: OPTION_LONG,               \
      unsigned long long: OPTION_LONG_LONG,     \
      double: OPTION_REAL)

/* Sets a row's `to` to the offset of the field that the function sets. */
#define PARSED_BY(type, field, function) \
  .to = offsetof(type, field), .parse_value = function

/* The same for an array of texts; `number` is the field with their count. */
#define OPTION_TO_LIST(type, field, number)                   \
  .to = offsetof(type, field), .kind = OPTION_LIST,           \
  .most = sizeof((type *)NULL)->field / sizeof(const char *), \
  .count = offsetof(type, number)

/* Sets the field to the name of a file to write. Rejects a folder, and a file
 * whose folder is missing, before the command does any work. */
const char *options_parse_output_name(void *field, const char *value);

/* The rows of the option -o. OUTPUT_ROW is for a field that stays "-" or NULL
 * without the option; the other row requires the option. */
#define OUTPUT_ROW(file, type, member)                                  \
  {                                                                     \
    .name = "output", .letter = 'o', .value = file,                     \
    .help = "write the output to this file (default: standard output)", \
    OPTION(type, member), .parse_value = options_parse_output_name      \
  }
#define OUTPUT_NEEDED(file, type, member)                               \
  {                                                                     \
    .name = "output", .letter = 'o', .value = file,                     \
    .help = "write the output to this file (required)", .needed = true, \
    OPTION(type, member), .parse_value = options_parse_output_name      \
  }

struct command {
  const char *name;    /* the command's name: two words for a subcommand */
  const char *summary; /* a phrase of half a line that starts with a verb */
  const char *usage;   /* the arguments; each alternative has its own line */
  const char *about;   /* paragraphs that describe the command; a line that
                          begins with blanks is not wrapped */
  const struct option_row *options; /* the rows of the options; NULL: --help is
                                       the only option */
  /* The options of other commands that bareprof.conf may contain, too. NULL:
   * the command does not read bareprof.conf. */
  const struct option_row *other_options;
  unsigned as;       /* the command's bit in option_row.commands */
  unsigned less;     /* bits like `as`: --help leaves out the options of these
                        commands */
  const char *notes; /* paragraphs after the options; or NULL */
  const char *examples; /* example command lines, one on each line; the most
                           common one is first */
  const char *made;     /* the files that the command makes and that its command
                       line does not name. Each has a line NAME: TEXT; or
                       NULL */
  /* The number of files (most 0: unlimited), and their name in help. */
  int least, most;
  const char *files;
  /* Runs the command; argv[0] is the command's name. Returns the exit status.
   * 0: success. 1: the input is bad or incomplete, and one line on standard
   * error has said why. 2: wrong usage. NULL: the command only contains
   * subcommands. */
  int (*run)(const struct command *command, int argc, char **argv);
  const struct command *const *subcommands; /* subcommands, ending with NULL; or
                                         NULL */
  const struct command_group *groups; /* groups of subcommands, ending with {0};
                                         or NULL */
};

/* A heading in the help, before the subcommand `first`. */
struct command_group {
  const struct command *first;
  const char *heading;
};

/* Sets how a command runs: its function, its options, how many files it takes,
 * and the name of the files in the help. */
#define RUNS(function, rows, fewest, largest, name)                   \
  .run = function, .options = rows, .least = fewest, .most = largest, \
  .files = name

/* Parses the options and sets their fields in `arguments`. Returns the
 * arguments after the options, ended by NULL; optind is the index of the first
 * of them in argv. After help, or after one line about wrong usage, ends the
 * program. */
char **options_parse(const struct command *command, int argc, char **argv,
                     void *arguments);

/* Parses the lines of a file of options. The function changes the text, and the
 * values point into it. Returns 0, or an exit status after it has printed one
 * line with the number of the wrong line. */
int options_parse_lines(const struct command *command, const char *name,
                        char *text, void *arguments);

/* Prints one line that explains the error in the arguments, and returns 2. The
 * values follow the format as for printf. */
int options_report_misuse(const struct command *command, const char *format,
                          ...) PRINTS_AS(2, 3);

/* Each prints the help text of a command: the text of --help, or the shorter
 * text of -h. */
void options_print_help(FILE *stream, const struct command *command);
void options_print_brief_help(FILE *stream, const struct command *command);

/* Returns the row after `row`, or the command's first row if `row` is NULL. A
 * row may be a heading. Returns NULL at the end. */
const struct option_row *options_next_row(const struct command *command,
                                          const struct option_row *row);

/* The head of a loop over the rows of a command, or over its subcommands. */
#define EACH_OPTION(row, command)      \
  const struct option_row *row = NULL; \
  (row = options_next_row(command, row)) != NULL;
#define EACH_COMMAND(at, head)                           \
  const struct command *const *at = (head)->subcommands; \
  at &&*at;                                              \
  at++

/* The rows of --config and --no-config, for a command that has other_options.
 */
#define CONFIG_ROWS                                                       \
  {.name = "config",                                                      \
   .value = "FILE",                                                       \
   .help = "read options from FILE, one option per line (default: "       \
           "bareprof.conf in the current folder)"},                       \
  {                                                                       \
    .name = "no-config", .help = "do not read options from bareprof.conf" \
  }

/* The row of --color, which every command has. The help of bareprof itself
 * lists it. */
extern const struct option_row options_color;

/* Prints text in lines of up to 79 columns, which start with `indent` blanks.
 * The first line has `at` columns already. The function ends the last line. */
void options_print_wrapped(FILE *stream, const char *text, int indent, int at);

/* Runs the subcommand argv[1] of `head`. Returns its exit status; 2 without a
 * known subcommand. */
int command_run_subcommand(const struct command *head, int argc, char **argv);

/* Reports that `name` is not a subcommand of `head`, and returns 2. */
int command_report_unknown(const struct command *head, const char *name);

/* Returns the last word of a subcommand's name, without the name of its head.
 */
const char *command_last_word(const struct command *command);

/* Returns the subcommand with this name, or NULL. */
const struct command *command_find_subcommand(const struct command *head,
                                              const char *name);

#endif
