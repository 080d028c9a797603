/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof.h: initialises the counters, and writes the raw profile.
 */
#include "api.h"

/* Call this before the first instrumented function, such as in the reset
 * handler. */
void reset_handler_calls(void) { bareprof_init(); }

static int to_uart(void *context, const void *bytes, size_t size) {
  const unsigned char *byte = (const unsigned char *)bytes;
  (void)context;
  while (size--)
    uart_putc(*byte++);
  return 0;
}
const struct bareprof_sink uart = {to_uart, NULL};

/* Writes the raw profile of the running image to the sink. */
int write_profile(void) {
  int error = bareprof_status();
  if (!error)
    error = bareprof_write(&uart);
  if (error)
    log_text(bareprof_error_name(error));
  return error;
}

/* Writes the profile into a buffer, from which a debugger reads it. */
static unsigned char buffer[4096];
int write_memory(void) {
  if (bareprof_size() > sizeof buffer)
    return BAREPROF_E_NO_ROOM;
  struct bareprof_memory m = {buffer, buffer + sizeof buffer};
  struct bareprof_sink sink = {bareprof_memory_write, &m};
  return bareprof_write(&sink);
}

/* Writes the counts of one test, without the counts before it. */
int measure_test(void) {
  bareprof_reset();
  test_parser();
  return bareprof_write(&uart);
}

/* Adds a profile of the same build, such as one kept over a reset. */
int add_earlier(const void *profile, size_t size) {
  return bareprof_merge(profile, size);
}

/* A boot loader does the same for its application's image. */
int write_application(const struct bareprof_image *application,
                      const void *earlier, size_t size) {
  int error = bareprof_status_image(application);
  if (!error && size)
    error = bareprof_merge_image(application, earlier, size);
  if (!error)
    error = bareprof_write_image(application, &uart);
  bareprof_reset_image(application);
  return error;
}

/* If the C library has exit: writes the profile at the end of main. The sink
 * must live until then. */
void write_at_end(void) { bareprof_write_at_exit(&uart); }
