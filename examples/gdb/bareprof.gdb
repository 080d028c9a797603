# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Counters from a target by its debug probe, for images without bareprof's code,
# and for any others. No Python: works with every GDB that has the ELF's
# symbols, or those of `bareprof extract`. The image is linked with bareprof.ld
# or bareprof-lean.ld; the target is halted. `help bareprof-dump` and so on
# print more. Uses convenience variables $bareprof_...

# Between counters and guard word are the bitmap and, for IR profiles, memory
# for values that nothing reads. The bounds of the bitmap do not help: GDB does
# not see those of the empty sections of GNU ld.
define bareprof-bounds
  set $bareprof_begin = (unsigned long) &__start___llvm_prf_cnts
  set $bareprof_stop = (unsigned long) &__stop___llvm_prf_cnts
  set $bareprof_guard = (unsigned long) &__bareprof_guard
  set $bareprof_end = (unsigned long) &__bareprof_end
end

# bareprof-fill BEGIN END: fills with $bareprof_value, in whole 64-bit words.
# After the first word, each step copies everything written so far, up to a
# page: single words would each need a round trip to the probe.
define bareprof-fill
  set $bareprof_all = 0
  if $arg0 < $arg1
    set $bareprof_all = $arg1 - $arg0
    set var *(unsigned long long *) $arg0 = $bareprof_value
  end
  set $bareprof_done = 8
  while $bareprof_done < $bareprof_all
    set $bareprof_next = $bareprof_all - $bareprof_done
    if $bareprof_next > $bareprof_done
      set $bareprof_next = $bareprof_done
    end
    if $bareprof_next > 4096
      set $bareprof_next = 4096
    end
    set var (*(unsigned char *) ($arg0 + $bareprof_done))@$bareprof_next = \
      (*(unsigned char *) $arg0)@$bareprof_next
    set $bareprof_done = $bareprof_done + $bareprof_next
  end
end

define bareprof-init
  bareprof-bounds
  set $bareprof_value = 0ULL
  if $argc > 0
    if $arg0 != 0
      set $bareprof_value = ~0ULL
    end
  end
  set $bareprof_middle = ($bareprof_stop + 7) / 8 * 8
  bareprof-fill $bareprof_begin $bareprof_middle
  set $bareprof_value = 0ULL
  bareprof-fill $bareprof_middle $bareprof_guard
  set var *(unsigned long long *) $bareprof_guard = (unsigned) ~$bareprof_stop
end
document bareprof-init
Give counters and bitmap their initial value, as the runtime's function does.
Usage: bareprof-init [0xFF]

Call it before the first instrumented function runs, and after start-up code
that clears all RAM. 0xFF where a counter is a byte: single-byte, entry and
block coverage.
end

define bareprof-reset
  if $argc > 0
    bareprof-init $arg0
  else
    bareprof-init
  end
end
document bareprof-reset
Count anew from here on.
Usage: bareprof-reset [0xFF]

0xFF where a counter is a byte: single-byte, entry and block coverage.
end

# GDB has no command that fails for a reason. The one that does not exist
# ends this one, and a script that called it.
define bareprof-dump
  bareprof-bounds
  if (unsigned) *(unsigned long long *) $bareprof_guard != \
      (unsigned) ~$bareprof_stop
    echo bareprof: nothing written, nobody has initialised these counters;\
 say bareprof-init at the start\n
    bareprof-stops-here
  end
  dump binary memory $arg0 $bareprof_begin $bareprof_end
  printf "bareprof: %lu bytes from 0x%lx on; now: ", \
    $bareprof_end - $bareprof_begin, $bareprof_begin
  echo bareprof join ELF $arg0 -o OUT.profraw\n
end
document bareprof-dump
Write counters and bitmap to a file, for `bareprof join`.
Usage: bareprof-dump FILE

Refuses where neither bareprof-init nor the runtime has initialised them.
end
