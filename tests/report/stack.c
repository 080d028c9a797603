/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints the calls that tools/wire/gdb_stack.c finds on a halted core: the
 * functions, innermost first, and ! before one where an exception came. The
 * core's registers and memory come from the arguments, through a server of
 * GDB's protocol. Memory that no argument has cannot be read.
 *
 *   stack ELF [XML] pc=VALUE NUMBER=VALUE psp=VALUE @ADDRESS=VALUE
 *     frame=STATUS...
 *
 * VALUE and ADDRESS are hexadecimal, or SYMBOL+HEXADECIMAL. XML is the file of
 * the target's description that has psp; unnumbered: psp has no number. frame:
 * the words at 1000 are what an exception of a Cortex-M saves at first_leaf.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "file.h"
#include "gdb.h"

enum { WORDS_MOST = 64, PC = 32, PSP = 40 };

static struct elf elf;
static struct { uint64_t address, value; } words[WORDS_MOST];
static size_t word_count;
static uint64_t registers[33];
static const char *psp_file = "", *psp_value;

/* ---- the server ---- */

static char out[8192];
static size_t out_at, out_size;

static void append_number(char *answer, uint64_t value, unsigned size) {
  for (answer += strlen(answer); size--; value >>= 8)
    answer += sprintf(answer, "%02x", (unsigned)value & 255);
}

static void answer_description(const char *command, char *answer) {
  const char *of = elf.machine == ELF_ARM       ? "arm"
                   : elf.machine == ELF_AARCH64 ? "aarch64"
                                                : "riscv";
  strcpy(answer, "l");
  if (strstr(command, ":target.xml:"))
    sprintf(answer, "l<architecture>%s</architecture>m-profile", of);
  if (*psp_file && strstr(command, psp_file))
    sprintf(answer + strlen(answer),
            "<reg name=\"msp\" regnum=\"39\"/>"
            "<reg name=\"psp\" bitsize=\"32\" regnum=\"%d\"/>",
            PSP);
  if (!strcmp(psp_file, "unnumbered"))
    sprintf(answer + strlen(answer),
            "<reg name=\"psp\"/><reg name=\"primask\" regnum=\"%d\"/>", PSP);
}

static void answer_memory(uint64_t address, char *answer) {
  for (size_t i = 0; i < word_count; i++)
    if (words[i].address == address)
      append_number(answer, words[i].value, elf.wide ? 8 : 4);
  if (!*answer)
    strcpy(answer, "E01");
}

static void answer_command(const char *command, char *answer) {
  unsigned size = elf.wide ? 8 : 4;
  unsigned count = elf.machine == ELF_ARM ? 16 : 33;
  *answer = 0;
  if (!strncmp(command, "qSupported", 10))
    strcpy(answer, "PacketSize=1000;qXfer:features:read+");
  else if (!strncmp(command, "qXfer", 5))
    answer_description(command, answer);
  else if (*command == '?')
    strcpy(answer, "T05thread:01;");
  else if (*command == 'g')
    for (unsigned i = 0; i < count; i++)
      append_number(answer, registers[i + 1 < count ? i : PC], size);
  else if (*command == 'p' && strtoul(command + 1, NULL, 16) == PSP)
    append_number(answer, strtoull(psp_value, NULL, 16), 4);
  else if (*command == 'm')
    answer_memory(strtoull(command + 1, NULL, 16), answer);
}

static bool write_link(void *context, const void *bytes, size_t size) {
  char command[600], answer[4000];
  unsigned sum = 0;
  (void)context;
  if (size < 5 || size > sizeof command)
    return true;
  memcpy(command, (const char *)bytes + 1, size - 4);
  command[size - 4] = 0;
  answer_command(command, answer);
  for (const char *at = answer; *at; at++)
    sum += (unsigned char)*at;
  out_at = 0;
  out_size = (size_t)sprintf(out, "+$%s#%02x", answer, sum & 255);
  return true;
}

static long read_link(void *context, void *bytes, size_t size, int wait) {
  size_t some = out_size - out_at < size ? out_size - out_at : size;
  (void)context;
  memcpy(bytes, out + out_at, some);
  out_at += some;
  return some || !wait ? (long)some : -1;
}

/* ---- the arguments ---- */

static uint64_t parse_value(const char *text) {
  char name[80];
  uint64_t value = 0;
  size_t size = strcspn(text, "+=");
  const char *plus = text + size;
  snprintf(name, sizeof name, "%.*s", (int)size, text);
  if (!elf_find_symbol(&elf, name, &value))
    value = strtoull(name, NULL, 16);
  return value + (*plus == '+' ? strtoull(plus + 1, NULL, 16) : 0);
}

static void add_word(uint64_t address, uint64_t value) {
  if (word_count < WORDS_MOST) {
    words[word_count].address = address;
    words[word_count++].value = value;
  }
}

static void parse_argument(const char *text) {
  const char *value = strchr(text, '=');
  if (!value)
    psp_file = text;
  else if (*text == '@')
    add_word(parse_value(text + 1), parse_value(value + 1));
  else if (!strncmp(text, "frame=", 6)) {
    for (uint64_t at = 0x1000; at < 0x1018; at += 4)
      add_word(at, 0);
    add_word(0x1018, parse_value("first_leaf"));
    add_word(0x101C, parse_value(value + 1));
  } else if (!strncmp(text, "psp=", 4))
    psp_value = value + 1;
  else if (!strncmp(text, "pc=", 3))
    registers[PC] = parse_value(value + 1);
  else
    registers[strtoul(text, NULL, 10) % 32] = parse_value(value + 1);
}

/* A core file with one program header, which is for the note. */
static const char *begin_core(struct buffer *core) {
  static unsigned char head[64 + 56] = {0x7F, 'E', 'L', 'F', 1, 1, 1};
  unsigned size = elf.wide ? 64 : 52, entry = elf.wide ? 56 : 32;
  head[4] = elf.wide ? 2 : 1;
  store16(head + 16, ELF_CORE, false);
  store16(head + 18, elf.machine, false);
  store32(head + (elf.wide ? 32 : 28), size, false);
  store16(head + size - 10, (uint16_t)entry, false);
  store16(head + size - 8, 1, false);
  core->limit = sizeof head;
  return buffer_append_bytes(core, head, size + entry);
}

int main(int count, char **arguments) {
  static struct gdb_client gdb = {.link = {NULL, read_link, write_link, NULL}};
  struct buffer core = {.limit = 0}, list = {.limit = 4096};
  struct file file;
  const char *error =
      file_map(&file, arguments[1], (size_t)1 << 32) ? "no file" : NULL;
  if (!error)
    error = elf_open(&elf, file.bytes);
  for (int i = 2; !error && i < count; i++)
    parse_argument(arguments[i]);
  if (!error)
    error = gdb_connect_and_halt(&gdb);
  if (!error)
    error = begin_core(&core);
  if (!error)
    error = gdb_stack_add_note(&gdb, &elf, false, &core);
  if (!error)
    error = gdb_stack_parse_note((struct bytes){core.data, core.size}, &list);
  const uint64_t *word = (const void *)list.data;
  bool came = false;
  for (size_t i = 0; !error && i < list.size / 8; i++) {
    if (word[i] != GDB_STACK_EXCEPTION)
      printf(" %s%s", came ? "!" : "", elf_find_function(&elf, word[i]).name);
    came = word[i] == GDB_STACK_EXCEPTION;
  }
  puts(error ? error : "");
  buffer_free(&core);
  buffer_free(&list);
  file_close(&file);
  return error != NULL;
}
