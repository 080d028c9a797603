/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A list, for people and for programs.
 */
#include "checks.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/storage.h"
#include "../../base/error.h"
#include "../../base/text.h"

enum { TEXT_MOST = 1000 };

void checks_add(struct checks *checks, const struct check *check,
                const char *format, ...) {
  char text[TEXT_MOST];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  struct failed_check one = {.check = *check};
  one.check.about = NULL;
  one.about = strdup(check->about ? check->about : check->name);
  one.text = strdup(text);
  if (one.about && one.text &&
      list_more(&checks->list, checks->count, sizeof one)) {
    checks->list[checks->count++] = one;
    return;
  }
  free(one.about);
  free(one.text);
  checks->no_memory = true;
}

int checks_tell(struct checks *checks) {
  for (size_t i = 0; i < checks->count; i++) {
    struct failed_check *one = &checks->list[i];
    if (!one->told)
      report(one->about, "%s", one->text);
    one->told = true;
  }
  if (checks->no_memory)
    report_memory(NULL);
  return checks->count || checks->no_memory;
}

static void put_number(FILE *stream, const char *key, double number) {
  if (number < 0)
    fprintf(stream, ",\"%s\":null", key);
  else
    fprintf(stream, ",\"%s\":%.15g", key, number);
}

void checks_put(const struct checks *checks, FILE *stream) {
  fputc('[', stream);
  for (size_t i = 0; i < checks->count; i++) {
    const struct failed_check *one = &checks->list[i];
    fputs(i ? ",\n{\"check\":" : "\n{\"check\":", stream);
    json_put_string(stream, one->check.name);
    put_number(stream, "wanted", one->check.wanted);
    put_number(stream, "got", one->check.got);
    fputs(",\"about\":", stream);
    json_put_string(stream, one->about);
    fputs(",\"text\":", stream);
    json_put_string(stream, one->text);
    fputc('}', stream);
  }
  fputc(']', stream);
}

void checks_free(struct checks *checks) {
  for (size_t i = 0; i < checks->count; i++) {
    free(checks->list[i].about);
    free(checks->list[i].text);
  }
  free(checks->list);
  *checks = (struct checks){0};
}
