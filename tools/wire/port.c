/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parses the names of ports, opens them, and removes the banners of debug
 * probes. base/os.h makes the system calls.
 */
#include "port.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../object/elf.h"

/* ---- RTT: names of channels, the banner of J-Link's programs, and help ----
 */

#define JLINK_PORT "19021"
enum { CHANNELS = 64, BANNER_LINES = 8 };

const char *port_parse_rtt_name(const char *name, char server[RTT_HOST_MOST],
                                int *channel) {
  const char *host = name + strlen("rtt:");
  const char *at = strchr(host, '@');
  *channel = -1;
  if (at) {
    char *end;
    unsigned long number = strtoul(host, &end, 10);
    if (end != at || end == host || host[0] < '0' || host[0] > '9' ||
        number >= CHANNELS)
      return "the channel is not a number below 64";
    *channel = (int)number;
    host = at + 1;
  }
  /* The colons of an IPv6 address are inside brackets. */
  const char *colon = strrchr(host, ':');
  const char *bracket = strrchr(host, ']');
  bool has_port = colon && (!bracket || colon > bracket);
  if (!*host || colon == host ||
      (size_t)snprintf(server, RTT_HOST_MOST, "%s%s", host,
                       has_port ? "" : ":" JLINK_PORT) >= RTT_HOST_MOST)
    return "not rtt:[CHANNEL@]HOST[:PORT]";
  return NULL;
}

/* Writes the line that selects a channel on a J-Link server. Returns the length
 * of the line. */
static size_t format_rtt_config(char line[RTT_CONFIG_MOST], int channel) {
  return (size_t)snprintf(line, RTT_CONFIG_MOST,
                          "$$SEGGER_TELNET_ConfigStr=RTTCh;%d$$", channel);
}

/* The beginnings of the banner's lines. Element 0 is the beginning of the first
 * line. */
static const char *const banner_starts[] = {"SEGGER J-Link", "J-Link",
                                            "Process:"};

enum banner_match { NO_MATCH, MAYBE, MATCH };

static enum banner_match match_banner(const struct banner_filter *banner) {
  size_t kinds =
      banner->lines ? sizeof banner_starts / sizeof *banner_starts : 1;
  enum banner_match best = NO_MATCH;
  for (size_t i = 0; i < kinds && best != MATCH; i++) {
    size_t size = strlen(banner_starts[i]);
    if (banner->held_size <= size &&
        !memcmp(banner_starts[i], banner->held, banner->held_size))
      best = banner->held_size == size ? MATCH : MAYBE;
  }
  return best;
}

/* Filters a byte. Returns how many of the held bytes are not part of the
 * banner; the caller passes these bytes on. */
static size_t filter_banner_byte(struct banner_filter *banner,
                                 unsigned char byte) {
  if (banner->drops) {
    banner->drops = byte != '\n';
    banner->over = !banner->drops && banner->lines >= BANNER_LINES;
    return 0;
  }
  banner->held[banner->held_size++] = (char)byte;
  enum banner_match found = match_banner(banner);
  if (found == MAYBE)
    return 0;
  size_t out = found == MATCH ? 0 : banner->held_size;
  banner->drops = found == MATCH;
  /* The banner ends with the line "Process:". */
  if (found == MATCH)
    banner->lines += banner->held[0] == 'P' ? BANNER_LINES : 1;
  banner->over = !banner->drops;
  banner->held_size = 0;
  return out;
}

size_t port_remove_banner(struct banner_filter *banner, unsigned char *bytes,
                          size_t size) {
  size_t read = 0, out = 0;
  while (read < size && !banner->over) {
    out = filter_banner_byte(banner, bytes[read]);
    read++;
  }
  /* The remaining bytes are moved first, to make space for the held bytes,
   * because these may come from an earlier call. */
  memmove(bytes + out, bytes + read, size - read);
  memcpy(bytes, banner->held, out);
  return out + size - read;
}

/* ---- receive --rtt ---- */

static bool find_rtt_control_block(const struct elf *elf,
                                   struct elf_symbol *block) {
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    *block = elf_symbol(elf, i);
    if (block->section && block->type == ELF_OBJECT &&
        !strcmp(block->name, "_SEGGER_RTT"))
      return true;
  }
  return false;
}

static void print_rtt_commands(const struct elf_symbol *block, int channel) {
  unsigned long long at = block->value, size = block->size;
  int of = channel < 0 ? 0 : channel;
  printf("The control block _SEGGER_RTT is at 0x%llx, %llu bytes.\n\n"
         "OpenOCD 0.12, after `init` and a start of the target:\n"
         "  rtt setup 0x%llx %llu \"SEGGER RTT\"\n"
         "  rtt start\n"
         "  rtt server start 9090 %d\n"
         "then\n"
         "  bareprof receive --port rtt:localhost:9090 --request -o "
         "out.profraw\n\n",
         at, size, at, size, of);
  printf("J-Link (JLinkExe, JLinkGDBServer or Ozone, connected to the "
         "target):\n"
         "  exec SetRTTAddr 0x%llx\n"
         "then\n"
         "  bareprof receive --port rtt:%d@localhost --request -o "
         "out.profraw\n\n",
         at, of);
  printf("probe-rs, in Embed.toml of cargo-embed:\n"
         "  [default.rtt]\n"
         "  enabled = true\n"
         "  up_channels = [{ channel = %d, mode = \"BlockIfFull\", "
         "format = \"BinaryLE\", socket = \"127.0.0.1:9090\" }]\n"
         "then\n"
         "  bareprof receive --port rtt:localhost:9090 -o out.profraw\n",
         of);
}

int port_print_rtt_help(const char *elf_name, int channel) {
  struct file file;
  struct elf elf;
  struct elf_symbol block;
  if (elf_open_file(&elf, &file, elf_name))
    return 1;
  bool found = find_rtt_control_block(&elf, &block);
  if (found)
    print_rtt_commands(&block, channel);
  file_close(&file);
  return found
             ? 0
             : report(elf_name, "the variable _SEGGER_RTT is missing; link an "
                                "RTT sink, examples/sinks/rtt.c or SEGGER's");
}

/* ---- time limits and signals ---- */

enum { BAUD = 115200 }; /* the default baud rate */

/* The times in milliseconds. */
enum { WRITE_PATIENCE = 2000, CONNECT_PATIENCE = 5000, RETRY = 100 };

void port_catch_signals(void) { os_catch_stop_signals(); }

bool port_is_stop_requested(void) { return os_is_stop_requested(); }

/* ---- opening ---- */

/* Splits host:service or [host]:service in place, and resolves the host. */
static const char *resolve_server(char *text,
                                  struct os_server_address **found) {
  const char *wrong = NULL;
  char *colon = strrchr(text, ':');
  /* getaddrinfo would reduce a port number modulo 65536, so larger numbers are
   * rejected here. */
  if (!colon || colon == text || !colon[1] ||
      colon[1 + strspn(colon + 1, "0123456789")] ||
      strtoul(colon + 1, NULL, 10) > 65535)
    return "not tcp:HOST:PORT";
  *colon = 0;
  if (*text == '[' && colon[-1] == ']') {
    colon[-1] = 0;
    text++;
  }
  *found = os_server_resolve(text, colon + 1, &wrong);
  return wrong;
}

/* Connects to the addresses of a server, or to the path of a local socket. */
static int connect_port(struct port *port,
                        const struct os_server_address *server,
                        const char *path) {
  const char *wrong = NULL;
  bool refused = true;
  for (int waited = 0;; waited += RETRY) {
    port->os = server ? os_server_connect(server, &refused, &wrong)
                      : os_port_open_local(path, &wrong);
    if (port->os || os_is_stop_requested() || !refused ||
        waited >= CONNECT_PATIENCE)
      break;
    os_sleep(RETRY);
  }
  return port->os ? 0
                  : report(port->name,
                           "the connection failed: %s; check the address, and "
                           "that the server runs",
                           wrong);
}

/* Connects to a server given as HOST:PORT. */
static int open_tcp_port(struct port *port, const char *server) {
  struct os_server_address *found = NULL;
  char *text = strdup(server);
  const char *wrong = text ? resolve_server(text, &found) : out_of_memory;
  free(text);
  if (!found)
    return report(port->name, "%s; use HOST:PORT, the host and a port number",
                  wrong);
  int status = connect_port(port, found, NULL);
  os_server_free(found);
  return status;
}

static int open_rtt_port(struct port *port) {
  char server[RTT_HOST_MOST], line[RTT_CONFIG_MOST];
  int channel;
  const char *wrong = port_parse_rtt_name(port->name, server, &channel);
  if (wrong)
    return report(
        port->name,
        "%s; use rtt:localhost or, for example, rtt:1@localhost:19021", wrong);
  if (open_tcp_port(port, server))
    return 1;
  port->rtt = true;
  /* J-Link accepts the channel only within 100 ms. */
  return channel >= 0 &&
         port_write(port, line, format_rtt_config(line, channel));
}

/* Returns a hint for a name that is not a file. */
static const char *explain_missing_port(const char *name) {
  const char *colon = strrchr(name, ':');
  if (colon && colon[1] && !strchr(name, '/') &&
      !colon[1 + strspn(colon + 1, "0123456789")])
    return "use tcp:HOST:PORT for a network port, gdb:HOST:PORT for a GDB "
           "server";
  if (!strncmp(name, "tty", 3) || !strncmp(name, "cu.", 3))
    return "use the full name, which begins with /dev/";
  if (os_has_local_servers && !strncmp(name, "COM", 3))
    return "COM ports exist on Windows only; use a name such as /dev/ttyACM0 "
           "or /dev/ttyUSB0";
  return "check that the board is connected; for a network port use "
         "tcp:HOST:PORT";
}

int port_make_gdb_name(char name[SERVER_NAME], const char *server) {
  bool local = strncmp(server, "unix:", 5) == 0;
  const char *at = strncmp(server, "tcp:", 4) && strncmp(server, "gdb:", 4)
                       ? server
                       : server + 4;
  if ((!local && !strchr(at, ':')) ||
      (size_t)snprintf(name, SERVER_NAME, "%s%s", local ? "" : "tcp:", at) >=
          SERVER_NAME)
    return report(server, "expected HOST:PORT; pass the address of the GDB "
                          "server, such as gdb:localhost:3333");
  return 0;
}

static int open_file_port(struct port *port) {
  struct os_file_info facts;
  const char *wrong = NULL;
  port->os = os_port_open(port->name, &wrong);
  if (!port->os)
    return report(port->name, "%s; %s", wrong,
                  errno == EACCES ? "check the permissions of the port"
                                  : explain_missing_port(port->name));
  if (strcmp(port->name, "-") != 0 && os_port_stat(port->os, &facts) &&
      facts.kind == OS_FOLDER)
    return report(port->name, "this is a folder; pass a device or a log");
  return 0;
}

int port_open(struct port *port, const char *name, unsigned long baud) {
  *port = (struct port){.name = name};
  int failed = 0;
  if (!strncmp(name, "tcp:", 4))
    failed = open_tcp_port(port, name + 4);
  else if (!strncmp(name, "unix:", 5))
    failed = connect_port(port, NULL, name + 5);
  else if (!strncmp(name, "rtt:", 4))
    failed = open_rtt_port(port);
  else
    failed = open_file_port(port);
  if (!failed && os_port_is_serial(port->os))
    failed = os_port_set_baud(port->os, name, baud ? baud : BAUD);
  else if (!failed && baud)
    failed = report(name, "this input has no baud rate; remove --baud");
  if (!failed)
    file_mark_input(os_port_descriptor(port->os));
  else
    port_close(port);
  return failed;
}

void port_close(struct port *port) {
  if (port->os)
    os_port_close(port->os);
  port->os = NULL;
}

bool port_can_write(const struct port *port) {
  return os_port_can_write(port->os);
}

struct os_port_losses port_count_losses(const struct port *port) {
  return os_port_count_losses(port->os);
}

/* ---- bytes ---- */

void port_enable_keys(struct port *port) {
  if (os_port_can_write(port->os))
    os_port_add_keys(port->os);
}

static void forward_keys(struct port *port) {
  unsigned char bytes[256];
  long got = os_port_read_keys(port->os, bytes, sizeof bytes);
  if (got > 0)
    port_write(port, bytes, (size_t)got);
}

long port_read(struct port *port, void *bytes, size_t size, int timeout) {
  unsigned ready = os_port_wait(port->os, timeout);
  if (ready & OS_KEYS)
    forward_keys(port);
  if (!(ready & OS_BYTES))
    return 0;
  bool banner = port->rtt && !port->banner.over;
  if (banner)
    size -= sizeof port->banner.held;
  long got = os_port_read(port->os, bytes, size);
  return got > 0 && banner
             ? (long)port_remove_banner(&port->banner, bytes, (size_t)got)
             : got;
}

int port_write(struct port *port, const void *bytes, size_t size) {
  const unsigned char *next = bytes;
  if (!os_port_can_write(port->os))
    return report(port->name, "bareprof cannot send to this input; pass a "
                              "serial port that you may write to, "
                              "tcp:HOST:PORT or rtt:HOST:PORT");
  while (size) {
    long sent = os_port_write(port->os, next, size, WRITE_PATIENCE);
    if (sent < 0)
      return report(port->name,
                    "cannot be written: %s; check that the target is "
                    "still connected",
                    os_error_text(errno));
    if (sent == 0)
      return report(port->name, "the port accepts no more bytes; check whether "
                                "flow control blocks the port");
    next += sent;
    size -= (size_t)sent;
  }
  return 0;
}
