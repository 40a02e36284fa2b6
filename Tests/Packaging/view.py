"""Browses a store in a pseudo-terminal: view.py STATUS TEXT COMMAND...

Waits until TEXT is on the screen, leaves by the key q, and checks that COMMAND ends with STATUS. Without a TEXT, the
command is to end by itself.
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

status, text, command = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3:]
process, terminal = pty.fork()
if process == 0:
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
shown, pressed, end = b"", False, time.monotonic() + 20
while time.monotonic() < end:
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not data:
            break
        shown += data
    if text and not pressed and text in shown:
        os.write(terminal, b"q")
        pressed = True
else:
    os.kill(process, 9)
ended = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
if ended != status or (text and not pressed):
    sys.exit(f"ended with {ended}, not {status}: {shown!r}")
