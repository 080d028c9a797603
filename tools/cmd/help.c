/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of all commands. bareprof help: help of one of them, the man page
 * of all, or completions for a shell.
 */
#include <string.h>

#include "../base/options.h"
#include "bareprof.h"
#include "commands.h"

static const struct command *const commands[] = {
    &command_run,     &command_live,   &command_report,  &command_doctor,
    &command_receive, &command_join,   &command_trace,   &command_extract,
    &command_tests_for,                                           /* coverage */
    &command_merge,   &command_show,   &command_overlap,
    &command_order,   &command_match,                             /* profiles */
    &command_samples, &command_probes, &command_mip,              /* samples */
    &command_cc,      &command_init,   &command_explain,
    &command_help,    NULL};

static const struct command_group groups[] = {
    {&command_run, "Coverage"},
    {&command_merge, "Profiles"},
    {&command_samples, "Samples, and functions that ran"},
    {&command_cc, "Building, and help"},
    {0}};

const struct command command_bareprof = {
    .name = "",
    .usage = "COMMAND [options] FILE...",
    .below = commands,
    .groups = groups,
    .notes = "`bareprof COMMAND --help` lists the options, `bareprof "
             "--version` prints the version.\nExit status: 0 done, 1 the input "
             "is bad or incomplete, 2 wrong usage.",
    .examples = "bareprof doctor fw.elf\n"
                "bareprof run fw.elf --port /dev/ttyACM0\n"
                "bareprof report fw.elf console.log --fail-under lines=80"};

/* A page of section 1, in the macros of man(7). */
void help_man(FILE *stream, const struct command *head);

/* A script for bash to source, and a function for zsh's fpath. */
void help_bash(FILE *stream, const struct command *head);
void help_zsh(FILE *stream, const struct command *head);

struct arguments {
  bool man;
  unsigned shell;
};

enum shell { NO_SHELL, BASH, ZSH };

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.man = false};
  const struct command *of = &command_bareprof;
  int status = options_take(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  for (int i = optind; i < argc; i++) {
    of = commands_find(of, argv[i]);
    if (!of)
      return options_wrong(command, "there is no such command");
  }
  if (arguments.man)
    help_man(stdout, &command_bareprof);
  else if (arguments.shell == BASH)
    help_bash(stdout, &command_bareprof);
  else if (arguments.shell == ZSH)
    help_zsh(stdout, &command_bareprof);
  else
    options_help(stdout, of);
  return 0;
}

/* By enum shell. */
static const char *const shells[] = {"none", "bash", "zsh", NULL};

static const struct option_row options[] = {
    {.name = "man",
     .help = "print a man page of all commands instead",
     OPTION(struct arguments, man)},
    {.name = "completion",
     .value = "SHELL",
     .help = "print a completion script for bash or zsh",
     OPTION(struct arguments, shell),
     .words = shells},
    {0}};

const struct command command_help = {
    .name = "help",
    .summary = "show the help of a command, or make a man page",
    .examples = "bareprof help report\n"
                "bareprof help --man >bareprof.1",
    .usage = "[COMMAND...] [options]",
    .about = "Prints the same as `bareprof COMMAND --help`.",
    .options = options,
    .run = run};

/* ==== The man page, made from the tables of all commands. */

/* The date of the release: a page that is made twice is identical. */
#define DATE "2026-11-22"

/* Prints plain text: no request at the start of a line, and hyphens that can be
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

static void put_lines(FILE *stream, const char *text) {
  while (*text) {
    size_t size = strcspn(text, "\n");
    fputs("    ", stream);
    put(stream, text, size);
    fputc('\n', stream);
    text += size + (text[size] == '\n');
  }
}

static void put_option(FILE *stream, const struct option_row *row) {
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
         row && row->help; row++)
      put_option(stream, row);
    if (command->notes) {
      fputs(".PP\n", stream);
      put_paragraphs(stream, command->notes);
    }
    if (command->examples) {
      fputs(".PP\nExamples:\n.nf\n", stream);
      put_lines(stream, command->examples);
      fputs(".fi\n", stream);
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

/* ==== Completions of commands and options for shells. */

static void put_names(FILE *stream, const struct command *head) {
  for (const struct command *const *at = head->below; at && *at; at++)
    fprintf(stream, "%s%s", at == head->below ? "" : " ",
            commands_last_word(*at));
}

/* ---- bash ---- */

/* A pattern of case: the words typed until now, and the words that may
 * follow. */
static void put_case(FILE *stream, const struct command *command) {
  fprintf(stream, "    '%s') options='--help", command->name);
  for (const struct option_row *row = command->options;
       row && row->help; row++)
    if (row->name)
      fprintf(stream, " --%s", row->name);
  fputs("' words='", stream);
  put_names(stream, command);
  fputs("' ;;\n", stream);
  for (const struct command *const *at = command->below; at && *at; at++)
    put_case(stream, *at);
}

static void put_values(FILE *stream, const struct command *command) {
  for (const struct option_row *row = command->options;
       row && row->help; row++) {
    if (!row->words)
      continue;
    fprintf(stream, "    '%s --%s') words='", command->name, row->name);
    for (const char *const *word = row->words; *word; word++)
      fprintf(stream, "%s%s", word == row->words ? "" : " ", *word);
    fputs("' ;;\n", stream);
  }
  for (const struct command *const *at = command->below; at && *at; at++)
    put_values(stream, *at);
}

void help_bash(FILE *stream, const struct command *head) {
  fputs("# bash completion of bareprof; made by `bareprof help --completion "
        "bash`.\n"
        "_bareprof() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before= command= at\n"
        "  local words= options=\n"
        "  [ \"$COMP_CWORD\" -lt 1 ] || before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  [ \"$COMP_CWORD\" -lt 2 ] || command=${COMP_WORDS[1]}\n"
        "  case $command in\n",
        stream);
  for (const struct command *const *at = head->below; *at; at++)
    if ((*at)->below) {
      fprintf(stream,
              "    %s) [ \"$COMP_CWORD\" -lt 3 ] || case ${COMP_WORDS[2]} in ",
              (*at)->name);
      for (const struct command *const *in = (*at)->below; *in; in++)
        fprintf(stream, "%s%s", in == (*at)->below ? "" : "|",
                commands_last_word(*in));
      fputs(")\n      command+=\" ${COMP_WORDS[2]}\" ;; esac ;;\n", stream);
    }
  fputs("  esac\n  case $command in\n", stream);
  fputs("    '') options='--help --version' words='", stream);
  put_names(stream, head);
  fputs("' ;;\n", stream);
  for (const struct command *const *at = head->below; *at; at++)
    put_case(stream, *at);
  fputs("  esac\n"
        "  # The value of an option, behind a blank or behind `=`.\n"
        "  if [ \"$word\" = = ]; then word=\n"
        "  elif [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}\n"
        "  fi\n"
        "  case \"$command $before\" in\n",
        stream);
  put_values(stream, head);
  fputs("    *) case $word in -*) words=$options ;; esac ;;\n"
        "  esac\n"
        "  COMPREPLY=()\n"
        "  while read -r at; do COMPREPLY+=(\"$at\"); done \\\n"
        "    < <(compgen -W \"$words\" -- \"$word\"; compgen -f -- \"$word\")\n"
        "}\n"
        "complete -o filenames -F _bareprof bareprof\n",
        stream);
}

/* ---- zsh ---- */

/* Within '[...]' of _arguments. */
static void put_quoted(FILE *stream, const char *text) {
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", stream);
    else if (strchr("[]:\\", *text))
      fprintf(stream, "\\%c", *text);
    else
      fputc(*text, stream);
}

static void put_zsh_option(FILE *stream, const struct option_row *row) {
  if (!row->name)
    return;
  if (row->letter)
    fprintf(stream, "      '(-%c --%s)'{-%c,--%s%s}'[", row->letter, row->name,
            row->letter, row->name, row->value ? "=" : "");
  else
    fprintf(stream, "      '--%s%s[", row->name, row->value ? "=" : "");
  put_quoted(stream, row->help);
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

static void put_zsh_command(FILE *stream, const struct command *command) {
  if (command->run) {
    fprintf(stream, "    '%s') _arguments \\\n", command->name);
    for (const struct option_row *row = command->options;
         row && row->help; row++)
      put_zsh_option(stream, row);
    fputs("      '--help[print help]' '*:file:_files' ;;\n", stream);
  }
  for (const struct command *const *at = command->below; at && *at; at++)
    put_zsh_command(stream, *at);
}

static void put_zsh_names(FILE *stream, const struct command *head) {
  for (const struct command *const *at = head->below; *at; at++) {
    fprintf(stream, "      '%s:", commands_last_word(*at));
    put_quoted(stream, (*at)->summary);
    fputs("'\n", stream);
  }
}

void help_zsh(FILE *stream, const struct command *head) {
  fputs("#compdef bareprof\n"
        "# Made by `bareprof help --completion zsh`.\n"
        "_bareprof() {\n"
        "  local command=$words[2]\n"
        "  local -a names\n"
        "  if (( CURRENT == 2 )); then\n"
        "    names=(\n",
        stream);
  put_zsh_names(stream, head);
  fputs("    )\n    _describe command names\n    return\n  fi\n"
        "  case $command in\n",
        stream);
  for (const struct command *const *at = head->below; *at; at++)
    if ((*at)->below) {
      fprintf(stream, "    %s)\n    names=(\n", (*at)->name);
      put_zsh_names(stream, *at);
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
  for (const struct command *const *at = head->below; *at; at++)
    put_zsh_command(stream, *at);
  fputs("  esac\n}\n_bareprof \"$@\"\n", stream);
}
