/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An anchor watch: is the boat still where its anchor was dropped? It judges
 * the receiver's fix with hysteresis. The place where the boat comes to rest is
 * the anchor's. It raises an alarm when the boat drags out of the circle around
 * that place, and stands down when the boat gets under way. Its input is
 * decoded by nmea.h; it prints and stores nothing.
 */
#ifndef MONITOR_H
#define MONITOR_H

#include "nmea.h"

enum monitor_fix {
  FIX_SEARCHING, /* none                                                */
  FIX_SETTLING,  /* good epochs have begun to come                      */
  FIX_TRACKING,  /* enough of them: the position is trusted             */
  FIX_COASTING   /* some bad ones: the last position is trusted a while */
};

enum monitor_alarm {
  ALARM_NONE,
  ALARM_DRAGGING,
  ALARM_BLIND /* at anchor, and the fix is lost */
};

/* Begins as all zero. A run counts the epochs in a row for which a condition
 * held. */
struct monitor {
  enum monitor_fix fix;
  enum monitor_alarm alarm;
  bool anchored;
  struct nmea_position anchor;
  struct nmea_gga gga; /* the last one, and whether it is still to be used */
  bool gga_fresh;
  struct nmea_gsa gsa;
  uint32_t time; /* of the last epoch, seconds of the day */
  unsigned good_run;
  unsigned bad_run;
  unsigned slow_run;
  unsigned fast_run;
  unsigned outside_run;
  unsigned inside_run;
  unsigned epochs; /* statistics from here on */
  unsigned losses;
  unsigned alarms;
};

/* Takes the sentence that event names. An epoch of the receiver ends with its
 * RMC sentence, which changes fix and alarm. */
void monitor_take(struct monitor *monitor, enum nmea_event event,
                  const struct nmea_message *message);

#endif
