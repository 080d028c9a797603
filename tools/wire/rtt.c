/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RTT: names of channels, J-Link's banner, and what to tell the programs.
 */
#include "port.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../object/elf.h"

#define JLINK_PORT "19021"
enum { CHANNELS = 64, BANNER_LINES = 8 };

const char *rtt_name(const char *name, char server[RTT_HOST_MOST],
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
  /* The colons of an address of IPv6 stand in brackets. */
  const char *colon = strrchr(host, ':');
  const char *bracket = strrchr(host, ']');
  bool has_port = colon && (!bracket || colon > bracket);
  if (!*host || colon == host ||
      (size_t)snprintf(server, RTT_HOST_MOST, "%s%s", host,
                       has_port ? "" : ":" JLINK_PORT) >= RTT_HOST_MOST)
    return "not rtt:[CHANNEL@]HOST[:PORT]";
  return NULL;
}

size_t rtt_config(char line[RTT_CONFIG_MOST], int channel) {
  return (size_t)snprintf(line, RTT_CONFIG_MOST,
                          "$$SEGGER_TELNET_ConfigStr=RTTCh;%d$$", channel);
}

/* The lines of the banner, by how they begin. The first is the first one. */
static const char *const begins[] = {"SEGGER J-Link", "J-Link", "Process:"};

enum match { NO_MATCH, MAYBE, MATCH };

static enum match match(const struct rtt_banner *banner) {
  size_t kinds = banner->lines ? sizeof begins / sizeof *begins : 1;
  enum match best = NO_MATCH;
  for (size_t i = 0; i < kinds && best != MATCH; i++) {
    size_t size = strlen(begins[i]);
    if (banner->held_size <= size &&
        !memcmp(begins[i], banner->held, banner->held_size))
      best = banner->held_size == size ? MATCH : MAYBE;
  }
  return best;
}

/* Takes a byte. Returns how many bytes of held are no banner: they go out. */
static size_t take(struct rtt_banner *banner, unsigned char byte) {
  if (banner->drops) {
    banner->drops = byte != '\n';
    banner->over = !banner->drops && banner->lines >= BANNER_LINES;
    return 0;
  }
  banner->held[banner->held_size++] = (char)byte;
  enum match found = match(banner);
  if (found == MAYBE)
    return 0;
  size_t out = found == MATCH ? 0 : banner->held_size;
  banner->drops = found == MATCH;
  /* Process: is the last line. */
  if (found == MATCH)
    banner->lines += banner->held[0] == 'P' ? BANNER_LINES : 1;
  banner->over = !banner->drops;
  banner->held_size = 0;
  return out;
}

size_t rtt_without_banner(struct rtt_banner *banner, unsigned char *bytes,
                          size_t size) {
  size_t read = 0, out = 0;
  while (read < size && !banner->over) {
    out = take(banner, bytes[read]);
    read++;
  }
  /* What was held may have come with earlier bytes. */
  memmove(bytes + out, bytes + read, size - read);
  memcpy(bytes, banner->held, out);
  return out + size - read;
}

/* ---- receive --rtt ---- */

static bool find_block(const struct elf *elf, struct elf_symbol *block) {
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    *block = elf_symbol(elf, i);
    if (block->section && block->type == ELF_OBJECT &&
        !strcmp(block->name, "_SEGGER_RTT"))
      return true;
  }
  return false;
}

static void print_lines(const struct elf_symbol *block, int channel) {
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

int rtt_show(const char *elf_name, int channel) {
  struct file file;
  struct elf elf;
  struct elf_symbol block;
  if (elf_map(&elf, &file, elf_name))
    return 1;
  bool found = find_block(&elf, &block);
  if (found)
    print_lines(&block, channel);
  file_close(&file);
  return found ? 0
               : report(elf_name, "has no variable _SEGGER_RTT; link a sink of "
                                  "RTT, examples/sinks/rtt.c or SEGGER's");
}
