/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A command and its options, one table each. The table parses the arguments,
 * and produces --help, the man page and the shells' completions.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <getopt.h> /* optind */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The kind of field that an option sets. */
enum option_kind {
  OPTION_NOTHING, /* a heading, or a value for `take` */
  OPTION_BOOL,
  OPTION_TEXT, /* a value that is not empty */
  OPTION_UNSIGNED,
  OPTION_LONG,
  OPTION_LONG_LONG,
  OPTION_REAL
};

/* The end of a table is {0}. */
struct option_row {
  const char *name;  /* without --; NULL: a heading, that help is */
  char letter;       /* or 0 */
  const char *value; /* the value's name in --help; NULL: no value */
  const char *help; /* a sentence's worth, on one line */
  enum option_kind kind;
  size_t to; /* the field's offset in the command's arguments */

  /* Which of the commands that share the table have the option: bits of
   * command.as; 0: all. */
  unsigned of;
  bool often;  /* -h has it. If no row of a command has this, -h has all. */
  bool needed; /* The option is required. */
  /* The range of a number; most 0: any. A real number is above 0 and at most
   * `most`. */
  uint64_t least, most;
  uint64_t is; /* An option without a value sets a number's field to this. */
  /* An unsigned field gets the value's index in this list. The list ends with
   * NULL. */
  const char *const *words;
  size_t given; /* 0, or the offset of a bool that becomes true too */
  /* Parses the value instead. Returns NULL or the error. field: at `to`, or all
   * arguments. */
  const char *(*take)(void *field, const char *value);
};

/* The field of a row, and the field's kind by its type. */
#define OPTION(type, field) \
  .to = offsetof(type, field),                  \
  .kind = _Generic(((type *)NULL)->field,       \
      bool: OPTION_BOOL,                        \
      const char *: OPTION_TEXT,                \
      unsigned: OPTION_UNSIGNED,                \
      unsigned long: OPTION_LONG,               \
      unsigned long long: OPTION_LONG_LONG,     \
      double: OPTION_REAL)

/* The row of -o for a field that is "-" or NULL without it, and of an -o that
 * is required. */
#define OUTPUT_ROW(file, type, member)                                     \
  {                                                                        \
    .name = "output", .letter = 'o', .value = file,                        \
    .help = "output file (default: standard output)", OPTION(type, member) \
  }
#define OUTPUT_NEEDED(file, type, member)                                  \
  {                                                                        \
    .name = "output", .letter = 'o', .value = file,                        \
    .help = "output file (required)", .needed = true, OPTION(type, member) \
  }

struct command {
  const char *name;    /* two words for a command below another */
  const char *summary; /* half a line, a verb first */
  const char *usage;   /* its arguments; further ways on lines of their own */
  const char *about;   /* paragraphs; lines that begin with blanks stay lines */
  const struct option_row *options; /* NULL: only --help */
  unsigned as;   /* its bit in `of` of options that it shares */
  unsigned less; /* --help leaves out the options of the commands with these */
  const char *notes;                /* paragraphs behind the options, or NULL */
  const char *examples;             /* a line each, the most used first */
  const char *made; /* files not named on the command line, a line each: NAME:
                     * TEXT; or NULL */
  /* The number of files (most 0: any number), and their name in help. */
  int least, most;
  const char *files;
  /* Gets the arguments from the command's name on. Returns the exit status. 0:
   * done. 1: the input is bad or incomplete, and one line on standard error has
   * said why. 2: wrong usage. NULL: the command is only the head of the
   * commands below. */
  int (*run)(const struct command *command, int argc, char **argv);
  const struct command *const *below; /* ends with NULL; or NULL */
  const struct command_group *groups; /* of these; ends with {0}; or NULL */
};

/* A heading in help, before a command. */
struct command_group {
  const struct command *first;
  const char *heading;
};

/* The files of a command that takes exactly one. */
#define ONE_FILE(name) .least = 1, .most = 1, .files = name

/* Sets all options' fields in arguments; optind is the first argument behind
 * them. Returns -1 if the command must go on. Otherwise it printed help, or one
 * line about wrong usage, and returns the exit status. */
int options_take(const struct command *command, int argc, char **argv,
                 void *arguments);

/* Prints one line about wrong usage. Returns 2. */
int options_wrong(const struct command *command, const char *what);

/* Prints the --help of a command, or its -h. */
void options_help(FILE *stream, const struct command *command);
void options_brief(FILE *stream, const struct command *command);

/* Returns the next row that the command has, headings included; after NULL
 * the first; NULL: there are no more. */
const struct option_row *options_next(const struct command *command,
                                      const struct option_row *row);

/* --color, which every command has; help of bareprof itself names it. */
extern const struct option_row options_color;

/* Prints text in lines of up to 79 columns that begin with `indent` blanks. The
 * first line is at column `at` already. Ends the last line. */
void options_wrap(FILE *stream, const char *text, int indent, int at);

/* Runs the command below the head that argv[1] names. */
int commands_run(const struct command *head, int argc, char **argv);

/* The name of a command below another, without the other's name. */
const char *commands_last_word(const struct command *command);

/* Returns the command of this name below the head, or NULL. */
const struct command *commands_find(const struct command *head,
                                    const char *name);

#endif
