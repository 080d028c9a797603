/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tests the small parts of tools/base with made inputs: printable text,
 * buffers, lists, orders, numbers, names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/number.h"
#include "base/program.h"
#include "base/text_part.h"
#include "buffer.h"
#include "base/source_name.h"
#include "bytes.h"
#include "check.h"
#include "error.h"
#include "digest.h"
#include "names.h"

static void check_printable(void) {
  char to[64];
  check_begin("control characters are made printable");
  expect(0, strcmp(make_printable(to, sizeof to, "a\033[31m\n\x7f b"),
                   "a\\x1B[31m\\x0A\\x7F b"));
  /* UTF-8: e acute, sharp s, a C1 control; and a lone one. */
  expect(0, strcmp(make_printable(to, sizeof to,
                                  "\xc3\xa9\xc3\x9f \xc2\x9b \xc2\xa9 \x9b"),
                   "\xc3\xa9\xc3\x9f \\u009B \xc2\xa9 \\x9B"));
  /* What turns the direction, ends a line, is a tag. */
  expect(0, strcmp(make_printable(to, sizeof to,
                                  "\xe2\x80\xae \xe2\x80\xa8 \xf3\xa0\x80\x81"),
                   "\\u202E \\u2028 \\U000E0001"));
  /* Overlong, a surrogate, cut off. */
  expect(0,
         strcmp(make_printable(to, sizeof to, "\xc0\x8a \xed\xa0\x80 \xe2\x80"),
                "\\xC0\\x8A \\xED\\xA0\\x80 \\xE2\\x80"));
  expect(0, strcmp(make_printable(to, 8, "\1\2\3"), "\\x01"));
  check_end();
}

static void check_buffer(void) {
  struct buffer buffer = {.limit = 1000};
  check_begin("a buffer grows to its limit");
  for (unsigned i = 0; i < 1000; i++) {
    unsigned char byte = (unsigned char)(i * 7);
    expect_true(!buffer_append_bytes(&buffer, &byte, 1));
    expect_true(buffer.size == i + 1 && buffer.capacity <= buffer.limit);
  }
  expect_true(buffer_append_bytes(&buffer, "x", 1));
  expect_true(buffer_reserve(&buffer, (size_t)-1));
  expect(1000, buffer.size);
  expect_true(!buffer_append_bytes(&buffer, NULL, 0));
  for (unsigned i = 0; i < 1000; i++)
    expect((unsigned char)(i * 7), buffer.data[i]);
  buffer_free(&buffer);
  expect_true(!buffer.data && !buffer.size && buffer.limit == 1000);
  check_end();
}

static void check_list(void) {
  unsigned *list = NULL;
  check_begin("a list has room for one more, at any length");
  for (unsigned i = 0; i < 1000; i++) {
    expect_true(list_make_room(&list, i, sizeof *list));
    list[i] = i * i;
  }
  for (unsigned i = 0; i < 1000; i++)
    expect(i * i, list[i]);
  free(list);
  check_end();
}

/* %x is one letter x. */
static struct text_part take_x(struct text_part *text, char letter) {
  return part_cut_front(text, text->size && *text->at == letter);
}

static struct text_part part_of(const char *text) {
  return (struct text_part){text, strlen(text)};
}

static void check_scan(void) {
  struct text_part text = part_of("ab \t12345678901 x!"), word, number, letter;
  uint64_t value = 0;
  check_begin("a scanner takes what a pattern has");
  expect_true(!part_match_pattern(&text, take_x, "%w%b%x", &word, &letter));
  expect(18, text.size);
  expect_true(part_match_pattern(&text, take_x, "a%w%b%d01 %x", &word, &number,
                                 &letter));
  expect_true(part_equals(word, part_of("b")) && letter.size == 1);
  expect_true(part_equals(number, part_of("123456789")));
  expect_true(part_equals(text, part_of("!")));
  expect_true(!part_match_pattern(&text, take_x, "!!") &&
              part_match_pattern(&text, NULL, "!"));
  expect_true(!text.size && !part_match_pattern(&text, NULL, "%d", &number));
  text = part_of("one 0070two");
  expect_true(!part_skip_word(&text, "one two") && part_contains(text, "two"));
  expect_true(part_skip_past(&text, "e ") && part_parse_number(&text, &value));
  expect(70, value);
  expect_true(part_starts_with(text, "two") && !part_starts_with(text, "two "));
  expect_true(!part_skip_past(&text, "e ") && !text.size);
  expect_true(!part_parse_number(&text, &value) && !part_contains(text, "a"));
  expect_true(text_is_listed("+", "- + ~") && text_is_listed("~", "- + ~"));
  expect_true(!text_is_listed("", "a b") && !text_is_listed("a b", "a b") &&
              !text_is_listed("ab", "a b abc"));
  expect_true(text_starts_with_any("b1", "a b") &&
              !text_starts_with_any("1b", "a b bb"));
  check_end();
}

static void check_print_pattern(void) {
  char *made = NULL;
  size_t size;
  check_begin("patterns are written");
  FILE *out = open_memstream(&made, &size);
  part_print_pattern(out, "<%p|%s>", part_of("last"), "two");
  expect_true(!fclose(out));
  expect(0, strcmp(made, "<last|two>"));
  free(made);
  check_end();
}

struct item {
  uint64_t first;
  uint32_t second;
  bool third;
};

ORDER_BY(by_all, struct item, x->first, ~x->second, x->third);

static void check_order(void) {
  static const struct item sorted[] = {
      {0, UINT32_MAX, false}, {0, 1, true}, {0, 0, false},         {0, 0, true},
      {1, 5, false},          {1, 4, true}, {UINT64_MAX, 9, false}};
  enum { COUNT = sizeof sorted / sizeof *sorted };
  struct item list[COUNT];
  const char *one = "a", *two = "b";
  check_begin("orders by several numbers, some of them falling");
  for (unsigned i = 0; i < COUNT; i++)
    list[i] = sorted[i * 3 % COUNT];
  sort_array(list, COUNT, sizeof *list, by_all);
  sort_array(NULL, 0, sizeof *list, by_all);
  for (unsigned i = 0; i < COUNT; i++)
    expect(0, by_all(&sorted[i], &list[i]));
  for (unsigned i = 1; i < COUNT; i++)
    expect_true(by_all(&sorted[i - 1], &sorted[i]) < 0 &&
                by_all(&sorted[i], &sorted[i - 1]) > 0);
  expect_true(compare_texts(&one, &two) < 0 && !compare_texts(&one, &one));
  expect_true(compare_bytes("ab", 2, "abc", 3) < 0);
  expect_true(compare_bytes("b", 1, "abc", 3) > 0);
  expect(0, compare_bytes(NULL, 0, NULL, 0));
  check_end();
}

static uint64_t decimal_of(const char *text, const char **behind) {
  const unsigned char *at = (const unsigned char *)text;
  uint64_t value = parse_decimal(&at, at + strlen(text));
  *behind = (const char *)at;
  return value;
}

static bool is_number(const char *text, unsigned base, uint64_t wanted) {
  uint64_t value;
  return parse_number_in_base((struct bytes){(const void *)text, strlen(text)},
                              base, &value) &&
         value == wanted;
}

static void check_text(void) {
  const char *behind;
  check_begin("numbers in text");
  expect(UINT64_MAX - 1, decimal_of("18446744073709551614,", &behind));
  expect(',', *behind);
  expect(UINT64_MAX, decimal_of("18446744073709551616", &behind));
  expect(0, decimal_of("x", &behind));
  expect('x', *behind);
  expect_true(is_number("fFfFfFfFfFfFfFfF", 16, UINT64_MAX));
  expect_true(is_number("18446744073709551615", 10, UINT64_MAX));
  expect_true(!is_number("18446744073709551616", 10, 0));
  expect_true(!is_number("", 10, 0) && !is_number("12", 2, 4));
  expect(16, digit_value('A'));
  expect(16, digit_value_any_case(0x11));
  expect(UINT64_MAX, add_saturated(UINT64_MAX - 1, 2));
  expect(UINT64_MAX - 1, add_saturated(UINT64_MAX - 2, 1));
  check_end();
}

static void check_numbers(void) {
  unsigned char at[8];
  check_begin("numbers of either byte order");
  store64(at, UINT64_C(0x0123456789ABCDEF), true);
  expect(0x0123, load16(at, true));
  expect(0x01234567, load32(at, true));
  expect(UINT64_C(0xEFCDAB8967452301), load64(at, false));
  store32(at, 0x80FF0001, false);
  expect(0x0100FF80, load32(at, true));
  store16(at + 4, 0xBEEF, true);
  expect(0xEFBE, load16(at + 4, false));
  check_end();
}

/* Text: bytes of a number. left: how many of them are not read. */
static const struct leb {
  const char *text;
  unsigned size, left;
  uint64_t u, s; /* FAILS: refused */
} lebs[] = {
#define FAILS UINT64_C(0xFA115FA115FA115F)
    {"\0", 1, 0, 0, 0},
    {"\x7f!", 2, 1, 127, (uint64_t)-1},
    {"\x80\x01", 2, 0, 128, 128},
    {"\xc0\x00", 2, 0, 64, 64},
    {"\x40", 1, 0, 64, (uint64_t)-64},
    {"\xe5\x8e\x26", 3, 0, 624485, 624485},
    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, 0, UINT64_MAX, FAILS},
    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, 0, INT64_MAX, INT64_MAX},
    {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, 0, FAILS,
     UINT64_C(1) << 63},
    {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 10, 0, FAILS, FAILS},
    {"\x80\x80\x80\x80\x80\x80\x80\x80\x40", 9, 0, UINT64_C(1) << 62,
     UINT64_C(3) << 62},
    /* Longer than it must be. */
    {"\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 12, 0, 1, 1},
    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11, 0, FAILS,
     (uint64_t)-1},
    {"\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, 0, FAILS, FAILS},
    {"\x80\x80", 2, 0, FAILS, FAILS},
    {"", 0, 0, FAILS, FAILS},
};

static void check_leb(void) {
  check_begin("LEB128, of 64 bits at most");
  for (unsigned i = 0; i < sizeof lebs / sizeof *lebs; i++) {
    const struct leb *leb = &lebs[i];
    const unsigned char *begin = (const void *)leb->text;
    const unsigned char *end = begin + leb->size, *at = begin;
    uint64_t value = FAILS;
    int64_t number = (int64_t)FAILS;
    check_where("number %u", i);
    expect(leb->u != FAILS, read_uleb128(&at, end, &value));
    expect(leb->u, value);
    expect_true(at == (leb->u == FAILS ? begin : end - leb->left));
    at = begin;
    expect(leb->s != FAILS, read_sleb128(&at, end, &number));
    expect(leb->s, number);
    expect_true(at == (leb->s == FAILS ? begin : end - leb->left));
  }
  check_end();
}

static void check_names(void) {
  /* Two objects' names with alignment between them; the second chunk is
   * zlib's of "four\1five", stored. */
  static const unsigned char section[] =
      "\0\x0d\0one\1two\1three\0\0\0\x09\x14\x78\x01\x01\x09\x00\xf6\xff"
      "four\1five\x11\x1f\x03\x68\0";
  struct name_table names;
  check_begin("names of two objects");
  expect_true(!names_read(&names, (struct bytes){section, sizeof section - 1}));
  expect(5, names_count(&names));
  static const char *const expected[] = {"one", "two", "three", "four", "five"};
  for (unsigned i = 0; i < 5; i++) {
    const char *name =
        names_find(&names, md5_low64(expected[i], strlen(expected[i])));
    expect_true(name && !strcmp(name, expected[i]));
  }
  expect_true(!names_find(&names, 0) && !names_find(&names, UINT64_MAX));
  names_free(&names);
  check_end();
}

static void check_wrong_names(void) {
  static const struct {
    const char *text;
    size_t size;
  } wrong[] = {
      {"\x80", 1},                             /* half a number */
      {"\x05", 1},                             /* no second one */
      {"\x05\0abcd", 6},                       /* a byte is missing */
      {"\x05\x08\x78\x01\x01", 5},             /* many are missing */
      {"\x03\0a\0b", 5},                       /* a name with a zero in it */
      {"\xff\xff\xff\xff\x0f\x02\x78\x01", 8}, /* 4 GiB out of 2 bytes */
      {"\x02\x0c\x78\x01\x01\x01\0\xfe\xff"
       "a\0b\0b",
       14}, /* one too few */
  };
  check_begin("wrong names are refused");
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct name_table names;
    const unsigned char *bytes = (const void *)wrong[i].text;
    check_where("section %u", i);
    expect_true(names_read(&names, (struct bytes){bytes, wrong[i].size}));
    names_free(&names);
  }
  check_end();
}

static void check_source_names(void) {
  static const char *const pairs[][2] = {
      {"C:\\work\\src\\a.c", "C:/work/src/a.c"},
      {"c:/work/a.c", "C:/work/a.c"},
      {"C:\\work/..\\src\\.\\a.c", "C:/src/a.c"},
      {"C:\\..\\a.c", "C:/a.c"},
      {"C:\\", "C:/"},
      {"C:\\work/D:\\other\\a.c", "D:/other/a.c"},
      {"C:/work/C:/work/a.c", "C:/work/a.c"},
      {"/build/C:\\work\\a.c", "C:/work/a.c"},
      {"\\\\server\\share\\a.c", "//server/share/a.c"},
      {"C:\\work/\\\\server\\a.c", "//server/a.c"},
      /* Names of POSIX. */
      {"/root/.wine/dosdevices/c:/a.c", "/root/.wine/dosdevices/c:/a.c"},
      {"/src/a\\b.c", "/src/a\\b.c"},
      {"C:a\\b.c", "C:a\\b.c"},
      {"../src/./a.c", "../src/./a.c"},
      {"//a/../b.c", "//a/../b.c"},
      {"C:", "C:"},
      {"", ""}};
  char name[64];
  check_begin("names of sources that compilers on Windows write");
  for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    strcpy(name, pairs[i][0]);
    expect(0, strcmp(source_name_normalise(name), pairs[i][1]));
    strcpy(name, pairs[i][1]);
    expect(0, strcmp(source_name_normalise(name), pairs[i][1]));
  }
  expect_true(source_name_is_absolute("C:\\a") &&
              source_name_is_absolute("d:/a"));
  expect_true(source_name_is_absolute("/a") &&
              source_name_is_absolute("\\\\s\\a"));
  expect_true(!source_name_is_absolute("C:a") &&
              !source_name_is_absolute("a\\b"));
  check_end();
}

static void check_program_message(void) {
  struct argument_list words = {0};
  struct buffer messages = {.limit = 256};
  check_begin("a program's message ends inside of a colour");
  arguments_append(&words, "/bin/sh");
  arguments_append(&words, "-c");
  arguments_append(&words, "printf 'a\\033[3' >&2; exit 1");
  expect(1, program_run(&words, NULL, &messages));
  expect(4, messages.size);
  buffer_free(&messages);
  arguments_free(&words);
  check_end();
}

int main(void) {
  check_printable();
  check_buffer();
  check_list();
  check_scan();
  check_print_pattern();
  check_order();
  check_text();
  check_numbers();
  check_leb();
  check_names();
  check_wrong_names();
  check_source_names();
  check_program_message();
  return 0;
}
