/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: JUnit files. The input is a text of phrases; or it says which
 * tests a file has, written in one of many ways, and each must be found with
 * its name, its class and whether it failed.
 */
#include <string.h>

#include "input.h"
#include "coverage/tests/tests.h"
#include "phrases.h"

enum { TESTS = 6 };

static const char *const phrases[] = {"<testcase",
                                      " name=\"a\"",
                                      " classname='b'",
                                      " time='-1e99'",
                                      "/>",
                                      ">",
                                      "</testcase>",
                                      "<failure",
                                      "<error>",
                                      "<![CDATA[",
                                      "]]>",
                                      "<!--",
                                      "-->",
                                      "<?xml ?>",
                                      "&#x10FFFF;",
                                      "&#",
                                      "&lt;",
                                      "<testsuite name=\"s\">",
                                      "=",
                                      "\""};

/* Names, and how they are written. */
static const char *const names[][2] = {
    {"plain", "plain"},
    {"a<b>&c", "a&lt;b&gt;&amp;c"},
    {"\xC3\xA9", "&#233;"},
    {"\xE2\x82\xAC", "&#x20aC;"},
    {"it's \"so\"", "it&apos;s &quot;so&quot;"},
    {"", ""}};

static struct junit_case made[TESTS];
static size_t count, found;

static void on_made(void *context, const struct junit_case *one) {
  (void)context;
  must(found < count && strcmp(made[found].class, one->class) == 0 &&
           strcmp(made[found].name, one->name) == 0 &&
           made[found].failed == one->failed &&
           made[found].seconds == one->seconds,
       "the tests of the file");
  found++;
}

static void on_any(void *context, const struct junit_case *one) {
  (void)context;
  must(strlen(one->class) < 1024 && strlen(one->name) < 1024,
       "names are bounded");
  must(one->seconds >= 0 && one->seconds < 1e6, "times are bounded");
}

static void make_test(struct input *input, FILE *out) {
  static const char *const noise[] = {
      "", "<!-- </testcase> <failure/> -->",
      "<system-out><![CDATA[<error/>]]></system-out>",
      "<skipped message='/>'/>"};
  unsigned how = take(input), what = take(input);
  size_t name = take(input) % 6, class = take(input) % 6;
  struct junit_case *test = &made[count++];
  *test = (struct junit_case){names[class][0], names[name][0],
                              how & 4 ? 1.5 : 0, how & 1};
  fprintf(out, how & 2 ? "<testcase name=\"%s\"" : "<testcase\n name = \"%s\"",
          names[name][1]);
  fprintf(out, how & 4 ? " time='1.5' classname=\"%s\"" : "\tclassname=\"%s\" ",
          names[class][1]);
  if (!test->failed && how & 8) {
    fputs(how & 16 ? "/>" : " / >", out);
    return;
  }
  fprintf(out, ">%s", noise[what % 4]);
  if (test->failed)
    fputs(how & 32 ? "<failure message='a &lt; b'>1 != 2</failure>"
                   : "<error/>",
          out);
  fprintf(out, "%s</testcase>", noise[what / 4 % 4]);
}

static void check_made(struct input *input) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  fputs("<?xml version='1.0'?>\n<testsuites><testsuite name='x'>", out);
  count = found = 0;
  for (unsigned many = take(input) % (TESTS + 1); many--;)
    make_test(input, out);
  fputs("</testsuite></testsuites>\n", out);
  fclose(out);
  const char *error =
      junit_parse((struct bytes){(unsigned char *)text, size}, on_made, NULL);
  must(found == count && !error == (count != 0), "all tests are found");
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t length;
  char *text = phrases_text(phrases, sizeof phrases / sizeof *phrases, data,
                            size, &length);
  unsigned char *block = malloc(length + !length);
  memcpy(block, text, length);
  junit_parse((struct bytes){block, length}, on_any, NULL);
  free(block);
  free(text);
  struct input input = {data, data + size};
  check_made(&input);
  return 0;
}
