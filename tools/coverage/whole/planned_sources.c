/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file reads the names of the sources that should be in the report, from a
 * compile_commands.json, a linker map, a list or a folder. expected.c compares
 * these sources with the sources of the ELFs.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../base/json.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/os.h"
#include "../../base/text_part.h"
#include "../../base/source_name.h"
#include "../../object/digest.h"
#include "expected.h"

enum {
  PLAN_MOST = 1 << 28, /* limit in bytes of a file, and of all names */
  DEPTH_MOST = 16      /* limit of nested response files */
};

/* ---- names ---- */

static bool has_suffix(const char *name, const char *const *ends) {
  const char *dot = strrchr(os_base_name(name), '.');
  for (; dot && *ends; ends++)
    if (strcmp(dot, *ends) == 0)
      return true;
  return false;
}

enum planned_kind planned_source_kind(const char *name) {
  static const char *const assembly[] = {".s", ".S", ".sx", ".asm", NULL};
  static const char *const code[] = {".c",  ".cc",  ".cpp",  ".cxx", ".c++",
                                     ".C",  ".rs",  ".m",    ".mm",  ".i",
                                     ".ii", ".ixx", ".cppm", NULL};
  return has_suffix(name, assembly) ? PLANNED_ASSEMBLY
         : has_suffix(name, code)   ? PLANNED_CODE
                                    : PLANNED_HEADER;
}

static char *copy_text(struct planned_sources *planned, struct text_part text) {
  return need_memory(arena_copy(&planned->texts, text.at, text.size));
}

/* Joins a folder and a name, and tidies the result. */
static const char *join_path(struct planned_sources *planned,
                             const char *folder, const char *name) {
  char *made = source_name_normalise(paths_join(folder, name));
  if (source_name_is_absolute(made))
    paths_tidy(made);
  const char *copy = need_copy(&planned->texts, made);
  free(made);
  return copy;
}

/* Adds a source, unless the list already has it with this object. CMake puts
 * the objects of each program into a folder of their own, which identifies the
 * program. */
static void add_planned_source(struct planned_sources *planned,
                               struct planned_source one) {
  const char *object = one.object ? one.object : "";
  const char *at = strstr(object, "CMakeFiles/");
  const char *end = at ? strstr(at, ".dir/") : NULL;
  const uint64_t key[3] = {hash_text(one.name), hash_text(object), one.kind};
  bool is_new;
  planned->numbers.limit = PLAN_MOST;
  size_t number = map_find_or_assign_number(&planned->numbers, key, &is_new);
  need_memory(number ? planned : NULL);
  if (end)
    one.program =
        copy_text(planned, (struct text_part){object, (size_t)(end - object)});
  if (is_new)
    LIST_ADD(planned->list, planned->count, one);
  planned->list[number - 1].placed |= one.placed;
}

/* ---- commands ---- */

/* The state while the words of a command are read. */
struct command_reader {
  struct planned_sources *planned;
  const char *folder; /* name of the folder in which the command runs */
  const char *object, *language; /* the values of -o and -x */
  const char **value; /* where the next word belongs; NULL: it is not a value */
  const char *error;
};

static void parse_command_words(struct command_reader *command,
                                struct bytes text, unsigned depth);

static void parse_command_word(struct command_reader *command, const char *word,
                               unsigned depth) {
  const char **value = command->value;
  struct file file;
  bool found = false;
  command->value = NULL;
  if (value) {
    *value = word;
  } else if (text_starts_with(word, "-o") || text_starts_with(word, "-x")) {
    value = word[1] == 'o' ? &command->object : &command->language;
    if (word[2])
      *value = word + 2;
    else
      command->value = value;
  } else if (*word == '@' && depth < DEPTH_MOST) {
    if (file_read_if_exists(
            &file, join_path(command->planned, command->folder, word + 1),
            PLAN_MOST, &found)) {
      command->error = "the response file cannot be read; check the path and "
                       "the permissions";
    } else if (found) {
      parse_command_words(command, file.bytes, depth + 1);
      file_close(&file);
    }
  }
}

/* Splits a text into words, as a shell does. A backslash before a letter stays,
 * because it separates folders on Windows. */
static void parse_command_words(struct command_reader *command,
                                struct bytes text, unsigned depth) {
  const char *at = (const char *)text.data, *end = at + text.size;
  char *to =
      need_memory(arena_allocate(&command->planned->texts, text.size + 2));
  while (at < end && !command->error) {
    const char *word = to;
    bool any = false;
    for (char quote = 0; at < end && (quote || !strchr(" \t\r\n", *at)); at++) {
      any = true;
      if (quote && *at == quote)
        quote = 0;
      else if (!quote && (*at == '"' || *at == '\''))
        quote = *at;
      else if (*at == '\\' && quote != '\'' && end - at > 1 &&
               strchr("\\\"' $`\n", at[1]))
        *to++ = *++at;
      else
        *to++ = *at;
    }
    if (any) {
      *to++ = 0;
      parse_command_word(command, word, depth);
    }
    at += at < end;
  }
}

static bool makes_header(const struct command_reader *command) {
  static const char *const made[] = {".pch", ".gch", NULL};
  return (command->language && strstr(command->language, "-header")) ||
         (command->object && has_suffix(command->object, made));
}

/* Reads an element of a compile_commands.json. */
static const char *parse_compile_command(struct planned_sources *planned,
                                         struct json_reader *json,
                                         const char *here) {
  enum { FILE_NAME, FOLDER, TEXT, OUTPUT, VALUES };
  static const char *const keys[VALUES] = {"file", "directory", "command",
                                           "output"};
  struct command_reader command = {.planned = planned, .folder = here};
  struct json_reader words = {.at = NULL};
  char key[JSON_KEY], *values[VALUES] = {NULL};
  json_enter_bracket(json, '{');
  while (json_next_member(json, key)) {
    unsigned i = 0;
    while (i < VALUES && strcmp(key, keys[i]))
      i++;
    if (!strcmp(key, "arguments"))
      words = *json;
    if (i < VALUES && !values[i])
      values[i] = json_parse_string(json);
    else
      json_skip_and_get_text(json);
  }
  if (values[FOLDER])
    command.folder = join_path(planned, here, values[FOLDER]);
  if (values[TEXT])
    parse_command_words(&command, bytes_of_text(values[TEXT]), 0);
  if (words.at)
    json_enter_bracket(&words, '[');
  while (words.at && json_next_element(&words, ']') && !command.error) {
    char *word = json_parse_string(&words);
    if (word)
      parse_command_word(&command, need_copy(&planned->texts, word), 0);
    free(word);
  }
  json->failed |= words.failed || !values[FILE_NAME];
  if (values[OUTPUT])
    command.object = values[OUTPUT];
  if (!command.error && !json->failed)
    add_planned_source(
        planned,
        (struct planned_source){
            .name = join_path(planned, command.folder, values[FILE_NAME]),
            .object = command.object
                          ? join_path(planned, command.folder, command.object)
                          : NULL,
            .kind = makes_header(&command)
                        ? PLANNED_HEADER
                        : planned_source_kind(values[FILE_NAME])});
  for (unsigned i = 0; i < VALUES; i++)
    free(values[i]);
  return command.error;
}

/* ---- maps ---- */

/* Adds an object in place of its source, whose name is not known yet.
 * LIB.a(MAIN.o) becomes LIB.a/MAIN.o. Other words are ignored. */
static void add_linker_map_object(struct planned_sources *planned,
                                  const char *folder, struct text_part word,
                                  bool placed) {
  static const char *const ends[] = {".o", ".obj", NULL};
  bool member = word.size && word.at[word.size - 1] == ')';
  char *name =
      copy_text(planned, (struct text_part){word.at, word.size - member});
  if (!has_suffix(name, ends))
    return;
  if (member && strrchr(name, '('))
    *strrchr(name, '(') = '/';
  const char *whole = join_path(planned, folder, name);
  add_planned_source(planned, (struct planned_source){.name = whole,
                                                      .object = whole,
                                                      .unnamed = true,
                                                      .placed = placed,
                                                      .member = member});
}

static bool is_nonzero_hex(struct text_part number) {
  const struct bytes digits = {(const unsigned char *)number.at, number.size};
  uint64_t value;
  return parse_number_in_base(digits, 16, &value) && value;
}

/* GNU ld lists the objects that it loads, then the address and the size of each
 * of their sections. */
static void parse_gnu_map_line(struct planned_sources *planned,
                               const char *folder, struct text_part line) {
  struct text_part address, size;
  bool loads = part_skip_word(&line, "LOAD ");
  if (loads ||
      (*line.at == ' ' && part_skip_past(&line, " 0x") &&
       part_match_pattern(&line, NULL, "%w%b0x%w%b", &address, &size) &&
       is_nonzero_hex(address) && is_nonzero_hex(size)))
    add_linker_map_object(planned, folder, line, !loads);
}

/* lld writes a section of an object as OBJECT:(SECTION), after the section's
 * address, load address, size and alignment. */
static void parse_lld_map_line(struct planned_sources *planned,
                               const char *folder, struct text_part line) {
  struct text_part address, size, other;
  if (!part_match_pattern(&line, NULL, "%b%w%b%w%b%w%b%w%b", &address, &other,
                          &size, &other))
    return;
  struct text_part object = line;
  if (!part_skip_past(&line, ":("))
    return;
  object.size -= line.size + 2;
  add_linker_map_object(planned, folder, object,
                        is_nonzero_hex(address) && is_nonzero_hex(size));
}

enum plan_form { PLAN_LIST, PLAN_COMMANDS, PLAN_GNU, PLAN_LLD, PLAN_WRONG };

static enum plan_form detect_plan_format(struct bytes text) {
  struct text_part all = {(const char *)text.data, text.size}, first = all;
  while (first.size && strchr(" \t\r\n", *first.at))
    part_cut_front(&first, 1);
  if (part_starts_with(first, "["))
    return PLAN_COMMANDS;
  if (part_starts_with(first, "VMA ") || part_starts_with(first, "Address "))
    return PLAN_LLD;
  if (part_contains(all, "Linker script and memory map\n"))
    return PLAN_GNU;
  return first.size && memchr(all.at, 0, all.size) ? PLAN_WRONG : PLAN_LIST;
}

/* Adds the sources or objects in all lines. Relative names are in `folder`. */
static void parse_plan_lines(struct planned_sources *planned, struct bytes text,
                             enum plan_form form, const char *folder) {
  struct bytes bytes;
  while (bytes_next_line(&text, &bytes)) {
    struct text_part line = {(const char *)bytes.data, bytes.size};
    while (line.size && strchr(" \t\r", line.at[line.size - 1]))
      line.size--;
    if (!line.size)
      continue;
    if (form == PLAN_GNU) {
      parse_gnu_map_line(planned, folder, line);
    } else if (form == PLAN_LLD) {
      parse_lld_map_line(planned, folder, line);
    } else if (*line.at != '#') {
      const char *name = copy_text(planned, line);
      add_planned_source(planned, (struct planned_source){
                                      .name = join_path(planned, folder, name),
                                      .kind = planned_source_kind(name)});
    }
  }
}

/* ---- folders ---- */

static bool add_folder_sources(void *context, const char *path,
                               bool is_folder) {
  static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx",
                                     ".S", ".s",  ".rs",  NULL};
  struct planned_sources *planned = context;
  if (is_folder && *os_base_name(path) != '.')
    os_list_folder(path, add_folder_sources, planned);
  else if (!is_folder && has_suffix(path, ends))
    add_planned_source(
        planned, (struct planned_source){.name = join_path(planned, "", path),
                                         .kind = planned_source_kind(path)});
  return true;
}

/* ---- the plan ---- */

static const char *parse_commands(struct planned_sources *planned,
                                  struct bytes text, const char *folder) {
  struct json_reader json = json_make_reader(text);
  const char *error = NULL;
  json_enter_bracket(&json, '[');
  while (!error && json_next_element(&json, ']'))
    error = parse_compile_command(planned, &json, folder);
  return error ? error
         : json.failed
             ? "this is not a valid compile_commands.json: each element needs "
               "file, directory and command; generate the file again"
             : NULL;
}

const char *planned_parse(struct planned_sources *planned, struct bytes text,
                          const char *name) {
  enum plan_form form = detect_plan_format(text);
  const char *error = NULL;
  if (form == PLAN_WRONG)
    return "this is not text; pass a compile_commands.json, a linker map, a "
           "folder, or a list of files";
  char *folder = paths_make_absolute(name);
  folder[os_base_name(folder) - folder] = 0;
  if (form == PLAN_COMMANDS)
    error = parse_commands(planned, text, folder);
  else
    parse_plan_lines(planned, text, form, folder);
  free(folder);
  return error;
}

int planned_read(struct planned_sources *planned, const char *what) {
  struct os_file_info facts;
  struct file file;
  const char *error = NULL;
  size_t before = planned->count;
  planned->texts.limit = PLAN_MOST;
  if (os_stat(what, &facts) && facts.kind == OS_FOLDER) {
    char *folder = paths_make_absolute(what);
    os_list_folder(folder, add_folder_sources, planned);
    free(folder);
  } else if (file_read(&file, what, PLAN_MOST)) {
    return 1;
  } else {
    error = planned_parse(planned, file.bytes, what);
    file_close(&file);
  }
  if (!error && planned->count == before)
    error = "no source files found; pass a compile_commands.json, a linker "
            "map, a folder, or a list of files";
  return error ? report(what, "%s", error) : 0;
}

void planned_free(struct planned_sources *planned) {
  free(planned->list);
  map_free(&planned->numbers);
  arena_free(&planned->texts);
}
