"""What a library that was taken over might try in the confined process."""

import os
import socket
import time


def answer(question, content):
    return {"done": repr(TRIED[question["try"]](question))}


def write(question):
    with open(question["path"], "w") as file:
        file.write("x")


TRIED = {
    "nothing": lambda question: 0,
    "read a file": lambda question: open("/etc/hostname").read(),  # noqa: SIM115
    "write a file": write,
    "open a socket": lambda question: socket.socket(),
    "hang": lambda question: time.sleep(60),
    "die": lambda question: os._exit(1),
    "eat memory": lambda question: len(bytearray(8_000_000_000)),
}
