/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * HTTP/1.1 (RFC 9112), only as far as a local browser needs it: the server
 * reads a request up to its empty line, answers, and closes the connection.
 */
#include "live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/need.h"
#include "../base/text.h"
#include "../base/os.h"
#include "../html/site.h"
#include "../wire/session.h"

/* Bytes of a request; simultaneous connections; milliseconds that a client may
 * take to send its request; random bytes in the folder's name. */
enum { REQUEST = 4096, CLIENTS = 16, PATIENCE = 5000, SECRET = 16 };

/* Milliseconds that a slow client may delay the run. A client on this machine
 * needs less. */
enum { WRITE_PATIENCE = 100 };

struct http_client {
  struct os_port *port; /* NULL: this slot is free */
  uint64_t since;
  size_t size;
  char request[REQUEST + 1];
};

struct live_page {
  struct os_port *listener;
  unsigned port;
  char folder[2 * SECRET + 3]; /* /xxxx/, where xxxx is random */
  const char *title, *report;
  const struct live_session *live; /* NULL until the first counts */
  char *state;                     /* the state as JSON */
  size_t state_size;
  struct http_client clients[CLIENTS];
};

/* ---- the files of the page ---- */

static const char *const document[] = {
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n",
    "<meta name=\"viewport\" content=\"width=device-width\">\n",
    "<title>Coverage, live</title>\n",
    "<link rel=\"stylesheet\" href=\"style.css\">\n",
    "<header><h1 id=\"title\">Coverage, live</h1>\n",
    "<p class=\"sub\" id=\"when\" role=\"status\">waiting for the first "
    "counts</p>\n",
    "<ul class=\"totals\" id=\"totals\"></ul></header>\n",
    "<main><h2>Ran for the first time</h2>\n",
    "<ol class=\"next\" id=\"news\" aria-live=\"polite\"></ol>\n",
    "<h2>Files</h2>\n",
    "<table class=\"list files\"><thead><tr><th>File</th><th>Functions</th>",
    "<th>Lines</th><th>Branches</th><th>MC/DC</th><th>Last change</th></tr>",
    "</thead><tbody id=\"files\"></tbody></table></main>\n",
    "<script src=\"live.js\"></script>\n</html>\n",
    NULL};

static const char *const script[] = {
    "'use strict';\n",
    "(function () {\n",
    "  var shown = '', report = '', failed = 0;\n",
    "  var wide = ['Functions', 'Lines', 'Branches', 'MC/DC'];\n",
    "  function node(name, text, kind) {\n",
    "    var made = document.createElement(name);\n",
    "    if (text !== undefined) made.textContent = text;\n",
    "    if (kind) made.className = kind;\n",
    "    return made;\n",
    "  }\n",
    "  function percent(score) {\n",
    "    var part = score[1] ? 100 * score[0] / score[1] : 0;\n",
    "    return score[0] < score[1] ? Math.min(part, 99.99) : part;\n",
    "  }\n",
    "  function bar(score) {\n",
    "    var all = node('span', undefined, 'bar');\n",
    "    all.innerHTML = '<svg><rect width=\"' + percent(score) +\n",
    "      '%\" height=\"100%\"/></svg>';\n",
    "    return all;\n",
    "  }\n",
    "  function cell(score) {\n",
    "    var made = node('td', undefined, 'score');\n",
    "    if (!score[1]) return made;\n",
    "    made.appendChild(bar(score));\n",
    "    made.appendChild(node('span', ' ' + score[0] + ' of ' + score[1]));\n",
    "    return made;\n",
    "  }\n",
    "  function total(score, i) {\n",
    "    var item = node('li');\n",
    "    item.appendChild(node('span', wide[i], 'label'));\n",
    "    item.appendChild(bar(score));\n",
    "    item.appendChild(node('b', percent(score).toFixed(2)));\n",
    "    item.appendChild(node('span', score[0] + ' of ' + score[1],\n",
    "      'of'));\n",
    "    return item;\n",
    "  }\n",
    "  function put(id, nodes) {\n",
    "    document.getElementById(id).replaceChildren.apply(\n",
    "      document.getElementById(id), nodes);\n",
    "  }\n",
    "  function link(text, page, line) {\n",
    "    var code = node('code', text), made = node('a');\n",
    "    if (!page) return code;\n",
    "    made.href = page + (line ? '#L' + line : '');\n",
    "    made.appendChild(code);\n",
    "    return made;\n",
    "  }\n",
    "  function news(one) {\n",
    "    var row = node('li', 'after ' + one[0].toFixed(1) + ' s');\n",
    "    var step = row.appendChild(node('span', undefined, 'step'));\n",
    "    one[1].forEach(function (place, i) {\n",
    "      if (i) step.appendChild(document.createTextNode(' '));\n",
    "      step.appendChild(link.apply(null, place));\n",
    "    });\n",
    "    return row;\n",
    "  }\n",
    "  function file(one) {\n",
    "    var row = node('tr', undefined, 'file');\n",
    "    var name = row.appendChild(node('th'));\n",
    "    name.scope = 'row';\n",
    "    name.appendChild(link(one.name, one.page));\n",
    "    one.scores.forEach(function (score) {\n",
    "      row.appendChild(cell(score));\n",
    "    });\n",
    "    row.appendChild(node('td', one.touched < 0 ? 'never ran'\n",
    "      : 'after ' + one.touched.toFixed(1) + ' s', 'last'));\n",
    "    return row;\n",
    "  }\n",
    "  function show(state) {\n",
    "    report = state.report;\n",
    "    document.getElementById('title').textContent = 'Coverage of ' +\n",
    "      state.title;\n",
    "    document.title = percent(state.totals[1]).toFixed(1) + ' % ' +\n",
    "      state.title;\n",
    "    document.getElementById('when').textContent =\n",
    "      'last change after ' + state.seconds.toFixed(1) + ' s' +\n",
    "      (state.starts > 1 ? ', boot ' + state.starts : '');\n",
    "    put('totals', state.totals.map(total).filter(function (one, i) {\n",
    "      return state.totals[i][1];\n",
    "    }));\n",
    "    put('news', state.news.map(news));\n",
    "    put('files', state.files.map(file));\n",
    "  }\n",
    "  function ended() {\n",
    "    document.getElementById('when').textContent =\n",
    "      'the run has ended: its report is ' + report;\n",
    "  }\n",
    "  function ask() {\n",
    "    fetch('state', { cache: 'no-store' }).then(function (answer) {\n",
    "      return answer.text();\n",
    "    }).then(function (text) {\n",
    "      failed = 0;\n",
    "      if (text !== shown && text) show(JSON.parse(text));\n",
    "      shown = text;\n",
    "    }).catch(function () {\n",
    "      failed++;\n",
    "      if (failed === 3) ended();\n",
    "    }).then(function () {\n",
    "      setTimeout(ask, failed > 3 ? 5000 : 500);\n",
    "    });\n",
    "  }\n",
    "  ask();\n",
    "})();\n",
    NULL};

/* ---- the state ---- */

static void print_scores(FILE *stream, const struct file_row *row) {
  static const enum metric shown[] = {FUNCTIONS, LINES, BRANCHES, MCDC};
  for (unsigned i = 0; i < sizeof shown / sizeof *shown; i++)
    fprintf(stream, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
            row->scores[shown[i]].covered, row->scores[shown[i]].count);
}

/* Returns the name of a source's page, or NULL if the source is missing from
 * the site. */
static const char *find_source_page(const struct html_site *site, size_t row) {
  return row < site->coverage->exported.summary.count &&
                 os_can_read(site->pages[row].here)
             ? site->pages[row].file
             : NULL;
}

/* Prints the places of new lines, each with its page and line. */
static void print_new_line_places(FILE *stream, const struct html_site *site,
                                  const struct live_new_lines *news) {
  char place[LIVE_PLACES];
  size_t begin = 1;
  for (size_t i = 0; i < news->link_count; i++) {
    const struct live_place_link *link = &news->links[i];
    snprintf(place, sizeof place, "%.*s", (int)(link->end - begin),
             news->places + begin);
    json_printf(stream, i ? ",[%s,%s,%u]" : "[%s,%s,%u]", place,
                find_source_page(site, link->row), link->line);
    begin = link->end + 1;
  }
  if (!news->link_count)
    json_printf(stream, "[%s,null,0]", news->places + 1);
}

static void print_state_json(FILE *stream, const struct live_page *page,
                             const struct html_site *site,
                             const struct live_file *files, size_t count) {
  const struct live_session *live = page->live;
  const struct scores_summary *summary = &live->state.exported.summary;
  json_printf(stream, "{\"title\":%s,\"report\":%s", page->title, page->report);
  fprintf(stream, ",\"seconds\":%.1f,\"starts\":%zu,\"totals\":[",
          live_elapsed_seconds(live), live->boots);
  print_scores(stream, &summary->total);
  fputs("],\"news\":[", stream);
  for (size_t i = 0; i < live->news_count; i++) {
    fprintf(stream, "%s[%.1f,[", i ? "," : "", live->news[i].seconds);
    print_new_line_places(stream, site, &live->news[i]);
    fputs("]]", stream);
  }
  fputs("],\"files\":[", stream);
  for (size_t i = 0; i < count; i++) {
    if (i)
      putc(',', stream);
    json_printf(stream, "{\"name\":%s,\"page\":%s", files[i].name,
                find_source_page(site, (size_t)(files[i].row - summary->rows)));
    fprintf(stream, ",\"touched\":%.1f,\"scores\":[", files[i].touched);
    print_scores(stream, files[i].row);
    fputs("]}", stream);
  }
  fputs("]}\n", stream);
}

/* Begins with the coverage of the present state, as the pages read it. */
static struct coverage make_coverage(const struct live_session *live) {
  return (struct coverage){.settings = live->settings,
                           .inputs = live->inputs,
                           .exported = live->state.exported};
}

void live_page_set_state(struct live_page *page,
                         const struct live_session *live) {
  size_t size = 0, count;
  struct live_file *files = live_list_files(live, &count);
  char *text = NULL;
  FILE *stream = need_memory(os_open_memory(&text, &size));
  const struct coverage coverage = make_coverage(live);
  struct html_site site = {.coverage = &coverage};
  page->live = live;
  site_set_page_names(&site);
  print_state_json(stream, page, &site, files, count);
  site_end(&site);
  free(files);
  if (!os_close_memory(stream, &text, &size))
    need_memory(NULL);
  free(page->state);
  page->state = text;
  page->state_size = size;
}

/* ---- answers ---- */

/* Writes an answer. The header fields stop the page from loading anything
 * except its own script, style and state. */
static void write_http_answer(FILE *to, const char *status, const char *type,
                              const char *body, size_t size) {
  fprintf(to,
          "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
          "Connection: close\r\nCache-Control: no-store\r\n"
          "Content-Security-Policy: default-src 'none';script-src 'self';"
          "style-src 'self';connect-src 'self';base-uri 'none';"
          "form-action 'none';frame-ancestors 'none'\r\n"
          "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
          "Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
          status, type, size);
  fwrite(body, 1, size, to);
}

static void write_http_refusal(FILE *to, const char *status) {
  write_http_answer(to, status, "text/plain", status, strlen(status));
}

static void answer_with_texts(FILE *to, const char *type,
                              const char *const *texts) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = need_memory(os_open_memory(&text, &size));
  for (; *texts; texts++)
    fputs(*texts, stream);
  if (!os_close_memory(stream, &text, &size))
    need_memory(NULL);
  write_http_answer(to, "200 OK", type, text, size);
  free(text);
}

/* Answers with the page of a source. Returns false if there is none. */
static bool answer_with_source(const struct live_page *page, const char *name,
                               FILE *to) {
  if (!page->live)
    return false;
  const struct coverage coverage = make_coverage(page->live);
  const struct line_marks marks = {0};
  char *text = NULL;
  size_t size = 0, row = 0;
  struct html_site site = {.coverage = &coverage,
                           .marks = &marks,
                           .stream = need_memory(os_open_memory(&text, &size))};
  site_begin(&site);
  while (row < coverage.exported.summary.count &&
         strcmp(site.pages[row].file, name) != 0)
    row++;
  bool found =
      find_source_page(&site, row) && !site_write_source_page(&site, row);
  site_end(&site);
  if (!os_close_memory(site.stream, &text, &size))
    need_memory(NULL);
  if (found)
    write_http_answer(to, "200 OK", "text/html;charset=utf-8", text, size);
  free(text);
  return found;
}

/* Whether the Host field names this machine, as 127.0.0.1 or localhost. HTTP
 * ignores the case of field names; this check knows the two usual spellings. */
static bool is_for_this_host(const struct live_page *page,
                             const char *request) {
  static const char *const fields[] = {"\r\nHost: ", "\r\nhost: "};
  static const char *const hosts[] = {"127.0.0.1", "localhost"};
  char wanted[40];
  bool found = false;
  for (unsigned i = 0; i < 4; i++) {
    snprintf(wanted, sizeof wanted, "%s%s:%u\r\n", fields[i / 2], hosts[i % 2],
             page->port);
    found |= strstr(request, wanted) != NULL;
  }
  return found;
}

static void answer_for_path(const struct live_page *page, const char *path,
                            FILE *to) {
  if (!strcmp(path, "") || !strcmp(path, "index.html"))
    answer_with_texts(to, "text/html;charset=utf-8", document);
  else if (!strcmp(path, "style.css"))
    answer_with_texts(to, "text/css;charset=utf-8", html_style);
  else if (!strcmp(path, "live.js"))
    answer_with_texts(to, "text/javascript;charset=utf-8", script);
  else if (!strcmp(path, "script.js"))
    answer_with_texts(to, "text/javascript;charset=utf-8", html_script);
  else if (!strcmp(path, "state"))
    write_http_answer(to, "200 OK", "application/json",
                      page->state ? page->state : "", page->state_size);
  else if (!answer_with_source(page, path, to))
    write_http_refusal(to, "404 Not Found");
}

void live_page_write_answer(const struct live_page *page, char *request,
                            FILE *to) {
  char *path = request + strlen("GET ");
  size_t folder = strlen(page->folder);
  if (strncmp(request, "GET ", strlen("GET ")) != 0) {
    write_http_refusal(to, "405 Method Not Allowed");
  } else if (!is_for_this_host(page, request)) {
    write_http_refusal(to, "403 Forbidden");
  } else if (strncmp(path, page->folder, folder) != 0) {
    write_http_refusal(to, "404 Not Found");
  } else {
    path[strcspn(path, " \r\n")] = 0;
    answer_for_path(page, path + folder, to);
  }
}

static void send_answer(const struct live_page *page,
                        struct http_client *client) {
  char *text = NULL;
  size_t size = 0, done = 0;
  FILE *stream = need_memory(os_open_memory(&text, &size));
  live_page_write_answer(page, client->request, stream);
  if (!os_close_memory(stream, &text, &size))
    need_memory(NULL);
  long sent = 1;
  for (; sent > 0 && done<size; done += sent> 0 ? (size_t)sent : 0)
    sent =
        os_port_write(client->port, text + done, size - done, WRITE_PATIENCE);
  free(text);
}

/* ---- connections ---- */

static void close_client(struct http_client *client) {
  os_port_close(client->port);
  client->port = NULL;
}

static void add_client(struct live_page *page, struct os_port *port) {
  for (unsigned i = 0; i < CLIENTS; i++)
    if (!page->clients[i].port) {
      page->clients[i].port = port;
      page->clients[i].since = session_get_time();
      page->clients[i].size = 0;
      return;
    }
  os_port_close(port);
}

/* Reads the bytes that have arrived, and answers once the request is complete.
 * Drops a request that is too long or too slow. */
static void serve_client(struct live_page *page, struct http_client *client) {
  long got = 0;
  if (os_port_wait(client->port, 0) & OS_BYTES)
    got = os_port_read(client->port, client->request + client->size,
                       REQUEST - client->size);
  client->size += got > 0 ? (size_t)got : 0;
  client->request[client->size] = 0;
  if (strstr(client->request, "\r\n\r\n"))
    send_answer(page, client);
  else if (got >= 0 && client->size < REQUEST &&
           session_get_time() - client->since < PATIENCE)
    return;
  close_client(client);
}

void live_page_serve(struct live_page *page) {
  struct os_port *port;
  while ((port = os_port_accept(page->listener)))
    add_client(page, port);
  for (unsigned i = 0; i < CLIENTS; i++)
    if (page->clients[i].port)
      serve_client(page, &page->clients[i]);
}

static bool choose_secret_folder(struct live_page *page) {
  unsigned char secret[SECRET];
  char *at = page->folder;
  if (!os_random_bytes(secret, sizeof secret))
    return false;
  *at++ = '/';
  for (unsigned i = 0; i < SECRET; i++)
    at += sprintf(at, "%02x", secret[i]);
  *at++ = '/';
  *at = 0;
  return true;
}

const char *live_page_folder(const struct live_page *page) {
  return page->folder;
}

unsigned live_page_port(const struct live_page *page) { return page->port; }

struct live_page *live_page_open(unsigned port, const char *title,
                                 const char *report_name) {
  struct live_page *page = need_memory(calloc(1, sizeof *page));
  const char *error = NULL;
  page->title = title;
  page->report = report_name;
  page->port = port;
  page->listener = os_port_listen(&page->port, &error);
  if (!page->listener || !choose_secret_folder(page)) {
    report(NULL, "--page: %s; use another port, or 0 for any free port",
           page->listener ? "no random bytes" : error);
    live_page_close(page);
    return NULL;
  }
  fprintf(stderr, "bareprof: live at http://127.0.0.1:%u%s\n", page->port,
          page->folder);
  return page;
}

void live_page_close(struct live_page *page) {
  if (!page)
    return;
  for (unsigned i = 0; i < CLIENTS; i++)
    if (page->clients[i].port)
      close_client(&page->clients[i]);
  if (page->listener)
    os_port_close(page->listener);
  free(page->state);
  free(page);
}
