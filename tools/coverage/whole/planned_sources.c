/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file reads the plan: the names of the sources that should be in the
 * report, from a compile_commands.json, a linker map, a list or a folder.
 * expected.c compares these sources with the sources of the ELFs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../base/json.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/os.h"
#include "../../base/text_part.h"
#include "../../base/source_name.h"
#include "expected.h"

enum {
  PLAN_MOST = 1 << 28, /* limit in bytes of a file */
  RESPONSES_MOST = 64  /* limit of a command's response files */
};

/* ---- names ---- */

static bool has_suffix(const char *name, const char *suffixes) {
  const char *dot = strrchr(os_base_name(name), '.');
  return dot && text_is_listed(dot, suffixes);
}

enum planned_kind planned_source_kind(const char *name) {
  return has_suffix(name, ".s .S .sx .asm") ? PLANNED_ASSEMBLY
         : has_suffix(name, ".c .cc .cpp .cxx .c++ .C .CC .CPP .CXX .rs .m .mm "
                            ".i .ii .ixx .cppm")
             ? PLANNED_CODE
             : PLANNED_HEADER;
}

/* Joins a folder and a name, and tidies the result. */
static const char *join_path(struct expected_sources *expected,
                             const char *folder, const char *name) {
  char *made = source_name_normalise(paths_join(folder, name));
  if (source_name_is_absolute(made))
    paths_tidy(made);
  const char *copy = need_copy(&expected->texts, made);
  free(made);
  return copy;
}

/* Adds a source to the plan, unless the plan has it with this object. If `name`
 * is NULL, only the object is known. Names may be relative to the folder. */
static struct planned_source *add_to_plan(struct expected_sources *expected,
                                          const char *folder, const char *name,
                                          const char *object) {
  struct planned_source one = {.unnamed = !name, .source = SIZE_MAX};
  if (object)
    one.object = join_path(expected, folder, object);
  if (name) {
    name = join_path(expected, folder, name);
    one.source = expected_find_or_add_source(expected, name);
    one.kind = planned_source_kind(name);
  }
  uint64_t *number =
      expected_find_or_add(expected, one.object ? hash_text(one.object) : 0,
                           one.source, KNOWN_PLANNED);
  if (!*number) {
    LIST_ADD(expected->plan, expected->plan_count, one);
    *number = expected->plan_count;
  }
  expected->planned = true;
  return &expected->plan[*number - 1];
}

/* ---- commands ---- */

/* The words of a command. */
struct command_words {
  const char **list;
  size_t count;
};

static void append_words(struct expected_sources *expected,
                         struct command_words *words, struct bytes text) {
  struct text_part rest = {(const char *)text.data, text.size};
  char *to = need_memory(arena_allocate(&expected->texts, text.size + 1));
  for (; part_next_word(&rest, to); to += strlen(to) + 1)
    LIST_ADD(words->list, words->count, to);
}

/* Adds the source that a command compiles. Finds the object in the command,
 * unless `object` is its name, and whether the command compiles a header.
 * Appends the words of response files to the command. */
static void add_command(struct expected_sources *expected,
                        struct command_words *words, const char *folder,
                        const char *name, const char *object) {
  const char *last = NULL;
  unsigned responses = 0;
  bool header = false, compiles = false, found = false;
  for (size_t i = 0; i < words->count; i++) {
    const char *word = words->list[i];
    struct file file;
    compiles |= !strcmp(word, "-c");
    if (text_starts_with(word, "-o") || text_starts_with(word, "-x")) {
      const char *value = word[2]                ? word + 2
                          : i + 1 < words->count ? words->list[++i]
                                                 : "";
      if (word[1] == 'o')
        last = value;
      else
        header = strstr(value, "-header");
    } else if (*word == '@' && responses++ < RESPONSES_MOST) {
      if (file_read_if_exists(&file, join_path(expected, folder, word + 1),
                              PLAN_MOST, &found)) {
        expected->failed = true;
      } else if (found) {
        append_words(expected, words, file.bytes);
        file_close(&file);
      }
    }
  }
  object = object ? object : last;
  if (!object && compiles) {
    const char *base = os_base_name(name), *dot = strrchr(base, '.');
    object = need_formatted_text(&expected->texts, "%.*s.o",
                                 dot ? (int)(dot - base) : -1, base);
  }
  struct planned_source *one = add_to_plan(expected, folder, name, object);
  if (header || (object && has_suffix(object, ".pch .gch")))
    one->kind = PLANNED_HEADER;
}

static const char *copy_string(struct expected_sources *expected,
                               struct json_reader *json) {
  char *text = json_parse_string(json);
  const char *copy = need_copy(&expected->texts, text ? text : "");
  free(text);
  return copy;
}

/* Reads an element of a compile_commands.json. */
static void parse_element(struct expected_sources *expected,
                          struct json_reader *json, const char *here) {
  enum { FILE_NAME, FOLDER, OUTPUT, COMMAND, VALUES };
  static const char *const keys[] = {"file", "directory", "output", "command"};
  struct command_words words = {.list = NULL};
  const char *values[VALUES] = {NULL};
  char key[JSON_KEY];
  json_enter_bracket(json, '{');
  while (json_next_member(json, key)) {
    unsigned i = 0;
    while (i < VALUES && strcmp(key, keys[i]))
      i++;
    if (i < VALUES) {
      values[i] = copy_string(expected, json);
    } else if (!strcmp(key, "arguments")) {
      json_enter_bracket(json, '[');
      while (json_next_element(json, ']'))
        LIST_ADD(words.list, words.count, copy_string(expected, json));
    } else {
      json_skip_and_get_text(json);
    }
  }
  json->failed |= !values[FILE_NAME];
  if (values[COMMAND])
    append_words(expected, &words, bytes_of_text(values[COMMAND]));
  if (values[FOLDER])
    here = join_path(expected, here, values[FOLDER]);
  if (!json->failed)
    add_command(expected, &words, here, values[FILE_NAME], values[OUTPUT]);
  free(words.list);
}

static const char *parse_commands(struct expected_sources *expected,
                                  struct bytes text, const char *folder) {
  struct json_reader json = json_make_reader(text);
  json_enter_bracket(&json, '[');
  while (json_next_element(&json, ']'))
    parse_element(expected, &json, folder);
  return json.failed
             ? "this is not a valid compile_commands.json: each element needs "
               "file, directory and command; generate the file again"
             : NULL;
}

/* ---- maps ---- */

static char *copy_text(struct expected_sources *expected,
                       struct text_part text) {
  return need_memory(arena_copy(&expected->texts, text.at, text.size));
}

/* Adds an object of a map. `placed` says that a section of the object has an
 * address. LIB.a(MAIN.o) becomes LIB.a/MAIN.o. Other words are ignored. */
static void add_map_object(struct expected_sources *expected,
                           const char *folder, struct text_part word,
                           bool placed) {
  bool member = word.size && word.at[word.size - 1] == ')';
  word.size -= member;
  char *name = copy_text(expected, word);
  if (!has_suffix(name, ".o .obj"))
    return;
  if (member && strrchr(name, '('))
    *strrchr(name, '(') = '/';
  struct planned_source *one = add_to_plan(expected, folder, NULL, name);
  one->linked |= placed;
  one->member = member;
}

static bool is_nonzero_hex(struct text_part number) {
  const struct bytes digits = {(const unsigned char *)number.at, number.size};
  uint64_t value;
  return parse_number_in_base(digits, 16, &value) && value;
}

/* Returns whether a text begins with the name of a section that can be listed
 * although no code or data of its object is linked: .debug_* and .comment are
 * not in memory, and the linker keeps notes and the header of .eh_frame. */
static bool is_ignored_section(struct text_part name) {
  return part_starts_with(name, ".debug") ||
         part_starts_with(name, ".comment") ||
         part_starts_with(name, ".eh_frame") || part_starts_with(name, ".note");
}

/* GNU ld lists the objects that it loads (LOAD OBJECT), then for each of their
 * sections [NAME] 0xADDRESS 0xSIZE OBJECT. Discarded sections have the address
 * 0. The lines of a section of the ELF are below its name, which begins a line;
 * *ignored says whether it is an ignored section. lld lists ADDRESS LOADADDRESS
 * SIZE ALIGNMENT OBJECT:(SECTION) for each section. */
static void parse_map_line(struct expected_sources *expected,
                           const char *folder, struct text_part line,
                           bool *ignored) {
  struct text_part address, size, other, gnu = line, section;
  if (*line.at != ' ')
    *ignored = is_ignored_section(line);
  if (part_skip_word(&line, "LOAD ")) {
    add_map_object(expected, folder, line, false);
  } else if (part_skip_past(&gnu, " 0x") &&
             part_match_pattern(&gnu, NULL, "%w%b0x%w%b", &address, &size)) {
    if (!*ignored && is_nonzero_hex(address) && is_nonzero_hex(size))
      add_map_object(expected, folder, gnu, true);
  } else if (part_match_pattern(&line, NULL, "%b%w%b%w%b%w%b%w%b", &address,
                                &other, &size, &other)) {
    section = line;
    if (!part_skip_past(&section, ":("))
      return;
    line.size -= section.size + 2;
    add_map_object(expected, folder, line,
                   !is_ignored_section(section) && is_nonzero_hex(address) &&
                       is_nonzero_hex(size));
  }
}

/* ---- files and folders ---- */

static const char no_sources[] =
    "no source files found; pass a compile_commands.json, a linker map, a "
    "folder, or a list of files";

/* Adds the sources or objects in all lines. Relative names are in `folder`. A
 * text in which no line names a source is not a list of files. */
static const char *parse_lines(struct expected_sources *expected,
                               struct bytes text, const char *folder) {
  struct text_part all = {(const char *)text.data, text.size};
  bool map = part_starts_with(all, "VMA ") ||
             part_starts_with(all, "Address ") ||
             part_contains(all, "\nLinker script and memory map");
  bool named = map, ignored = false;
  struct bytes bytes;
  while (bytes_next_line(&text, &bytes)) {
    struct text_part line = {(const char *)bytes.data, bytes.size};
    while (line.size && strchr(" \t\r", line.at[line.size - 1]))
      line.size--;
    if (line.size && map)
      parse_map_line(expected, folder, line, &ignored);
    else if (line.size && *line.at != '#') {
      const char *name = copy_text(expected, line);
      named |= planned_source_kind(name) != PLANNED_HEADER;
      add_to_plan(expected, folder, name, NULL);
    }
  }
  return named ? NULL : no_sources;
}

static bool add_file_or_folder(void *context, const char *path, bool is_folder);

static void add_folder_sources(struct expected_sources *expected,
                               const char *folder) {
  if (!os_list_folder(folder, add_file_or_folder, expected))
    expected->failed = report(
        folder, "cannot be opened: %s; check the path and the permissions",
        os_error_text(errno));
}

static bool add_file_or_folder(void *context, const char *path,
                               bool is_folder) {
  if (is_folder && *os_base_name(path) != '.')
    add_folder_sources(context, path);
  else if (!is_folder && has_suffix(path, ".c .cc .cpp .cxx .S .s .rs"))
    add_to_plan(context, "", path, NULL);
  return true;
}

const char *plan_parse(struct expected_sources *expected, struct bytes text,
                       const char *name) {
  const char *error = NULL;
  text = bytes_skip_byte_order_mark(text);
  while (text.size && *text.data && strchr(" \t\r\n", *text.data))
    text = (struct bytes){text.data + 1, text.size - 1};
  char *folder = paths_make_absolute(name);
  folder[os_base_name(folder) - folder] = 0;
  if (text.size && *text.data == '[')
    error = parse_commands(expected, text, folder);
  else if (text.size && memchr(text.data, 0, text.size))
    error = "this is not text; pass a compile_commands.json, a linker map, a "
            "folder, or a list of files";
  else
    error = parse_lines(expected, text, folder);
  free(folder);
  return error;
}

int plan_read(struct expected_sources *expected, const char *what) {
  struct os_file_info facts;
  struct file file;
  const char *error = NULL;
  expected->planned = false;
  if (os_stat(what, &facts) && facts.kind == OS_FOLDER) {
    char *folder = paths_make_absolute(what);
    add_folder_sources(expected, folder);
    free(folder);
  } else if (file_read(&file, what, PLAN_MOST)) {
    return 1;
  } else {
    error = plan_parse(expected, file.bytes, what);
    file_close(&file);
  }
  if (!error && !expected->planned && !expected->failed)
    error = no_sources;
  return error ? report(what, "%s", error) : 0;
}
