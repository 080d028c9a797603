/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The example's configuration, with or without a tick that preempts: PREEMPTS.
 */
#include "../../../examples/freertos/FreeRTOSConfig.h"

#undef configUSE_PREEMPTION
#define configUSE_PREEMPTION PREEMPTS
#undef configUSE_TICK_HOOK
#define configUSE_TICK_HOOK 0
#undef configTICK_RATE_HZ
#define configTICK_RATE_HZ 10000
