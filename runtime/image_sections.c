/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines bareprof_running, the image as the linker placed it. The file
 * contains nothing else, so that overrides/relocate.c can replace the
 * definition.
 */
#include "image_sections.h"
#include "bareprof.h"
#include "weak_hooks.h"

const struct bareprof_image bareprof_running = BAREPROF_LINKED_IMAGE;
