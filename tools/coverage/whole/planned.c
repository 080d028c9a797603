/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads which sources should be in the report, from a compile_commands.json, a
 * linker's map, a list or a folder. whole.c compares these with what seen.c has
 * read.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/file.h"
#include "../../base/json.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/os.h"
#include "../../base/part.h"
#include "../../base/source_name.h"
#include "whole.h"

enum {
  PLAN_MOST = 1 << 28, /* bytes of a file, and of all names */
  DEPTH_MOST = 16,     /* nested response files */
  FOLDERS_MOST = 64    /* nested folders */
};

/* ---- names ---- */

static bool ends_in(const char *name, const char *const *ends) {
  const char *dot = strrchr(os_base(name), '.');
  for (; dot && *ends; ends++)
    if (strcmp(dot, *ends) == 0)
      return true;
  return false;
}

enum planned_kind planned_kind_of(const char *name) {
  static const char *const assembly[] = {".s", ".S", ".sx", ".asm", NULL};
  static const char *const code[] = {".c",  ".cc",  ".cpp",  ".cxx", ".c++",
                                     ".C",  ".rs",  ".m",    ".mm",  ".i",
                                     ".ii", ".ixx", ".cppm", NULL};
  return ends_in(name, assembly) ? PLANNED_ASSEMBLY
         : ends_in(name, code)   ? PLANNED_CODE
                                 : PLANNED_HEADER;
}

bool planned_is_source(const char *name) {
  static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx",
                                     ".S", ".s",  ".rs",  NULL};
  return ends_in(name, ends);
}

/* Returns room for this many bytes. */
static char *take(struct planned *planned, size_t size) {
  return need(arena_take(&planned->texts, size));
}

static char *copy(struct planned *planned, struct part text) {
  return memcpy(take(planned, text.size + 1), text.at, text.size);
}

/* Joins a folder and a name, and tidies the result. An absolute name needs no
 * folder. */
static const char *name_in(struct planned *planned, const char *folder,
                           const char *name) {
  bool alone = source_is_absolute(name) || !*folder;
  size_t room = strlen(folder) + strlen(name) + 2;
  char *made = take(planned, room);
  snprintf(made, room, "%s%s%s", alone ? "" : folder, alone ? "" : "/", name);
  source_name(made);
  if (source_is_absolute(made))
    paths_tidy(made);
  return made;
}

/* Adds a source. CMake puts the objects of each program into a folder. */
static void plan_add(struct planned *planned, struct planned_source one) {
  const char *at = one.object ? strstr(one.object, "CMakeFiles/") : NULL;
  const char *end = at ? strstr(at, ".dir/") : NULL;
  if (end)
    one.program = copy(planned,
                       (struct part){one.object, (size_t)(end - one.object)});
  LIST_ADD(planned->list, planned->count, one);
}

/* ---- commands ---- */

/* A command while its words are read. */
struct command_read {
  struct planned *planned;
  const char *folder; /* where the command runs */
  const char *object, *language;
  char option;     /* the next word is this option's value */
  bool seen_first; /* The first word is the compiler. */
  const char *error;
};

static void command_words(struct command_read *command, struct bytes text,
                          unsigned depth);

static void command_word(struct command_read *command, const char *word,
                         unsigned depth) {
  struct file file;
  bool found = false, first = !command->seen_first;
  char option = command->option;
  command->seen_first = true;
  command->option = 0;
  if (option) {
    *(option == 'o' ? &command->object : &command->language) = word;
  } else if (*word == '@' && !first && depth < DEPTH_MOST) {
    if (file_read_if(&file,
                     name_in(command->planned, command->folder, word + 1),
                     PLAN_MOST, &found))
      command->error = "the response file cannot be read; check the path and "
                       "the permissions";
    else if (found)
      command_words(command, file.bytes, depth + 1);
    if (!command->error && found)
      file_close(&file);
  } else if (!strcmp(word, "-o") || !strcmp(word, "-x")) {
    command->option = word[1];
  } else if (text_begins(word, "-o") && !text_begins(word, "-object")) {
    command->object = word + 2;
  } else if (text_begins(word, "-x")) {
    command->language = word + 2;
  }
}

/* Splits a text into words, as a shell does. A backslash in front of a letter
 * stays, as it separates folders on Windows. */
static void command_words(struct command_read *command, struct bytes text,
                          unsigned depth) {
  const char *at = (const char *)text.data, *end = at + text.size;
  char *to = take(command->planned, text.size + 2);
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
      command_word(command, word, depth);
    }
    at += at < end;
  }
}

static bool is_header(const struct command_read *command) {
  static const char *const made[] = {".pch", ".gch", NULL};
  return (command->language && strstr(command->language, "-header")) ||
         (command->object && ends_in(command->object, made));
}

/* Reads an element of a compile_commands.json. */
static const char *take_command(struct planned *planned, struct json *json,
                                const char *here) {
  enum { FILE_NAME, FOLDER, TEXT, OUTPUT, VALUES };
  static const char *const keys[VALUES] = {"file", "directory", "command",
                                           "output"};
  struct command_read command = {.planned = planned, .folder = here};
  struct json words = {.at = NULL};
  char key[JSON_KEY], *values[VALUES] = {NULL};
  json_open(json, '{');
  while (json_member(json, key)) {
    unsigned i = 0;
    while (i < VALUES && strcmp(key, keys[i]))
      i++;
    if (!strcmp(key, "arguments"))
      words = *json;
    if (i < VALUES && !values[i])
      values[i] = json_string(json);
    else
      json_skip(json);
  }
  if (values[FOLDER])
    command.folder = name_in(planned, here, values[FOLDER]);
  if (values[TEXT])
    command_words(&command, bytes_text(values[TEXT]), 0);
  if (words.at)
    json_open(&words, '[');
  while (words.at && json_more(&words, ']') && !command.error) {
    char *word = json_string(&words);
    if (word)
      command_word(&command, need_copy(&planned->texts, word), 0);
    free(word);
  }
  json->failed |= words.failed || !values[FILE_NAME];
  if (values[OUTPUT])
    command.object = values[OUTPUT];
  if (!command.error && !json->failed)
    plan_add(planned,
             (struct planned_source){
                 .command = true,
                 .name = name_in(planned, command.folder, values[FILE_NAME]),
                 .object = command.object ? name_in(planned, command.folder,
                                                    command.object)
                                          : NULL,
                 .kind = is_header(&command)
                             ? PLANNED_HEADER
                             : planned_kind_of(values[FILE_NAME])});
  for (unsigned i = 0; i < VALUES; i++)
    free(values[i]);
  return command.error;
}

/* Returns the absolute name of a file's folder. */
static const char *folder_of(struct planned *planned, const char *file) {
  char here[4096] = "";
  const char *base = os_base(file);
  os_here(here, sizeof here);
  struct part folder = {file, (size_t)(base - file)};
  return name_in(planned, here, base == file ? "." : copy(planned, folder));
}

static const char *take_commands(struct planned *planned, struct bytes text,
                                 const char *here) {
  struct json json = json_begin(text);
  const char *error = NULL;
  json_open(&json, '[');
  while (!error && json_more(&json, ']'))
    error = take_command(planned, &json, here);
  return error ? error
         : json.failed
             ? "this is not a valid compile_commands.json: each element needs "
               "file, directory and command; generate the file again"
             : NULL;
}

/* ---- maps ---- */

/* Adds an object in the place of a source whose name is not known yet.
 * LIB.a(MAIN.o) becomes LIB.a/MAIN.o. */
static void take_object(struct planned *planned, const char *folder,
                        struct part object, bool placed) {
  bool member = object.at[object.size - 1] == ')';
  char *name = copy(planned, (struct part){object.at, object.size - member});
  if (member && strrchr(name, '('))
    *strrchr(name, '(') = '/';
  const char *whole = name_in(planned, folder, name);
  plan_add(planned, (struct planned_source){.name = whole,
                                            .object = whole,
                                            .command = true,
                                            .placed = placed,
                                            .member = member});
}

static bool is_object(struct part word) {
  static const char *const ends[] = {".o", ".obj", ".o)", ".obj)"};
  bool is = false;
  for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t size = strlen(ends[i]);
    is |= word.size > size &&
          !memcmp(word.at + word.size - size, ends[i], size);
  }
  return is;
}

/* Parses a number of a map, and skips the blanks around it. */
static bool take_address(struct part *line, uint64_t *value) {
  struct part word;
  part_skip_blanks(line);
  for (word = *line; line->size && *line->at != ' ';)
    part_cut(line, 1);
  word.size = (size_t)(line->at - word.at);
  part_skip_blanks(line);
  part_take(&word, "0x");
  return number_in(
      (struct bytes){(const unsigned char *)word.at, word.size}, 16, value);
}

/* GNU ld writes which objects it loads, then the address and the size of each
 * of their sections. */
static void take_gnu_line(struct planned *planned, const char *folder,
                          struct part line) {
  uint64_t address, size;
  bool loads = part_take(&line, "LOAD ");
  if (loads || (*line.at == ' ' && part_skip_to(&line, " 0x") &&
                take_address(&line, &address) && address &&
                take_address(&line, &size) && size))
    if (is_object(line))
      take_object(planned, folder, line, !loads);
}

/* lld writes a section of an object as OBJECT:(SECTION), after four numbers. */
static void take_lld_line(struct planned *planned, const char *folder,
                          struct part line) {
  uint64_t numbers[4];
  for (unsigned i = 0; i < 4; i++)
    if (!take_address(&line, &numbers[i]))
      return;
  struct part object = line;
  if (!part_skip_to(&line, ":("))
    return;
  object.size = (size_t)(line.at - object.at) - 2;
  if (is_object(object))
    take_object(planned, folder, object, numbers[0] && numbers[2]);
}

enum plan_form { PLAN_LIST, PLAN_COMMANDS, PLAN_GNU, PLAN_LLD, PLAN_WRONG };

static enum plan_form form_of(struct bytes text) {
  struct part all = {(const char *)text.data, text.size}, first = all;
  while (first.size && strchr(" \t\r\n", *first.at))
    part_cut(&first, 1);
  if (part_begins(first, "["))
    return PLAN_COMMANDS;
  if (part_begins(first, "VMA ") || part_begins(first, "Address "))
    return PLAN_LLD;
  if (part_contains(all, "Linker script and memory map\n"))
    return PLAN_GNU;
  return first.size && memchr(all.at, 0, all.size) ? PLAN_WRONG : PLAN_LIST;
}

/* Adds the sources or objects of all lines. Relative names are in `folder`. */
static void take_lines(struct planned *planned, struct bytes text,
                       enum plan_form form, const char *folder) {
  struct bytes bytes;
  while (bytes_line(&text, &bytes)) {
    struct part line = {(const char *)bytes.data, bytes.size};
    while (line.size && strchr(" \t\r", line.at[line.size - 1]))
      line.size--;
    if (form == PLAN_GNU && line.size) {
      take_gnu_line(planned, folder, line);
    } else if (form == PLAN_LLD && line.size) {
      take_lld_line(planned, folder, line);
    } else if (form == PLAN_LIST && line.size && *line.at != '#') {
      const char *name = copy(planned, line);
      plan_add(planned, (struct planned_source){
                            .name = name_in(planned, folder, name),
                            .kind = planned_kind_of(name)});
    }
  }
}

/* ---- folders ---- */

struct folder_walk {
  struct planned *planned;
  unsigned depth;
};

static bool take_entry(void *context, const char *path, bool is_folder) {
  struct folder_walk *walk = context;
  if (is_folder && *os_base(path) != '.' && walk->depth < FOLDERS_MOST) {
    walk->depth++;
    os_list(path, take_entry, walk);
    walk->depth--;
  } else if (!is_folder && planned_is_source(path)) {
    plan_add(walk->planned,
             (struct planned_source){.name = name_in(walk->planned, "", path),
                                     .kind = planned_kind_of(path)});
  }
  return true;
}

/* ---- all ---- */

static int by_name(const void *left, const void *right) {
  const struct planned_source *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  if (!order)
    order = b->command - a->command;
  if (!order)
    order = strcmp(a->object ? a->object : "", b->object ? b->object : "");
  return order ? order : b->placed - a->placed;
}

static void drop_plan_twins(struct planned *planned) {
  struct planned_source *list = planned->list;
  size_t count = planned->count, kept = 0;
  sort(list, count, sizeof *list, by_name);
  for (size_t i = 0; i < count; i++)
    if (!kept || strcmp(list[kept - 1].name, list[i].name) ||
        list[kept - 1].command != list[i].command ||
        (list[i].object && strcmp(list[kept - 1].object, list[i].object)))
      list[kept++] = list[i];
  planned->count = kept;
}

const char *planned_text(struct planned *planned, struct bytes text,
                         const char *name) {
  enum plan_form form = form_of(text);
  const char *folder = folder_of(planned, name);
  if (form == PLAN_WRONG)
    return "this is not text; pass a compile_commands.json, a linker map, a "
           "folder, or a list of files";
  if (form == PLAN_COMMANDS)
    return take_commands(planned, text, folder);
  take_lines(planned, text, form, folder);
  return NULL;
}

int planned_read(struct planned *planned, const char *what) {
  struct folder_walk walk = {.planned = planned};
  struct os_facts facts;
  struct file file;
  char inside[4096];
  const char *error = NULL;
  size_t before = planned->count;
  planned->texts.limit = PLAN_MOST;
  if (os_look(what, &facts) && facts.kind == OS_FOLDER) {
    snprintf(inside, sizeof inside, "%s/.", what);
    os_list(folder_of(planned, inside), take_entry, &walk);
  } else if (file_read(&file, what, PLAN_MOST)) {
    return 1;
  } else {
    error = planned_text(planned, file.bytes, what);
    file_close(&file);
  }
  if (!error && planned->count == before)
    error = "no source files found; pass a compile_commands.json, a linker "
            "map, a folder, or a list of files";
  drop_plan_twins(planned);
  return error ? report(what, "%s", error) : 0;
}

void planned_free(struct planned *planned) {
  free(planned->list);
  arena_free(&planned->texts);
}
