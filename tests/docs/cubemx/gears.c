/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The measured code.
 */
int gear_for(int speed, int climbing);

int gear_for(int speed, int climbing) {
  int gear = 1 + speed / 25;
  if (climbing && gear > 1)
    gear--;
  return gear > 5 ? 5 : gear;
}
