/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A command and its options, a table for each: the arguments are taken by it,
 * and --help, the man page and the completions of shells are made of it.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <getopt.h> /* optind */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What the field is that an option sets. */
enum option_kind {
  OPTION_NOTHING, /* a heading, or what `take` takes */
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
  const char *value; /* what --help calls its value; NULL: it has none */
  const char *help; /* a sentence's worth, on one line; NULL: an old spelling */
  enum option_kind kind;
  size_t to; /* where the field is in the command's arguments */

  bool needed;              /* the command does not go without it */
  uint64_t least, most;     /* of a number; most 0: any. A real one is above 0,
                            * and at most `most` */
  uint64_t is;              /* of a number's field: what an option without a
                            * value sets it to */
  const char *const *words; /* of an unsigned: it becomes the place of the value
                             * in this list, which ends with NULL */
  size_t given;             /* 0, or where a bool is that becomes true too */
  const char *old_of;       /* an old spelling: the name of the row meant */
  /* Takes the value instead. NULL, or what is wrong with it. */
  const char *(*take)(void *arguments, const char *value);
};

/* The field of a row, and its kind by its type. */
#define OPTION(type, field) \
  .to = offsetof(type, field),                  \
  .kind = _Generic(((type *)NULL)->field,       \
      bool: OPTION_BOOL,                        \
      const char *: OPTION_TEXT,                \
      unsigned: OPTION_UNSIGNED,                \
      unsigned long: OPTION_LONG,               \
      unsigned long long: OPTION_LONG_LONG,     \
      double: OPTION_REAL)

struct command {
  const char *name;    /* of two words, if it is one below another */
  const char *summary; /* half a line, a verb first */
  const char *usage;   /* its arguments; further ways on lines of their own */
  const char *about;   /* paragraphs; lines that begin with blanks stay lines */
  const struct option_row *options; /* NULL: none but --help */
  const char *notes;                /* paragraphs behind the options, or NULL */
  /* The files it takes: so many (most 0: any number), and in words. */
  int least, most;
  const char *files;
  /* Gets the arguments from its own name on. Returns the exit status: 0 done; 1
   * the input is bad or incomplete, one line on standard error has said why; 2
   * wrong usage. NULL: it is only the head of those below. */
  int (*run)(const struct command *command, int argc, char **argv);
  const struct command *const *below; /* up to NULL; or NULL */
};

/* Sets all options' fields in arguments; optind is the first argument behind
 * them. Returns -1 if the command is to go on, else its exit status: help was
 * printed, or one line about wrong usage. */
int options_take(const struct command *command, int argc, char **argv,
                 void *arguments);

/* Prints one line about wrong usage. Returns 2. */
int options_wrong(const struct command *command, const char *what);

/* The --help of a command. */
void options_help(FILE *stream, const struct command *command);

/* Runs the command, one below the head, that argv[1] names. */
int commands_run(const struct command *head, int argc, char **argv);

/* The one of that name below the head, or NULL. */
const struct command *commands_find(const struct command *head,
                                    const char *name);

#endif
