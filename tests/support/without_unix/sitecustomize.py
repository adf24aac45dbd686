"""Makes a Python on Unix do without what only Unix has. It works by its name: put its folder on PYTHONPATH.

No module for limits, locks, users or terminals; no forking, no memory without a name; and a file that this process has
open can neither be moved nor removed, as on Windows. Processes that are started have the same, because they inherit the
environment. Each writes its number into the file that PROCESSES names, if it does.
"""

import os
import signal
import sys

MODULES = frozenset({"fcntl", "grp", "pwd", "resource", "termios"})
OF_OS = """
chown fchmod fork forkpty geteuid getloadavg getpgid getuid killpg memfd_create mkfifo nice pread pwrite
register_at_fork sched_getaffinity setsid statvfs sysconf wait4 waitid
"""
OF_SIGNAL = "ITIMER_PROF SIGCHLD SIGHUP SIGPROF SIGUSR1 setitimer"


class Missing:
    """A finder that says of those modules that there are none."""

    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def is_open(path):
    """Whether this process has the file open."""
    try:
        return any(os.path.samestat(entry.stat(), os.stat(path)) for entry in os.scandir("/dev/fd") if entry.is_file())
    except OSError:
        return False


def refusing(change):
    """The function for a path that is not open."""

    def changed(path, *arguments, **options):
        if is_open(path):
            raise PermissionError(13, "The process cannot access the file because it is being used", str(path))
        return change(path, *arguments, **options)

    return changed


sys.meta_path.insert(0, Missing())
for module, names in ((os, OF_OS), (signal, OF_SIGNAL)):
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
os.replace, os.rename, os.remove, os.unlink = map(refusing, (os.replace, os.rename, os.remove, os.unlink))
if "PROCESSES" in os.environ:
    with open(os.environ["PROCESSES"], "a", encoding="ascii") as numbers:
        numbers.write(f"{os.getpid()}\n")
