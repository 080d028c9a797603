# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A port that does not answer: sends a file to the program that connects, and
# closes. Prints the number of the port, and then the bytes that the program
# sent. With a number of seconds, sends a line, waits, and so on.
import socket
import sys
import time

with open(sys.argv[1], 'rb') as file:
    log = file.read()
listening = socket.socket()
listening.bind(('127.0.0.1', 0))
listening.listen(1)
listening.settimeout(20)
print(listening.getsockname()[1], flush=True)
host, _ = listening.accept()
for part in log.splitlines(True) if sys.argv[2:] else [log]:
    host.sendall(part)
    time.sleep(float(sys.argv[2]) if sys.argv[2:] else 0)
host.shutdown(socket.SHUT_WR)
host.settimeout(20)
while True:
    sent = host.recv(4096)
    if not sent:
        break
    print(sent.decode('latin-1'), end='', flush=True)
