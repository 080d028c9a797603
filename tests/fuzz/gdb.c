/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/wire/gdb*, against a server of GDB's protocol that the
 * input makes hostile. Each answer is right, or edited, truncated, dropped,
 * repeated, delayed, or split.
 *
 * What must hold: what is read is the memory of the target, or an error is
 * returned. Only an answer that is edited and whose sum is made right may give
 * other bytes. A server that makes no mistake is believed.
 *
 * GDB_ANSWERS=1 prints at the end how many answers were hostile.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include <string.h>

#include "elf_write.h"
#include "base/buffer.h"
#include "gdb.h"
#include "input.h"

enum { RAM = 0x20000000, CODE = 0x1000, ROOM = 1 << 16 };

static unsigned char ram[1200], code[900];
static struct elf elf;
static unsigned char *elf_bytes;

/* ---- the server ---- */

static struct server {
  struct input *input;
  unsigned char out[ROOM]; /* not read yet */
  size_t at, size;
  char last[ROOM / 2]; /* the last answer */
  bool breaks, closed; /* there is a breakpoint; the connection has gone */
  bool first;
  bool hostile, forged; /* any mistake; one with a right sum */
} server;

static unsigned long hostile, answers;

static void send_bytes(const void *bytes, size_t size) {
  if (size > ROOM - server.size)
    size = ROOM - server.size;
  memcpy(server.out + server.size, bytes, size);
  server.size += size;
}

static void send_packet(const char *text, bool right) {
  char end[8];
  unsigned sum = !right;
  for (const char *at = text; *at; at++)
    sum += (unsigned char)*at;
  snprintf(end, sizeof end, "#%02x", sum & 255);
  send_bytes("$", 1);
  send_bytes(text, strlen(text));
  send_bytes(end, 3);
}

/* The right answer to a command. */
static void right_answer(const char *command, char *answer) {
  unsigned long address = 0, size = 0;
  unsigned char *memory = NULL;
  size_t room = 0;
  strcpy(answer, "");
  if (!strncmp(command, "qSupported", 10))
    strcpy(answer, "PacketSize=200;qXfer:features:read+");
  else if (!strncmp(command, "qXfer", 5))
    strcpy(answer, "l<reg name=\"msp\"/><reg name=\"psp\" regnum=\"25\"/>");
  else if (*command == '?' || *command == 'c' || *command == 's')
    strcpy(answer, "T05thread:01;");
  else if (*command == 'Z' || *command == 'z' || *command == 'D')
    strcpy(answer, "OK");
  else if (*command == 'g') /* the PC is where the code begins */
    for (unsigned i = 0; i < 33; i++)
      strcat(answer, i == 15 || i == 32 ? "00100000" : "18000000");
  else if (sscanf(command + 1, "%lx,%lx", &address, &size) == 2 &&
           address >= RAM && address - RAM < sizeof ram) {
    memory = ram + (address - RAM);
    room = sizeof ram - (address - RAM);
  } else if (address >= CODE && address - CODE < sizeof code) {
    memory = code + (address - CODE);
    room = sizeof code - (address - CODE);
  }
  if (!memory)
    return;
  must(size <= room, "the client asks only for what there is");
  if (*command == 'M')
    strcpy(answer, "OK");
  for (size_t i = 0; *command == 'm' && i < size; i++) {
    *answer++ = "0123456789abcdef"[memory[i] >> 4];
    *answer++ = "0123456789abcdef"[memory[i] & 15];
  }
  *answer = *command == 'm' ? 0 : *answer;
}

/* The fuzzer's inputs are short. Behind them, numbers go on that they began:
 * fifteen answers of sixteen are right. */
static unsigned decide(void) {
  static uint32_t state;
  unsigned byte = take(server.input);
  if (server.first)
    state = 0;
  server.first = false;
  state = (state ^ byte) * 1664525 + 1013904223;
  return more(server.input) ? byte : state >> 28 < 15 ? 0 : state >> 20 & 15;
}

/* Sends an answer, or what the input makes of it. */
static void answer(const char *command) {
  static char text[ROOM / 2];
  static const char *const others[] = {
      "",    "E01", "OK",  "S05", "W00",  "O616263", "Fwrite,1,20000000/8,8",
      "X09", "N",   "F-1", "O6",  "0*~0", "Fopen,1", "T05"};
  const size_t kinds = sizeof others / sizeof *others;
  right_answer(command, text);
  unsigned how = decide();
  answers++;
  hostile += how % 16 >= 6;
  server.hostile |= how % 16 >= 6;
  size_t size = strlen(text), at = size ? take(server.input) % size : 0;
  switch (how % 16) {
  case 5: /* text of the target comes first */
    send_packet("O6f6b0a", true);
    send_packet(text, true);
    break;
  case 6: /* an edit that the sum shows; asked again, it comes right */
    if (size)
      text[at] ^= 1;
    send_packet(text, false);
    if (size)
      text[at] ^= 1;
    break;
  case 7:
    server.forged |= size != 0;
    if (size)
      text[at] = (char)(take(server.input) % 94 + 33);
    send_packet(text, true);
    break;
  case 8: /* the same one again */
    send_packet(text, true);
    send_packet(text, true);
    break;
  case 9: /* an earlier one comes late */
    send_packet(server.last, true);
    send_packet(text, true);
    break;
  case 10:
    text[at] = 0;
    server.forged |= size != 0 && strchr("mg", *command);
    send_packet(text, true);
    break;
  case 11: /* the rest never comes */
    send_bytes("$", 1);
    send_bytes(text, at);
    break;
  case 12:
    server.closed = true;
    break;
  case 13: /* no packet at all */
    for (unsigned i = take(server.input) % 40; i; i--) {
      unsigned char byte = (unsigned char)take(server.input);
      send_bytes(&byte, 1);
    }
    break;
  case 14:
    strcpy(text, others[take(server.input) % kinds]);
    server.forged |= *command == 'm';
    send_packet(text, true);
    break;
  case 15: /* asks for the command again and again */
    send_bytes("---", take(server.input) % 4);
    send_packet(text, true);
    break;
  default:
    send_bytes("+", 1);
    send_packet(text, true);
  }
  strcpy(server.last, text);
}

static bool write_link(void *context, const void *bytes, size_t size) {
  static char command[ROOM / 2];
  const char *text = bytes;
  (void)context;
  must(size < sizeof command, "commands are bounded");
  if (size == 1 && *text == '\3')
    send_packet("S02", true);
  if (size == 1 && *text == '-')
    send_packet(server.last, true);
  if (size < 5 || *text != '$')
    return !server.closed;
  memcpy(command, text + 1, size - 4);
  command[size - 4] = 0;
  answer(command);
  return !server.closed;
}

/* Nothing that comes is the end, so that no run waits. */
static long read_link(void *context, void *bytes, size_t size, int wait) {
  size_t some = server.size - server.at;
  (void)context;
  if (!some)
    return wait ? -1 : 0;
  size_t most = take(server.input) % 4 ? size : 1 + take(server.input) % 8;
  some = some < most ? some : most;
  memcpy(bytes, server.out + server.at, some);
  server.at += some;
  if (server.at == server.size)
    server.at = server.size = 0;
  return (long)some;
}

static void text_link(void *context, const unsigned char *bytes, size_t size) {
  unsigned sum = 0;
  (void)context;
  for (size_t i = 0; i < size; i++)
    sum += bytes[i];
  must(sum < ROOM * 255u, "text can be read");
}

/* ---- the target ---- */

static void tell(void) {
  if (getenv("GDB_ANSWERS"))
    fprintf(stderr, "%lu of %lu answers were hostile\n", hostile, answers);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  uint32_t state = 1;
  (void)argc, (void)argv;
  for (size_t i = 0; i < sizeof ram + sizeof code; i++) {
    state = state * 1664525 + 1013904223;
    *(i < sizeof ram ? &ram[i] : &code[i - sizeof ram]) = state >> 24;
  }
  const struct elf_section section = {.name = ".text",
                                      .type = 1,
                                      .flags = ELF_ALLOC | ELF_CODE,
                                      .address = CODE,
                                      .size = sizeof code,
                                      .align = 4,
                                      .bytes = code};
  const struct elf_draft draft = {.type = 2,
                                  .machine = ELF_ARM,
                                  .sections = &section,
                                  .section_count = 1};
  size_t size;
  FILE *stream = open_memstream((char **)&elf_bytes, &size);
  must(stream && !elf_write(&draft, stream) && !fclose(stream), "an ELF");
  must(!elf_open(&elf, (struct bytes){elf_bytes, size}), "it opens");
  atexit(tell);
  return 0;
}

static bool asked(void *context) {
  struct input *input = context;
  return take(input) % 8 == 7;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct gdb_visit visit;
  struct input input = {data, data + size};
  struct counts_range ranges[] = {{RAM, 800, COUNTS_COUNTERS},
                                  {RAM + 800, 37, COUNTS_BITMAP},
                                  {RAM + 1000, 8, COUNTS_PROOF}};
  struct gdb_visit_elf visited = {.name = "elf",
                                  .counts = {.elf = &elf,
                                             .ranges = ranges,
                                             .count = 3,
                                             .element = 8,
                                             .counters_end = RAM + 800,
                                             .guard = RAM + 1000}};
  unsigned how = take(&input);
  server.input = &input;
  server.at = server.size = 0;
  server.last[0] = 0;
  server.first = true;
  server.closed = server.hostile = server.forged = false;
  visit =
      (struct gdb_visit){.init = how & 1,
                         .poison = how & 2,
                         .runs = how & 4,
                         .gdb.link = {NULL, read_link, write_link, text_link},
                         .stops = {.elf = &elf,
                                   .asked = how & 16 ? asked : NULL,
                                   .context = &input},
                         .list = &visited,
                         .count = 1};
  visit.stops.list[0].address = CODE;
  visit.stops.list[0].size = 2;
  visit.stops.list[0].why = how & 32 ? STOP_TRAP : STOP_EXIT;
  visit.stops.count = 1;
  const char *error = gdb_visit_run(&visit);
  must(!error == (strlen(error ? error : "") == 0), "an error has a text");
  must(error || visited.core.size, "there is a core, or an error");
  if (!error && !server.forged) {
    /* A 32-bit core: its header, one for each range and the note's. */
    const unsigned char *memory = visited.core.data + 52 + 4 * 32;
    must(!memcmp(memory, ram, 840) && !memcmp(memory + 840, ram + 1000, 8),
         "what is read is the memory");
  }
  if (!server.hostile)
    must(!error || (how & 1 && error == gdb_unwritable),
         "a right server is believed, but for what it has not written");
  unsigned number = 25;
  bool found = !error && gdb_find_register(&visit.gdb, "psp", &number);
  must(server.forged || number == 25, "a register has the server's number");
  must(server.hostile || error || found, "a right server has the register");
  buffer_free(&visited.core);
  return 0;
}
