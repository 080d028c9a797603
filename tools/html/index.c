/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes index.html, which says what to test next, then how much of
 * each folder and file is covered. The file also writes functions.html, which
 * has a row for each function. page.c finds the next step of each function
 * first.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/need.h"
#include "../base/os.h"
#include "site.h"

/* ---- callers ----
 *
 * This part finds the line that could have called a function that never ran.
 * Only the file of the function is searched: all calls of a static function are
 * there.
 */

static bool is_word_byte(unsigned char c) { return isalnum(c) || c == '_'; }

/* Returns the last word of a function's name, without the parameters of the
 * function or of a template, which may follow. */
static struct bytes find_last_name_word(const char *name) {
  size_t end = strcspn(name, "(<"), begin = end;
  while (begin && is_word_byte((unsigned char)name[begin - 1]))
    begin--;
  return (struct bytes){(const unsigned char *)name + begin, end - begin};
}

/* Returns whether a comment or a string begins between the beginning of a line
 * and a place in the line. */
static bool has_comment_or_string(const unsigned char *begin,
                                  const unsigned char *end) {
  for (; begin < end; begin++)
    if (*begin == '"' ||
        (*begin == '/' && (begin[1] == '/' || begin[1] == '*')))
      return true;
  return false;
}

/* Returns whether a line contains a call of a function before any comment or
 * string. Most lines do not even contain the first letter of the name. */
static bool has_call_of_word(struct bytes line, struct bytes word) {
  const unsigned char *at = line.data, *end = at + line.size;
  for (; (size_t)(end - at) > word.size; at++) {
    at = memchr(at, *word.data, (size_t)(end - at) - word.size);
    if (!at)
      return false;
    if ((at == line.data || !is_word_byte(at[-1])) &&
        !memcmp(at, word.data, word.size) && at[word.size] == '(')
      return !has_comment_or_string(line.data, at);
  }
  return false;
}

static bool is_line_in_function(const struct view_function *function,
                                uint32_t line) {
  return function->span.line <= line && line <= function->span.end_line;
}

/* Finds the caller of a function that never ran. Returns a function of the same
 * file that ran, or NULL. Sets *line to the line of the call. */
static const struct view_function *find_caller(const struct html_site *site,
                                               const struct view_function *one,
                                               uint32_t *line) {
  const struct model_view *view = &site->view;
  struct bytes word = find_last_name_word(one->name);
  const struct view_function *caller = NULL;
  struct source_text source;
  if (word.size && !source_read(&source, site->pages[one->row].here))
    for (*line = 1; !caller && *line < source.count; ++*line) {
      if (is_line_in_function(one, *line) ||
          !has_call_of_word(source_line_text(&source, *line), word))
        continue;
      for (size_t i = 0; !caller && i < view->function_count; i++)
        if (view->functions[i].row == one->row && view->functions[i].calls &&
            is_line_in_function(&view->functions[i], *line))
          caller = &view->functions[i];
    }
  if (word.size)
    source_free(&source);
  --*line;
  return caller;
}

/* ---- functions by missing coverage ---- */

enum { NEXT_SHOWN = 10 };

/* A function with a key for the ranking. */
struct ranked_function {
  uint64_t key, missing;
  uint32_t function;
  bool foreign; /* The source belongs to another project. */
};

ORDER_BY(compare_ranks, struct ranked_function, x->key, x->function);

/* Returns whether a source probably belongs to another project, because its
 * folder has a name that is usual for such sources. The folder that all sources
 * share does not count: the project may be in /usr/src. */
static bool is_third_party_source(const struct html_site *site, uint32_t row) {
  static const char *const folders[] = {
      "/usr/",     "/third_party/", "/third-party/", "/external/",
      "/_deps/",   "/vendor/",      "/subprojects/", "/.cargo/",
      "/rustlib/", "/node_modules/"};
  const char *name = site->coverage->exported.summary.rows[row].name;
  const char *below = site->pages[row].shown;
  below -= below > name; /* The names in `folders` begin with a slash. */
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (strstr(below, folders[i]))
      return true;
  return false;
}

/* Ranks the functions. Functions of this project with missing coverage come
 * first, the most missing coverage in front. Functions of other projects
 * follow, and then complete functions. */
static struct ranked_function *rank_functions(const struct html_site *site) {
  enum { COMPLETE = 63, FOREIGN = 62 };
  const struct model_view *view = &site->view;
  struct ranked_function *list =
      need_memory(malloc((view->function_count + 1) * sizeof *list));
  for (size_t i = 0; i < view->function_count; i++) {
    const struct view_function *one = &view->functions[i];
    uint64_t missing =
        (uint64_t)one->lines + one->branches + 2 * (uint64_t)one->conditions;
    missing += !one->calls && !missing;
    bool foreign = is_third_party_source(site, one->row);
    list[i] = (struct ranked_function){
        (uint64_t)!missing << COMPLETE | (uint64_t)foreign << FOREIGN |
            (~missing & ((UINT64_C(1) << FOREIGN) - 1)),
        missing, (uint32_t)i, foreign};
  }
  sort_array(list, view->function_count, sizeof *list, compare_ranks);
  return list;
}

static void print_missing_counts(struct html_writer *writer,
                                 const struct view_function *one) {
  bool some = false;
  const struct {
    uint32_t count;
    const char *what, *more;
  } parts[] = {{one->lines, "line", "lines"},
               {one->branches, "branch", "branches"},
               {one->conditions, "condition", "conditions"}};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (!parts[i].count)
      continue;
    html_print(writer, some ? ", " : "");
    html_print_quantity(writer, parts[i].count, parts[i].what, parts[i].more);
    some = true;
  }
}

static bool is_dropped_function(const struct html_site *site,
                                const struct view_function *one) {
  const struct model *exported = site->view.exported;
  const struct view_instantiation *form =
      &site->view.instantiations[one->begin];
  return inputs_is_function_dropped(
      site->coverage->inputs, model_functions(exported)[form->function].name);
}

/* Writes the first step for a function: call the function, run a vector, or
 * take a branch. If `search` is set, finds the call that would reach the
 * function. The search reads all lines of a file, so it is done only for the
 * first few functions. */
static void print_first_test_step(struct html_writer *writer,
                                  const struct html_site *site,
                                  const struct view_function *one,
                                  bool search) {
  if (!one->calls) {
    uint32_t line = 1;
    const struct view_function *caller =
        search ? find_caller(site, one, &line) : NULL;
    html_print_line_link(writer, site, one->row,
                         caller ? line : one->span.line);
    if (is_dropped_function(site, one))
      html_print(writer, " the linker dropped it");
    else if (caller)
      html_printf(writer, " <code>%s</code> ran, but not this call",
                  caller->name);
    else
      html_print(writer, " call it: it never ran");
    return;
  }
  if (!one->hint)
    return;
  bool vector = strcmp(one->hint, "run") == 0;
  html_print_line_link(writer, site, one->row, one->hint_line);
  html_print(writer, vector ? " run" : "");
  if (one->code) {
    html_print(writer, " <code>");
    html_print_code(writer, (struct bytes){(const unsigned char *)one->code,
                                           strlen(one->code)});
    html_print(writer, "</code>");
  }
  if (!vector)
    html_printf(writer, " %s", one->hint);
}

static void print_function_link(struct html_writer *writer,
                                const struct html_site *site,
                                const struct view_function *one) {
  html_begin_line_link(writer, site, one->row, one->span.line);
  html_printf(writer, "<code>%s</code></a>", one->name);
}

static void print_functions_to_test(struct html_writer *writer,
                                    const struct html_site *site,
                                    const struct ranked_function *ranked) {
  const struct model_view *view = &site->view;
  size_t count = 0;
  while (count < view->function_count && ranked[count].missing)
    count++;
  html_print(writer, "<section id=\"next\">\n<h2>Test next</h2>\n");
  if (!count)
    html_print(writer, "<p>Nothing is missing in any function.</p>\n");
  html_print(writer, count ? "<ol class=\"next\">\n" : "");
  for (size_t i = 0; i < count && i < NEXT_SHOWN; i++) {
    const struct view_function *one = &view->functions[ranked[i].function];
    if (ranked[i].foreign && (!i || !ranked[i - 1].foreign))
      html_print(writer,
                 "<li class=\"note\">Sources of other projects follow; "
                 "<code>--ignore REGEX</code> leaves them out.</li>\n");
    html_print(writer, "<li><span class=\"name\">");
    print_function_link(writer, site, one);
    html_print(writer, "</span> <span class=\"what\">");
    print_missing_counts(writer, one);
    html_print(writer, "</span> <span class=\"step\">");
    print_first_test_step(writer, site, one, true);
    html_print(writer, "</span></li>\n");
  }
  html_print(writer, count ? "</ol>\n" : "");
  html_print(writer, "<p><a href=\"functions.html\">All ");
  html_print_quantity(writer, view->function_count, "function", "functions");
  html_printf(writer, "</a>, %zu with something missing</p>\n</section>\n",
              count);
}

/* ---- files ---- */

static void print_file_row(struct html_writer *writer,
                           const struct html_site *site, size_t row) {
  const char *shown = site->pages[row].shown;
  size_t folder = places_folder_size(shown);
  html_printf(writer, "<tr class=\"file\"><th><a href=\"%s\">",
              site->pages[row].file);
  if (folder) {
    html_print(writer, "<span class=\"dir\">");
    html_print_name(writer, shown, folder + 1);
    html_print(writer, "</span>");
  }
  html_printf(writer, "%s</a>", shown + (folder ? folder + 1 : 0));
  html_print(writer,
             site->pages[row].changed
                 ? " <span class=\"mark\">changed since the build</span>"
                 : "");
  html_print(writer, "</th>");
  html_print_score_cells(writer, site,
                         &site->coverage->exported.summary.rows[row]);
  html_print(writer, "</tr>\n");
}

static void print_folder_row(struct html_writer *writer,
                             const struct html_site *site,
                             const uint32_t *order, size_t count) {
  const struct file_row *rows = site->coverage->exported.summary.rows;
  const char *shown = site->pages[order[0]].shown;
  size_t size = places_folder_size(shown);
  struct file_row sum = {0};
  for (size_t i = 0; i < count; i++)
    row_add_scores(&sum, &rows[order[i]]);
  html_print(writer, "<tr class=\"folder\"><th>");
  html_print_name(writer, shown, size);
  html_print(writer, size ? "/" : "./");
  html_print(writer, "</th>");
  html_print_score_cells(writer, site, &sum);
  html_print(writer, "</tr>\n");
}

/* Orders rows by folder and name. The site of the rows is in `ordered`, because
 * sort_array passes nothing else to compare_rows. */
static const struct html_site *ordered;
static int compare_rows(const void *left, const void *right) {
  const char *a = ordered->pages[*(const uint32_t *)left].shown;
  const char *b = ordered->pages[*(const uint32_t *)right].shown;
  return places_compare_files(a, b);
}

static void print_file_table(struct html_writer *writer,
                             const struct html_site *site) {
  const struct scores_summary *summary = &site->coverage->exported.summary;
  uint32_t *order = need_memory(malloc((summary->count + 1) * sizeof *order));
  size_t count = 0;
  for (size_t i = 0; i < summary->count; i++)
    if (!row_is_empty(&summary->rows[i]))
      order[count++] = (uint32_t)i;
  ordered = site;
  sort_array(order, count, sizeof *order, compare_rows);
  html_print(writer, "<section id=\"files\">\n<h2>Files</h2>\n"
                     "<table class=\"list files\">\n<thead><tr><th>File</th>");
  html_print_score_heads(writer, site);
  html_print(writer, "</tr></thead>\n<tbody>\n");
  for (size_t i = 0, end; i < count; i = end) {
    const char *shown = site->pages[order[i]].shown;
    end = i + 1;
    while (end < count &&
           places_is_same_folder(shown, site->pages[order[end]].shown))
      end++;
    /* If there is only one folder, its sum would repeat the total. */
    if (end - i < count)
      print_folder_row(writer, site, order + i, end - i);
    for (size_t k = i; k < end; k++)
      print_file_row(writer, site, order[k]);
  }
  html_print(writer, "</tbody></table>\n</section>\n");
  free(order);
}

/* ---- expected sources ---- */

static void print_expected_sources(struct html_writer *writer,
                                   const struct html_site *site) {
  const struct expected_sources *whole = site->coverage->expected;
  if (!whole)
    return;
  html_print(writer,
             "<section id=\"sources\">\n<h2>What should be there</h2>\n"
             "<table class=\"list\">\n<thead><tr><th>Source</th><th>State"
             "</th><th>Counted</th></tr></thead>\n<tbody>\n");
  for (size_t i = 0; i < whole->count; i++) {
    const struct expected_source *one = whole->list[i];
    if (one->state == EXPECTED_MEASURED)
      continue;
    html_printf(writer, "<tr><th>%s</th>", one->name);
    html_begin_cell(writer, one->counting != COUNTED_NOT);
    html_printf(writer, "%s</td><td>%s</td></tr>\n",
                expected_state_texts[one->state],
                expected_way_texts[one->counting]);
  }
  html_print(writer, "</tbody></table>\n</section>\n");
}

/* ---- decisions that clang does not measure ---- */

static void print_unmeasured_decisions(struct html_writer *writer,
                                       const struct html_site *site) {
  size_t unmeasured = 0;
  const struct scores_summary *summary = &site->coverage->exported.summary;
  for (size_t i = 0; i < summary->count; i++) {
    size_t count;
    const struct line_mark *list =
        marks_find_for_file(site->marks, summary->rows[i].name, &count);
    for (size_t k = 0; k < count; k++) {
      if (list[k].kind != MARK_UNMEASURED)
        continue;
      html_print(writer, unmeasured++
                             ? ", "
                             : "<p class=\"note\">Not measured by MC/DC: ");
      html_print_line_link(writer, site, (uint32_t)i, list[k].line);
    }
  }
  html_print(writer, unmeasured ? "</p>\n" : "");
}

/* ---- pages ---- */

static void begin_index_header(struct html_writer *writer,
                               const struct html_site *site) {
  const struct inputs *inputs = site->coverage->inputs;
  unsigned release = inputs->subjects[0].release;
  size_t boots = 0, dumps = 0;
  html_print(writer, "<header>\n<h1>Coverage of ");
  for (size_t i = 0; i < inputs->count; i++) {
    html_printf(writer, i ? ", %s" : "%s",
                os_base_name(inputs->subjects[i].name));
    boots += inputs->subjects[i].boots;
    dumps += inputs->subjects[i].dumps;
    if (inputs->subjects[i].release != release)
      release = 0;
  }
  html_print(writer, "</h1>\n<p class=\"sub\">");
  if (release)
    html_printf(writer, "clang %u, ", release);
  html_print_quantity(writer, boots, "boot", "boots");
  html_print(writer, ", ");
  html_print_quantity(writer, dumps, "dump", "dumps");
  const struct bytes id = inputs->subjects[0].build_id;
  html_print(writer, inputs->count == 1 && id.size ? ", build id <code>" : "");
  for (size_t i = 0; inputs->count == 1 && i < id.size; i++) {
    char hex[3];
    snprintf(hex, sizeof hex, "%02x", id.data[i]);
    html_print(writer, hex);
  }
  html_print(writer, inputs->count == 1 && id.size ? "</code>" : "");
  const char *first = site->coverage->exported.summary.count
                          ? site->coverage->exported.summary.rows[0].name
                          : "";
  if (site->common > 1) {
    html_print(writer, ", sources in <code>");
    html_print_name(writer, first, site->common - 1);
    html_print(writer, "</code>");
  }
  html_print(writer, "</p>\n");
}

/* Prints the same text about active calls as the table on the console. */
static void print_active_calls(struct html_writer *writer,
                               const struct html_site *site) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = need_memory(os_open_memory_stream(&text, &size));
  result_print_active_calls(stream, site->coverage);
  need_memory(os_close_memory_stream(stream, &text, &size) ? text : NULL);
  if (size) {
    html_print(writer, "<p class=\"note lines\">");
    html_print_text(writer, (struct bytes){(unsigned char *)text, size});
    html_print(writer, "</p>\n");
  }
  free(text);
}

static void write_index(const struct html_site *site,
                        const struct ranked_function *ranked) {
  struct html_writer writer;
  writer_open(&writer, site->folder, "index.html");
  html_print_page_head(&writer, "Coverage");
  begin_index_header(&writer, site);
  html_end_header_with_totals(&writer, site,
                              &site->coverage->exported.summary.total);
  html_print(&writer, "<main id=\"main\">\n");
  html_print_legend(&writer);
  print_functions_to_test(&writer, site, ranked);
  print_unmeasured_decisions(&writer, site);
  print_file_table(&writer, site);
  print_expected_sources(&writer, site);
  print_active_calls(&writer, site);
  html_print(&writer, "</main>\n");
  html_print_page_foot(&writer);
  writer_close(&writer);
}

static void print_function_row(struct html_writer *writer,
                               const struct html_site *site,
                               const struct view_function *one) {
  const uint32_t missing[] = {one->lines, one->branches, one->conditions};
  html_print(writer, "<tr><th scope=\"row\">");
  print_function_link(writer, site, one);
  html_print(writer, "</th><td>");
  html_print_line_link(writer, site, one->row, one->span.line);
  html_print(writer, "</td>");
  html_begin_cell(writer, !one->calls);
  html_print_count(writer, one->calls);
  html_print(writer, "</td>");
  for (unsigned i = 0; i < (site->has_mcdc ? 3 : 2); i++) {
    html_begin_cell(writer, missing[i]);
    html_printf(writer, "%u</td>", missing[i]);
  }
  html_print(writer, "<td class=\"step\"><div>");
  print_first_test_step(writer, site, one, false);
  html_print(writer, "</div></td></tr>\n");
}

static void write_functions_page(const struct html_site *site,
                                 const struct ranked_function *ranked) {
  struct html_writer writer;
  writer_open(&writer, site->folder, "functions.html");
  html_print_page_head(&writer, "Functions");
  html_print(&writer,
             "<header><p class=\"path\"><a href=\"index.html\">Coverage</a> "
             "/</p>\n<h1>Functions</h1>\n</header>\n<main id=\"main\">\n"
             "<div class=\"scroll\"><table class=\"list functions\">\n"
             "<thead><tr><th>Function</th><th>Where</th><th>Calls</th>"
             "<th>Lines missing</th><th>Branches missing</th>");
  html_print(&writer, site->has_mcdc ? "<th>Conditions missing</th>" : "");
  html_print(&writer, "<th>First step</th></tr></thead>\n<tbody>\n");
  for (size_t i = 0; i < site->view.function_count; i++)
    print_function_row(&writer, site,
                       &site->view.functions[ranked[i].function]);
  html_print(&writer, "</tbody></table></div>\n</main>\n");
  html_print_page_foot(&writer);
  writer_close(&writer);
}

void site_write_index(struct html_site *site) {
  struct ranked_function *ranked = rank_functions(site);
  write_index(site, ranked);
  write_functions_page(site, ranked);
  free(ranked);
}
