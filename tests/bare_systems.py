# SPDX-License-Identifier: GPL-2.0-or-later
"""Tries a wheel on systems that hold Python and nothing else: `python tests/bare_systems.py WHEEL FOLDER SUITE...`.

Each Debian suite is unpacked below the folder (once) with debootstrap, and the wheel installed there from files,
without network. Then the README's ten lines run as root and as nobody, from a folder with a space and an accent, with
packages that cannot be written, without a home, network or locale, and under a limit of address space. Needs root.
"""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = "/opt/a b é/venv"
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
# in namespaces of its own: no network, and /proc as any system has it
ALONE = ["unshare", "--net", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"']
ENVIRONMENT = ["env", "-i", "PATH=/usr/bin:/bin"]


def mirror() -> str:
    """The Debian archive that this machine is configured to use."""
    told = subprocess.run(["apt-cache", "policy"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(https?://\S*/debian)/? ", told)
    if found is None:
        raise SystemExit("no Debian archive in the configuration of this machine")
    return found[1]


def ten_lines() -> str:
    """The second snippet of the README that is Python, as written."""
    (code, *_) = re.findall(r"^## Ten lines\n+```python\n(.*?)```", (ROOT / "README.md").read_text(), re.M | re.S)
    return code


def unpacked(suite: str, folder: Path) -> Path:
    """The root of a bare system; made unless it is there."""
    root = folder / suite
    if not (root / "usr/bin/python3").exists():
        shutil.rmtree(root, ignore_errors=True)
        words = ["debootstrap", "--variant=minbase", "--include=python3,python3-venv", suite, str(root), mirror()]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return root


def run_in(root: Path, *words: str) -> str:
    """What a command in a bare system prints."""
    done = subprocess.run([*ALONE, str(root), *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{root.name}: {words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def install(wheel: Path, root: Path) -> str:
    """Put the wheel and what it needs into a new environment of the bare system, from files alone; its Python."""
    version = run_in(root, "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
    files = root / "wheels"
    shutil.rmtree(files, ignore_errors=True)
    tags = [*(f"manylinux_2_{glibc}_x86_64" for glibc in (34, 28, 27, 17)), "manylinux2014_x86_64"]
    kinds = ["--only-binary=:all:", f"--python-version={version}", *(f"--platform={tag}" for tag in tags)]
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "download", "-q", *kinds, "-d", str(files), str(wheel)], check=True)
    shutil.rmtree(root / VENV[1:], ignore_errors=True)
    run_in(root, "python3", "-m", "venv", VENV)
    run_in(root, f"{VENV}/bin/pip", "install", "-q", "--no-index", "--find-links=/wheels", "civworld")
    return version


def tries(root: Path, code: str) -> dict[str, str]:
    """What the code prints under each circumstance; every one must end well."""
    (root / "ten.py").write_text(code + "\nimport civworld\nprint(gift.digest())\n")
    python = [f"{VENV}/bin/python", "/ten.py"]
    run_in(root, "chmod", "-R", "a-w", VENV)
    limited = ["sh", "-c", 'ulimit -v 16000000; exec "$0" "$@"', *python]
    ways = {
        "root": [*ENVIRONMENT, *python],
        "nobody, no home, packages read-only": [*NOBODY, *ENVIRONMENT, *python],
        "locale POSIX": [*NOBODY, *ENVIRONMENT, "LC_ALL=POSIX", *python],
        "16 GB of address space": [*ENVIRONMENT, *limited],
    }
    return {name: run_in(root, *words).splitlines()[-1] for name, words in ways.items()}


def main(wheel: Path, folder: Path, suites: list[str]) -> None:
    """Try every suite; all must play the same world."""
    digests = set()
    for suite in suites:
        root = unpacked(suite, folder)
        start = time.monotonic()
        version = install(wheel, root)
        found = tries(root, ten_lines())
        digests |= set(found.values())
        took = time.monotonic() - start
        print(f"{suite}, Python {version}, {took:.0f} s: {'; '.join(found)}")
    if len(digests) != 1:
        raise SystemExit(f"worlds differ: {digests}")
    print(f"all worlds have the digest {digests.pop()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:])
