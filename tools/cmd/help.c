/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the table of all commands, and implements bareprof help, which prints
 * the help or the man page of a command, or a completion script for a shell.
 * All these texts are made from the option tables of the commands.
 */
#include <errno.h>
#include <string.h>

#include "../base/error.h"
#include "../base/options.h"
#include "../base/os.h"
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

/* Writes the man page of a command (section 1, macros of man(7)). */
static void print_man_page(FILE *stream, const struct command *command);
/* Writes a man page for each command into the folder. Returns 0, or reports the
 * error and returns 1. */
static int write_man_pages(const char *folder);

/* Each writes the completions for a shell: a script to source in bash, a
 * function for zsh's fpath, a file for fish. */
static void print_bash_script(FILE *stream, const struct command *head);
static void print_zsh_script(FILE *stream, const struct command *head);
static void print_fish_script(FILE *stream, const struct command *head);

struct arguments {
  bool man;
  unsigned shell;
  const char *out;
};

enum shell { NO_SHELL, BASH, ZSH, FISH };

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
    return options_report_misuse(command, "-o names the folder for --man");
  if (arguments.out)
    return write_man_pages(arguments.out);
  if (arguments.man)
    print_man_page(stdout, of);
  else if (arguments.shell == BASH)
    print_bash_script(stdout, &command_bareprof);
  else if (arguments.shell == ZSH)
    print_zsh_script(stdout, &command_bareprof);
  else if (arguments.shell == FISH)
    print_fish_script(stdout, &command_bareprof);
  else
    options_print_help(stdout, of);
  return 0;
}

/* The names of the shells, indexed by enum shell. */
static const char *const shells[] = {"none", "bash", "zsh", "fish", NULL};

static const struct option_row options[] = {
    {"man",
     .help = "print the man page of the command as roff text, for `man -l -`",
     OPTION(struct arguments, man)},
    {"output", 'o', "DIR",
     .help =
         "with --man: write the man pages of all commands to the folder DIR",
     OPTION(struct arguments, out)},
    {"completion", 0, "SHELL",
     .help = "print a script that completes commands and options in this "
             "shell: bash, zsh or fish",
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

/* ==== The next functions print man pages. */

/* The date on the man pages, which is the date of the release instead of the
 * build, so that two builds give identical pages. */
#define DATE "2026-11-22"

/* Prints plain text for man. No line may start like a request of man, and
 * hyphens stay ASCII so that readers can search for them. */
static void print_man_bytes(FILE *stream, const char *text, size_t size) {
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

static void print_man_text(FILE *stream, const char *text) {
  print_man_bytes(stream, text, strlen(text));
}

/* Prints paragraphs. Lines that begin with a blank keep their line breaks. */
static void print_man_paragraphs(FILE *stream, const char *text) {
  bool listed = false;
  while (*text) {
    size_t size = strcspn(text, "\n");
    if ((*text == ' ') != listed)
      fputs(listed ? ".fi\n" : ".nf\n", stream);
    listed = *text == ' ';
    print_man_bytes(stream, text, size);
    fputc('\n', stream);
    text += size + (text[size] == '\n');
  }
  if (listed)
    fputs(".fi\n", stream);
}

static void print_man_lines(FILE *stream, const char *text) {
  while (*text) {
    size_t size = strcspn(text, "\n");
    fputs("    ", stream);
    print_man_bytes(stream, text, size);
    fputc('\n', stream);
    text += size + (text[size] == '\n');
  }
}

static void print_man_option(FILE *stream, const struct option_row *row) {
  if (!row->name) {
    fputs(".SS ", stream);
    print_man_text(stream, row->help);
    fputc('\n', stream);
    return;
  }
  fputs(".TP\n", stream);
  if (row->letter)
    fprintf(stream, "\\fB\\-%c\\fR, ", row->letter);
  fputs("\\fB\\-\\-", stream);
  print_man_text(stream, row->name);
  fputs("\\fR", stream);
  if (row->value) {
    fputs(" \\fI", stream);
    print_man_text(stream, row->value);
    fputs("\\fR", stream);
  }
  fputc('\n', stream);
  print_man_text(stream, row->help);
  fputc('\n', stream);
}

static void print_man_usage(FILE *stream, const struct command *command) {
  for (const char *usage = command->usage; *usage;) {
    size_t size = strcspn(usage, "\n");
    fputs("\\fBbareprof ", stream);
    print_man_text(stream, command->name);
    fputs("\\fR ", stream);
    print_man_bytes(stream, usage, size);
    fputc('\n', stream);
    usage += size + (usage[size] == '\n');
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
  for (const struct command *const *at = head->subcommands; *at; at++) {
    char name[64];
    fputs(".TP\n.BR ", stream);
    print_man_text(stream, make_man_page_name(name, *at));
    fputs(" (1)\n", stream);
    print_man_text(stream, (*at)->summary);
    fputc('\n', stream);
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
    size_t name = strcspn(files, ":"), size = strcspn(files, "\n");
    fputs(".TP\n.I ", stream);
    print_man_bytes(stream, files, name);
    fputc('\n', stream);
    print_man_bytes(stream, files + name + 2, size - name - 2);
    fputc('\n', stream);
    files += size + (files[size] == '\n');
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
  fputs(".SH NAME\n", stream);
  print_man_text(stream, name);
  fputs(" \\- ", stream);
  print_man_text(stream, *command->name ? command->summary
                                        : "LLVM profiles from bare metal");
  fputs("\n.SH SYNOPSIS\n", stream);
  print_man_usage(stream, command);
  print_man_about(stream, command);
  if (command->subcommands)
    print_man_commands(stream, command);
  if (command->run) {
    fputs(".SH OPTIONS\n", stream);
    for (const struct option_row *row = NULL;
         (row = options_next_row(command, row)) != NULL;)
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
    fputs(".SH EXAMPLES\n.nf\n", stream);
    print_man_lines(stream, command->examples);
    fputs(".fi\n", stream);
  }
  fputs(".SH SEE ALSO\n", stream);
  fputs(*command->name ? ".BR bareprof (1)\n"
                       : ".BR llvm\\-profdata (1),\n.BR llvm\\-cov (1)\n",
        stream);
}

static int write_man_pages_of(const char *folder,
                              const struct command *command) {
  char name[64], file[4200];
  snprintf(file, sizeof file, "%.4000s/%s.1", folder,
           make_man_page_name(name, command));
  FILE *stream = os_fopen(file, "w");
  if (stream)
    print_man_page(stream, command);
  bool failed = !stream || ferror(stream);
  if ((stream && fclose(stream)) || failed)
    return report(file, "cannot be written: %s; pass a folder that exists",
                  os_error_text(errno));
  int status = 0;
  for (const struct command *const *at = command->subcommands; at && *at; at++)
    status |= write_man_pages_of(folder, *at);
  return status;
}

static int write_man_pages(const char *folder) {
  return write_man_pages_of(folder, &command_bareprof);
}

/* ==== The next functions print shell completions. */

static void print_command_names(FILE *stream, const struct command *head) {
  for (const struct command *const *at = head->subcommands; at && *at; at++)
    fprintf(stream, "%s%s", at == head->subcommands ? "" : " ",
            command_own_name(*at));
}

/* ---- bash ---- */

/* Prints a branch of bash's case. The pattern is the command as typed so far,
 * and the body sets the words that may follow. */
static void print_bash_case(FILE *stream, const struct command *command) {
  fprintf(stream, "    '%s') options='--help --color", command->name);
  for (const struct option_row *row = NULL;
       (row = options_next_row(command, row)) != NULL;)
    if (row->name)
      fprintf(stream, " --%s", row->name);
  fputs("' words='", stream);
  print_command_names(stream, command);
  fputs("' ;;\n", stream);
  for (const struct command *const *at = command->subcommands; at && *at; at++)
    print_bash_case(stream, *at);
}

static void print_bash_values(FILE *stream, const struct command *command) {
  for (const struct option_row *row = NULL;
       (row = options_next_row(command, row)) != NULL;) {
    if (!row->words)
      continue;
    fprintf(stream, "    '%s --%s') words='", command->name, row->name);
    for (const char *const *word = row->words; *word; word++)
      fprintf(stream, "%s%s", word == row->words ? "" : " ", *word);
    fputs("' ;;\n", stream);
  }
  for (const struct command *const *at = command->subcommands; at && *at; at++)
    print_bash_values(stream, *at);
}

/* Prints text so that it can stand in single quotes of bash and zsh. */
static void print_single_quoted(FILE *stream, const char *text) {
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", stream);
    else
      fputc(*text, stream);
}

/* Prints the description of each option and subcommand, which bash shows in the
 * list of candidates. */
static void print_bash_descriptions(FILE *stream,
                                    const struct command *command) {
  for (const struct option_row *row = NULL;
       (row = options_next_row(command, row)) != NULL;)
    if (row->name) {
      fprintf(stream, "    '%s --%s') text='", command->name, row->name);
      print_single_quoted(stream, row->help);
      fputs("' ;;\n", stream);
    }
  for (const struct command *const *at = command->subcommands; at && *at;
       at++) {
    fprintf(stream, "    '%s %s') text='", command->name,
            command_own_name(*at));
    print_single_quoted(stream, (*at)->summary);
    fputs("' ;;\n", stream);
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
  for (const struct command *const *at = head->subcommands; *at; at++)
    if ((*at)->subcommands) {
      fprintf(stream,
              "    %s) [ \"$COMP_CWORD\" -lt 3 ] || case ${COMP_WORDS[2]} in ",
              (*at)->name);
      for (const struct command *const *in = (*at)->subcommands; *in; in++)
        fprintf(stream, "%s%s", in == (*at)->subcommands ? "" : "|",
                command_own_name(*in));
      fputs(")\n      command+=\" ${COMP_WORDS[2]}\" ;; esac ;;\n", stream);
    }
  fputs("  esac\n  case $command in\n", stream);
  fputs("    '') options='--help --version' words='", stream);
  print_command_names(stream, head);
  fputs("' ;;\n", stream);
  for (const struct command *const *at = head->subcommands; *at; at++)
    print_bash_case(stream, *at);
  fputs("  esac\n"
        "  # The value of an option, behind a blank or behind `=`.\n"
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

/* Prints text so that it can stand within '[...]' of zsh's _arguments. */
static void print_zsh_quoted(FILE *stream, const char *text) {
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", stream);
    else if (strchr("[]:\\", *text))
      fprintf(stream, "\\%c", *text);
    else
      fputc(*text, stream);
}

static void print_zsh_option(FILE *stream, const struct option_row *row) {
  if (!row->name)
    return;
  if (row->letter)
    fprintf(stream, "      '(-%c --%s)'{-%c,--%s%s}'[", row->letter, row->name,
            row->letter, row->name, row->value ? "=" : "");
  else
    fprintf(stream, "      '--%s%s[", row->name, row->value ? "=" : "");
  print_zsh_quoted(stream, row->help);
  fputc(']', stream);
  if (row->words) {
    fputs(":value:(", stream);
    for (const char *const *word = row->words; *word; word++)
      fprintf(stream, "%s%s", word == row->words ? "" : " ", *word);
    fputc(')', stream);
  } else if (row->value) {
    fputs(":value:_files", stream);
  }
  fputs("' \\\n", stream);
}

static void print_zsh_command(FILE *stream, const struct command *command) {
  if (command->run) {
    fprintf(stream, "    '%s') _arguments \\\n", command->name);
    for (const struct option_row *row = NULL;
         (row = options_next_row(command, row)) != NULL;)
      print_zsh_option(stream, row);
    fputs("      '--color=[colours]:value:(auto always never)' \\\n"
          "      '--help[print help]' '*:file:_files' ;;\n",
          stream);
  }
  for (const struct command *const *at = command->subcommands; at && *at; at++)
    print_zsh_command(stream, *at);
}

static void print_zsh_names(FILE *stream, const struct command *head) {
  for (const struct command *const *at = head->subcommands; *at; at++) {
    fprintf(stream, "      '%s:", command_own_name(*at));
    print_zsh_quoted(stream, (*at)->summary);
    fputs("'\n", stream);
  }
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
  for (const struct command *const *at = head->subcommands; *at; at++)
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
  for (const struct command *const *at = head->subcommands; *at; at++)
    print_zsh_command(stream, *at);
  fputs("  esac\n}\n_bareprof \"$@\"\n", stream);
}

/* ---- fish ---- */

/* Prints text in single quotes for fish. */
static void print_fish_text(FILE *stream, const char *text) {
  fputc('\'', stream);
  for (; *text; text++)
    fprintf(stream, "%s%c", strchr("'\\", *text) ? "\\" : "", *text);
  fputc('\'', stream);
}

static void print_fish_option(FILE *stream, const struct command *command,
                              const struct option_row *row) {
  if (!row->name)
    return;
  fprintf(stream, "complete -c bareprof -n '__bareprof_in %s' -l %s",
          command->name, row->name);
  if (row->letter)
    fprintf(stream, " -s %c", row->letter);
  if (row->words) {
    fputs(" -x -a '", stream);
    for (const char *const *word = row->words; *word; word++)
      fprintf(stream, "%s%s", word == row->words ? "" : " ", *word);
    fputc('\'', stream);
  } else if (row->value) {
    fputs(" -r -F", stream);
  }
  fputs(" -d ", stream);
  print_fish_text(stream, row->help);
  fputc('\n', stream);
}

static void print_fish_command(FILE *stream, const struct command *command) {
  for (const struct command *const *at = command->subcommands; at && *at;
       at++) {
    fprintf(stream, "complete -c bareprof -f -n '__bareprof_at %s' -a %s -d ",
            command->name, command_own_name(*at));
    print_fish_text(stream, (*at)->summary);
    fputc('\n', stream);
    print_fish_command(stream, *at);
  }
  for (const struct option_row *row = NULL;
       (row = options_next_row(command, row)) != NULL;)
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
