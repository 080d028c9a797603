/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image in all forms of a dump, to a sink that counts. The contents of a
 * form do not matter here.
 */
#include "forms.h"

#include "bareprof_wire.h"
#include "bareprof_semihosting.h"
#include "board.h"

static int count(void *context, const void *bytes, size_t size) {
  (void)bytes;
  *(size_t *)context += size;
  return 0;
}

static int send(const char *name, const struct bareprof_image *image,
                const char *form, unsigned options) {
  size_t size = 0;
  const struct bareprof_sink sink = {count, &size};
  int error = bareprof_send_image(image, &sink, options);
  if (error)
    return error;
  board_puts(name);
  board_puts(form);
  board_put_number(size);
  board_putc('\n');
  return 0;
}

static int save(const char *name, const struct bareprof_image *image) {
  char file_name[64];
  unsigned size = 0;
  while (name[size])
    size++;
  if (size + sizeof ".raw" > sizeof file_name)
    return 1;
  __builtin_memcpy(file_name, name, size);
  __builtin_memcpy(file_name + size, ".raw", sizeof ".raw");
  struct bareprof_semihosting file;
  if (bareprof_semihosting_open(&file, file_name))
    return 1;
  const struct bareprof_span *spans[] = {&image->counters, &image->bitmap};
  int error = 0;
  for (unsigned i = 0; i < 2 && !error; i++)
    if (spans[i]->begin != spans[i]->end)
      error = bareprof_semihosting_write(
          &file, spans[i]->begin, (size_t)(spans[i]->end - spans[i]->begin));
  int close_error = bareprof_semihosting_close(&file);
  return error ? error : close_error;
}

int forms(const char *name, const struct bareprof_image *image) {
  int error = save(name, image);
  if (!error)
    error = send(name, image, " lean-binary ", BAREPROF_BINARY | BAREPROF_LEAN);
  if (!error)
    error = send(name, image, " lean-text ", BAREPROF_TEXT | BAREPROF_LEAN);
  if (error || image->records.begin == image->records.end)
    return error;
  error = send(name, image, " full-binary ", BAREPROF_BINARY);
  return error ? error : send(name, image, " full-text ", BAREPROF_TEXT);
}
