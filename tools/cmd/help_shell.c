/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What shells complete commands and options by.
 */
#include <string.h>

#include "help.h"

static const char *last_word(const struct command *command) {
  const char *blank = strrchr(command->name, ' ');
  return blank ? blank + 1 : command->name;
}

static void put_names(FILE *stream, const struct command *head) {
  for (const struct command *const *at = head->below; at && *at; at++)
    fprintf(stream, "%s%s", at == head->below ? "" : " ", last_word(*at));
}

/* ---- bash ---- */

/* A pattern of case: what was typed up to here, and what may follow. */
static void put_case(FILE *stream, const struct command *command) {
  fprintf(stream, "    '%s') options='--help", command->name);
  for (const struct option_row *row = command->options;
       row && (row->name || row->help); row++)
    if (row->name && row->help)
      fprintf(stream, " --%s", row->name);
  fputs("' words='", stream);
  put_names(stream, command);
  fputs("' ;;\n", stream);
  for (const struct command *const *at = command->below; at && *at; at++)
    put_case(stream, *at);
}

static void put_values(FILE *stream, const struct command *command) {
  for (const struct option_row *row = command->options;
       row && (row->name || row->help); row++) {
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
        fprintf(stream, "%s%s", in == (*at)->below ? "" : "|", last_word(*in));
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
  if (!row->name || !row->help)
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
         row && (row->name || row->help); row++)
      put_zsh_option(stream, row);
    fputs("      '--help[print help]' '*:file:_files' ;;\n", stream);
  }
  for (const struct command *const *at = command->below; at && *at; at++)
    put_zsh_command(stream, *at);
}

static void put_zsh_names(FILE *stream, const struct command *head) {
  for (const struct command *const *at = head->below; *at; at++) {
    fprintf(stream, "      '%s:", last_word(*at));
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
