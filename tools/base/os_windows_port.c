/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements the ports of os.h on Windows: COM ports, TCP, files, pipes. A wait
 * checks each port every few milliseconds, because no function of Windows waits
 * for all kinds of ports.
 */
#include "os_windows.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <ws2tcpip.h>

#include "error.h"

/* CONNECT_PATIENCE and STEP are in milliseconds. DRIVER_ROOM is the size of the
 * driver's buffers in bytes. */
enum { CONNECT_PATIENCE = 5000, STEP = 5, DRIVER_ROOM = 1 << 16 };

enum port_kind { KIND_FILE, KIND_PIPE, KIND_SERIAL, KIND_TCP };

struct os_port {
  enum port_kind kind;
  HANDLE file;
  int number; /* the number of the file, or -1 */
  SOCKET socket;
  bool set, keys, keys_set; /* set, keys_set: `before` and `keys_before` hold
                               the previous settings; keys: keys are read */
  DCB before;
  DWORD keys_before;
  struct os_port_losses losses;
};

void os_sleep(int milliseconds) { Sleep((DWORD)milliseconds); }

/* ---- opening ---- */

static struct os_port *allocate_port(enum port_kind kind, const char **error) {
  struct os_port *port = calloc(1, sizeof *port);
  if (!port) {
    *error = out_of_memory;
    return NULL;
  }
  port->kind = kind;
  port->file = INVALID_HANDLE_VALUE;
  port->number = -1;
  port->socket = INVALID_SOCKET;
  return port;
}

/* Opens a device. The names of COM10 and higher need the prefix \\.\, which is
 * also allowed for the other ports. */
static HANDLE open_device(const char *name) {
  char full[300];
  bool has_prefix = os_base_name(name) != name;
  snprintf(full, sizeof full, "%s%s", has_prefix ? "" : "\\\\.\\", name);
  wchar_t *wide = os_to_utf16(full);
  HANDLE file = INVALID_HANDLE_VALUE;
  if (wide)
    file = CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, 0, NULL,
                       OPEN_EXISTING, 0, NULL);
  if (wide && file == INVALID_HANDLE_VALUE)
    os_set_errno();
  /* Windows reports this error if another program has the port open. */
  if (file == INVALID_HANDLE_VALUE && errno == EACCES)
    errno = EBUSY;
  free(wide);
  return file;
}

static bool is_com_port(const char *name) {
  const char *base = os_base_name(name);
  return os_are_same_name(base, "com", 3) && base[3] >= '0' && base[3] <= '9' &&
         base[3 + strspn(base + 3, "0123456789")] == 0;
}

struct os_port *os_port_open(const char *name, const char **error) {
  struct os_port *port = allocate_port(KIND_FILE, error);
  if (!port)
    return NULL;
  struct os_file_info facts;
  bool com =
      os_are_same_name(name, "//./", 4) ||
      (is_com_port(name) && !(os_base_name(name) != name && os_exists(name)));
  if (!strcmp(name, "-"))
    port->number = 0;
  else if (com)
    port->file = open_device(name);
  else
    port->number = os_open(name);
  if (port->number >= 0)
    port->file = (HANDLE)_get_osfhandle(port->number);
  if (port->file == INVALID_HANDLE_VALUE) {
    *error = os_error_text(errno);
    free(port);
    return NULL;
  }
  if (com)
    port->kind = KIND_SERIAL;
  else if (os_stat_open(port->number, &facts) && facts.kind == OS_OTHER &&
           GetFileType(port->file) == FILE_TYPE_PIPE)
    port->kind = KIND_PIPE;
  return port;
}

/* ---- serial devices ---- */

int os_port_set_baud(struct os_port *port, const char *name,
                     unsigned long baud) {
  COMMTIMEOUTS times = {MAXDWORD, 0, 0, 0, 0};
  DCB raw;
  memset(&port->before, 0, sizeof port->before);
  port->before.DCBlength = sizeof port->before;
  if (!GetCommState(port->file, &port->before)) {
    os_set_errno();
    return report(name, "%s; check that this is a serial port",
                  os_error_text(errno));
  }
  SetupComm(port->file, DRIVER_ROOM, DRIVER_ROOM);
  memset(&raw, 0, sizeof raw);
  raw.DCBlength = sizeof raw;
  raw.BaudRate = baud;
  raw.fBinary = TRUE;
  raw.ByteSize = 8;
  raw.Parity = NOPARITY;
  raw.StopBits = ONESTOPBIT;
  /* Many USB devices send only if the DTR signal is on. */
  raw.fDtrControl = DTR_CONTROL_ENABLE;
  raw.fRtsControl = RTS_CONTROL_ENABLE;
  if (!SetCommState(port->file, &raw))
    return report(name, "the port does not support %lu baud; use another rate",
                  baud);
  port->set = true;
  times.WriteTotalTimeoutConstant = 100;
  SetCommTimeouts(port->file, &times);
  PurgeComm(port->file, PURGE_RXCLEAR | PURGE_TXCLEAR);
  return 0;
}

/* Returns how many bytes wait, or MAXDWORD after an error. Also counts losses:
 * Windows reports that bytes were lost, but not how many. */
static DWORD count_bytes_and_losses(struct os_port *port) {
  COMSTAT state;
  DWORD wrong = 0;
  if (!ClearCommError(port->file, &wrong, &state))
    return MAXDWORD;
  port->losses.overrun += (wrong & (CE_OVERRUN | CE_RXOVER)) != 0;
  port->losses.framing += (wrong & CE_FRAME) != 0;
  return state.cbInQue;
}

struct os_port_losses os_port_count_losses(const struct os_port *port) {
  return port->losses;
}

/* ---- TCP ---- */

struct os_server_address {
  struct addrinfo *addresses;
};

struct os_server_address *
os_server_resolve(const char *host, const char *service, const char **error) {
  static bool begun;
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  struct os_server_address *server = malloc(sizeof *server);
  WSADATA data;
  *error = out_of_memory;
  if (!server)
    return NULL;
  begun = begun || WSAStartup(MAKEWORD(2, 2), &data) == 0;
  if (begun && !getaddrinfo(host, service, &hints, &server->addresses))
    return server;
  *error = "Name or service not known";
  free(server);
  return NULL;
}

void os_server_free(struct os_server_address *server) {
  if (server)
    freeaddrinfo(server->addresses);
  free(server);
}

static int connect_to_address(const struct addrinfo *address, SOCKET *to) {
  SOCKET s = socket(address->ai_family, address->ai_socktype, 0);
  u_long on = 1;
  int error = 0, size = sizeof error;
  if (s == INVALID_SOCKET)
    return WSAGetLastError();
  ioctlsocket(s, (long)FIONBIO, &on);
  if (connect(s, address->ai_addr, (int)address->ai_addrlen))
    error = WSAGetLastError();
  if (error == WSAEWOULDBLOCK) {
    struct timeval patience = {CONNECT_PATIENCE / 1000, 0};
    fd_set written = {.fd_count = 1, .fd_array = {s}};
    fd_set failed = {.fd_count = 1, .fd_array = {s}};
    error = WSAETIMEDOUT;
    if (select(0, NULL, &written, &failed, &patience) > 0)
      getsockopt(s, SOL_SOCKET, SO_ERROR, (char *)&error, &size);
  }
  if (error)
    closesocket(s);
  else
    *to = s;
  return error;
}

static const char *socket_error_text(int error) {
  return error == WSAECONNREFUSED   ? "Connection refused"
         : error == WSAETIMEDOUT    ? "Connection timed out"
         : error == WSAEHOSTUNREACH ? "No route to host"
         : error == WSAENETUNREACH  ? "Network is unreachable"
         : error == WSAECONNRESET   ? "Connection reset by peer"
                                    : "the connection failed";
}

struct os_port *os_server_connect(const struct os_server_address *server,
                                  bool *refused, const char **error) {
  struct os_port *port = allocate_port(KIND_TCP, error);
  int wrong = WSAECONNREFUSED;
  *refused = false;
  if (!port)
    return NULL;
  for (const struct addrinfo *a = server->addresses;
       a && port->socket == INVALID_SOCKET; a = a->ai_next)
    wrong = connect_to_address(a, &port->socket);
  if (port->socket != INVALID_SOCKET)
    return port;
  *refused = wrong == WSAECONNREFUSED;
  *error = socket_error_text(wrong);
  free(port);
  return NULL;
}

const bool os_has_local_servers = false;

const char *const os_opener[2] = {"rundll32.exe",
                                  "url.dll,FileProtocolHandler"};

struct os_port *os_port_open_local(const char *path, const char **error) {
  (void)path;
  *error = "such names do not exist on Windows";
  return NULL;
}

struct os_port *os_port_listen(unsigned *number, const char **error) {
  (void)number;
  *error = "not supported on Windows, use WSL";
  return NULL;
}

struct os_port *os_port_accept(const struct os_port *listener) {
  (void)listener;
  return NULL;
}

/* ---- all kinds of ports ---- */

bool os_port_can_write(const struct os_port *port) {
  return port->kind == KIND_SERIAL || port->kind == KIND_TCP;
}

bool os_port_is_serial(const struct os_port *port) {
  return port->kind == KIND_SERIAL;
}

bool os_port_stat(const struct os_port *port, struct os_file_info *facts) {
  return os_stat_open(port->number, facts);
}

int os_port_descriptor(const struct os_port *port) { return port->number; }

void os_port_close(struct os_port *port) {
  if (port->keys_set)
    SetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), port->keys_before);
  if (port->set)
    SetCommState(port->file, &port->before);
  if (port->number > 0)
    _close(port->number);
  else if (port->kind == KIND_SERIAL)
    CloseHandle(port->file);
  if (port->kind == KIND_TCP)
    closesocket(port->socket);
  free(port);
}

/* ---- bytes ---- */

void os_port_add_keys(struct os_port *port) {
  HANDLE keys = GetStdHandle(STD_INPUT_HANDLE);
  if (GetConsoleMode(keys, &port->keys_before))
    port->keys_set =
        SetConsoleMode(keys, port->keys_before & ~(DWORD)(ENABLE_LINE_INPUT |
                                                          ENABLE_ECHO_INPUT));
  port->keys = port->keys_set;
}

/* Drops console events until the next one is a key. Dropped events are of the
 * mouse, the focus, or a released key. */
static bool skip_to_key_event(void) {
  HANDLE keys = GetStdHandle(STD_INPUT_HANDLE);
  INPUT_RECORD record;
  DWORD count;
  while (PeekConsoleInputW(keys, &record, 1, &count) && count) {
    if (record.EventType == KEY_EVENT && record.Event.KeyEvent.bKeyDown &&
        record.Event.KeyEvent.uChar.UnicodeChar)
      return true;
    ReadConsoleInputW(keys, &record, 1, &count);
  }
  return false;
}

static bool poll_port_bytes(struct os_port *port) {
  DWORD there = 0;
  if (port->kind == KIND_SERIAL)
    return count_bytes_and_losses(port);
  if (port->kind == KIND_PIPE)
    return !PeekNamedPipe(port->file, NULL, 0, NULL, &there, NULL) || there;
  if (port->kind == KIND_FILE)
    return true;
  struct timeval now = {0, 0};
  fd_set read = {.fd_count = 1, .fd_array = {port->socket}};
  return select(0, &read, NULL, NULL, &now) != 0;
}

unsigned os_port_wait(struct os_port *port, int milliseconds) {
  for (int waited = 0;; waited += STEP) {
    unsigned ready = (poll_port_bytes(port) ? OS_BYTES : 0) |
                     (port->keys && skip_to_key_event() ? OS_KEYS : 0);
    if (ready || os_is_stop_requested() || waited >= milliseconds)
      return ready;
    Sleep(STEP);
  }
}

long os_port_read(struct os_port *port, void *bytes, size_t size) {
  DWORD got = 0;
  if (port->kind == KIND_TCP) {
    int came = recv(port->socket, bytes, (int)size, 0);
    if (came > 0)
      return came;
    return came < 0 && WSAGetLastError() == WSAEWOULDBLOCK ? 0 : -1;
  }
  if (port->kind == KIND_SERIAL)
    return ReadFile(port->file, bytes, (DWORD)size, &got, NULL) ? (long)got
                                                                : -1;
  long came = os_read(port->number, bytes, size);
  return came > 0 ? came : -1;
}

long os_port_read_keys(struct os_port *port, void *bytes, size_t size) {
  HANDLE keys = GetStdHandle(STD_INPUT_HANDLE);
  wchar_t wide[64];
  DWORD count = 0;
  int got = 0;
  if (ReadConsoleW(keys, wide, sizeof wide / sizeof *wide, &count, NULL))
    got = WideCharToMultiByte(CP_UTF8, 0, wide, (int)count, bytes, (int)size,
                              NULL, NULL);
  else
    port->keys = false;
  return got;
}

static long send_bytes(struct os_port *port, const void *bytes, size_t size) {
  DWORD sent = 0;
  if (port->kind == KIND_TCP) {
    int taken = send(port->socket, bytes, (int)size, 0);
    if (taken > 0)
      return taken;
    if (WSAGetLastError() == WSAEWOULDBLOCK)
      return 0;
    errno = EPIPE;
    return -1;
  }
  if (WriteFile(port->file, bytes, (DWORD)size, &sent, NULL))
    return (long)sent;
  return os_set_errno();
}

long os_port_write(struct os_port *port, const void *bytes, size_t size,
                   int milliseconds) {
  ULONGLONG begun = GetTickCount64();
  for (;;) {
    long sent = send_bytes(port, bytes, size);
    if (sent)
      return sent;
    if (os_is_stop_requested() ||
        GetTickCount64() - begun >= (ULONGLONG)milliseconds)
      return 0;
    Sleep(STEP);
  }
}
