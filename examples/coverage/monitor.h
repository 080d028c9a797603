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
  FIX_SEARCHING, /* no fix                                               */
  FIX_SETTLING,  /* the first good epochs                                */
  FIX_TRACKING,  /* enough good epochs: the position is trusted          */
  FIX_COASTING   /* a few bad epochs: the last position is still trusted */
};

enum monitor_alarm {
  ALARM_NONE,
  ALARM_DRAGGING,
  ALARM_BLIND /* at anchor, and the fix is lost */
};

/* All members are 0 at first. The runs count for how many epochs in a row a
 * condition has held. */
struct monitor {
  enum monitor_fix fix;
  enum monitor_alarm alarm;
  bool anchored;
  struct nmea_position anchor;
  struct nmea_gga gga; /* the last one; gga_fresh: no epoch has used it yet */
  bool gga_fresh;
  struct nmea_gsa gsa;
  uint32_t time; /* second of the day of the last epoch */
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
