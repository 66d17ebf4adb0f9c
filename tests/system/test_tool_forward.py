#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""
forward: a host's interface, a model NIC behind it, and scapy on the wire as the other end.

    eth4 (host) = nic4 - forward - model - wire = far (scapy)

In a network namespace of its own. What the NIC sends must be what scapy decrypts, its first sequence number is 1;
what scapy encrypts must arrive on eth4; what is too long is counted.
"""
import atexit
import json
import os
import signal
import subprocess
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

if "MLXO_IN_NETNS" not in os.environ:
    os.environ["MLXO_IN_NETNS"] = "1"
    probe = "ip link add mlxo0 type veth peer name mlxo1"
    for how in ([], ["-r"]):
        if subprocess.run(["unshare", *how, "-n", *probe.split()], stderr=subprocess.DEVNULL).returncode == 0:
            os.execvp("unshare", ["unshare", *how, "-n", sys.executable, *sys.argv])
    print("SKIP: no right to make a network namespace with a veth pair")
    sys.exit(77)

from scapy.all import (ESP, IP, UDP, AsyncSniffer, Ether, Raw, SecurityAssociation, conf, get_if_hwaddr, sendp)
from tool import AEAD, KEY, NAME, THROUGH, TOOL, check, finish

LEFT, RIGHT = "14.0.0.52", "14.0.0.70"
conf.verb = 0


def ip(*words):
    subprocess.run(["ip", *words], check=True)


for a, b in (("eth4", "nic4"), ("wire", "far")):
    ip("link", "add", a, "mtu", "1500", "type", "veth", "peer", "name", b, "mtu", "1500")
for name in ("eth4", "nic4", "wire", "far"):
    with open(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "w") as f:
        f.write("1")
    subprocess.run(["ethtool", "-K", name, "tso", "off", "gso", "off", "gro", "off"], check=True, stdout=subprocess.DEVNULL)
    ip("link", "set", name, "arp", "off", "up")
mac = {name: get_if_hwaddr(name) for name in ("eth4", "far")}

tool = subprocess.Popen([TOOL, "-j", "-d", "model:port=packet:wire", "-b", "-"], stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE, text=True)
atexit.register(tool.kill)
tool.stdout.readline()
told = []


def tell(line):
    """Output of this line of the batch."""
    tool.stdin.write(line + "\n")
    tool.stdin.flush()
    told.append(tool.stdout.readline().lstrip(","))
    answer = json.loads(told[-1])
    if not check("output" in answer, f"{line}: {answer}"):
        tool.kill()
        finish()
    return answer["output"]


def sa(src, dst, spi, direction):
    return (f"create-sa src {src} dst {dst} proto esp spi {spi} mode transport reqid 7 {AEAD} {KEY} 128 "
            f"offload packet dev eth4 dir {direction}")


def policy(src, dst, direction):
    return f"create-policy src {src} dst {dst} proto udp dir {direction} tmpl src {src} dst {dst} proto esp reqid 7"


# forward may come before the SAs.
tell("forward nic4")
tell(sa(LEFT, RIGHT, 0x1007, "out"))
tell(sa(RIGHT, LEFT, 0x1008, "in"))
tell(policy(LEFT, RIGHT, "out"))
tell(policy(RIGHT, LEFT, "in"))

key = bytes.fromhex(KEY[2:])
esp_out, esp_in = (SecurityAssociation(ESP, spi=spi, crypt_algo="AES-GCM", crypt_key=key) for spi in (0x1007, 0x1008))


def sniff_while(send, leave, wanted, count):
    """The IP packets that come out of an end after send() was called."""
    ready = threading.Event()
    sniffer = AsyncSniffer(iface=leave, lfilter=wanted, count=count, timeout=20, started_callback=ready.set)
    sniffer.start()
    check(ready.wait(20), "sniffer started")
    send()
    sniffer.join()
    return [p[IP] for p in sniffer.results]


def pass_on(frames, enter, leave, want):
    """Sends frames into one end and returns the IP packets that come out of the other."""
    return sniff_while(lambda: sendp(frames, iface=enter), leave, lambda p: IP in p and p[Ether].src == mac[enter], want)


def clear(src, dst, payload, enter, leave, **fields):
    return Ether(src=mac[enter], dst=mac[leave]) / IP(src=src, dst=dst, **fields) / UDP(sport=4000, dport=5000) / Raw(payload)


# Out: encrypted, numbered from 1, decrypted by scapy to what was sent.
sent = [clear(LEFT, RIGHT, bytes([i]) * (i * 7), "eth4", "far", id=i, ttl=33, tos=0x28) for i in range(1, 21)]
got = pass_on(sent, "eth4", "far", len(sent))
check(len(got) == len(sent), f"out: {len(got)} of {len(sent)} packets")
check([p[ESP].seq for p in got if ESP in p] == list(range(1, len(sent) + 1)), f"sequence numbers {got}")
for before, after in zip(sent, got):
    plain = esp_out.decrypt(IP(bytes(after)))
    check(bytes(plain[UDP]) == bytes(IP(bytes(before[IP]))[UDP]) and plain[IP].ttl == 33 and plain[IP].tos == 0x28,
          f"out: {plain!r}")

# In: what scapy encrypted arrives in clear.
frames = []
for i in range(1, 21):
    packet = esp_in.encrypt(IP(bytes(clear(RIGHT, LEFT, bytes([i]) * (i * 11), "far", "eth4")[IP])), seq_num=i)
    frames.append(Ether(src=mac["far"], dst=mac["eth4"]) / packet)
got = pass_on(frames, "far", "eth4", len(frames))
check(len(got) == len(frames), f"in: {len(got)} of {len(frames)} packets")
check(all(UDP in p and bytes(p[UDP].payload) == bytes([i]) * (i * 11) for i, p in enumerate(got, 1)), f"in: {got}")

# What no policy protects passes as it is; what one protects never does in clear.
other = clear(LEFT, "14.0.0.99", b"other", "eth4", "far")
check([bytes(p) for p in pass_on([other], "eth4", "far", 1)] == [bytes(other[IP])], "unprotected packets pass")
last = clear(RIGHT, "14.0.0.99", b"last", "far", "eth4")
got = pass_on([clear(RIGHT, LEFT, b"clear", "far", "eth4"), last], "far", "eth4", 1)
check([bytes(p) for p in got] == [bytes(last[IP])], f"clear packets of a protected selector are dropped: {got}")

# A checksum that the host left to its NIC is filled in by the device before it encrypts.
sock = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'host', ('14.0.0.70', 5000))"
ip("address", "add", f"{LEFT}/24", "dev", "eth4")
got = sniff_while(lambda: subprocess.run([sys.executable, "-c", sock], check=True), "far", lambda p: ESP in p, 1)
if check(len(got) == 1, "a packet of the host's own stack"):
    plain = esp_out.decrypt(IP(bytes(got[0])))
    again = IP(bytes(plain))
    del again[UDP].chksum
    check(bytes(plain[UDP].payload) == b"host" and plain[UDP].chksum == IP(bytes(again))[UDP].chksum,
          f"its checksum: {plain!r}")

# Too long once ESP is added: never on the wire, counted.
before = tell("stats")[0]
got = pass_on([clear(LEFT, RIGHT, b"x" * 1472, "eth4", "far"), other], "eth4", "far", 1)
check([bytes(p) for p in got] == [bytes(other[IP])], f"too long for the wire: {got}")
after = tell("stats")[0]
if not THROUGH:  # a NIC does not show what it dropped there
    drops = [stats["model"]["drops"].get("mtu", 0) for stats in (before, after)]
    check(drops[1] == drops[0] + 1, f"drop: mtu {drops}")
check(after["forward"]["in_packets"] == before["forward"]["in_packets"] + 2, f"forward {after['forward']}")
check(after["forward"]["netdev"] == "nic4" and after["channel"]["tx_packets"] >= 24, f"channel {after['channel']}")

counters = {s["dir"]: s for s in tell("show-sa")}
check(counters["in"]["packets"] == 20 and counters["out"]["packets"] >= 21, f"SA counters {counters}")
tool.stdin.write("forward eth4\n")
tool.stdin.flush()
told.append(tool.stdout.readline().lstrip(","))
check(json.loads(told[-1])["error"]["errno"] == 16, f"a second forward: {told[-1]}")
check(tool.wait(timeout=30) == 1, "the batch ended with its first error")

# With a batch that ends, it goes on until SIGTERM.
tool = subprocess.Popen([TOOL, "-b", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
atexit.register(tool.kill)
tool.stdin.write("forward nic4\n")
tool.stdin.close()
check(tool.stdout.readline() == f"forwarding between nic4 and {NAME}\n", "forward says so")
check(tool.poll() is None, "forward goes on behind the end of input")
tool.send_signal(signal.SIGTERM)
check(tool.wait(timeout=30) == 0, f"and ends in order: {tool.returncode}")
# A netdev that is deleted under it: one warning, and another forward may start.
ip("link", "add", "eth5", "type", "veth", "peer", "name", "nic5")
for name in ("eth5", "nic5"):
    ip("link", "set", name, "up")
tool = subprocess.Popen([TOOL, "-b", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
atexit.register(tool.kill)
tool.stdin.write("forward nic5\n")
tool.stdin.flush()
check(tool.stdout.readline() == f"forwarding between nic5 and {NAME}\n", "forward says so")
ip("link", "del", "eth5")
check("nic5 is gone" in tool.stderr.readline(), "a netdev that goes is told")
tool.stdin.write("forward nic4\n")
tool.stdin.close()
check(tool.stdout.readline() == f"forwarding between nic4 and {NAME}\n", "another forward starts")
tool.send_signal(signal.SIGTERM)
check(tool.wait(timeout=30) == 0, f"and ends in order: {tool.returncode}")
for words, text in ((["forward", "no-such-if"], "no netdev no-such-if"), (["forward"], "value is missing"),
                    (["forward", "a-name-that-is-much-too-long"], "too long")):
    r = subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=30)
    check(r.returncode in (1, 2) and text in r.stderr, f"{words}: {r}")
finish()
