/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parses arguments with getopt_long and a command's table, and prints --help.
 * options.h describes the table.
 */
#include "options.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "file.h"
#include "need.h"
#include "number.h"

enum { ROWS_MOST = 96, BRIEF = 'h', HELP = 254, COLOR, ROW };

/* The name of the last file of options, and the number of its line that is
 * being parsed. If no line is being parsed, the number is 0. */
static const char *config_name;
static unsigned config_line;

int options_report_misuse(const struct command *command, const char *format,
                          ...) {
  char what[400];
  va_list values;
  va_start(values, format);
  vsnprintf(what, sizeof what, format, values);
  va_end(values);
  if (config_line) {
    report(config_name, "line %u: %s", config_line, what);
    return 2;
  }
  report(command->name, "%s; see bareprof %s --help", what, command->name);
  return 2;
}

/* ---- suggestions for misspelt words ---- */

/* Returns how many steps turn one name into the other. A step changes, inserts
 * or deletes a letter, or swaps a letter with the next letter. Names have at
 * most 31 letters. */
static unsigned edit_distance(const char *a, const char *b) {
  unsigned char rows[3][32];
  size_t m = strlen(a), n = strlen(b);
  if (m > 31 || n > 31)
    return 99;
  for (size_t j = 0; j <= n; j++)
    rows[0][j] = (unsigned char)j;
  for (size_t i = 1; i <= m; i++) {
    unsigned char *row = rows[i % 3], *above = rows[(i - 1) % 3];
    row[0] = (unsigned char)i;
    for (size_t j = 1; j <= n; j++) {
      unsigned best = above[j - 1] + (a[i - 1] != b[j - 1]);
      if (above[j] + 1u < best)
        best = above[j] + 1u;
      if (row[j - 1] + 1u < best)
        best = row[j - 1] + 1u;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          rows[(i - 2) % 3][j - 2] + 1u < best)
        best = rows[(i - 2) % 3][j - 2] + 1u;
      row[j] = (unsigned char)best;
    }
  }
  return rows[m % 3][n];
}

/* The closest name found so far. A name is not suggested if more than a third
 * of its letters differ. */
struct nearest_name {
  const char *word, *name;
  unsigned distance;
};

static struct nearest_name begin_nearest_name(const char *word) {
  return (struct nearest_name){word, NULL,
                               (unsigned)(strlen(word) + 2) / 3 + 1};
}

static void try_nearest_name(struct nearest_name *nearest, const char *name) {
  unsigned far = edit_distance(nearest->word, name);
  if (far < nearest->distance) {
    nearest->distance = far;
    nearest->name = name;
  }
}

/* ---- removed words, and words of other tools ---- */

/* A word that users try, and the word to use instead. The word is an option, a
 * value or, if option is NULL, a command. */
struct replaced_word {
  const char *command, *option, *instead;
};

static const struct replaced_word removed[] = {
    {"cc", "--counters=flags", "use --counters=byte"},
    {"cc", "--counters=labels", "use --counters=trace"},
    {"cc", "--keep-flags", "use --keep-implied"},
    {"cc", "--leave", "use --ignore"},
    {"cc", "--measure", "use --include"},
    {"cc", "--thin-probes",
     "compile the files that probes make slower without probes"},
    {"match", "--at-least", "use --fail-under"},
    {"receive", "--gdb",
     "use --port gdb:HOST:PORT, and --console for the "
     "console"},
    {"live", "--html", "use --page"},
    {"report", "--ask", "use --request"},
    {"run", "--html", "use --page"},
    {"diff", NULL, "use overlap, or report --against"},
    {"mip edges", "--callgrind", "use --dot, or --sites"},
    {"mip from-yaml", NULL, "mip merge makes a .mip of the data"},
    {"mip hot", "--least", "use --at-least"},
    {"mip instrument", "--keep-flags", "use --keep-implied"},
    {"mip patch", "--functions", "use --function"},
    {"mip to-yaml", NULL, "use mip show, or mip edges --sites"},
    {"overlap", "--value-cutoff", "use --at-least"},
    {"samples", "--top", "use --hottest"},
    {"samples", "--binary", "convert with llvm-profdata merge --sample"},
    {"samples", "--compare", "compare two lists of --hottest"},
    {"samples", "--compare-samples", "compare two lists of --hottest"},
    {"samples", "--speedscope", "use --folded, which speedscope reads"},
    {"samples", "--form", "use --format"},
    {"show", "--topn", "use --top"},
    {"report", "--callgrind", "use --lcov"},
    {"report", "--llvm", "remove this option: no LLVM program is needed"},
    {"report", "--llvm-cov", "remove this option: no LLVM program is needed"},
    {"report", "--llvm-html", "remove this option: no LLVM program is needed"},
    {"report", "--llvm-profdata",
     "remove this option: no LLVM program is needed"},
    {0}};

/* Words of gcovr, lcov, llvm-cov and debuggers, which users try. */
static const struct replaced_word foreign[] = {
    {"completion", NULL, "use help --completion SHELL"},
    {"coverage", NULL, "use report, run or live"},
    {"export", NULL, "use report"},
    {"html", NULL, "use report"},
    {"-V", NULL, "use --version"},
    {"-v", NULL, "use --version"},
    {"version", NULL, "use --version"},
    {"report", "--elf", "pass the ELF as a file"},
    {"report", "--exclude", "use --ignore"},
    {"report", "--filter", "use --include"},
    {"report", "--format",
     "use --lcov FILE, --json FILE or another output option"},
    {"report", "--gdb", "use bareprof run"},
    {"report", "--html", "-o FOLDER is the folder of the HTML"},
    {"report", "--html-details", "-o FOLDER is the folder of the HTML"},
    {"report", "--ignore-filename-regex", "use --ignore"},
    {"report", "--instr-profile", "pass the profile as a file"},
    {"report", "--kernel", "in bareprof run, put -- before the command"},
    {"report", "--machine", "in bareprof run, put -- before the command"},
    {"report", "--object", "pass each ELF as a file"},
    {"report", "--output-dir", "use -o"},
    {"report", "--port", "use bareprof run"},
    {"report", "--xml", "use --cobertura FILE"},
    {0}};

/* Returns the replacement for an option of a command. If `option` is NULL,
 * returns the replacement for a command. Returns NULL if the table lacks a
 * replacement. run and live have the options of report, too. */
static const char *find_replacement(const struct replaced_word *row,
                                    const char *command, const char *option) {
  const char *also = command;
  if (!strcmp(command, "run") || !strcmp(command, "live"))
    also = "report";
  for (; row->command; row++)
    if ((!strcmp(row->command, command) || !strcmp(row->command, also)) &&
        !row->option == !option && (!option || !strcmp(row->option, option)))
      return row->instead;
  return NULL;
}

/* ---- options ---- */

const struct option_row *options_next_row(const struct command *command,
                                          const struct option_row *row) {
  row = row ? row + 1 : command->options;
  while (row && row->help && row->commands && !(row->commands & command->as))
    row++;
  return row && row->help ? row : NULL;
}

/* The values of --color, indexed by enum paint_mode. */
static const char *const whens[] = {"auto", "always", "never", NULL};
const struct option_row options_color = {
    .name = "color",
    .value = "WHEN",
    .help = "print colours: auto (only on a terminal, the default), always or "
            "never",
    .words = whens};

/* A table of options in the form that getopt_long needs. The value of a row is
 * ROW plus the index of the row. */
struct getopt_table {
  char letters[2 * ROWS_MOST + 3];
  struct option list[ROWS_MOST + 3];
};

static void fill_getopt_table(struct getopt_table *known,
                              const struct command *command) {
  struct option *option = known->list;
  char *letter = known->letters;
  *letter++ = ':'; /* with ':', getopt_long reports a missing value as ':' */
  *letter++ = BRIEF;
  *option++ = (struct option){"help", no_argument, NULL, HELP};
  *option++ = (struct option){"color", required_argument, NULL, COLOR};
  for (EACH_OPTION(row, command)) {
    if (!row->name)
      continue;
    *option++ =
        (struct option){row->name, row->value ? required_argument : no_argument,
                        NULL, ROW + (int)(row - command->options)};
    if (row->letter) {
      *letter++ = row->letter;
      if (row->value)
        *letter++ = ':';
    }
  }
  *option = (struct option){NULL, 0, NULL, 0};
  *letter = '\0';
}

/* Reports the error at which getopt_long stopped. A wrong word is before
 * optind, and a wrong letter is in optopt. In a word that lacks a dash, such as
 * -lcov, the first letter is wrong, and the word is still at optind. */
static int report_wrong_option(const struct command *command, char **argv,
                               bool lacks) {
  char name[200], word[200] = {'-', (char)optopt, 0};
  bool letter = optopt > 0 && optopt < HELP, named = !letter;
  const char *at = argv[optind], *value = NULL;
  if (named)
    snprintf(word, sizeof word, "%s", argv[optind - 1]);
  else if (at && at[0] == '-' && at[1] == optopt && at[2] && !lacks)
    named = snprintf(word, sizeof word, "-%s", at) > 0;
  if (named)
    value = strchr(word, '=');
  make_printable(name, sizeof name, word);
  if (value)
    name[strcspn(name, "=")] = 0;
  struct nearest_name nearest = begin_nearest_name(name + 2 * named);
  try_nearest_name(&nearest, "help");
  const struct option_row *row = NULL;
  while (named && !lacks && (row = options_next_row(command, row)) != NULL)
    if (row->name)
      try_nearest_name(&nearest, row->name);
  const char *gone =
      named ? find_replacement(removed, command->name, name) : NULL;
  const char *other =
      named ? find_replacement(foreign, command->name, name) : NULL;
  if (gone)
    return options_report_misuse(command, "%s was removed; %s", name, gone);
  if (lacks)
    return options_report_misuse(command, "option %s lacks its value", name);
  if (value && optopt && !letter)
    return options_report_misuse(command, "option %s takes no value", name);
  if (other)
    return options_report_misuse(command, "unknown option %s; %s",
                                 name + letter, other);
  if (named && nearest.name)
    return options_report_misuse(command,
                                 "unknown option %s (did you mean --%s?)",
                                 name + letter, nearest.name);
  return options_report_misuse(command, "unknown option %s",
                               name + (named && letter));
}

/* ---- values ---- */

static int report_wrong_word(const struct command *command,
                             const struct option_row *row, const char *value) {
  char what[300], given[100];
  snprintf(given, sizeof given, "--%s=%s", row->name, value);
  const char *instead = find_replacement(removed, command->name, given);
  if (instead)
    return options_report_misuse(command, "%s was removed; %s", given, instead);
  int at = snprintf(what, sizeof what, "--%s is", row->name);
  for (const char *const *word = row->words; *word && at < 250; word++)
    at += snprintf(what + at, sizeof what - (size_t)at, "%s %s",
                   word == row->words ? ""
                   : word[1]          ? ","
                                      : " or",
                   *word);
  return options_report_misuse(command, "%s", what);
}

static int report_wrong_number(const struct command *command,
                               const struct option_row *row) {
  unsigned long long least = row->least, most = row->most;
  if (row->kind == OPTION_REAL)
    return options_report_misuse(
        command, "--%s must be a number above 0, up to %llu", row->name, most);
  if (most)
    return options_report_misuse(command,
                                 "--%s must be a number from %llu to %llu",
                                 row->name, least, most);
  return options_report_misuse(
      command, "--%s must be a number of at least %llu", row->name, least);
}

static void set_option_number(const struct option_row *row, void *field,
                              uint64_t number) {
  if (row->kind == OPTION_UNSIGNED)
    *(unsigned *)field = (unsigned)number;
  else if (row->kind == OPTION_LONG)
    *(unsigned long *)field = (unsigned long)number;
  else
    *(unsigned long long *)field = number;
}

static bool parse_number(const struct option_row *row, const char *value,
                         void *field) {
  uint64_t number;
  uint64_t most = row->kind == OPTION_UNSIGNED ? UINT32_MAX
                  : row->kind == OPTION_LONG   ? ULONG_MAX
                                               : UINT64_MAX;
  if (!parse_option_number(value, 10, &number))
    return false;
  set_option_number(row, field, number);
  return number >= row->least && number <= (row->most ? row->most : most);
}

static bool parse_real(const struct option_row *row, const char *value,
                       double *field) {
  char *end;
  *field = strtod(value, &end);
  return end != value && !*end && *field > 0 && *field <= (double)row->most;
}

static int parse_allowed_word(const struct command *command,
                              const struct option_row *row, const char *value,
                              unsigned *field) {
  for (unsigned i = 0; row->words[i]; i++)
    if (strcmp(row->words[i], value) == 0) {
      *field = i;
      return 0;
    }
  return report_wrong_word(command, row, value);
}

const char *options_parse_output_name(void *field, const char *value) {
  static char what[400];
  char shown[200];
  if (!*value)
    return "-o lacks its value";
  const char *wrong = output_check_name(value);
  *(const char **)field = value;
  if (!wrong)
    return NULL;
  snprintf(what, sizeof what, "-o %s: %s",
           make_printable(shown, sizeof shown, value), wrong);
  return what;
}

/* Sets the field that belongs to a row of the table. Returns 0, or the exit
 * status after an error. */
static int set_option_field(const struct command *command,
                            const struct option_row *row, const char *value,
                            void *arguments) {
  void *field = (char *)arguments + row->to;
  size_t *count = (void *)((char *)arguments + row->count);
  const char *wrong;
  if (row->given)
    *(bool *)((char *)arguments + row->given) = true;
  wrong = row->refuse        ? row->refuse(value)
          : row->parse_value ? row->parse_value(field, value)
                             : NULL;
  if (wrong)
    return options_report_misuse(command, "%s", wrong);
  if (row->parse_value)
    return 0;
  if (row->words)
    return parse_allowed_word(command, row, value, field);
  switch (row->kind) {
  case OPTION_NOTHING:
    return 0;
  case OPTION_BOOL:
    *(bool *)field = true;
    return 0;
  case OPTION_TEXT:
    *(const char **)field = value;
    break;
  case OPTION_LIST:
    if (*count == row->most)
      return options_report_misuse(command, "pass --%s at most %u times",
                                   row->name, (unsigned)row->most);
    ((const char **)field)[(*count)++] = value;
    break;
  case OPTION_REAL:
    return parse_real(row, value, field) ? 0
                                         : report_wrong_number(command, row);
  default:
    if (!value)
      set_option_number(row, field, row->is);
    return !value || parse_number(row, value, field)
               ? 0
               : report_wrong_number(command, row);
  }
  return *value ? 0
                : options_report_misuse(command, "--%s lacks its %s", row->name,
                                        row->value);
}

/* ---- parsing ---- */

static const struct option_row *find_row_by_code(const struct command *command,
                                                 int option) {
  const struct option_row *row = NULL;
  if (option >= ROW)
    return command->options + (option - ROW);
  while ((row = options_next_row(command, row)) != NULL &&
         row->letter != option) {
  }
  return row;
}

/* Checks that all required options were given, and that the number of files is
 * allowed. Returns 0, or the exit status after an error. */
static int check_options_and_file_count(const struct command *command,
                                        int files, const void *arguments) {
  for (EACH_OPTION(row, command)) {
    const char *const *field =
        (const void *)((const char *)arguments + row->to);
    if (!row->needed || *field)
      continue;
    if (row->letter)
      return options_report_misuse(command, "-%c %s is missing", row->letter,
                                   row->value);
    return options_report_misuse(command, "--%s %s is missing", row->name,
                                 row->value);
  }
  if (files >= command->least && (!command->most || files <= command->most))
    return 0;
  return options_report_misuse(command, "pass %s", command->files);
}

/* ---- bareprof.conf ---- */

enum { CONFIG_LIMIT = 1 << 20 };

static const struct option_row *find_row_by_name(const struct option_row *row,
                                                 const char *name) {
  while (row->help && (!row->name || strcmp(row->name, name) != 0))
    row++;
  return row->help ? row : NULL;
}

/* Parses a line: an option without its dashes, and its value after blanks or
 * `=`. Returns 0, or the exit status after an error. */
static int parse_config_line(const struct command *command, char *line,
                             void *arguments) {
  char shown[100];
  const struct option_row *row = NULL;
  line += strspn(line, " \t");
  size_t end = strlen(line);
  while (end && strchr(" \t\r", line[end - 1]))
    line[--end] = 0;
  if (!*line || *line == '#')
    return 0;
  size_t name = strcspn(line, " \t=");
  char *value = line + name + strspn(line + name, " \t");
  value += *value == '=';
  value += strspn(value, " \t");
  bool valued = *value != 0;
  line[name] = 0;
  while ((row = options_next_row(command, row)) != NULL)
    if (row->name && strcmp(row->name, line) == 0)
      break;
  make_printable(shown, sizeof shown, line);
  if (!row && (find_row_by_name(command->options, line) ||
               find_row_by_name(command->other_options, line)))
    return 0; /* the option belongs to another command */
  if (row && strstr(line, "config"))
    return options_report_misuse(
        command, "%s cannot be in a file of options; pass it to the command",
        shown);
  if (!row && *line == '-')
    return options_report_misuse(
        command, "unknown option %s; write the option without --", shown);
  if (!row)
    return options_report_misuse(command,
                                 "unknown option %s; see bareprof %s --help",
                                 shown, command->name);
  else if (!row->value != !valued)
    return options_report_misuse(command, "%s %s", shown,
                                 valued ? "takes no value" : "lacks its value");
  return set_option_field(command, row, valued ? value : NULL, arguments);
}

int options_parse_lines(const struct command *command, const char *name,
                        char *text, void *arguments) {
  int status = 0;
  config_name = name;
  if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) /* skip a byte order mark */
    text += 3;
  for (char *at = text, *next; *at && !status; at = next) {
    size_t size = strcspn(at, "\n");
    next = at + size + (at[size] == '\n');
    at[size] = 0;
    config_line++;
    status = parse_config_line(command, at, arguments);
  }
  config_line = 0;
  return status;
}

static void apply_config_or_exit(const struct command *command,
                                 const char *name, bool wanted,
                                 void *arguments) {
  static char *text; /* the text is never freed, because values point into it */
  struct file file;
  bool found = true;
  if (wanted ? file_read(&file, name, CONFIG_LIMIT)
             : file_read_if_exists(&file, name, CONFIG_LIMIT, &found))
    exit_after_flush(2);
  if (!found)
    return;
  if (file.bytes.size && memchr(file.bytes.data, 0, file.bytes.size)) {
    report(name, "the option file is not text; write one option per line, such "
                 "as lcov fw.info");
    exit_after_flush(2);
  }
  text = need_memory(calloc(1, file.bytes.size + 1));
  if (file.bytes.size)
    memcpy(text, file.bytes.data, file.bytes.size);
  file_close(&file);
  int status = options_parse_lines(command, name, text, arguments);
  if (status)
    exit_after_flush(status);
  fprintf(stderr, "bareprof: options of %s\n", name);
}

/* Returns whether a word is this option, or a short form of at least `least`
 * bytes: getopt_long accepts every beginning that no other option has. */
static bool is_option_or_short_form(const char *word, const char *option,
                                    size_t least) {
  size_t size = strcspn(word, "=");
  return size >= least && strncmp(word, option, size) == 0;
}

/* Reads the file that the command line names, or bareprof.conf. The file is
 * read before all other words, so that the words of the command line override
 * it. */
static void apply_config_of_arguments(const struct command *command, int argc,
                                      char **argv, void *arguments) {
  const char *name = NULL;
  for (int i = 1; i < argc && argv[i]; i++) {
    if (strcmp(argv[i], "--") == 0)
      break;
    if (is_option_or_short_form(argv[i], "--no-config", 3) ||
        is_option_or_short_form(argv[i], "--help", 3) ||
        strcmp(argv[i], "-h") == 0)
      return;
    if (!is_option_or_short_form(argv[i], "--config", 5)) /* not --color */
      continue;
    const char *value = strchr(argv[i], '=');
    name = value ? value + 1 : argv[i + 1] ? argv[i + 1] : name;
  }
  apply_config_or_exit(command, name ? name : "bareprof.conf", name != NULL,
                       arguments);
}

/* Parses the value of --color, and sets the mode. Returns 0, or the exit status
 * after an error. */
static int apply_color_option(const struct command *command,
                              const char *value) {
  unsigned when = PAINT_AUTO;
  int status = parse_allowed_word(command, &options_color, value, &when);
  paint_set_mode((enum paint_mode)when);
  return status;
}

char **options_parse(const struct command *command, int argc, char **argv,
                     void *arguments) {
  struct getopt_table known;
  int option, status = 0;
  if (command->other_options)
    apply_config_of_arguments(command, argc, argv, arguments);
  fill_getopt_table(&known, command);
  opterr = 0;
  while (!status && (option = getopt_long(argc, argv, known.letters, known.list,
                                          NULL)) != -1) {
    if (option == HELP || option == BRIEF) {
      (option == HELP ? options_print_help : options_print_brief_help)(stdout,
                                                                       command);
      exit_after_flush(0);
    }
    status = option == '?' || option == ':'
                 ? report_wrong_option(command, argv, option == ':')
             : option == COLOR
                 ? apply_color_option(command, optarg)
                 : set_option_field(command, find_row_by_code(command, option),
                                    optarg, arguments);
  }
  if (status || (status = check_options_and_file_count(command, argc - optind,
                                                       arguments)))
    exit_after_flush(status);
  return argv + optind;
}

/* ---- commands ---- */

const char *command_last_word(const struct command *command) {
  const char *last = strrchr(command->name, ' ');
  return last ? last + 1 : command->name;
}

const struct command *command_find_subcommand(const struct command *head,
                                              const char *name) {
  for (EACH_COMMAND(at, head))
    if (strcmp(command_last_word(*at), name) == 0)
      return *at;
  return NULL;
}

int command_report_unknown(const struct command *head, const char *name) {
  char shown[200], full[200];
  snprintf(full, sizeof full, "%s%s%s", head->name, *head->name ? " " : "",
           name);
  const char *instead = find_replacement(removed, full, NULL);
  if (instead) {
    report(NULL, "the command %s was removed; %s", full, instead);
    return 2;
  }
  instead = find_replacement(foreign, full, NULL);
  if (!instead && !*head->name && strpbrk(name, "./"))
    instead = "write a command before the files, such as report";
  if (instead) {
    report(NULL, "unknown command %s; %s",
           make_printable(shown, sizeof shown, name), instead);
    return 2;
  }
  struct nearest_name nearest = begin_nearest_name(name);
  for (EACH_COMMAND(at, head))
    try_nearest_name(&nearest, command_last_word(*at));
  if (*name == '-')
    try_nearest_name(&nearest, "--help");
  report(*head->name ? head->name : NULL,
         "unknown %s %s%s%s%s; see bareprof %s%s--help",
         *name == '-' ? "option" : "command",
         make_printable(shown, sizeof shown, name),
         nearest.name ? " (did you mean " : "",
         nearest.name ? nearest.name : "", nearest.name ? "?)" : "", head->name,
         *head->name ? " " : "");
  return 2;
}

int command_run_subcommand(const struct command *head, int argc, char **argv) {
  const struct command *command;
  if (argc < 2) {
    options_print_help(stderr, head);
    return 2;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      (*head->name && strcmp(argv[1], "help") == 0)) {
    options_print_help(stdout, head);
    return 0;
  }
  command = command_find_subcommand(head, argv[1]);
  if (!command)
    return command_report_unknown(head, argv[1]);
  if (command->subcommands &&
      (!command->run ||
       (argc > 2 && command_find_subcommand(command, argv[2]))))
    return command_run_subcommand(command, argc - 1, argv + 1);
  return command->run(command, argc - 1, argv + 1);
}

/* ==== The next functions print the text of --help. */

enum { WIDTH = 79, COLUMN_MOST = 28 };

static void print_wrapped_line(FILE *stream, const char *text, const char *end,
                               int indent, int at) {
  bool first = true;
  while (text != end) {
    const char *space = memchr(text, ' ', (size_t)(end - text));
    int length = (int)((space ? space : end) - text);
    if (!first && at + 1 + length > WIDTH) {
      fputc('\n', stream);
      at = 0;
      first = true;
    }
    if (first) {
      for (; at < indent; at++)
        fputc(' ', stream);
    } else {
      fputc(' ', stream);
      at++;
    }
    fprintf(stream, "%.*s", length, text);
    at += length;
    text += length + (space != NULL);
    first = false;
  }
  fputc('\n', stream);
}

void options_print_wrapped(FILE *stream, const char *text, int indent, int at) {
  while (*text) {
    const char *end = text + strcspn(text, "\n");
    if (*text == ' ')
      fprintf(stream, "%.*s\n", (int)(end - text), text);
    else
      print_wrapped_line(stream, text, end, indent, at);
    text = end + (*end == '\n');
    at = 0;
  }
}

/* Prints the name of an option like " -o, --output OUT". Returns its width. If
 * `stream` is NULL, only returns the width. */
static int print_or_measure_option(FILE *stream, const struct option_row *row) {
  char text[100], letter[8] = "    ";
  if (row->letter)
    snprintf(letter, sizeof letter, "-%c, ", row->letter);
  int width = snprintf(text, sizeof text, "  %s--%s%s%s", letter, row->name,
                       row->value ? " " : "", row->value ? row->value : "");
  if (stream)
    fputs(text, stream);
  return width;
}

static bool is_row_shown(const struct command *command,
                         const struct option_row *row, bool brief) {
  return row->name && (!brief || row->often) &&
         !(command->less && (!row->commands || row->commands & command->less));
}

/* Prints the rows of --help below their headings, or the rows of -h. Returns
 * whether any row was printed. */
static bool print_option_rows(FILE *stream, const struct command *command,
                              bool brief) {
  int column = 0;
  const struct option_row *heading = NULL;
  bool any = false;
  for (EACH_OPTION(row, command)) {
    int width = is_row_shown(command, row, brief)
                    ? print_or_measure_option(NULL, row) + 2
                    : 0;
    if (width <= COLUMN_MOST && width > column)
      column = width;
  }
  for (EACH_OPTION(row, command)) {
    heading = row->name || brief ? heading : row;
    if (!is_row_shown(command, row, brief))
      continue;
    if (!any || heading)
      fputc('\n', stream);
    if (heading)
      fprintf(stream, "%s:\n", heading->help);
    heading = NULL;
    any = true;
    int at = print_or_measure_option(stream, row);
    if (at + 2 > column) {
      fputc('\n', stream);
      at = 0;
    }
    options_print_wrapped(stream, row->help, column, at);
  }
  return any;
}

static void print_subcommands(FILE *stream, const struct command *head) {
  size_t widest = 0;
  for (EACH_COMMAND(at, head)) {
    size_t width = strlen(command_last_word(*at));
    widest = width > widest ? width : widest;
  }
  fputc('\n', stream);
  const struct command_group *group = head->groups;
  for (EACH_COMMAND(at, head)) {
    if (group && group->first == *at)
      fprintf(stream, "%s%s:\n", at == head->subcommands ? "" : "\n",
              group++->heading);
    fprintf(stream, "  %-*s  %s\n", (int)widest, command_last_word(*at),
            (*at)->summary);
  }
}

static void print_usage(FILE *stream, const struct command *command) {
  const char *usage = command->usage;
  for (bool first = true; *usage; first = false) {
    const char *end = usage + strcspn(usage, "\n");
    fprintf(stream, "%s bareprof %s%s%.*s\n", first ? "usage:" : "      ",
            command->name, *command->name ? " " : "", (int)(end - usage),
            usage);
    usage = end + (*end == '\n');
  }
}

static void print_examples(FILE *stream, const char *examples, unsigned most) {
  if (examples)
    fputs("\nExamples:\n", stream);
  while (examples && *examples && most--) {
    int size = (int)strcspn(examples, "\n");
    fprintf(stream, "  %.*s\n", size, examples);
    examples += size + (examples[size] == '\n');
  }
}

void options_print_help(FILE *stream, const struct command *command) {
  print_usage(stream, command);
  if (command->about) {
    fputc('\n', stream);
    options_print_wrapped(stream, command->about, 0, 0);
  }
  if (command->subcommands)
    print_subcommands(stream, command);
  print_option_rows(stream, command, false);
  if (command->notes) {
    fputc('\n', stream);
    options_print_wrapped(stream, command->notes, 0, 0);
  }
  print_examples(stream, command->examples, 99);
}

void options_print_brief_help(FILE *stream, const struct command *command) {
  print_usage(stream, command);
  bool few = print_option_rows(stream, command, true);
  if (!few)
    print_option_rows(stream, command, false);
  print_examples(stream, command->examples, 2);
  fprintf(stream, "\n`bareprof %s --help` %s.\n", command->name,
          few ? "lists all options" : "prints more");
}
