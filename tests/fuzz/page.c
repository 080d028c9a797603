/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: requests to the page of bareprof live. The input is a text of
 * phrases. The server refuses each request that lacks the folder or a host name
 * of this machine. Each answer is as long as it says.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/live.h"
#include "input.h"
#include "phrases.h"

static const struct live_page *page;
static char get[80], host[40], other_host[40];
static const char *phrases[] = {get,
                                host,
                                "GET ",
                                "POST ",
                                "/",
                                "state",
                                "live.js",
                                "style.css",
                                "script.js",
                                "index.html",
                                "fw.c.html",
                                "../",
                                " HTTP/1.1",
                                "\r\n",
                                "\r\nHost: ",
                                other_host,
                                "\r\nHost: example.org\r\n",
                                "%2e%2e/"};

static void begin(void) {
  static struct live_page *opened;
  opened = live_page_open(0, "fw.elf", "out/html/index.html");
  must(opened, "the page opens");
  page = opened;
  snprintf(get, sizeof get, "GET %s", live_page_folder(page));
  snprintf(host, sizeof host, "\r\nHost: 127.0.0.1:%u\r\n",
           live_page_port(page));
  snprintf(other_host, sizeof other_host, "\r\nHost: localhost:%u\r\n",
           live_page_port(page));
}

static void judge(const char *request, const char *answer, size_t size) {
  const char *body = strstr(answer, "\r\n\r\n");
  const char *length = strstr(answer, "\r\nContent-Length: ");
  must(body && length && length < body, "an answer has a head");
  must(strtoul(length + 18, NULL, 10) ==
           size - (size_t)(body + 4 - answer),
       "and says its length");
  must(strstr(answer, "default-src 'none'"), "and what a browser may do");
  must(strstr(answer, "style-src 'self';") && !strstr(answer, " style="),
       "and no style besides the style sheet");
  bool knows = strncmp(request, get, strlen(get)) == 0 &&
               (strstr(request, host) || strstr(request, other_host));
  must(knows || strncmp(answer, "HTTP/1.1 4", 10) == 0,
       "a request without the folder is refused");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *answer = NULL;
  size_t length = 0, answered = 0;
  if (!page)
    begin();
  char *text = phrases_text(phrases, sizeof phrases / sizeof *phrases, data,
                            size, &length);
  char *request = strdup(text);
  FILE *to = open_memstream(&answer, &answered);
  live_page_write_answer(page, request, to);
  fclose(to);
  judge(text, answer, answered);
  free(answer);
  free(request);
  free(text);
  return 0;
}
