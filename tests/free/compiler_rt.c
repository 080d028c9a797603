/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declarations of compiler-rt's functions that programs write themselves.
 */
#include <stdint.h>
typedef struct __llvm_profile_data { uint64_t NameRef; } __llvm_profile_data;
typedef struct ValueProfNode { uint64_t Value; } ValueProfNode;
typedef struct VTableProfData { uint64_t Hash; } VTableProfData;
#ifdef __cplusplus
extern "C" {
#endif
const __llvm_profile_data *__llvm_profile_begin_data(void);
char *__llvm_profile_begin_counters(void);
const char *__llvm_profile_begin_names(void);
char *__llvm_profile_end_bitmap(void);
ValueProfNode *__llvm_profile_begin_vnodes(void);
const VTableProfData *__llvm_profile_begin_vtables(void);
uint64_t __llvm_profile_get_num_data(const __llvm_profile_data *,
                                     const __llvm_profile_data *);
uint64_t __llvm_profile_get_num_counters(const char *, const char *);
uint64_t __llvm_profile_get_num_vtable(const VTableProfData *,
                                       const VTableProfData *);
#ifdef __cplusplus
}
#endif
#include "profile/instr_prof_interface.h"
