#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""
forward with IPv6 from end to end: two hosts in network namespaces, a model NIC in each, the kernels' own TCP and UDP.

    eth4 = nic4 - forward - model - wire ═══ wire - model - forward - nic4 = eth4
    2001:db8::52                      (captured)                       2001:db8::70

Neighbours find each other in clear, which no policy can forbid; all else between the hosts is ESP.
"""
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
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

from scapy.all import ESP, IPv6, UDP, Ether, Raw, SecurityAssociation, conf, get_if_hwaddr, sendp, wrpcap
from tool import AEAD, KEY, TOOL, check, finish

LEFT, RIGHT = "2001:db8::52", "2001:db8::70"
MARK = b"nobody on the wire reads this"
conf.verb = 0
folder = tempfile.mkdtemp(prefix="mlxo-forward6-")

# The right host lives as long as this process, which says that it is there.
right = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
atexit.register(right.kill)
right.stdout.readline()
IN_RIGHT = ["nsenter", "-t", str(right.pid), "-n"]
HOSTS = {"left": [], "right": IN_RIGHT}


def on(host, words):
    subprocess.run([*HOSTS[host], *words.split()], check=True, stdout=subprocess.DEVNULL)


on("left", f"ip link add wire type veth peer name wire netns {right.pid}")
for host, address in (("left", LEFT), ("right", RIGHT)):
    on(host, "ip link add eth4 mtu 1456 type veth peer name nic4 mtu 1456")
    for name in ("eth4", "nic4", "wire"):
        # Only eth4 speaks IPv6, and has no address but the one it is given.
        on(host, f"sysctl -qw net.ipv6.conf.{name}.disable_ipv6={int(name != 'eth4')}")
        on(host, f"sysctl -qw net.ipv6.conf.{name}.addr_gen_mode=1")
        on(host, f"ethtool -K {name} tso off gso off gro off")
        on(host, f"ip link set {name} up")
    on(host, f"ip -6 address add {address}/64 dev eth4 nodad")

wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
wire.bind(("wire", 3))  # ETH_P_ALL
wire.settimeout(60)
frames = []


def collect():
    """Frames of the wire up to the last one, which has an EtherType of its own."""
    try:
        while (frame := wire.recv(4096))[12:14] != b"\x88\xb5":
            frames.append(frame)
    except TimeoutError:
        check(False, "the last frame is not on the wire")


collector = threading.Thread(target=collect, daemon=True)
collector.start()

tools = {}
for host, own, peer, out, back in (("left", LEFT, RIGHT, 0x1007, 0x1008), ("right", RIGHT, LEFT, 0x1008, 0x1007)):
    tool = subprocess.Popen([*HOSTS[host], TOOL, "-j", "-d", "model:port=packet:wire", "-b", "-"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)
    atexit.register(tool.kill)
    tool.stdout.readline()
    tools[host] = tool
    lines = [f"create-sa src {s} dst {d} proto esp spi {spi} mode transport reqid 7 {AEAD} {KEY} 128 "
             f"sel src {s}/64 dst {d}/64 offload packet dev eth4 dir {way}\n"
             f"create-policy src {s}/64 dst {d}/64 dir {way} tmpl src {s} dst {d} proto esp reqid 7\n"
             for s, d, spi, way in ((own, peer, out, "out"), (peer, own, back, "in"))]
    tool.stdin.write("".join(lines) + "forward nic4\n")
    tool.stdin.flush()
    for _ in range(5):
        answer = json.loads(tool.stdout.readline().lstrip(","))
        check("output" in answer, f"{host}: {answer}")


def ask(host, line):
    tools[host].stdin.write(line + "\n")
    tools[host].stdin.flush()
    return json.loads(tools[host].stdout.readline().lstrip(","))["output"]


echo = subprocess.Popen([*IN_RIGHT, sys.executable, "-c", f"""
import socket
udp, tcp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM), socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
for s in udp, tcp:
    s.bind(("{RIGHT}", 5000))
tcp.listen()
print(flush=True)
for _ in range(20):
    data, peer = udp.recvfrom(2000)
    udp.sendto(data, peer)
c, _ = tcp.accept()
while data := c.recv(1 << 16):
    c.sendall(data)
"""], stdout=subprocess.PIPE)
atexit.register(echo.kill)
echo.stdout.readline()

# UDP: a checksum is never optional here, and the host leaves it to its NIC.
udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
udp.settimeout(20)
udp.connect((RIGHT, 5000))
for i in range(20):
    udp.send(MARK + bytes([i]) * (i * 60))
    check(udp.recv(2000) == MARK + bytes([i]) * (i * 60), f"datagram {i} comes back")

# TCP, in segments as long as the interface allows.
sent = (MARK + os.urandom(99)) * 2000
tcp = socket.create_connection((RIGHT, 5000), timeout=60)
got = b""
for at in range(0, len(sent), 16384):
    tcp.sendall(sent[at:at + 16384])
    want = min(at + 16384, len(sent))
    while len(got) < want:
        data = tcp.recv(1 << 16)
        if not check(data, "TCP ended early"):
            finish()
        got += data
tcp.close()
check(got == sent, "the stream comes back as it was sent")
check(echo.wait(timeout=60) == 0, "the right host's server")

# send, while forward has the receive queue: the same policies, no frame of the forwarding is taken.
wrpcap(f"{folder}/frames.pcap", [Ether(src=get_if_hwaddr("eth4"), dst="02:00:00:00:00:01") / IPv6(src=LEFT, dst=RIGHT) /
                                UDP(sport=1, dport=5001) / Raw(MARK)])
answer = ask("left", f"send {folder}/frames.pcap count 2000")
check(answer == [{"sent": 2000, "file": f"{folder}/frames.pcap", "bytes": 2000 * (62 + len(MARK))}], f"send: {answer}")

# In clear from the wire: what the policy protects is not taken, and then nobody answers.
last = Ether(src=get_if_hwaddr("eth4"), dst="02:00:00:00:00:01", type=0x88b5) / b"the last frame"
sas = {host: {sa["dir"]: sa for sa in ask(host, "show-sa")} for host in tools}
before = ask("right", "show-policy")
sendp([Ether(src=get_if_hwaddr("eth4"), dst="ff:ff:ff:ff:ff:ff") / IPv6(src=LEFT, dst=RIGHT) / UDP(sport=1, dport=5000) /
       Raw(b"clear"), last], iface="wire")

# The wire.
collector.join()
frames = [Ether(frame) for frame in frames]
clear = [p for p in frames if UDP in p]
check(len(clear) == 1 and clear[0][UDP].payload.load == b"clear", f"UDP in clear is the one packet that was put there: {clear}")
asked = [p[IPv6].payload.type for p in frames if IPv6 in p and p[IPv6].nh == 58]
esp = {way: [p[IPv6] for p in frames if IPv6 in p and p[IPv6].nh == 50 and p[IPv6].src == way] for way in (LEFT, RIGHT)}
# A multicast listener's report has hop-by-hop options.
groups = [p for p in frames if IPv6 in p and p[IPv6].nh == 0 and p[IPv6].dst == "ff02::16"]
check(135 in asked and 136 in asked and set(asked) <= {135, 136}, f"neighbour discovery in clear: {asked}")
check(sum(map(len, esp.values())) + len(asked) + len(groups) + len(clear) == len(frames), "nothing else is on the wire")
check(all(MARK not in bytes(p) for p in frames), "no payload in clear")
for way, host, peer in ((LEFT, "left", "right"), (RIGHT, "right", "left")):
    seen = len({p[ESP].seq for p in esp[way]})
    check(seen == len(esp[way]) > (2000 if way == LEFT else 40), f"{way}: {len(esp[way])} ESP packets, {seen} numbers")
    check(min(sas[host]["out"]["packets"], sas[peer]["in"]["packets"]) >= 40, f"{way}: counters {sas}")
    check(sum(sas[host]["in"]["drops"].values()) == 0, f"{host}: drops {sas[host]['in']['drops']}")

# What the NIC sent is what scapy decrypts, with the checksum that the NIC filled in.
state = SecurityAssociation(ESP, spi=0x1007, crypt_algo="AES-GCM", crypt_key=bytes.fromhex(KEY[2:]))
plain = state.decrypt(IPv6(bytes(esp[LEFT][0])))
again = IPv6(bytes(plain))
del again[UDP].chksum
check(bytes(plain[UDP].payload) == MARK and plain[UDP].chksum == IPv6(bytes(again))[UDP].chksum, f"decrypted: {plain!r}")

# The clear packet has been counted, at the latest when the frame behind it was.
unprotected = 0
for _ in range(2000):
    after = ask("right", "show-policy")
    unprotected = json.dumps(after) != json.dumps(before)
    if unprotected:
        break
check(unprotected, f"the clear packet was dropped and counted: {after}")

for host, tool in tools.items():
    tool.stdin.close()
    tool.send_signal(signal.SIGTERM)
    check(tool.wait(timeout=30) == 0, f"{host}: ends in order: {tool.returncode}")
finish()
