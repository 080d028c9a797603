/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Escaping is done here alone: all other files write text by put_text.
 */
#include "writer.h"

#include <stdlib.h>

#include "../base/error.h"
#include "../base/os.h"
#include "../coverage/table.h"
#include "bareprof.h"

int writer_open(struct writer *writer, const char *folder, const char *name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  writer->path = malloc(size);
  if (!writer->path)
    return report_memory(NULL);
  snprintf(writer->path, size, "%s/%s", folder, name);
  FILE *stream = os_fopen(writer->path, "w");
  text_begin(&writer->text, stream);
  if (stream)
    return 0;
  report(writer->path, "cannot be written; check rights and disk");
  free(writer->path);
  return 1;
}

int writer_close(struct writer *writer) {
  text_flush(&writer->text);
  bool wrong = ferror(writer->text.stream);
  wrong |= fclose(writer->text.stream) != 0;
  int status =
      wrong ? report(writer->path, "cannot be written; check rights and disk")
            : 0;
  free(writer->path);
  return status;
}

/* ---- text ---- */

/* The length of the UTF-8 character at `at`; 0: it is none. */
static size_t utf8(const unsigned char *at, size_t room) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t size = *at >= 0xF0 ? 4 : *at >= 0xE0 ? 3 : 2;
  if (*at < 0xC2 || *at > 0xF4 || size > room)
    return 0;
  uint32_t code = *at & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; i++) {
    if (at[i] >> 6 != 2)
      return 0;
    code = code << 6 | (at[i] & 0x3F);
  }
  bool valid = code >= least[size] && code <= 0x10FFFF &&
               !(code >= 0xD800 && code <= 0xDFFF) &&
               !(code >= 0x80 && code < 0xA0) && (code & 0xFFFE) != 0xFFFE &&
               !(code >= 0xFDD0 && code <= 0xFDEF);
  return valid ? size : 0;
}

static const char *entity(unsigned char byte) {
  switch (byte) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

static bool is_plain(unsigned char byte) {
  return byte >= ' ' && byte < 0x7F && !entity(byte);
}

void put_text(struct writer *writer, struct bytes text) {
  const unsigned char *at = text.data, *end = at + text.size;
  while (at != end) {
    const unsigned char *begin = at;
    while (at != end && (is_plain(*at) || *at == '\t' || *at == '\n'))
      at++;
    text_bytes(&writer->text, begin, (size_t)(at - begin));
    if (at == end)
      break;
    const char *escaped = entity(*at);
    size_t size = *at >= 0x80 ? utf8(at, (size_t)(end - at)) : 0;
    if (escaped) {
      put(writer, escaped);
    } else if (size) {
      text_bytes(&writer->text, at, size);
    } else if (*at < 0x80) {
      const char picture[] = {'\xE2', '\x90',
                              (char)(*at == 0x7F ? 0xA1 : 0x80 + *at), 0};
      put(writer, picture);
    } else {
      put(writer, "\xEF\xBF\xBD");
    }
    at += size ? size : 1;
  }
}

void put_string(struct writer *writer, const char *text) {
  put_text(writer, (struct bytes){(const unsigned char *)text, strlen(text)});
}

/* ---- numbers ---- */

void put_count(struct writer *writer, uint64_t count) {
  static const char units[] = " kMGTPE";
  uint64_t shown = count, tenths = 0;
  unsigned unit = 0;
  while (shown >= (unit ? 1000u : 10000u)) {
    tenths = shown % 1000 / 100;
    shown /= 1000;
    unit++;
  }
  put(writer, "<span data-v=\"");
  put_number(writer, count);
  put(writer, "\">");
  put_number(writer, shown);
  if (unit) {
    const char text[] = {'.', (char)('0' + tenths), ' ', units[unit], 0};
    put(writer, shown < 100 ? text : text + 2);
  }
  put(writer, "</span>");
}

void put_some(struct writer *writer, uint64_t count, const char *what,
              const char *more) {
  put_number(writer, count);
  put(writer, " ");
  put(writer, count == 1 ? what : more);
}

void put_score(struct writer *writer, const char *element,
               const struct score *score) {
  char text[200];
  double percent = table_percent(score);
  uint64_t missed = score->count - score->covered;
  if (!score->count) {
    snprintf(text, sizeof text, "<%s class=\"score\"></%s>", element, element);
    put(writer, text);
    return;
  }
  snprintf(text, sizeof text,
           "<%s class=\"score\" data-v=\"%.4f\" title=\"%llu of %llu\">"
           "<span class=\"bar\"><i style=\"width:%.2f%%\"></i></span>",
           element, percent, (unsigned long long)score->covered,
           (unsigned long long)score->count, percent);
  put(writer, text);
  snprintf(text, sizeof text,
           "<b>%.2f</b><span class=\"miss\">%s%llu</span></%s>", percent,
           missed ? "\xE2\x88\x92" : "", (unsigned long long)missed, element);
  put(writer, text);
}

/* ---- pages ---- */

void put_head(struct writer *writer, const char *title) {
  put(writer, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
              "<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" "
              "content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
  put_string(writer, title);
  put(writer, "</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n"
              "<script defer src=\"script.js\"></script>\n</head>\n<body>\n");
}

void put_foot(struct writer *writer) {
  char version[64];
  snprintf(version, sizeof version, "<footer>bareprof %d.%d.%d",
           BAREPROF_VERSION >> 16, BAREPROF_VERSION >> 8 & 255,
           BAREPROF_VERSION & 255);
  put(writer, version);
  put(writer, "</footer>\n</body>\n</html>\n");
}
