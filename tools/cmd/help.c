/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the table of all commands, and implements bareprof help, which prints
 * the help or the man page of a command, or a completion script for a shell.
 * All these texts are made from the option tables of the commands.
 */
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/options.h"
#include "../base/os.h"
#include "../base/text.h"
#include "bareprof.h"
#include "commands.h"

static const struct command *const commands[] = {
    &command_run,
    &command_live,
    &command_report,
    &command_doctor,
    &command_receive,
    &command_join,
    &command_trace,
    &command_extract,
    &command_tests_for, /* the last of the coverage commands */
    &command_merge,
    &command_show,
    &command_overlap,
    &command_order,
    &command_match, /* the last of the profile commands */
    &command_samples,
    &command_probes,
    &command_mip, /* the last of the sample commands */
    &command_cc,
    &command_init,
    &command_explain,
    &command_help,
    NULL};

static const struct command_group groups[] = {
    {&command_run, "Coverage"},
    {&command_merge, "Profiles"},
    {&command_samples, "Samples, and functions that ran"},
    {&command_cc, "Building, and help"},
    {0}};

const struct command command_bareprof = {
    .name = "",
    .usage = "COMMAND [options] FILE...",
    .subcommands = commands,
    .groups = groups,
    .notes =
        "`bareprof COMMAND -h` lists the most common options of a command, and "
        "`bareprof COMMAND --help` lists all options. Each command takes "
        "--color=auto, --color=always or --color=never. `bareprof --version` "
        "prints the version.\nExit status: 0: success. 1: an input is bad or "
        "incomplete, or a limit is not reached. 2: wrong usage.",
    .examples = "bareprof doctor fw.elf\n"
                "bareprof run fw.elf --port /dev/ttyACM0\n"
                "bareprof report fw.elf console.log --fail-under lines=80"};

/* ==== The next functions print man pages: section 1, macros of man(7). */

/* The date on the man pages, which is the date of the release instead of the
 * build, so that two builds give identical pages. */
#define DATE "2026-11-22"

/* Prints the format unchanged, and its values escaped. */
static void PRINTS_AS(3, 4)
    print_escaped(FILE *stream, text_escape *escape, const char *format, ...) {
  struct text_stream to;
  va_list values;
  text_begin(&to, stream);
  va_start(values, format);
  text_put_format(&to, escape, format, values);
  va_end(values);
  text_flush(&to);
}

/* Escapes plain text for man. No line may start like a request of man, and
 * hyphens stay ASCII so that readers can search for them. */
static void escape_man_text(struct text_stream *to, const char *text) {
  if (*text == '.' || *text == '\'')
    text_put_string(to, "\\&");
  for (; *text; text++) {
    if (*text == '\\' || *text == '-')
      text_put_char(to, '\\');
    text_put_char(to, *text == '\\' ? 'e' : *text);
  }
}

#define print_man(stream, ...) \
  print_escaped(stream, escape_man_text, __VA_ARGS__)

enum { LINE_MOST = 4096 };

/* Copies the first line of a text. Returns the text after that line. */
static const char *copy_first_line(char line[LINE_MOST], const char *text) {
  int size = (int)strcspn(text, "\n");
  snprintf(line, LINE_MOST, "%.*s", size, text);
  return text + size + (text[size] == '\n');
}

/* Prints paragraphs. Lines that begin with a blank keep their line breaks. */
static void print_man_paragraphs(FILE *stream, const char *text) {
  char line[LINE_MOST];
  bool listed = false;
  while (*text) {
    if ((*text == ' ') != listed)
      fputs(listed ? ".fi\n" : ".nf\n", stream);
    listed = *text == ' ';
    text = copy_first_line(line, text);
    print_man(stream, "%s\n", line);
  }
  if (listed)
    fputs(".fi\n", stream);
}

static void print_man_option(FILE *stream, const struct option_row *row) {
  if (!row->name) {
    print_man(stream, ".SS %s\n", row->help);
    return;
  }
  fputs(".TP\n", stream);
  if (row->letter)
    fprintf(stream, "\\fB\\-%c\\fR, ", row->letter);
  print_man(stream, "\\fB\\-\\-%s\\fR", row->name);
  if (row->value)
    print_man(stream, " \\fI%s\\fR", row->value);
  print_man(stream, "\n%s\n", row->help);
}

static void print_man_usage(FILE *stream, const struct command *command) {
  char line[LINE_MOST];
  for (const char *usage = command->usage; *usage;) {
    usage = copy_first_line(line, usage);
    print_man(stream, "\\fBbareprof %s\\fR %s\n", command->name, line);
    if (*usage)
      fputs(".br\n", stream);
  }
}

/* Writes and returns the name of a command's page, such as "bareprof-mip-show".
 */
static const char *make_man_page_name(char name[64],
                                      const struct command *command) {
  snprintf(name, 64, "bareprof%s%s", *command->name ? "-" : "", command->name);
  for (char *at = name; (at = strchr(at, ' ')) != NULL;)
    *at = '-';
  return name;
}

static void print_man_commands(FILE *stream, const struct command *head) {
  fputs(".SH COMMANDS\n", stream);
  for (EACH_COMMAND(at, head)) {
    char name[64];
    print_man(stream, ".TP\n.BR %s (1)\n%s\n", make_man_page_name(name, *at),
              (*at)->summary);
  }
}

/* The environment variables. `command` is the command that reads the variable;
 * NULL stands for all commands. */
static const struct {
  const char *command, *name, *text;
} variables[] = {
    {NULL, "NO_COLOR",
     "If this variable is not empty, bareprof prints no colours."},
    {NULL, "TERM", "If the terminal is `dumb`, bareprof prints no colours."},
    {NULL, "TMPDIR", "The folder for temporary files (default: /tmp)."},
    {"run", "CC",
     "The compiler that builds the QEMU plugin for --trace (default: cc)."},
    {"live", "CC",
     "The compiler that builds the QEMU plugin for --trace (default: cc)."},
    {"cc", "BAREPROF_COUNTERS", "The default for --counters."},
    {"cc", "BAREPROF_MCDC", "The default for --mcdc."},
    {"cc", "BAREPROF_PLACE", "The default for --place."},
    {"cc", "BAREPROF_COVERAGE", "The default for --coverage."}};

static void print_man_variables(FILE *stream, const struct command *command) {
  fputs(".SH ENVIRONMENT\n", stream);
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if (!variables[i].command ||
        strcmp(variables[i].command, command->name) == 0)
      fprintf(stream, ".TP\n.B %s\n%s\n", variables[i].name, variables[i].text);
}

/* Prints the FILES section. `files` has lines of the form NAME: TEXT. */
static void print_man_files(FILE *stream, const char *files) {
  fputs(".SH FILES\n", stream);
  if (!files)
    fputs("The command reads and writes only the files on its command line.\n",
          stream);
  while (files && *files) {
    char line[LINE_MOST], *colon;
    files = copy_first_line(line, files);
    colon = strchr(line, ':');
    *colon = 0;
    print_man(stream, ".TP\n.I %s\n%s\n", line, colon + 2);
  }
}

static void print_man_about(FILE *stream, const struct command *command) {
  fputs(".SH DESCRIPTION\n", stream);
  if (!*command->name)
    fputs("Makes reports of the coverage and profiles that firmware sends, and "
          "files for compilers and linkers.\n",
          stream);
  if (command->about)
    print_man_paragraphs(stream, command->about);
  if (command->notes) {
    if (command->about)
      fputs(".PP\n", stream);
    print_man_paragraphs(stream, command->notes);
  }
}

static void print_man_page(FILE *stream, const struct command *command) {
  char name[64];
  fprintf(stream, ".TH %s 1 \"" DATE "\" \"bareprof %d.%d.%d\"\n",
          make_man_page_name(name, command), BAREPROF_VERSION >> 16,
          BAREPROF_VERSION >> 8 & 255, BAREPROF_VERSION & 255);
  print_man(stream, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", name,
            *command->name ? command->summary
                           : "LLVM profiles from bare metal");
  print_man_usage(stream, command);
  print_man_about(stream, command);
  if (command->subcommands)
    print_man_commands(stream, command);
  if (command->run) {
    fputs(".SH OPTIONS\n", stream);
    for (EACH_OPTION(row, command))
      print_man_option(stream, row);
    print_man_option(stream, &options_color);
  }
  print_man_variables(stream, command);
  print_man_files(stream, command->made);
  fputs(".SH EXIT STATUS\n0: success. 1: an input is bad or incomplete, or a "
        "limit is not reached. One line on standard error says what is wrong "
        "and what to do. 2: wrong usage.\n",
        stream);
  if (command->examples) {
    char line[LINE_MOST];
    fputs(".SH EXAMPLES\n.nf\n", stream);
    for (const char *at = command->examples; *at;) {
      at = copy_first_line(line, at);
      print_man(stream, "    %s\n", line);
    }
    fputs(".fi\n", stream);
  }
  fputs(".SH SEE ALSO\n", stream);
  fputs(*command->name ? ".BR bareprof (1)\n"
                       : ".BR llvm\\-profdata (1),\n.BR llvm\\-cov (1)\n",
        stream);
}

/* Writes the man pages of a command and its subcommands into the folder.
 * Returns 0, or reports the error and returns 1. */
static int write_man_pages(const char *folder, const struct command *command) {
  char name[64], file[4200];
  snprintf(file, sizeof file, "%.4000s/%s.1", folder,
           make_man_page_name(name, command));
  FILE *stream = os_fopen(file, "w");
  if (stream)
    print_man_page(stream, command);
  int status = file_close_written(
      stream, file,
      "cannot be written: %s; pass an existing folder that you can write to");
  for (EACH_COMMAND(at, command))
    status = status || write_man_pages(folder, *at);
  return status;
}

/* ==== The next functions print shell completions. */

static void print_command_names(FILE *stream, const struct command *head,
                                char separator) {
  for (EACH_COMMAND(at, head)) {
    if (at != head->subcommands)
      fputc(separator, stream);
    fputs(command_last_word(*at), stream);
  }
}

static void print_allowed_values(FILE *stream, const char *before,
                                 const char *const *words, const char *after) {
  fputs(before, stream);
  for (const char *const *word = words; *word; word++)
    fprintf(stream, "%s%s", word == words ? "" : " ", *word);
  fputs(after, stream);
}

/* ---- bash ---- */

/* Prints a branch of bash's case. The pattern is the command as typed so far,
 * and the body sets the words that may follow. */
static void print_bash_case(FILE *stream, const struct command *command) {
  fprintf(stream, "    '%s') options='--help --color", command->name);
  for (EACH_OPTION(row, command))
    if (row->name)
      fprintf(stream, " --%s", row->name);
  fputs("' words='", stream);
  print_command_names(stream, command, ' ');
  fputs("' ;;\n", stream);
  for (EACH_COMMAND(at, command))
    print_bash_case(stream, *at);
}

static void print_bash_values(FILE *stream, const struct command *command) {
  for (EACH_OPTION(row, command))
    if (row->words) {
      fprintf(stream, "    '%s --%s')", command->name, row->name);
      print_allowed_values(stream, " words='", row->words, "' ;;\n");
    }
  for (EACH_COMMAND(at, command))
    print_bash_values(stream, *at);
}

static void escape_bash_text(struct text_stream *to, const char *text) {
  for (; *text; text++)
    text_put_bytes(to, *text == '\'' ? "'\\''" : text, *text == '\'' ? 4 : 1);
}

/* Prints the description of each option and subcommand, which bash shows in the
 * list of candidates. */
static void print_bash_descriptions(FILE *stream,
                                    const struct command *command) {
  for (EACH_OPTION(row, command))
    if (row->name)
      print_escaped(stream, escape_bash_text, "    '%s --%s') text='%s' ;;\n",
                    command->name, row->name, row->help);
  for (EACH_COMMAND(at, command)) {
    print_escaped(stream, escape_bash_text, "    '%s %s') text='%s' ;;\n",
                  command->name, command_last_word(*at), (*at)->summary);
    print_bash_descriptions(stream, *at);
  }
}

static void print_bash_script(FILE *stream, const struct command *head) {
  fputs("# bash completion of bareprof; made by `bareprof help --completion "
        "bash`.\n"
        "_bareprof_text() {\n"
        "  local text=\n"
        "  case $1 in\n",
        stream);
  print_bash_descriptions(stream, head);
  fputs("    *--color) text='colours: auto, always or never' ;;\n"
        "  esac\n"
        "  printf '%s' \"$text\"\n"
        "}\n"
        "_bareprof() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before= command= at\n"
        "  local words= options=\n"
        "  [ \"$COMP_CWORD\" -lt 1 ] || before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  [ \"$COMP_CWORD\" -lt 2 ] || command=${COMP_WORDS[1]}\n"
        "  case $command in\n",
        stream);
  for (EACH_COMMAND(at, head))
    if ((*at)->subcommands) {
      fprintf(stream,
              "    %s) [ \"$COMP_CWORD\" -lt 3 ] || case ${COMP_WORDS[2]} in ",
              (*at)->name);
      print_command_names(stream, *at, '|');
      fputs(")\n      command+=\" ${COMP_WORDS[2]}\" ;; esac ;;\n", stream);
    }
  fputs("  esac\n  case $command in\n"
        "    '') options='--help --version' words='",
        stream);
  print_command_names(stream, head, ' ');
  fputs("' ;;\n", stream);
  for (EACH_COMMAND(at, head))
    print_bash_case(stream, *at);
  fputs("  esac\n"
        "  # The value of an option, after a blank or after `=`.\n"
        "  if [ \"$word\" = = ]; then word=\n"
        "  elif [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}\n"
        "  fi\n"
        "  case \"$command $before\" in\n",
        stream);
  print_bash_values(stream, head);
  fputs("    *' --color') words='auto always never' ;;\n"
        "    *) case $word in -*) words=$options ;; esac ;;\n"
        "  esac\n"
        "  COMPREPLY=()\n"
        "  while read -r at; do COMPREPLY+=(\"$at\"); done \\\n"
        "    < <(compgen -W \"$words\" -- \"$word\"; compgen -f -- \"$word\")\n"
        "  # A list of several words shows the text of each.\n"
        "  [ \"$COMP_TYPE\" = 63 ] && [ ${#COMPREPLY[@]} -gt 1 ] || return 0\n"
        "  for at in \"${!COMPREPLY[@]}\"; do\n"
        "    printf -v word '%-18s  %s' \"${COMPREPLY[at]}\" \\\n"
        "      \"$(_bareprof_text \"$command ${COMPREPLY[at]}\")\"\n"
        "    word=${word:0:${COLUMNS:-80}-2}\n"
        "    COMPREPLY[at]=${word%\"${word##*[! ]}\"}\n"
        "  done\n"
        "}\n"
        "complete -o filenames -F _bareprof bareprof\n",
        stream);
}

/* ---- zsh ---- */

/* Escapes text that stands within '[...]' of zsh's _arguments. */
static void escape_zsh_text(struct text_stream *to, const char *text) {
  for (; *text; text++) {
    if (strchr("[]:\\", *text))
      text_put_char(to, '\\');
    escape_bash_text(to, (const char[]){*text, 0});
  }
}

static void print_zsh_option(FILE *stream, const struct option_row *row) {
  if (!row->name)
    return;
  if (row->letter)
    fprintf(stream, "      '(-%c --%s)'{-%c,--%s%s}'[", row->letter, row->name,
            row->letter, row->name, row->value ? "=" : "");
  else
    fprintf(stream, "      '--%s%s[", row->name, row->value ? "=" : "");
  print_escaped(stream, escape_zsh_text, "%s]", row->help);
  if (row->words)
    print_allowed_values(stream, ":value:(", row->words, ")");
  else if (row->value)
    fputs(":value:_files", stream);
  fputs("' \\\n", stream);
}

static void print_zsh_command(FILE *stream, const struct command *command) {
  if (command->run) {
    fprintf(stream, "    '%s') _arguments \\\n", command->name);
    for (EACH_OPTION(row, command))
      print_zsh_option(stream, row);
    fputs("      '--color=[colours]:value:(auto always never)' \\\n"
          "      '--help[print help]' '*:file:_files' ;;\n",
          stream);
  }
  for (EACH_COMMAND(at, command))
    print_zsh_command(stream, *at);
}

static void print_zsh_names(FILE *stream, const struct command *head) {
  for (EACH_COMMAND(at, head))
    print_escaped(stream, escape_zsh_text, "      '%s:%s'\n",
                  command_last_word(*at), (*at)->summary);
}

static void print_zsh_script(FILE *stream, const struct command *head) {
  fputs("#compdef bareprof\n"
        "# Made by `bareprof help --completion zsh`.\n"
        "_bareprof() {\n"
        "  local command=$words[2]\n"
        "  local -a names\n"
        "  if (( CURRENT == 2 )); then\n"
        "    names=(\n",
        stream);
  print_zsh_names(stream, head);
  fputs("    )\n    _describe command names\n    return\n  fi\n"
        "  case $command in\n",
        stream);
  for (EACH_COMMAND(at, head))
    if ((*at)->subcommands) {
      fprintf(stream, "    %s)\n    names=(\n", (*at)->name);
      print_zsh_names(stream, *at);
      fprintf(stream,
              "    )\n"
              "    if (( CURRENT == 3 )); then _describe command names; fi\n"
              "    if (( CURRENT > 3 )) && [[ -n ${names[(r)$words[3]:*]} ]]; "
              "then\n"
              "      command+=\" $words[3]\"\n"
              "      shift words; (( CURRENT-- ))\n"
              "    fi ;;\n");
    }
  fputs("  esac\n  shift words; (( CURRENT-- ))\n  case $command in\n", stream);
  for (EACH_COMMAND(at, head))
    print_zsh_command(stream, *at);
  fputs("  esac\n}\n_bareprof \"$@\"\n", stream);
}

/* ---- fish ---- */

static void escape_fish_text(struct text_stream *to, const char *text) {
  for (; *text; text++) {
    if (strchr("'\\", *text))
      text_put_char(to, '\\');
    text_put_char(to, *text);
  }
}

static void print_fish_option(FILE *stream, const struct command *command,
                              const struct option_row *row) {
  if (!row->name)
    return;
  fprintf(stream, "complete -c bareprof -n '__bareprof_in %s' -l %s",
          command->name, row->name);
  if (row->letter)
    fprintf(stream, " -s %c", row->letter);
  if (row->words)
    print_allowed_values(stream, " -x -a '", row->words, "'");
  else if (row->value)
    fputs(" -r -F", stream);
  print_escaped(stream, escape_fish_text, " -d '%s'\n", row->help);
}

static void print_fish_command(FILE *stream, const struct command *command) {
  for (EACH_COMMAND(at, command)) {
    print_escaped(stream, escape_fish_text,
                  "complete -c bareprof -f -n '__bareprof_at %s' -a %s -d "
                  "'%s'\n",
                  command->name, command_last_word(*at), (*at)->summary);
    print_fish_command(stream, *at);
  }
  for (EACH_OPTION(row, command))
    print_fish_option(stream, command, row);
}

static void print_fish_script(FILE *stream, const struct command *head) {
  fputs("# fish completion of bareprof; made by `bareprof help --completion "
        "fish`.\n"
        "# Whether these words were typed, and whether they are all.\n"
        "function __bareprof_in\n"
        "  set -l typed (commandline -opc)[2..]\n"
        "  test (count $typed) -ge (count $argv)\n"
        "  and test \"$typed[1..(count $argv)]\" = \"$argv\"\n"
        "end\n"
        "function __bareprof_at\n"
        "  set -l typed (commandline -opc)[2..]\n"
        "  test \"$typed\" = \"$argv\"\n"
        "end\n"
        "complete -c bareprof -l help -d 'print help'\n"
        "complete -c bareprof -l color -x -a 'auto always never' -d colours\n",
        stream);
  print_fish_command(stream, head);
}

/* ==== The next functions are the command. */

struct arguments {
  bool man;
  unsigned shell; /* an index of `shells` */
  const char *out;
};

/* The names of the shells, and what prints the completions for them: a script
 * to source in bash, a function for zsh's fpath, a file for fish. */
static const char *const shells[] = {"none", "bash", "zsh", "fish", NULL};
static void (*const script_printers[])(FILE *, const struct command *) = {
    NULL, print_bash_script, print_zsh_script, print_fish_script};

static int run_help(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.man = false};
  const struct command *of = &command_bareprof;
  for (char **word = options_parse(command, argc, argv, &arguments); *word;
       word++) {
    const struct command *head = of;
    of = command_find_subcommand(head, *word);
    if (!of)
      return command_report_unknown(head, *word);
  }
  if (arguments.out && !arguments.man)
    return options_report_misuse(command, "-o needs --man");
  if (arguments.out)
    return write_man_pages(arguments.out, &command_bareprof);
  if (arguments.man)
    print_man_page(stdout, of);
  else if (arguments.shell)
    script_printers[arguments.shell](stdout, &command_bareprof);
  else
    options_print_help(stdout, of);
  return 0;
}

static const struct option_row options[] = {
    {"man", 0, NULL,
     "print the man page of the command as roff text, for `man -l -`",
     OPTION(struct arguments, man)},
    {"output", 'o', "DIR",
     "with --man: write the man pages of all commands to the folder DIR",
     OPTION(struct arguments, out)},
    {"completion", 0, "SHELL",
     "print a script that completes commands and options in this shell: bash, "
     "zsh or fish",
     OPTION(struct arguments, shell), .words = shells},
    {0}};

const struct command command_help = {
    .name = "help",
    .summary = "show the help of a command, or write man pages",
    .examples = "bareprof help report\n"
                "bareprof help --man run | man -l -",
    .usage = "[COMMAND...] [options]",
    .about = "Prints the help of COMMAND, like `bareprof COMMAND --help`.",
    RUNS(run_help, options, 0, 0, NULL)};
