# SPDX-License-Identifier: BSD-2-Clause
"""What tests of programs on the preloaded model share: where it is, and when such a test cannot run."""
import os
import re
import shutil
import subprocess
import sys

TOOL, BUILD = os.environ["MLXO_TOOL"], os.environ["MLXO_BUILD"]
LIBRARY = os.path.join(BUILD, "libmlx5-model-uverbs.so")
# In namespaces of its own; as another user root is made up, which a chroot does not allow.
UNSHARE = ["unshare"] if os.geteuid() == 0 else ["unshare", "-r"]

# An SA and a policy; dev: the device's name.
SA_BATCH = """create-sa proto esp src 14.0.0.52 dst 14.0.0.70 spi 0x1007 mode transport reqid 7 \
aead 'rfc4106(gcm(aes))' 0x44434241343332312423222114131211f4f3f2f1 128 offload packet dev {dev} dir out
create-policy src 14.0.0.52/32 dst 14.0.0.70/32 dir out offload packet dev {dev} \
tmpl src 14.0.0.52 dst 14.0.0.70 proto esp reqid 7 mode transport
"""


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def need(*programs, provider=False):
    """Ends the test when it cannot run: these programs are missing, the build has no face, no provider, or sanitizers."""
    for program in programs:
        if not shutil.which(program):
            skip(f"{program} is not installed")
    if not os.path.exists(LIBRARY):
        skip("no libmlx5-model-uverbs.so in this build: linux-libc-dev has no rdma/mlx5_user_ioctl_cmds.h")
    if provider and "without libibverbs" in subprocess.run([TOOL, "-d", "mlx5_0", "caps"], capture_output=True,
                                                           text=True).stderr:
        skip("built without libibverbs and libmlx5")


def need_plain():
    """Other programs cannot preload a library with sanitizers: the plain build runs this test, so that is no skip."""
    symbols = subprocess.run(["nm", "-D", LIBRARY], capture_output=True, text=True).stdout
    if re.search(r"__(asan|tsan)_", symbols):
        print("sanitizer build: the preloaded model is tested in the plain one")
        sys.exit(0)


def need_namespaces(*kinds):
    """kinds: "-n" (network), "-m" (mounts)."""
    r = subprocess.run([*UNSHARE, *kinds, "true"], capture_output=True, text=True)
    if r.returncode:
        skip(f"no namespaces may be made here: {r.stderr.strip()}")
