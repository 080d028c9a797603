/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * J-Link's banner is taken out, however its bytes come, and nothing else is;
 * and the names of RTT's ports.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "wire/port.h"

static const char *const logs[][2] = {
    {"SEGGER J-Link V7 - Real time terminal output\r\nJ-Link ARM, SN=1\r\n"
     "Process: JLinkExe\r\nSEGGER J-Link is a log line\n",
     "SEGGER J-Link is a log line\n"},
    {"SEGGER J-Link V6\r\nSEGGER J-Link ARM V9, SN=1\r\nProcess: x\r\nJ-Lin",
     "J-Lin"},
    {"SEGGER\nJ-Link", "SEGGER\nJ-Link"},
    {"Process: the target's own\n", "Process: the target's own\n"},
    {"plain\nSEGGER J-Link\n", "plain\nSEGGER J-Link\n"},
    {"\xff\x00", "\xff"},
    {"SEGGER J-Link\nX", "X"},
};

static void pieces(const char *log, const char *wanted, size_t each) {
  struct banner_filter banner = {.over = false};
  char out[300];
  size_t size = 0, length = strlen(log);
  for (size_t at = 0; at < length; at += each) {
    unsigned char bytes[300];
    size_t piece = length - at < each ? length - at : each;
    memcpy(bytes, log + at, piece);
    size_t left = port_remove_banner(&banner, bytes, piece);
    memcpy(out + size, bytes, left);
    size += left;
  }
  memcpy(out + size, banner.held, banner.held_size);
  size += banner.held_size;
  expect(strlen(wanted), size);
  expect_true(!memcmp(out, wanted, size));
}

static void name(const char *text, const char *server, int channel) {
  char got[RTT_HOST_MOST];
  int of;
  const char *error = port_parse_rtt_name(text, got, &of);
  expect_true(!server == (error != NULL));
  if (!server || error)
    return;
  expect_true(!strcmp(server, got));
  expect((uint64_t)(channel + 1), (uint64_t)(of + 1));
}

int main(void) {
  check_begin("rtt: the banner, in pieces of any size");
  for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
    for (size_t each = 1; each < 120; each++)
      pieces(logs[i][0], logs[i][1], each);
  check_end();
  check_begin("rtt: names of ports");
  name("rtt:localhost", "localhost:19021", -1);
  name("rtt:1@localhost", "localhost:19021", 1);
  name("rtt:63@h:9090", "h:9090", 63);
  name("rtt:[::1]", "[::1]:19021", -1);
  name("rtt:2@[::1]:7", "[::1]:7", 2);
  name("rtt:", NULL, 0);
  name("rtt:1@", NULL, 0);
  name("rtt:x@h", NULL, 0);
  name("rtt:64@h", NULL, 0);
  name("rtt:@h", NULL, 0);
  name("rtt:-1@h", NULL, 0);
  check_end();
  return 0;
}
