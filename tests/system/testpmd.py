# SPDX-License-Identifier: BSD-2-Clause
"""Debian's dpdk-testpmd with its mlx5 driver, unchanged, on two models; and the hosts at the other ends of their wires.

    host t0 ══ tap ══ model mlx5_0 ─ port 0 ┐
                                            ├ testpmd
    host t1 ══ tap ══ model mlx5_1 ─ port 1 ┘

or, wired as a pair, the two models with each other. A test runs in namespaces of its own: enter() first.
"""
import json
import os
import re
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from face import TOOL, UNSHARE, need, need_namespaces, need_plain

PATIENCE_S = 60
ETH_P_ALL, OUTGOING = 3, 4
SOL_PACKET, AUXDATA, VLAN_VALID = 263, 8, 0x10
SETUP = """mount -t sysfs sysfs /sys || exit 99
for i in 0 1; do
    ip link add dpdk$i type veth peer name peer$i && ip link set dpdk$i mtu 9000 up && ip link set peer$i mtu 9000 up || exit 99
    ip tuntap add t$i mode tap && ip link set t$i mtu 9000 arp off up || exit 99
    echo 1 > /proc/sys/net/ipv6/conf/t$i/disable_ipv6
done
exec "$@"
"""


def enter():
    """Run this script again in namespaces of its own, with netdevs and taps; ends the process when it cannot."""
    if os.environ.get("MLXO_DPDK_INSIDE"):
        return
    need("dpdk-testpmd", "unshare", "ip", "stdbuf", "tshark")
    need_plain()
    need_namespaces("-n", "-m")
    os.environ["MLXO_DPDK_INSIDE"] = "1"
    sys.exit(subprocess.run([*UNSHARE, "-n", "-m", "sh", "-c", SETUP, "sh", sys.executable, *sys.argv]).returncode)


class Testpmd:
    """The program on these ports (device options of the model). say() types a command, until() waits for a line."""

    def __init__(self, ports, dv_flow_en=1, mode="io", args=()):
        self.folder = tempfile.mkdtemp(prefix="mlxo-dpdk-")
        self.census = os.path.join(self.folder, "census")
        devices = [f"{port},netdev=dpdk{i}" for i, port in enumerate(ports)]
        allow = [w for i in range(len(ports))
                 for w in ("-a", f"0000:{0x80 + i:x}:00.0,rxq_cqe_comp_en=0,dv_flow_en={dv_flow_en}")]
        self.p = subprocess.Popen(
            [TOOL, "model", "run", *devices, "--", "stdbuf", "-oL", "dpdk-testpmd", "--no-huge", "-m", "512", "--no-shconf",
             "--iova-mode=va", "--lcores", "0@0,1@0", *allow, "--", "--no-mlockall", "-i", "--total-num-mbufs=4096",
             "--mbuf-size=9728", "--max-pkt-len=9018", f"--forward-mode={mode}", *args],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1,
            env=dict(os.environ, MLXO_MODEL_CENSUS=self.census))
        self.lines, self.more = [], threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.p.stdout:
            with self.more:
                self.lines.append(line)
                self.more.notify_all()
        with self.more:
            self.lines.append(None)
            self.more.notify_all()

    def say(self, words):
        """Returns where its output begins."""
        at = len(self.lines)
        self.p.stdin.write(words + "\n")
        self.p.stdin.flush()
        return at

    def until(self, pattern, at=0):
        """The match, in the lines from `at` on; it fails loudly when the program or the time ends."""
        end = time.monotonic() + PATIENCE_S
        with self.more:
            while True:
                while at < len(self.lines):
                    line, at = self.lines[at], at + 1
                    if line is None:
                        raise SystemExit(f"testpmd ended before {pattern!r}:\n{self.text()[-4000:]}")
                    m = re.search(pattern, line)
                    if m:
                        return m
                if not self.more.wait(max(0, end - time.monotonic())):
                    raise SystemExit(f"testpmd: no {pattern!r}:\n{self.text()[-4000:]}")

    def ask(self, words, pattern):
        return self.until(pattern, self.say(words))

    def text(self):
        return "".join(line for line in self.lines if line)

    def start(self, how="start"):
        return self.ask(how, r"nb forwarding ports=2")

    def stats(self, port):
        at = self.say(f"show port stats {port}")
        rx = self.until(r"RX-packets: (\d+) +RX-missed: (\d+) +RX-bytes: +(\d+)", at)
        tx = self.until(r"TX-packets: (\d+) +TX-errors: (\d+) +TX-bytes: +(\d+)", at)
        return tuple(map(int, rx.groups())), tuple(map(int, tx.groups()))

    def quit(self):
        """Stop and end. Returns (dropped by testpmd, what objects were left)."""
        at = self.say("stop")
        self.until("Accumulated", at)
        rx = self.until(r"RX-packets: \d+ +RX-dropped: (\d+)", at)
        tx = self.until(r"TX-packets: \d+ +TX-dropped: (\d+)", at)
        self.say("quit")
        self.p.stdin.close()
        status = self.p.wait(PATIENCE_S)
        left = [json.loads(line) for line in open(self.census)] if os.path.exists(self.census) else None
        shutil.rmtree(self.folder)
        if status or not left or any(line["left"] or line["live"] for line in left):
            raise SystemExit(f"testpmd ended with status {status}, objects {left}:\n{self.text()[-3000:]}")
        return int(rx[1]) + int(tx[1])


class Host:
    """The end of a wire: a tap device, frame by frame."""

    def __init__(self, tap):
        self.s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 26)
        self.s.setsockopt(SOL_PACKET, AUXDATA, 1)
        self.s.bind((tap, 0))

    def send(self, frame):
        self.s.send(frame)

    def _one(self):
        """A frame and where it came from; a VLAN tag is beside it in the kernel, and put in again."""
        frame, beside, _, address = self.s.recvmsg(1 << 16, 64, socket.MSG_DONTWAIT)
        for level, kind, data in beside:
            if (level, kind) == (SOL_PACKET, AUXDATA):
                status, tci, tpid = struct.unpack("=I12xHH", data[:20])
                if status & VLAN_VALID:
                    frame = frame[:12] + struct.pack(">HH", tpid, tci) + frame[12:]
        return frame, address

    def receive(self, patience_s):
        """All frames that are there, at least one, or [] after that time."""
        frames = []
        if not select.select([self.s], [], [], patience_s)[0]:
            return frames
        while True:
            try:
                frame, address = self._one()
            except BlockingIOError:
                return frames or self.receive(patience_s)
            if address[2] != OUTGOING:
                frames.append(frame)


def exchange(a, b, frames, check, window=64):
    """
    Send the frames from a; check(frame sent, list of frames received so far for it) says at b whether it is complete.
    At most `window` are on their way, so that no buffer overflows. Returns how many arrived whole.
    """
    pending, got, done, parts = [], 0, False, []
    source = iter(frames)
    while not done or pending:
        while not done and len(pending) < window:
            frame = next(source, None)
            done = frame is None
            if not done:
                a.send(frame)
                pending.append(frame)
        if not pending:
            break
        arrived = b.receive(PATIENCE_S)
        if not arrived:
            raise SystemExit(f"frame {got} did not arrive: {pending[0][:64].hex()}")
        for frame in arrived:
            parts.append(frame)
            if check(pending[0], parts):
                pending.pop(0)
                parts, got = [], got + 1
    return got


def frames_of(capture):
    """The bytes of each frame of a pcap file."""
    with open(capture, "rb") as f:
        f.read(24)
        while True:
            head = f.read(16)
            if len(head) < 16:
                return
            yield f.read(struct.unpack("<IIII", head)[2])
