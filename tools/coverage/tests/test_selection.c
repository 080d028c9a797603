/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file selects the tests that a diff can affect. If a changed line keeps
 * its place among the statements, the change affects only tests that reach the
 * line. Otherwise, the change affects every test that reaches the function. A
 * declaration affects its file, and also other files if it is not static.
 */
#include "tests.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/file.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/text_part.h"
#include "../../object/digest.h"
#include "../model/tokens.h"

/* ==== This part classifies the lines of C or C++ text, from its tokens,
 * without a grammar. */

/* ---- tokens ---- */

enum c_token_kind { END, WORD, MARK, LITERAL, DIRECTIVE };

struct c_scanner {
  struct bytes all;
  size_t at, line;
  bool fresh; /* Only blanks and comments are before this place in its line. */
  bool open;  /* A comment or literal lacks its end. */
  /* The current token. */
  enum c_token_kind kind;
  struct bytes text;
  size_t first; /* first line of the token; `line` is its last line */
};

static int byte_at(const struct c_scanner *scan, size_t at) {
  return at < scan->all.size ? scan->all.data[at] : 0;
}

static void skip_to_offset(struct c_scanner *scan, size_t end) {
  for (; scan->at < end; scan->at++)
    if (byte_at(scan, scan->at) == '\n') {
      scan->line++;
      scan->fresh = true;
    }
}

/* Skips a comment. Returns false if no comment begins here. */
static bool skip_comment(struct c_scanner *scan) {
  size_t begin = scan->at, end = token_find_end(scan->all, begin);
  const unsigned char *data = scan->all.data;
  if (!token_is_comment(scan->all, begin, end))
    return false;
  scan->open |=
      data[begin + 1] == '*' &&
      (end - begin < 4 || data[end - 2] != '*' || data[end - 1] != '/');
  skip_to_offset(scan, end);
  return true;
}

static void skip_directive(struct c_scanner *scan) {
  while (scan->at < scan->all.size) {
    size_t at = scan->at;
    size_t before = at - (at > 1 && byte_at(scan, at - 1) == '\r');
    if (byte_at(scan, at) == '\n' && byte_at(scan, before - 1) != '\\')
      return;
    if (byte_at(scan, at + 1) != '*' || !skip_comment(scan))
      skip_to_offset(scan, at + 1);
  }
}

/* Returns whether a literal or raw string spans several lines or never ends. */
static bool is_literal_open(const struct c_scanner *scan, size_t end) {
  const unsigned char *data = scan->all.data, *begin = data + scan->at;
  size_t size = end - scan->at;
  if (*begin == '"' || *begin == '\'')
    return memchr(begin, '\n', size) || size < 2 || data[end - 1] != *begin ||
           (end == scan->all.size && data[end - 2] == '\\');
  /* Quotes inside a raw string do not end the string. */
  return token_is_word_byte(*begin) &&
         (data[end - 1] == '"' ||
          (data[end - 1] == 'R' && byte_at(scan, end) == '"'));
}

static bool parse_token(struct c_scanner *scan) {
  while (scan->at < scan->all.size &&
         (isspace(byte_at(scan, scan->at)) || byte_at(scan, scan->at) == '/'))
    if (byte_at(scan, scan->at) != '/')
      skip_to_offset(scan, scan->at + 1);
    else if (!skip_comment(scan))
      break;
  size_t begin = scan->at;
  int byte = byte_at(scan, begin);
  bool fresh = scan->fresh;
  scan->first = scan->line;
  scan->fresh = false;
  if (begin == scan->all.size) {
    scan->kind = END;
  } else if (byte == '#' && fresh) {
    scan->kind = DIRECTIVE;
    skip_directive(scan);
  } else {
    size_t end = token_find_end(scan->all, begin);
    scan->kind = byte == '"' || byte == '\'' || isdigit(byte) ? LITERAL
                 : token_is_word_byte(byte)                   ? WORD
                                                              : MARK;
    scan->open |= is_literal_open(scan, end);
    skip_to_offset(scan, end);
  }
  scan->text = (struct bytes){scan->all.data + begin, scan->at - begin};
  return scan->kind != END;
}

/* Returns whether the token is one of these words, which blanks separate. */
static bool is_one_of_words(const struct c_scanner *scan, const char *words) {
  size_t size = scan->text.size;
  for (const char *at = words; scan->kind == WORD && *at;) {
    size_t length = strcspn(at, " ");
    if (length == size && memcmp(at, scan->text.data, size) == 0)
      return true;
    at += length + (at[length] == ' ');
  }
  return false;
}

static bool is_mark_token(const struct c_scanner *scan, char mark) {
  return scan->kind == MARK && *scan->text.data == mark;
}

/* ---- declarations of a source ---- */

struct declaration {
  size_t first;    /* first line of the declaration */
  size_t body;     /* line of the {; 0 without a body */
  unsigned depth;  /* number of open brackets */
  bool is_private; /* The declaration is static or names a type. */
  /* The declaration has a word such as struct, a {, a (, a =, the beginning of
   * a namespace or of extern "C", the word extern. */
  bool type, braces, function, value, linkage, is_extern;
  bool early; /* The compiler may run the code at compile time. */
};

struct c_declaration_walk {
  struct declaration one; /* the current declaration */
  unsigned char *lines;
  bool shares; /* Other files may use data from this file. */
};

/* The bits of a line with a private declaration. If the file shares data, which
 * may refer to private declarations, these bits become C_SHARED and
 * C_INSIDE. */
enum { PRIVATE = 8, PRIVATE_INSIDE = 16 };

static void classify_declaration(struct c_declaration_walk *all, size_t line) {
  struct declaration *one = &all->one;
  bool type = one->type && one->braces && !one->value && !one->function;
  bool shared = !one->is_private && !type;
  /* A change of a function's head affects only its callers, so the head does
   * not count as shared. */
  bool body = one->function && one->braces && !one->value;
  unsigned is = shared ? C_SHARED : PRIVATE;
  unsigned inside = shared ? C_INSIDE : PRIVATE_INSIDE;
  for (size_t i = body ? one->body : one->first; i <= line && i; i++)
    if (shared || !body)
      all->lines[i] |= (unsigned char)(is | (i < line ? inside : 0));
  for (size_t i = one->first; i <= line && i && one->early; i++)
    all->lines[i] |= C_DIRECTIVE;
  all->shares |= shared && (one->value || (!one->function && !one->is_extern));
  *one = (struct declaration){0};
}

static void update_at_mark(struct c_declaration_walk *all,
                           const struct c_scanner *scan) {
  struct declaration *one = &all->one;
  char mark = (char)*scan->text.data;
  if (mark == '{' && !one->depth) {
    /* extern "C" and namespaces contain ordinary declarations. */
    if (one->linkage && !one->function && !one->value) {
      *one = (struct declaration){0};
      return;
    }
    one->braces = true;
    one->body = scan->line;
  }
  one->function |= mark == '(' && !one->depth && !one->value;
  one->value |= mark == '=' && !one->depth;
  if (strchr("({[", mark))
    one->depth++;
  else if (strchr(")}]", mark) && one->depth)
    one->depth--;
  else if (mark == '}')
    *one = (struct declaration){0};
  if (!one->depth && (mark == ';' || (mark == '}' && one->function &&
                                      one->braces && !one->value)))
    classify_declaration(all, scan->line);
}

static void update_declaration(struct c_declaration_walk *all,
                               const struct c_scanner *scan) {
  struct declaration *one = &all->one;
  if (!one->first)
    one->first = scan->first;
  if (scan->kind == MARK)
    update_at_mark(all, scan);
  one->early |= is_one_of_words(scan, "constexpr consteval constinit");
  if (one->depth || one->value)
    return;
  one->is_private |= is_one_of_words(scan, "static typedef using");
  one->is_extern |= is_one_of_words(scan, "extern");
  one->type |= is_one_of_words(scan, "struct union enum class");
  one->linkage |= is_one_of_words(scan, "namespace") ||
                  (scan->kind == LITERAL && *scan->text.data == '"');
}

unsigned char *c_text_classify_lines(struct bytes text, size_t *count) {
  struct c_scanner scan = {.all = text, .line = 1, .fresh = true};
  *count = 2;
  for (size_t i = 0; i < text.size; i++)
    *count += text.data[i] == '\n';
  struct c_declaration_walk all = {.lines = need_memory(calloc(*count, 1))};
  while (parse_token(&scan)) {
    if (scan.kind == DIRECTIVE)
      memset(all.lines + scan.first, C_DIRECTIVE, scan.line - scan.first + 1);
    else
      update_declaration(&all, &scan);
  }
  /* Brackets may not match, for example between #if and #else. */
  bool lost = all.one.first || scan.open;
  for (size_t i = 0; i < *count; i++) {
    unsigned is = all.lines[i];
    if (lost || (all.shares && is & PRIVATE))
      all.lines[i] |= C_SHARED;
    if (lost || (all.shares && is & PRIVATE_INSIDE))
      all.lines[i] |= C_INSIDE;
  }
  return all.lines;
}

/* ---- the shape of lines ---- */

/* Returns whether a word may be a macro: all of its letters are capitals. */
static bool may_be_macro(struct bytes word) {
  bool large = false;
  for (size_t i = 0; i < word.size; i++) {
    if (islower(word.data[i]))
      return false;
    large |= isupper(word.data[i]) != 0;
  }
  return large;
}

/* Returns whether the token structures statements, or separates the operands of
 * && || ? : and commas. */
static bool is_structure_token(const struct c_scanner *scan) {
  if (scan->kind == MARK)
    return strchr(";{}()?:,&|", *scan->text.data) != NULL;
  return is_one_of_words(scan,
                         "if else for while do switch case default goto static "
                         "enum struct union typedef extern try catch") ||
         (scan->kind == WORD && may_be_macro(scan->text));
}

struct c_text_structure c_text_find_structure(struct bytes lines) {
  struct c_text_structure shape = {.hash = 14695981039346656037u};
  unsigned char *text = need_memory(malloc(lines.size + 1));
  struct c_scanner scan = {.all = {text, 0}, .fresh = true};
  while (lines.size) { /* lines without the diff's marks and remarks */
    struct bytes line = bytes_next_full_line(&lines);
    if (*line.data == '\\')
      continue;
    memcpy(text + scan.all.size, line.data + 1, line.size - 1);
    scan.all.size += line.size - 1;
  }
  while (parse_token(&scan)) {
    shape.wide |=
        scan.kind == DIRECTIVE || is_mark_token(&scan, '\\') ||
        (is_mark_token(&scan, '*') && byte_at(&scan, scan.at) == '/') ||
        is_one_of_words(&scan, "__attribute__ __attribute _Pragma __pragma "
                               "__declspec asm __asm __asm__");
    shape.jumps |= is_one_of_words(&scan, "case default");
    for (size_t i = 0; is_structure_token(&scan) && i <= scan.text.size; i++)
      shape.hash =
          (shape.hash ^ (i ? scan.text.data[i - 1] : ' ')) * 1099511628211u;
  }
  shape.wide |= scan.open;
  free(text);
  return shape;
}

/* ==== This part selects the tests. */

enum { SOURCE_LIMIT = 1 << 28 };

/* ---- tests of changed code ---- */

static void add_selection_reason(struct test_selection *chosen,
                                 struct selection_reason reason) {
  chosen->all |= reason.all;
  LIST_ADD(chosen->reasons, chosen->reason_count, reason);
}

static void select_all_tests(struct test_selection *chosen, const char *file,
                             uint32_t line, const char *why) {
  add_selection_reason(
      chosen,
      (struct selection_reason){
          .file = file, .first = line, .last = line, .why = why, .all = true});
}

/* Selects the tests that reach a line from `first` to `last` of a source. A
 * line that also ran outside of tests can affect every test, so such a line
 * selects all tests. */
static void select_tests_of_lines(struct test_selection *chosen,
                                  const struct test_source *source,
                                  struct selection_reason reason,
                                  uint32_t first, uint32_t last) {
  const struct tests *tests = chosen->tests;
  const struct test_line *lines = tests->lines + source->first_line;
  size_t from = search_from(lines, source->line_count, line, first);
  size_t end = search_after(lines, source->line_count, line, last);
  const struct test *outside = tests_find_outside_test(tests);
  bool *reached = need_memory(calloc(tests->count + 1, 1));
  from += source->first_line;
  end += source->first_line;
  for (size_t i = from; i < end; i++) {
    chosen->wanted[i] = true;
    for (uint32_t k = 0; k < tests->lines[i].test_count; k++)
      reached[tests->lines[i].tests[k]] = true;
  }
  if (outside && reached[outside - tests->list]) {
    reason.all = true;
    reason.why = "it also ran outside of tests, so it may affect all";
  }
  for (size_t i = 0; i < tests->count; i++)
    reason.tests += tests->list[i].name && reached[i];
  free(reached);
  add_selection_reason(chosen, reason);
}

/* ---- a group of changed lines ---- */

/* A group of removed lines, followed by added lines. `old` is the number of the
 * first removed line. If no lines are removed, `old` is the number of the old
 * line after the added lines. */
struct change_group {
  uint32_t old;
  uint32_t removed;
  struct bytes old_lines, new_lines; /* the removed and the added lines with the
                                        diff's marks */
};

/* A file of the diff, and the source that belongs to it. */
struct changed_file {
  struct test_selection *chosen;
  const struct unified_file *file;
  const struct test_source *source;
  const unsigned char *lines; /* classes of the old lines, from
                                 c_text_classify_lines */
  size_t line_count;
};

static unsigned get_line_class(const struct changed_file *changing,
                               uint32_t line) {
  return line < changing->line_count ? changing->lines[line] : 0;
}

/* Returns whether a line is in a function. If `comes` is set, returns whether
 * lines that are inserted before this line are in a function. */
static bool is_line_in_function(const struct changed_file *changing,
                                uint32_t line, bool comes) {
  for (size_t i = 0; i < changing->source->function_count; i++) {
    const struct test_function *one = &changing->source->functions[i];
    if (one->first + comes <= line && line <= one->last)
      return true;
  }
  return false;
}

/* Returns whether one of the spans, which are in order, contains a line. */
static bool is_line_in_spans(const struct unified_line_span *spans,
                             size_t count, uint32_t line) {
  size_t at = search_after(spans, count, first, line);
  return at && spans[at - 1].last >= line;
}

/* Returns whether a report has left a line out, so its tests are not known. */
static bool is_line_excluded(const struct changed_file *changing,
                             uint32_t line) {
  return is_line_in_spans(changing->source->excluded,
                          changing->source->excluded_count, line);
}

static void select_tests_of_file(const struct changed_file *changing,
                                 struct selection_reason reason, bool shared,
                                 bool excluded) {
  if (shared || excluded) {
    reason.why = shared ? "a declaration that other files may use"
                        : "excluded code, which any test may reach";
    reason.all = true;
    add_selection_reason(changing->chosen, reason);
    return;
  }
  reason.why = "outside of functions: the tests that reach the file";
  select_tests_of_lines(changing->chosen, changing->source, reason, 1,
                        UINT32_MAX);
}

/* Selects the tests that reach the functions of lines `line` to `last`. */
static void select_tests_of_functions(const struct changed_file *changing,
                                      struct selection_reason reason,
                                      uint32_t line, uint32_t last) {
  uint32_t from = line, to = last;
  for (size_t i = 0; i < changing->source->function_count; i++) {
    const struct test_function *one = &changing->source->functions[i];
    if (one->first > last || one->last < line)
      continue;
    if (!reason.function)
      reason.function = one->name;
    from = one->first < from ? one->first : from;
    to = one->last > to ? one->last : to;
  }
  reason.why = "the tests that reach the function";
  select_tests_of_lines(changing->chosen, changing->source, reason, from, to);
}

static void select_tests_by_removed_lines(const struct changed_file *changing,
                                          const struct change_group *group,
                                          bool by_line) {
  struct selection_reason reason = {.file = changing->file->name,
                                    .first = group->old,
                                    .last = group->old + group->removed - 1};
  unsigned outside = 0;
  bool any_outside = false, excluded = false;
  for (uint32_t i = reason.first; i <= reason.last; i++) {
    bool in = is_line_in_function(changing, i, false);
    by_line &= is_line_in_spans(changing->source->code,
                                changing->source->code_count, i);
    excluded |= !in && is_line_excluded(changing, i);
    outside |= in ? 0 : get_line_class(changing, i);
    any_outside |= !in;
  }
  if (any_outside) {
    select_tests_of_file(changing, reason, outside & C_SHARED, excluded);
  } else if (by_line) {
    reason.why = "the tests that reach the line";
    select_tests_of_lines(changing->chosen, changing->source, reason,
                          reason.first, reason.last);
  } else {
    select_tests_of_functions(changing, reason, reason.first, reason.last);
  }
}

static void select_tests_by_added_lines(const struct changed_file *changing,
                                        const struct change_group *group) {
  uint32_t before = group->old - 1;
  struct selection_reason reason = {
      .file = changing->file->name, .first = before, .last = before};
  if (is_line_in_function(changing, group->old, true))
    select_tests_of_functions(changing, reason, group->old, group->old);
  else
    select_tests_of_file(changing, reason,
                         get_line_class(changing, before) & C_INSIDE,
                         is_line_excluded(changing, before) &&
                             is_line_excluded(changing, group->old));
}

static void select_tests_by_change_group(const struct changed_file *changing,
                                         const struct change_group *group) {
  struct c_text_structure then = c_text_find_structure(group->old_lines);
  struct c_text_structure now = c_text_find_structure(group->new_lines);
  bool wide = then.wide || now.wide;
  for (uint32_t i = 0; i < group->removed; i++)
    wide |= get_line_class(changing, group->old + i) & C_DIRECTIVE;
  /* If a line ends in a backslash, the next line continues it. */
  wide |= group->old > 1 &&
          get_line_class(changing, group->old) & C_DIRECTIVE &&
          get_line_class(changing, group->old - 1) & C_DIRECTIVE;
  if (wide)
    select_all_tests(changing->chosen, changing->file->name, group->old,
                     "a directive, an attribute or assembly");
  else if (group->removed)
    select_tests_by_removed_lines(changing, group,
                                  group->new_lines.size &&
                                      then.hash == now.hash && !then.jumps &&
                                      !now.jumps);
  else
    select_tests_by_added_lines(changing, group);
}

/* ---- hunks ---- */

/* Returns the lines at the beginning of the text that have this mark, together
 * with the diff's remarks on a missing line end, and removes these lines from
 * the text. */
static struct bytes consume_lines_with_mark(struct bytes *lines, char mark,
                                            uint32_t *count) {
  struct bytes taken = {lines->data, 0};
  while (lines->size && (*lines->data == mark || *lines->data == '\\')) {
    *count += *lines->data == mark;
    taken.size += bytes_next_full_line(lines).size;
  }
  return taken;
}

static void select_tests_by_hunk(const struct changed_file *changing,
                                 const struct unified_hunk *hunk) {
  struct bytes lines = hunk->lines;
  bool has_old = false;
  for (struct bytes rest = lines; rest.size && !has_old;
       bytes_next_full_line(&rest))
    has_old = *rest.data != '+' && *rest.data != '\\';
  /* If the hunk only adds lines, hunk->old is the previous line. */
  uint32_t old = hunk->old + !has_old;
  while (lines.size) {
    struct change_group group = {.old = old};
    uint32_t added = 0;
    group.old_lines = consume_lines_with_mark(&lines, '-', &group.removed);
    group.new_lines = consume_lines_with_mark(&lines, '+', &added);
    old += group.removed;
    if (group.removed || added) {
      select_tests_by_change_group(changing, &group);
    } else if (lines.size) {
      bytes_next_full_line(&lines);
      old++;
    }
  }
}

/* ---- files ---- */

static bool is_ignored_file(const struct test_selection *chosen,
                            const char *name) {
  return chosen->ignored && ere_matches(chosen->ignored, name);
}

/* Returns whether a file has the name of a C or C++ source, which other files
 * rarely include. */
static bool is_c_source(const char *name) {
  const char *dot = strrchr(os_base_name(name), '.');
  return dot && text_is_listed(dot, ".c .cc .cpp .cxx .c++ .C");
}

static bool has_source_digest(const struct test_source *source,
                              struct bytes text) {
  unsigned char digest[SHA256_SIZE];
  char shown[SHA256_TEXT];
  sha256(digest, text.data, text.size);
  return strcmp(format_hex(shown, digest, sizeof digest), source->sha256) == 0;
}

/* Reads a source, which need not exist on this machine. */
static bool read_local_file(struct file *file, const char *name) {
  bool found;
  return !file_read_if_exists(file, name, SOURCE_LIMIT, &found) && found;
}

/* Selects tests from a file's hunks, for which it restores the old file. */
static void restore_and_select_tests(struct changed_file *changing,
                                     struct bytes now) {
  struct buffer old = {.limit = SOURCE_LIMIT};
  const char *name = changing->file->name;
  struct test_selection *chosen = changing->chosen;
  unsigned char *lines = NULL;
  if (!unified_restore_old_file(changing->file, now, &old))
    select_all_tests(chosen, name, 0, "the file here does not match the diff");
  else if (!has_source_digest(changing->source, buffer_bytes(&old)))
    select_all_tests(chosen, name, 0,
                     "the file before the diff does not match the tested one");
  else
    lines = c_text_classify_lines(buffer_bytes(&old), &changing->line_count);
  changing->lines = lines;
  for (size_t i = 0; lines && i < changing->file->hunk_count; i++)
    select_tests_by_hunk(changing, &changing->file->hunks[i]);
  free(lines);
  buffer_free(&old);
}

/* Returns the source with exactly the name that the diff has. If there is none,
 * returns the only source that this name may stand for. Sets *found to the
 * number of such sources. */
static struct test_source *find_source_of_name(const struct tests *tests,
                                               const char *name,
                                               size_t *found) {
  struct test_source *one = NULL;
  for (size_t i = 0; i < tests->source_count; i++) {
    if (!paths_ends_with(tests->sources[i].name, name) &&
        !paths_ends_with(name, tests->sources[i].name))
      continue;
    one = &tests->sources[i];
    ++*found;
    if (strcmp(one->name, name) == 0) {
      *found = 1;
      return one;
    }
  }
  return *found == 1 ? one : NULL;
}

static void select_tests_by_file(struct test_selection *chosen,
                                 const struct unified_file *diff) {
  size_t found = 0;
  struct test_source *source =
      find_source_of_name(chosen->tests, diff->name, &found);
  struct changed_file changing = {
      .chosen = chosen, .file = diff, .source = source};
  struct file file;
  if (source)
    source->changes = true;
  if (!is_c_source(diff->name))
    select_all_tests(
        chosen, diff->name, 0,
        "not a C or C++ source: all tests may depend on this file");
  else if (!found)
    select_all_tests(chosen, diff->name, 0, "tests.json lacks this file");
  else if (found > 1)
    select_all_tests(chosen, diff->name, 0,
                     "tests.json has several files with this name");
  else if (!changing.source->sha256)
    select_all_tests(chosen, diff->name, 0,
                     "tests.json lacks the hash of this file");
  else if (!read_local_file(&file, changing.source->name))
    select_all_tests(chosen, diff->name, 0,
                     "tests.json has this file in another folder");
  else {
    restore_and_select_tests(&changing, file.bytes);
    file_close(&file);
  }
}

static bool is_include_of_file(struct bytes line, const char *base) {
  size_t size = strlen(base), at = 0;
  while (at < line.size && (line.data[at] == ' ' || line.data[at] == '\t'))
    at++;
  if (at == line.size || line.data[at] != '#')
    return false;
  for (at++; at + size < line.size; at++)
    if (line.data[at + size] == '"' && strchr("\"/", line.data[at - 1]) &&
        memcmp(line.data + at, base, size) == 0)
      return true;
  return false;
}

/* Selects all tests if a text has an #include of a source of the diff. */
static void select_all_if_included(struct test_selection *chosen,
                                   struct bytes text) {
  while (text.size) {
    struct bytes line = bytes_next_full_line(&text);
    for (size_t i = 0; i < chosen->diff->count; i++) {
      const char *name = chosen->diff->files[i].name;
      if (is_c_source(name) && is_include_of_file(line, os_base_name(name)))
        select_all_tests(chosen, name, 0, "another source includes it");
    }
  }
}

/* Checks that a source outside of the diff is the same as in the tested build.
 * Also selects all tests if the source includes a source of the diff. */
static void select_by_source_and_includes(struct test_selection *chosen,
                                          const struct test_source *source) {
  struct file file;
  bool changes = source->changes;
  if (is_ignored_file(chosen, source->name))
    return;
  chosen->unhashed += !changes && !source->sha256;
  if (!changes && !source->sha256)
    return;
  if (!read_local_file(&file, source->name)) {
    if (!changes)
      select_all_tests(chosen, source->name, 0,
                       "the tested file is missing here");
    return;
  }
  if (!changes && !has_source_digest(source, file.bytes))
    select_all_tests(
        chosen, source->name, 0,
        "the file does not match the tested one, and is not in the diff");
  select_all_if_included(chosen, file.bytes);
  file_close(&file);
}

/* ---- the selection ---- */

/* Selects the tests that reach wanted lines. Keeps only the wanted lines of
 * each test, for tests_set_order. */
static void select_and_trim_tests(struct test_selection *chosen) {
  for (size_t i = 0; i < chosen->tests->count; i++) {
    struct test *test = &chosen->tests->list[i];
    size_t kept = 0;
    for (size_t k = 0; k < test->line_count; k++)
      if (chosen->all || chosen->wanted[test->lines[k]])
        test->lines[kept++] = test->lines[k];
    test->line_count = kept;
    /* A failed test is selected, because its lines are not known. */
    chosen->taken[i] = test->name && (chosen->all || kept || test->failed);
    chosen->failed += chosen->taken[i] && test->failed;
    chosen->named += test->name != NULL;
  }
}

void test_selection_make(struct test_selection *chosen) {
  struct tests *tests = chosen->tests;
  const struct unified_diff *diff = chosen->diff;
  chosen->taken = need_memory(calloc(tests->count + 1, 1));
  chosen->wanted = need_memory(calloc(tests->line_count + 1, 1));
  if (diff->others)
    select_all_tests(
        chosen, "the diff", 0,
        "a file that the diff deletes, renames, or changes in its mode, or "
        "a binary file");
  for (size_t i = 0; i < diff->count; i++)
    if (!is_ignored_file(chosen, diff->files[i].name))
      select_tests_by_file(chosen, &diff->files[i]);
  for (size_t i = 0; i < tests->source_count; i++)
    select_by_source_and_includes(chosen, &tests->sources[i]);
  select_and_trim_tests(chosen);
  tests_set_order(tests, true);
}

void test_selection_free(struct test_selection *chosen) {
  free(chosen->reasons);
  free(chosen->taken);
  free(chosen->wanted);
}
