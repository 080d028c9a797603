/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The host's requests for samples. They are addressed to an image of their own
 * number, so that feed and the wires of profiles need no code for them.
 */
#include "sampler.h"
#include "wire.h"
#include "shared.h"

static void answer(const struct bareprof_wire *wire, unsigned options,
                   int result) {
  struct bareprof_stream stream = {
      .sink = wire->out,
      .encoding = options & BAREPROF_BINARY ? bareprof_binary : bareprof_text,
      .options = options};
  bareprof_answer(&stream, wire,
                  bareprof_request_load32(&wire->bytes[BAREPROF_REQUEST_TAG]),
                  result);
}

int bareprof_sampler_serve(struct bareprof_wire *wire) {
  const uint8_t *request = wire->bytes;
  int error = 0;
  if (BAREPROF_LOAD_ACQUIRE(&wire->state) != BAREPROF_REQUEST_COMPLETE)
    return 0;
  uint32_t tag = bareprof_request_load32(&request[BAREPROF_REQUEST_TAG]);
  /* The samples' own image is 0. */
  unsigned options = wire->options & ~(BAREPROF_SAMPLER_WIRE | BAREPROF_LEAN);
  if (!(request[BAREPROF_REQUEST_OPTIONS] & BAREPROF_REQUEST_AS_IT_LIKES))
    options = (options & ~BAREPROF_BINARY) |
              (request[BAREPROF_REQUEST_OPTIONS] & BAREPROF_BINARY);
  if (request[BAREPROF_REQUEST_ADDRESS] == BAREPROF_REQUEST_ANY)
    ; /* for profiles */
  else if (request[BAREPROF_REQUEST_COMMAND] == BAREPROF_COMMAND_DUMP) {
    error = bareprof_sampler_send(wire->out, options);
    if (error < 0)
      answer(wire, options, error);
  } else if (request[BAREPROF_REQUEST_COMMAND] == BAREPROF_COMMAND_RESET) {
    if (bareprof_tag_is_new(wire, tag)) {
      bareprof_sampler_reset();
      wire->reset = tag;
    }
    answer(wire, options, 0);
  }
  BAREPROF_STORE_RELEASE(&wire->state, 0);
  return error;
}
