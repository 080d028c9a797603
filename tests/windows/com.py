# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# com.py NAME LOG WAY PROGRAM...: wine's serial port NAME (com7) is a pseudo
# terminal that sends LOG. WAY: `sends` at once, `asked` after the program's
# first byte, `pulled`: sends a part of the first dump, then the device is gone.
# Prints the program's status.
import os, select, subprocess, sys, time, tty

name, log, way = sys.argv[1:4]
ours, theirs = os.openpty()
tty.setraw(theirs)
link = os.path.join(os.environ["WINEPREFIX"], "dosdevices", name)
if os.path.islink(link):
    os.remove(link)
os.symlink(os.ttyname(theirs), link)
program = subprocess.Popen(sys.argv[4:], stdin=subprocess.DEVNULL)
# The program drops bytes that come before it has set up the port.
if way != "asked":
    time.sleep(float(os.environ.get("PATIENCE", "4")))
if way == "asked":
    select.select([ours], [], [], 20)
data = open(log, "rb").read()
if way == "pulled":
    data = data[:700]
for at in range(0, len(data), 200):
    select.select([], [ours], [], 5)
    os.write(ours, data[at:at + 200])
    time.sleep(0.005)
if way == "pulled":
    time.sleep(1)
    os.close(theirs)
    os.close(ours)
try:
    print(program.wait(20))
except subprocess.TimeoutExpired:
    program.kill()
    print("still runs")
os.remove(link)
