/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A command and its options, one table each. The table parses the arguments,
 * and produces --help, the man page and the shells' completions.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <getopt.h> /* declares optind */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The type of field that an option sets. */
enum option_kind {
  OPTION_NOTHING, /* a heading, or an option whose value `take` parses */
  OPTION_BOOL,
  OPTION_TEXT, /* a value that is not empty */
  OPTION_UNSIGNED,
  OPTION_LONG,
  OPTION_LONG_LONG,
  OPTION_REAL
};

/* A row of a command's table of options. The table ends with {0}. Rows give
 * name, letter and value by position. */
struct option_row {
  const char *name;  /* name without --; NULL: a heading, whose text is help */
  char letter;       /* letter of the option; 0: none */
  const char *value; /* name of the value in --help; NULL: no value */
  const char *help;  /* a sentence, on one line */
  enum option_kind kind;
  size_t to; /* offset of the field in the command's arguments */

  /* Bits of command.as: which of the commands that share the table have the
   * option. 0: all commands have the option. */
  unsigned commands;
  bool often;  /* -h lists it; if no row of a command has this, -h lists all */
  bool needed; /* the option is required */
  /* The range of a number; most 0: no upper limit. A real number must be above
   * 0 and at most `most`. */
  uint64_t least, most;
  uint64_t is; /* the value that an option without a value sets */
  /* Allowed values, ending with NULL; the unsigned field becomes the index. */
  const char *const *words;
  size_t given; /* offset of a bool that is set too; or 0 */
  /* Parses the value in place of the table. Returns NULL or the error. field:
   * the field at `to`, or all arguments. */
  const char *(*parse_value)(void *field, const char *value);
};

/* Sets a row's field, and its kind from the field's type. */
#define OPTION(type, field) \
  .to = offsetof(type, field),                  \
  .kind = _Generic(((type *)NULL)->field,       \
      bool: OPTION_BOOL,                        \
      const char *: OPTION_TEXT,                \
      unsigned: OPTION_UNSIGNED,                \
      unsigned long: OPTION_LONG,               \
      unsigned long long: OPTION_LONG_LONG,     \
      double: OPTION_REAL)

/* Sets the field to the name of a file to write. Rejects a folder, and a file
 * whose folder is missing, before the command does any work. */
const char *options_parse_output_name(void *field, const char *value);

/* Rows of -o: for a field that stays "-" or NULL without the option, and for an
 * option that is required. */
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
  const char *name;    /* two words for a subcommand */
  const char *summary; /* a phrase of half a line that starts with a verb */
  const char *usage;   /* arguments; each alternative on its own line */
  const char *about;   /* paragraphs; a line that begins with blanks is not
                          wrapped */
  const struct option_row *options; /* the options; NULL: only --help */
  /* Options of other commands that bareprof.conf may also contain. NULL: the
   * command does not read bareprof.conf. */
  const struct option_row *other_options;
  unsigned as;       /* the command's bit in `of` of the options */
  unsigned less;     /* bits like `as`: --help leaves out the options of these
                    commands */
  const char *notes; /* paragraphs after the options; or NULL */
  const char *examples; /* one on each line, the most common first */
  const char *made; /* files that the command line does not name, one on each
                       line as NAME: TEXT; or NULL */
  /* The number of files (most 0: unlimited), and their name in help. */
  int least, most;
  const char *files;
  /* Runs the command with the arguments starting at its name. Returns the exit
   * status. 0: done. 1: the input is bad or incomplete, and one line on
   * standard error has said why. 2: wrong usage. NULL: the command only
   * contains subcommands. */
  int (*run)(const struct command *command, int argc, char **argv);
  const struct command *const *subcommands; /* subcommands, ending with NULL; or
                                         NULL */
  const struct command_group *groups; /* groups of subcommands, ending with {0};
                                         or NULL */
};

/* A heading in the help, before a subcommand. */
struct command_group {
  const struct command *first;
  const char *heading;
};

/* How a command runs: its function, its options, and how many files it takes,
 * with their name in help. */
#define RUNS(function, rows, fewest, largest, name)                   \
  .run = function, .options = rows, .least = fewest, .most = largest, \
  .files = name

/* Parses the options and sets their fields in arguments. Returns the arguments
 * after them, of which optind is the index of the first, and NULL is the end.
 * Ends the program after help, or one line about wrong usage. */
char **options_parse(const struct command *command, int argc, char **argv,
                     void *arguments);

/* Reads the lines of a file of options, which it changes. Values point into the
 * text. Returns 0 or the exit status; then one line has the number of the wrong
 * line. */
int options_parse_lines(const struct command *command, const char *name,
                        char *text, void *arguments);

/* Prints one line about wrong usage, and returns 2. */
int options_report_misuse(const struct command *command, const char *what);

/* Prints the --help text of a command, or its -h text. */
void options_print_help(FILE *stream, const struct command *command);
void options_print_brief_help(FILE *stream, const struct command *command);

/* Returns the command's row after `row`, or the first row after NULL; a row may
 * be a heading. Returns NULL at the end. */
const struct option_row *options_next_row(const struct command *command,
                                          const struct option_row *row);

/* The rows of --config and --no-config, for a command that has `beside`. */
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

/* Prints text in lines of up to 79 columns that start with `indent` blanks. The
 * first line already has `at` columns. Ends the last line. */
void options_print_wrapped(FILE *stream, const char *text, int indent, int at);

int command_run_subcommand(const struct command *head, int argc, char **argv);

/* Reports a word that is not a command of head, and returns 2. */
int command_report_unknown(const struct command *head, const char *name);

/* Returns the name of a subcommand without the name of its head. */
const char *command_own_name(const struct command *command);

/* Returns the subcommand with this name, or NULL. */
const struct command *command_find_subcommand(const struct command *head,
                                              const char *name);

#endif
