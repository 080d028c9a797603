/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends and receives GDB's packets, $TEXT#CC, where CC is a checksum. Each side
 * acknowledges a packet with `+`, or requests the packet again with `-`. A
 * packet that nobody asked for ends the connection. Otherwise the client would
 * match each later answer with the command before, and would read memory from
 * the wrong address.
 */
#include "gdb.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/number.h"
#include "session.h"

/* PATIENCE is the time limit for one answer in milliseconds. AGAIN_MOST is how
 * often a damaged packet is requested again. */
enum { PATIENCE = 5000, AGAIN_MOST = 3 };

/* The time for all answers is limited to LAG milliseconds, plus EACH
 * milliseconds for each answer. An answer with less than PIECE bytes of memory
 * does not add time, because a server could otherwise send one byte in each
 * answer. The smallest packet holds PIECE bytes. So a link must carry 56 bytes
 * of memory each second. */
enum { LAG = 10000, EACH = 500, PIECE = (GDB_PACKET_LEAST - 8) / 2 };

/* The limit for the bytes that may arrive for one answer, including the
 * target's text. */
enum { TAKEN_MOST = 1 << 22 };

const char gdb_gone[] =
    "the GDB server closed the connection; check that the target still runs";
static const char silent[] =
    "the GDB server does not answer; check that no other debugger is connected";
static const char garbled[] =
    "the answer is not from a GDB server; check HOST:PORT";

static const char slow[] =
    "the GDB server answers too slowly or with too few bytes; raise the "
    "probe's clock or the server's PacketSize, or restart the server";

const char gdb_unreadable[] = "the target's memory cannot be read; check that "
                              "this ELF runs, and that its RAM is enabled";
const char gdb_unwritable[] = "the target's memory cannot be written; check "
                              "that this ELF runs, and that its RAM is enabled";

/* ---- packets ---- */

static const char *send_stored_packet(struct gdb_client *gdb) {
  return gdb->link.write(gdb->link.context, gdb->command, gdb->command_size)
             ? NULL
             : gdb_gone;
}

/* Makes a packet of the text in gdb->command, with $, # and the checksum, and
 * sends the packet. */
static const char *send_new_packet(struct gdb_client *gdb, size_t size) {
  unsigned sum = 0;
  gdb->command[0] = '$';
  for (size_t i = 1; i <= size; i++)
    sum += gdb->command[i];
  snprintf((char *)gdb->command + size + 1, 4, "#%02x", sum & 255);
  gdb->command_size = size + 4;
  gdb->taken = 0;
  return send_stored_packet(gdb);
}

/* Returns the next byte, -1 if no byte came in time, or -2 if the connection
 * has ended. */
static int read_byte(struct gdb_client *gdb, uint64_t end) {
  while (gdb->got_at == gdb->got_size) {
    uint64_t now = session_get_time();
    if (gdb->limit && now >= gdb->limit)
      return -1;
    int left = now < end ? (int)(end - now) : 0;
    long got =
        gdb->link.read(gdb->link.context, gdb->got, sizeof gdb->got, left);
    gdb->got_at = 0;
    gdb->got_size = got > 0 ? (size_t)got : 0;
    if (got < 0)
      return -2;
    if (got == 0 && session_get_time() >= end)
      return -1;
  }
  gdb->taken++;
  return gdb->got[gdb->got_at++];
}

/* Appends a byte to the answer. Returns false if the answer is full. */
static bool append_answer_byte(struct gdb_client *gdb, int byte) {
  if (gdb->size >= GDB_PACKET_MOST)
    return false;
  gdb->answer[gdb->size++] = (unsigned char)byte;
  return true;
}

/* Reads a packet after its $. Expands repeated characters and escapes. Returns
 * 1, 0 if the packet is damaged, or -1 or -2 like read_byte. */
static int read_packet_body(struct gdb_client *gdb, uint64_t end) {
  unsigned sum = 0, said = 0;
  bool fits = true;
  int byte;
  gdb->size = 0;
  while ((byte = read_byte(gdb, end)) >= 0 && byte != '#') {
    if (byte == '$' || gdb->taken > TAKEN_MOST)
      return 0;
    sum += (unsigned)byte;
    if (byte != '}' && byte != '*') {
      fits = fits && append_answer_byte(gdb, byte);
      continue;
    }
    int next = read_byte(gdb, end);
    if (next < 0)
      return next;
    sum += (unsigned)next;
    if (byte == '}')
      fits = fits && append_answer_byte(gdb, next ^ 0x20);
    else if (!gdb->size || next < 29 + 3 || next > 126)
      fits = false;
    else
      for (int i = next - 29; i > 0 && fits; i--)
        fits = append_answer_byte(gdb, gdb->answer[gdb->size - 1]);
  }
  for (int i = 0; i < 2 && byte >= 0; i++) {
    byte = read_byte(gdb, end);
    said = said * 16 + digit_value_any_case((unsigned char)byte);
  }
  gdb->answer[gdb->size] = 0;
  return byte < 0 ? byte : fits && said == (sum & 255);
}

/* Reads the next packet into gdb->answer, and skips notifications, which start
 * with %. *came becomes false if no packet came in time. */
static const char *read_next_packet(struct gdb_client *gdb, int milliseconds,
                                    bool *came) {
  uint64_t end = session_get_time() + (uint64_t)milliseconds;
  *came = false;
  for (unsigned again = 0; again <= AGAIN_MOST;) {
    int byte = read_byte(gdb, end);
    if (byte < 0)
      return byte == -1 ? NULL : gdb_gone;
    if (gdb->taken > TAKEN_MOST)
      return garbled;
    if (byte == '-') {
      again++;
      const char *error = send_stored_packet(gdb);
      if (error)
        return error;
    }
    if (byte != '$' && byte != '%')
      continue;
    end = session_get_time() + PATIENCE; /* the packet has begun */
    int good = read_packet_body(gdb, end);
    if (good < 0)
      return good == -1 ? silent : gdb_gone;
    if (byte == '%')
      continue;
    again += !good;
    if (!gdb->link.write(gdb->link.context, good ? "+" : "-", 1))
      return gdb_gone;
    *came = good;
    if (good)
      return NULL;
  }
  return garbled;
}

/* Converts pairs of hexadecimal digits to bytes. Returns false if the answer
 * has another character at this place. */
static bool decode_hex(const struct gdb_client *gdb, size_t at,
                       unsigned char *to, size_t size) {
  for (size_t i = 0; i < size; i++) {
    unsigned high = digit_value_any_case(gdb->answer[at + 2 * i]);
    unsigned low = digit_value_any_case(gdb->answer[at + 2 * i + 1]);
    if (high > 15 || low > 15)
      return false;
    to[i] = (unsigned char)(high << 4 | low);
  }
  return true;
}

/* Passes the text of an O packet, which the target has printed, to the link. */
static const char *pass_on_target_text(const struct gdb_client *gdb) {
  static unsigned char text[GDB_PACKET_MOST / 2];
  size_t size = (gdb->size - 1) / 2;
  if (!decode_hex(gdb, 1, text, size))
    return garbled;
  if (gdb->link.text)
    gdb->link.text(gdb->link.context, text, size);
  return NULL;
}

/* Returns whether the packet reports that the target has stopped. */
static bool is_stop_packet(const struct gdb_client *gdb) {
  return (gdb->answer[0] == 'S' || gdb->answer[0] == 'T') &&
         digit_value_any_case(gdb->answer[1]) < 16 &&
         digit_value_any_case(gdb->answer[2]) < 16;
}

/* Returns whether the packet does not answer the command. Such a packet is text
 * of the target, or a stop that the command did not ask for: if the target was
 * running when the debugger connected, QEMU reports its stop before it reads a
 * command. */
static bool is_unasked_packet(const struct gdb_client *gdb) {
  bool text = gdb->answer[0] == 'O' && gdb->answer[1] != 'K';
  return text || (is_stop_packet(gdb) && gdb->command[1] != '?');
}

static const char *pass_on_unasked_text(const struct gdb_client *gdb) {
  return gdb->answer[0] == 'O' ? pass_on_target_text(gdb) : NULL;
}

/* Reads the packets that arrived before the command. */
static const char *drain_earlier_packets(struct gdb_client *gdb) {
  const char *error = NULL;
  bool came;
  int byte;
  gdb->command[1] = 0;
  while (!error && (byte = read_byte(gdb, 0)) != -1) {
    if (byte == '+')
      continue;
    if (byte != '$')
      return byte == -2 ? gdb_gone : garbled;
    gdb->got_at--;
    error = read_next_packet(gdb, PATIENCE, &came);
    if (!error)
      error =
          came && is_unasked_packet(gdb) ? pass_on_unasked_text(gdb) : garbled;
  }
  return error;
}

/* Sends a command and reads the answer. Packets that arrive do not extend the
 * time limit. */
static const char *exchange_within_time_limit(struct gdb_client *gdb,
                                              size_t size) {
  unsigned char first = gdb->command[1];
  bool came = false;
  gdb->limit = session_get_time() + gdb->left;
  const char *error = drain_earlier_packets(gdb);
  gdb->command[1] = first;
  if (!error)
    error = send_new_packet(gdb, size);
  if (!error)
    error = read_next_packet(gdb, PATIENCE, &came);
  while (!error && came && is_unasked_packet(gdb)) {
    error = pass_on_unasked_text(gdb);
    if (!error)
      error = read_next_packet(gdb, PATIENCE, &came);
  }
  uint64_t now = session_get_time();
  gdb->left = now < gdb->limit ? gdb->limit - now : 0;
  gdb->limit = 0;
  if (!error && !came)
    error = silent;
  return error && error != gdb_gone && !gdb->left ? slow : error;
}

/* Lets each answer add to the time that is left for the next ones. */
static void extend_answer_time(struct gdb_client *gdb) {
  gdb->left = gdb->left < LAG - EACH ? gdb->left + EACH : LAG;
}

static const char *exchange_packets(struct gdb_client *gdb, size_t size) {
  const char *error = exchange_within_time_limit(gdb, size);
  if (!error)
    extend_answer_time(gdb);
  return error;
}

static size_t format_command(struct gdb_client *gdb, const char *format, ...)
    PRINTS_AS(2, 3);
static size_t format_command(struct gdb_client *gdb, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int size = vsnprintf((char *)gdb->command + 1, 80, format, list);
  va_end(list);
  return (size_t)size;
}

static bool answer_equals(const struct gdb_client *gdb, const char *text) {
  return strcmp((const char *)gdb->answer, text) == 0;
}

/* ---- numbers in hexadecimal ---- */

/* Parses a hexadecimal number from position *at of the answer. Also skips a
 * comma or slash after the number. */
static uint64_t parse_hex(const struct gdb_client *gdb, size_t *at) {
  uint64_t value = 0;
  for (unsigned digit; (digit = digit_value_any_case(gdb->answer[*at])) < 16;
       ++*at)
    value = value << 4 | digit;
  *at += gdb->answer[*at] == ',' || gdb->answer[*at] == '/';
  return value;
}

/* ---- stops ---- */

/* Answers a semihosting request for files. The function accepts only text for
 * the console; all other requests fail on the target. */
static const char *serve_file_request(struct gdb_client *gdb) {
  static const char writes[] = "Fwrite,";
  size_t at = sizeof writes - 1;
  static unsigned char text[1024];
  bool shown = !strncmp((const char *)gdb->answer, writes, at);
  if (shown) {
    uint64_t file = parse_hex(gdb, &at), from = parse_hex(gdb, &at);
    uint64_t size = parse_hex(gdb, &at);
    shown = file == 1 || file == 2;
    size = size < sizeof text ? size : sizeof text;
    const char *error =
        shown ? gdb_read_memory(gdb, from, text, (size_t)size) : NULL;
    if (error)
      return error;
    if (shown && gdb->link.text)
      gdb->link.text(gdb->link.context, text, (size_t)size);
    if (shown)
      return send_new_packet(gdb, format_command(gdb, "F%x", (unsigned)size));
  }
  return send_new_packet(gdb, format_command(gdb, "F-1,58"));
}

/* Parses the number of the core that stopped. The answer is T05thread:01; or,
 * with processes, T05thread:p01.02; */
static void parse_stopped_thread(struct gdb_client *gdb) {
  const char *at = strstr((const char *)gdb->answer, "thread:");
  const char *end = at ? at + strcspn(at, ";.") : NULL;
  at = end && *end == '.' ? end + 1 : at ? at + 7 : "";
  gdb->thread = (unsigned)strtoul(at, NULL, 16);
}

/* Sets gdb->state from a packet that reports a stop or an end. */
static const char *set_state_or_serve_request(struct gdb_client *gdb) {
  switch (gdb->answer[0]) {
  case 'S':
  case 'T':
    gdb->state = GDB_STOPPED;
    parse_stopped_thread(gdb);
    return gdb->size >= 3 ? NULL : garbled;
  case 'W':
  case 'X':
    gdb->state = GDB_ENDED;
    return NULL;
  case 'O':
    return pass_on_target_text(gdb);
  case 'F':
    return serve_file_request(gdb);
  default:
    return garbled;
  }
}

const char *gdb_wait_for_stop(struct gdb_client *gdb, int milliseconds) {
  uint64_t end = session_get_time() + (uint64_t)milliseconds;
  bool came = true;
  while (gdb->state == GDB_RUNS && came) {
    uint64_t now = session_get_time();
    const char *error =
        read_next_packet(gdb, now < end ? (int)(end - now) : 0, &came);
    if (!error && came)
      error = set_state_or_serve_request(gdb);
    if (error)
      return error;
    gdb->taken = 0;
    came = came && session_get_time() < end;
  }
  return NULL;
}

const char *gdb_resume(struct gdb_client *gdb, bool one) {
  gdb->state = GDB_RUNS;
  return send_new_packet(gdb, format_command(gdb, one ? "s" : "c"));
}

const char *gdb_halt(struct gdb_client *gdb) {
  if (gdb->state != GDB_RUNS)
    return NULL;
  if (!gdb->link.write(gdb->link.context, "\3", 1))
    return gdb_gone;
  const char *error = gdb_wait_for_stop(gdb, PATIENCE);
  return error || gdb->state != GDB_RUNS ? error : silent;
}

/* Requests the beginning of a file of the target's description. Some servers do
 * not know the command. */
static const char *request_description(struct gdb_client *gdb,
                                       const char *file) {
  return exchange_packets(
      gdb, format_command(gdb, "qXfer:features:read:%s:0,%zx", file,
                          gdb->packet < 4096 ? gdb->packet - 8 : (size_t)4088));
}

/* Asks the server for the target's architecture. */
static const char *request_machine(struct gdb_client *gdb) {
  static const char before[] = "<architecture>";
  const char *error = request_description(gdb, "target.xml");
  const char *text = (const char *)gdb->answer;
  const char *at = error ? NULL : strstr(text, before);
  if (at)
    snprintf(gdb->machine, sizeof gdb->machine, "%.*s",
             (int)strcspn(at + sizeof before - 1, "<"), at + sizeof before - 1);
  gdb->m_profile = at && strstr(at, "m-profile");
  return error;
}

bool gdb_can_run_elf(const struct gdb_client *gdb, const struct elf *elf) {
  const char *machine = gdb->machine;
  bool wide = strstr(machine, "64");
  switch (*machine ? elf->machine : 0) {
  case ELF_ARM:
    return !strncmp(machine, "arm", 3) || !strncmp(machine, "aarch64", 7);
  case ELF_AARCH64:
    return !strncmp(machine, "aarch64", 7);
  case ELF_RISCV:
    return !strcmp(machine, "riscv") ||
           (!strncmp(machine, "riscv", 5) && wide == elf->wide);
  default:
    return true;
  }
}

const char *gdb_connect_and_halt(struct gdb_client *gdb) {
  gdb->packet = GDB_PACKET;
  gdb->left = LAG;
  const char *error = exchange_packets(gdb, format_command(gdb, "qSupported"));
  bool tells =
      !error && strstr((const char *)gdb->answer, "qXfer:features:read+");
  const char *at =
      error ? NULL : strstr((const char *)gdb->answer, "PacketSize=");
  if (at) {
    size_t from = (size_t)(at - (const char *)gdb->answer) + 11;
    uint64_t size = parse_hex(gdb, &from);
    gdb->packet = size < GDB_PACKET_LEAST  ? GDB_PACKET_LEAST
                  : size > GDB_PACKET_MOST ? GDB_PACKET_MOST
                                           : (size_t)size;
  }
  gdb->state = GDB_RUNS;
  if (!error)
    error = exchange_packets(gdb, format_command(gdb, "?"));
  if (!error)
    error = set_state_or_serve_request(gdb);
  if (!error && tells && gdb->state == GDB_STOPPED)
    error = request_machine(gdb);
  /* A stop that is already on its way comes before the answer to this command.
   */
  if (!error && gdb->state == GDB_STOPPED)
    error = exchange_packets(gdb, format_command(gdb, "qC"));
  if (!error && gdb->state == GDB_RUNS)
    error = gdb_halt(gdb);
  if (!error && gdb->state == GDB_ENDED)
    error = "the GDB server has no target; start the program first";
  return error;
}

/* Disconnects. The program may end before the server answers, which is not an
 * error. */
const char *gdb_detach(struct gdb_client *gdb) {
  const char *error = exchange_packets(gdb, format_command(gdb, "D"));
  if (error == gdb_gone || gdb->answer[0] == 'W' || gdb->answer[0] == 'X')
    return NULL;
  return error || answer_equals(gdb, "OK") ? error : garbled;
}

/* ---- memory and registers ---- */

const char *gdb_read_memory(struct gdb_client *gdb, uint64_t address,
                            void *bytes, size_t size) {
  unsigned char *to = bytes;
  /* A byte needs two digits, and 8 bytes of the packet are not digits. */
  const size_t most = (gdb->packet - 8) / 2;
  while (size) {
    size_t want = size < most ? size : most;
    const char *error = exchange_within_time_limit(
        gdb,
        format_command(gdb, "m%llx,%zx", (unsigned long long)address, want));
    if (error)
      return error;
    size_t got = gdb->size / 2;
    bool failed = gdb->answer[0] == 'E' && gdb->size == 3;
    if (failed || got == want || got >= PIECE)
      extend_answer_time(gdb);
    if (failed) {
      gdb->failed = address;
      return gdb_unreadable;
    }
    if (!got || got > want || gdb->size % 2 || !decode_hex(gdb, 0, to, got))
      return garbled;
    to += got;
    address += got;
    size -= got;
  }
  return NULL;
}

const char *gdb_write_memory(struct gdb_client *gdb, uint64_t address,
                             const void *bytes, size_t size) {
  static const char digits[] = "0123456789abcdef";
  const unsigned char *from = bytes;
  const size_t most = (gdb->packet - 40) / 2;
  while (size) {
    size_t some = size < most ? size : most;
    size_t at =
        format_command(gdb, "M%llx,%zx:", (unsigned long long)address, some) +
        1;
    for (size_t i = 0; i < some; i++) {
      gdb->command[at++] = (unsigned char)digits[from[i] >> 4];
      gdb->command[at++] = (unsigned char)digits[from[i] & 15];
    }
    const char *error = exchange_packets(gdb, at - 1);
    if (error)
      return error;
    gdb->failed = address;
    if (!answer_equals(gdb, "OK"))
      return gdb_unwritable;
    from += some;
    address += some;
    size -= some;
  }
  return NULL;
}

const char *gdb_fill_memory(struct gdb_client *gdb, uint64_t address,
                            unsigned char value, size_t size) {
  unsigned char bytes[1024];
  const char *error = NULL;
  memset(bytes, value, sizeof bytes);
  while (size && !error) {
    size_t some = size < sizeof bytes ? size : sizeof bytes;
    error = gdb_write_memory(gdb, address, bytes, some);
    address += some;
    size -= some;
  }
  return error;
}

const char *gdb_read_registers(struct gdb_client *gdb, size_t at,
                               unsigned char *bytes, size_t size) {
  const char *error = exchange_packets(gdb, format_command(gdb, "g"));
  if (error)
    return error;
  return 2 * (at + size) <= gdb->size && decode_hex(gdb, 2 * at, bytes, size)
             ? NULL
             : "the GDB server does not send the registers; check that the "
               "target is halted";
}

const char *gdb_read_register(struct gdb_client *gdb, unsigned number,
                              unsigned char *bytes, size_t size) {
  const char *error = exchange_packets(gdb, format_command(gdb, "p%x", number));
  if (error)
    return error;
  return 2 * size == gdb->size && decode_hex(gdb, 0, bytes, size)
             ? NULL
             : "the GDB server does not send this register";
}

/* Finds the number of a register in the XML of the answer. */
static bool parse_register_number(const struct gdb_client *gdb,
                                  const char *name, unsigned *number) {
  static const char before[] = " regnum=\"";
  char text[24];
  snprintf(text, sizeof text, " name=\"%s\"", name);
  const char *at = strstr((const char *)gdb->answer, text);
  while (at && at > (const char *)gdb->answer && *at != '<')
    at--;
  const char *end = at ? strchr(at, '>') : NULL;
  const char *digits = end ? strstr(at, before) : NULL;
  if (!digits || digits > end)
    return false;
  *number = (unsigned)strtoul(digits + sizeof before - 1, NULL, 10);
  return true;
}

bool gdb_find_register(struct gdb_client *gdb, const char *name,
                       unsigned *number) {
  /* OpenOCD has all registers in the first file, QEMU from 8.0 on has these in
   * the other one. */
  return (!request_description(gdb, "target.xml") &&
          parse_register_number(gdb, name, number)) ||
         (!request_description(gdb, "arm-m-system.xml") &&
          parse_register_number(gdb, name, number));
}

/* Tries hardware breakpoints (kind 1) first: programs in flash need them, and
 * they leave the code unchanged. */
const char *gdb_change_breakpoint(struct gdb_client *gdb, uint64_t address,
                                  unsigned size, bool set) {
  for (unsigned kind = 1;; kind--) {
    const char *error = exchange_packets(
        gdb, format_command(gdb, "%c%u,%llx,%x", set ? 'Z' : 'z', kind,
                            (unsigned long long)address, size));
    if (error || answer_equals(gdb, "OK"))
      return error;
    if (!kind)
      return "the GDB server cannot set a breakpoint; remove other breakpoints "
             "of the core";
  }
}
