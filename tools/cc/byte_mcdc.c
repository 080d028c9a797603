/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements MC/DC with bytes: one byte counter for each bit, after the
 * function's other byte counters. The record's BitmapPtr then equals its
 * CounterPtr. With this mark the host tool recognises the bytes: see
 * record_has_mcdc_bytes in ../image/image.h. byte_counters.c calls this file.
 *
 * Before clang lowers its intrinsics, the call that stores an outcome becomes a
 * store to the decision's first byte, after a load of the outcome's number:
 *
 *   %bareprof.m0 = load i32, ptr %7
 *   call void @llvm.instrprof.cover(ptr @__profn_f, i64 1234, i32 17, i32 9)
 *
 * clang lowers the call to a store at ADDRESS. Then byte_lowered.c adds the
 * outcome's number to the address:
 *
 *   %bareprof.a0 = getelementptr i8, ptr ADDRESS, i32 %bareprof.m0
 *   store i8 0, ptr %bareprof.a0, align 1 */
#include "byte_counters.h"

const char byte_mcdc_index_word[] = "  %bareprof.m";

uint64_t byte_mcdc_count_bytes(const struct byte_counter_rewriter *reader,
                               const struct function_counters *function) {
  /* clang 18 (raw version 9) has other MC/DC calls, which this file does not
   * change. */
  return reader->result->bytes && reader->check.raw > 9 ? function->bits : 0;
}

static void print_outcome_store(struct byte_counter_rewriter *reader,
                                const struct outcome_call *outcome,
                                const struct function_counters *function) {
  struct intrinsic_call store = outcome->call;
  store.counters = count_byte_counters(function) + function->bits;
  store.index += count_byte_counters(function);
  fprintf(reader->out, "%s%zu = load i32, ptr ", byte_mcdc_index_word,
          reader->result->outcomes++);
  part_print_pattern(reader->out, "%p\n", outcome->variable);
  call_print_byte_store(reader->out, &store, function->hash);
}

bool byte_mcdc_print_if_intrinsic(struct byte_counter_rewriter *reader,
                                  struct text_part line) {
  struct outcome_call outcome;
  const struct intrinsic_call *call = &outcome.call;
  bool all = call_parse_bit_count(line, &outcome.call);
  if (!all && !call_parse_outcome(line, &outcome))
    return false;
  const struct function_counters *function =
      expressions_find_function(&reader->check.functions, call->function);
  if (!function || !byte_mcdc_count_bytes(reader, function))
    return false;
  if (!all) {
    print_outcome_store(reader, &outcome, function);
    return true;
  }
  /* Tells clang that an outcome has 8 bits, so the function data has a byte for
   * each outcome. */
  part_print_text(reader->out, text_between(line, call->hash));
  fprintf(reader->out, "%" PRId64 ", i32 %" PRIu64, (int64_t)function->hash,
          8 * function->bits);
  part_print_pattern(reader->out, "%p\n", call->rest);
  return true;
}
