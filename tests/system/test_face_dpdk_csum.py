#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""dpdk-testpmd's csum mode on two models: checksums by the NIC and TSO, byte by byte against scapy's own frames.

What is sent has wrong checksums; what arrives must be what scapy builds. tshark checks a capture of the first ones.
"""
import random
import struct
import subprocess
import sys
import tempfile

import testpmd

testpmd.enter()
from scapy.all import IP, IPv6, TCP, UDP, Dot1Q, Ether, Raw  # noqa: E402

FRAMES, SHOWN, TEMPLATES, MSS = 100_000, 20_000, 400, 1000
random.seed(2)


def check(good, what):
    if not good:
        print("FAILED:", what)
        sys.exit(1)


def damaged(packet):
    """The frame with other checksums: of UDP not 0, which would say that there is none."""
    packet = packet.copy()
    for layer in (IP, TCP, UDP):
        if layer in packet:
            packet[layer].chksum = 0xDEAD
    return bytes(packet)


def segments(packet, payload):
    """What TSO makes of it: sequence and IP numbers count on, FIN and PSH are the last one's, CWR the first one's."""
    frames, flags = [], int(packet[TCP].flags)
    for at in range(0, len(payload), MSS):
        part = packet.copy()
        part[TCP].seq = (packet[TCP].seq + at) & 0xFFFFFFFF
        keep = flags if at + MSS >= len(payload) else flags & ~0x09
        part[TCP].flags = keep if at == 0 else keep & ~0x80
        if IP in part:
            part[IP].id = (packet[IP].id + at // MSS) & 0xFFFF
        part[TCP].remove_payload()
        frames.append(bytes(part / Raw(payload[at : at + MSS])))
    return frames


def template(i, macs):
    """(frame to send, frames that must arrive)"""
    v6, tcp, vlan = i & 1, i & 2, i % 5 == 0
    length = random.choice((1, 6, 18, 100, 333, 999, 1000, 1001, 1460, 2000, 4096, 8900))
    payload = random.randbytes(length)
    l3 = IPv6(src="2001:db8::1", dst="2001:db8::2", fl=i, hlim=9) if v6 else IP(src="192.0.2.1", dst="192.0.2.2", id=i, tos=8)
    l4 = TCP(sport=1000 + i, dport=443, seq=random.getrandbits(32), ack=i, flags=random.choice(("A", "PA", "FPA", "EA"))) \
        if tcp else UDP(sport=1000 + i, dport=5001)
    tag = Dot1Q(vlan=7, prio=3) if vlan else None

    def frame(src, dst):
        ether = Ether(src=src, dst=dst)
        return (ether / tag if tag else ether) / l3 / l4

    out = frame(*macs)
    sent = damaged(frame("02:00:00:00:00:01", "02:00:00:00:00:02") / Raw(payload))
    if tcp and length > MSS:
        return sent, segments(out, payload)
    return sent.ljust(60, b"\0"), [bytes(out / Raw(payload)).ljust(60, b"\0")]


def tshark_agrees(frames):
    """No checksum is wrong, says tshark, and each has been looked at."""
    with tempfile.NamedTemporaryFile(suffix=".pcap") as capture:
        capture.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for f in frames:
            capture.write(struct.pack("<IIII", 0, 0, len(f), len(f)) + f)
        capture.flush()
        fields = [w for name in ("ip", "tcp", "udp") for w in ("-e", f"{name}.checksum.status")]
        options = [w for name in ("ip", "tcp", "udp") for w in ("-o", f"{name}.check_checksum:TRUE")]
        text = subprocess.run(["tshark", "-r", capture.name, "-T", "fields", *fields, *options], check=True,
                              capture_output=True, text=True).stdout
    lines = [line.split("\t") for line in text.splitlines()]
    good = [[s for s in line if s] for line in lines]
    check(len(good) == len(frames) and all(g and set(g) == {"1"} for g in good),
          f"tshark: {len(good)} of {len(frames)} frames, states {set(s for g in good for s in g)}")


t = testpmd.Testpmd(["port=tap:t0", "port=tap:t1"], mode="csum")
mac = t.ask("show port summary all", r"^1 +([0-9A-F:]{17})")[1].lower()
for words in ("port stop all", "csum set ip hw 1", "csum set tcp hw 1", "csum set udp hw 1", f"tso set {MSS} 1", "port start all"):
    t.say(words)
t.start()
templates = [template(i, (mac, "02:00:00:00:00:01")) for i in range(TEMPLATES)]
wanted = dict(templates)
check(len(wanted) == TEMPLATES, "templates that are all different")
shown = []


def arrived(sent, parts):
    want = wanted[sent]
    check(parts[-1] == want[len(parts) - 1],
          f"part {len(parts)} of {len(want)}:\n{parts[-1][:80].hex()} came\n{want[len(parts) - 1][:80].hex()} is right")
    if len(shown) < SHOWN:
        shown.append(parts[-1])
    return len(parts) == len(want)


got = testpmd.exchange(testpmd.Host("t0"), testpmd.Host("t1"), (templates[i % TEMPLATES][0] for i in range(FRAMES)), arrived, 8)
out = sum(len(wanted[templates[i % TEMPLATES][0]]) for i in range(FRAMES))
rx, tx = t.stats(0)[0], t.stats(1)[1]
dropped = t.quit()
check(got == FRAMES and rx[:2] == (FRAMES, 0) and not dropped, f"{got} of {FRAMES} frames, port says {rx}, {dropped} dropped")
check(tx[:2] == (out, 0), f"{out} frames left, port says {tx}")
tshark_agrees(shown)
print(f"csum, TSO on: {got} frames in, {out} out (TSO segments of {MSS} bytes), all as scapy builds them; tshark agrees on {SHOWN}; "
      f"transmit statistics {tx}")
