/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * HTTP/1.1 (RFC 9112), only as far as a local browser needs it: the server
 * reads a request up to its empty line, answers, and closes the connection.
 */
#include "live.h"

#include <stdlib.h>
#include <string.h>

#include "../base/need.h"
#include "../base/os.h"
#include "../html/site.h"
#include "../wire/session.h"

/* Bytes of a request; simultaneous connections; milliseconds that a client may
 * take to send its request; random bytes in the folder's name. */
enum { REQUEST = 4096, CLIENTS = 16, PATIENCE = 5000, SECRET = 16 };

/* Milliseconds that a client may delay one write, and with it the run. A client
 * on this machine needs less. */
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
  char *state;                     /* the state as HTML */
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
    "<table class=\"list files\"><thead id=\"heads\"></thead>",
    "<tbody id=\"files\"></tbody></table></main>\n",
    "<script src=\"live.js\"></script>\n</html>\n",
    NULL};

static const char *const script[] = {
    "'use strict';\n",
    "(function () {\n",
    "  var shown = '', state, report = '', failed = 0;\n",
    "  function put(id, from) {\n",
    "    var to = document.getElementById(id);\n",
    "    to.replaceChildren.apply(to, state.querySelector(from).childNodes);\n",
    "  }\n",
    "  function show(text) {\n",
    "    state = new DOMParser().parseFromString(text, 'text/html');\n",
    "    document.title = state.title;\n",
    "    report = state.getElementById('report').textContent;\n",
    "    ['title', 'when', 'news', 'heads', 'files'].forEach(function (id) {\n",
    "      put(id, '#' + id);\n",
    "    });\n",
    "    put('totals', '.totals');\n",
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
    "      if (text !== shown && text) show(text);\n",
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

/* ---- the state ----
 *
 * The state is HTML. The script moves its parts into the page.
 */

/* Returns the name of a source's page, or NULL if the source is missing from
 * the site. */
static const char *find_source_page(const struct html_site *site, size_t row) {
  return row < site->coverage->exported.summary.count &&
                 os_can_read(site->pages[row].here)
             ? site->pages[row].file
             : NULL;
}

static void print_new_line_places(struct html_writer *writer,
                                  const struct html_site *site,
                                  const struct live_new_lines *news) {
  size_t begin = 1;
  for (size_t i = 0; i < news->link_count; i++) {
    const struct live_place_link *link = &news->links[i];
    bool linked = find_source_page(site, link->row);
    html_print(writer, i ? " " : "");
    if (linked)
      html_begin_line_link(writer, site, (uint32_t)link->row, link->line);
    html_print(writer, "<code>");
    html_print_name(writer, news->places + begin, link->end - begin);
    html_print(writer, linked ? "</code></a>" : "</code>");
    begin = link->end + 1;
  }
  if (!news->link_count)
    html_printf(writer, "<code>%s</code>", news->places + 1);
}

static void print_live_file(struct html_writer *writer,
                            const struct html_site *site,
                            const struct live_file *file) {
  const struct file_row *rows = site->coverage->exported.summary.rows;
  const char *page = find_source_page(site, (size_t)(file->row - rows));
  char last[40] = "never ran";
  if (file->touched >= 0)
    snprintf(last, sizeof last, "after %.1f s", file->touched);
  html_print(writer, "<tr class=\"file\"><th scope=\"row\">");
  if (page)
    html_printf(writer, "<a href=\"%s\">", page);
  html_printf(writer, "<code>%s</code>", file->name);
  html_print(writer, page ? "</a></th>" : "</th>");
  html_print_score_cells(writer, site, file->row);
  html_printf(writer, "<td class=\"last\">%s</td></tr>\n", last);
}

static void print_state(struct html_writer *writer,
                        const struct html_site *site,
                        const struct live_page *page) {
  const struct live_session *live = page->live;
  const struct file_row *total = &live->state.exported.summary.total;
  size_t count;
  struct live_file *files = live_list_files(live, &count);
  char text[40];
  snprintf(text, sizeof text, "%.1f", table_percent(&total->scores[LINES]));
  html_printf(writer,
              "<!doctype html>\n<title>%s %% %s</title>\n"
              "<header><h1 id=\"title\">Coverage of %s</h1>\n"
              "<p id=\"report\">%s</p>\n",
              text, page->title, page->title, page->report);
  snprintf(text, sizeof text, "%.1f", live_elapsed_seconds(live));
  html_printf(writer, "<p id=\"when\">last change after %s s", text);
  if (live->boots > 1)
    html_printf(writer, ", boot %zu", live->boots);
  html_print(writer, "</p>\n");
  html_end_header_with_totals(writer, site, total);
  html_print(writer, "<ol id=\"news\">\n");
  for (size_t i = 0; i < live->news_count; i++) {
    snprintf(text, sizeof text, "%.1f", live->news[i].seconds);
    html_printf(writer, "<li>after %s s<span class=\"step\">", text);
    print_new_line_places(writer, site, &live->news[i]);
    html_print(writer, "</span></li>\n");
  }
  html_print(writer, "</ol>\n<table><thead id=\"heads\"><tr><th>File</th>");
  html_print_score_heads(writer, site);
  html_print(writer, "<th>Last change</th></tr></thead>\n"
                     "<tbody id=\"files\">\n");
  for (size_t i = 0; i < count; i++)
    print_live_file(writer, site, &files[i]);
  html_print(writer, "</tbody></table>\n");
  free(files);
}

/* Returns the present state as the coverage of a report, which the pages read.
 */
static struct coverage make_coverage(const struct live_session *live) {
  return (struct coverage){.settings = live->settings,
                           .inputs = live->inputs,
                           .exported = live->state.exported};
}

void live_page_set_state(struct live_page *page,
                         const struct live_session *live) {
  const struct coverage coverage = make_coverage(live);
  struct html_site site = {.coverage = &coverage};
  struct html_writer writer;
  size_t size;
  free(page->state);
  page->live = live;
  text_begin(&writer.text,
             need_memory(os_open_memory_stream(&page->state, &size)));
  site_list_pages(&site);
  print_state(&writer, &site, page);
  site_end(&site);
  text_flush(&writer.text);
  if (!os_close_memory_stream(writer.text.stream, &page->state, &size))
    need_memory(NULL);
}

/* ---- answers ---- */

/* Prints the page of a source. Returns whether the source has a page. */
static bool print_source_page(const struct live_page *page, const char *name,
                              FILE *to) {
  if (!page->live)
    return false;
  const struct coverage coverage = make_coverage(page->live);
  const struct line_marks marks = {0};
  struct html_site site = {
      .coverage = &coverage, .marks = &marks, .stream = to};
  size_t row = 0;
  site_begin(&site);
  while (row < coverage.exported.summary.count &&
         strcmp(site.pages[row].file, name) != 0)
    row++;
  bool found =
      find_source_page(&site, row) && !site_write_source_page(&site, row);
  site_end(&site);
  return found;
}

/* Returns whether the Host field names this machine, as 127.0.0.1 or localhost.
 * HTTP ignores the case of field names; this check knows the two usual
 * spellings. */
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
    /* Browsers leave out HTTP's own port. */
    snprintf(wanted, sizeof wanted, "%s%s\r\n", fields[i / 2], hosts[i % 2]);
    found |= page->port == 80 && strstr(request, wanted) != NULL;
  }
  return found;
}

/* Prints a file of the page. Returns the type of the file, or NULL if the page
 * lacks the file. */
static const char *print_body(const struct live_page *page, const char *path,
                              FILE *to) {
  static const char html[] = "text/html;charset=utf-8";
  static const char js[] = "text/javascript;charset=utf-8";
  static const struct {
    const char *path, *type;
    const char *const *texts;
  } known[] = {{"", html, document},
               {"index.html", html, document},
               {"style.css", "text/css;charset=utf-8", html_style},
               {"live.js", js, script},
               {"script.js", js, html_script}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(path, known[i].path)) {
      for (const char *const *text = known[i].texts; *text; text++)
        fputs(*text, to);
      return known[i].type;
    }
  bool is_state = !strcmp(path, "state");
  if (is_state && page->state)
    fputs(page->state, to);
  return is_state || print_source_page(page, path, to) ? html : NULL;
}

/* The header fields stop the page from loading anything except its own script,
 * style and state. */
void live_page_write_answer(const struct live_page *page, char *request,
                            FILE *to) {
  char *path = request + strlen("GET "), *body = NULL;
  size_t folder = strlen(page->folder), size = 0;
  const char *type = NULL, *wrong = "404 Not Found";
  FILE *stream = need_memory(os_open_memory_stream(&body, &size));
  if (strncmp(request, "GET ", strlen("GET ")) != 0) {
    wrong = "405 Method Not Allowed";
  } else if (!is_for_this_host(page, request)) {
    wrong = "403 Forbidden";
  } else if (strncmp(path, page->folder, folder) == 0) {
    path[strcspn(path, " \r\n")] = 0;
    type = print_body(page, path + folder, stream);
  }
  if (!type)
    fputs(wrong, stream);
  if (!os_close_memory_stream(stream, &body, &size))
    need_memory(NULL);
  fprintf(to,
          "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
          "Connection: close\r\nCache-Control: no-store\r\n"
          "Content-Security-Policy: default-src 'none';script-src 'self';"
          "style-src 'self';connect-src 'self';base-uri 'none';"
          "form-action 'none';frame-ancestors 'none'\r\n"
          "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
          "Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
          type ? "200 OK" : wrong, type ? type : "text/plain", size);
  fwrite(body, 1, size, to);
  free(body);
}

static void send_answer(const struct live_page *page,
                        struct http_client *client) {
  char *text = NULL;
  size_t size = 0, done = 0;
  FILE *stream = need_memory(os_open_memory_stream(&text, &size));
  live_page_write_answer(page, client->request, stream);
  if (!os_close_memory_stream(stream, &text, &size))
    need_memory(NULL);
  while (done < size) {
    long sent =
        os_port_write(client->port, text + done, size - done, WRITE_PATIENCE);
    if (sent <= 0)
      break;
    done += (size_t)sent;
  }
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
  if (!os_fill_random_bytes(secret, sizeof secret))
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
    report(NULL,
           page->listener || !os_has_local_servers
               ? "--page: %s; run without --page"
               : "--page: %s; use another port, or 0 for any free port",
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
