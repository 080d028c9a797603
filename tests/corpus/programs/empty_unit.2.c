/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The unit without code of empty_unit.c.
 */
extern const int data_only[3];
const int data_only[3] = {1, 2, 3};
