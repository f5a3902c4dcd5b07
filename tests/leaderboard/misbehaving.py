"""What a library that was taken over might try in the confined process."""

import os
import resource
import signal
import socket
import threading
import time


def answer(question, content):
    return {"done": repr(TRIED[question["try"]](question))}


def write(question):
    with open(question["path"], "w") as file:
        file.write("x")


def fork(question):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def thread(question):
    running = threading.Thread(target=int)
    running.start()
    running.join()


def more_files(question):
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    return open("/etc/hostname").read()


def run_a_program(question):
    os.execv("/bin/sh", ["sh", "-c", f"echo x > {question['path']}"])


TRIED = {
    "nothing": lambda question: 0,
    "read a file": lambda question: open("/etc/hostname").read(),  # noqa: SIM115
    "write a file": write,
    "open a socket": lambda question: socket.socket(),
    "hang": lambda question: time.sleep(60),
    "die": lambda question: os._exit(1),
    "eat memory": lambda question: len(bytearray(8_000_000_000)),
    "unlink": lambda question: os.unlink(question["there"]),
    "truncate": lambda question: os.truncate(question["there"], 0),
    "rename": lambda question: os.rename(question["there"], question["path"]),
    "chmod": lambda question: os.chmod(question["there"], 0o777),
    "mkdir": lambda question: os.mkdir(question["path"]),
    "mkdir here": lambda question: os.mkdir("here"),
    "symlink": lambda question: os.symlink("/etc", question["path"]),
    "list a folder": lambda question: os.listdir("/"),
    "look at a file": lambda question: os.stat("/etc/passwd"),
    "fork": fork,
    "start a thread": thread,
    "run a program": run_a_program,
    "kill the parent": lambda question: os.kill(os.getppid(), signal.SIGTERM),
    "signal the parent": lambda question: os.kill(question["parent"], 0),
    "raise a limit": more_files,
}
