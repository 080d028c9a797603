/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a file's name to what is printed.
 */
#include "view.h"

#include <string.h>

#include "../base/error.h"
#include "load.h"

static int print_to(struct mip_view *view, const char *name,
                    mip_view_print *print, void *context) {
  struct output output;
  if (output_open(&output, view->out ? view->out : "-"))
    return 1;
  view->stream = output.stream;
  const char *error = print(view, context);
  if (!error)
    return output_commit(&output);
  output_abandon(&output);
  return report(name, "%s", error);
}

int mip_view_run(struct mip_view *view, const char *name, mip_view_print *print,
                 void *context) {
  int status = mip_load(&view->profile, name);
  if (!status) {
    status = mip_places_open(&view->places, &view->profile, view->elf);
    if (!status)
      status = print_to(view, name, print, context);
    mip_places_close(&view->places);
  }
  mip_free(&view->profile);
  return status;
}

bool mip_is_plain(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
  return name[strspn(name, letters)] == '\0';
}
