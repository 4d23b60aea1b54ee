# SPDX-License-Identifier: GPL-2.0-or-later
"""What is published: source distribution, audited wheel, checksums. `python -m civworld_build.dist [FOLDER]`.

The wheel serves CPython 3.11 and all later versions (stable interface) on every Linux whose glibc is as new as its tag
says; auditwheel finds the tag and refuses a wheel that needs libraries which such systems may lack.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from civworld_build import CSRC, say

ROOT = CSRC.parent


def make(out: Path) -> list[Path]:
    """Build everything into a folder, which holds nothing else then; what was made, checksums last.

    Raises:
        subprocess.CalledProcessError: a step failed, and its message is above; the folder is as before.
    """
    with tempfile.TemporaryDirectory() as work:
        raw, ready = Path(work) / "raw", Path(work) / "ready"
        say("building the source distribution, and the wheel from it")
        _run("build", "--outdir", str(raw), str(ROOT))
        _run("auditwheel", "repair", "--wheel-dir", str(ready), *map(str, raw.glob("*.whl")))
        for sdist in raw.glob("*.tar.gz"):
            shutil.move(sdist, ready)
        made = sorted(ready.iterdir())
        _run("twine", "check", "--strict", *map(str, made))
        lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made]
        (ready / "SHA256SUMS").write_text("".join(lines))
        shutil.rmtree(out, ignore_errors=True)
        shutil.move(ready, out)
    return [*(out / path.name for path in made), out / "SHA256SUMS"]


def _run(module: str, *words: str) -> None:
    """Run a tool of this environment, which finds its helpers beside this Python."""
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run([sys.executable, "-m", module, *words], check=True, env=env)


if __name__ == "__main__":
    for path in make(Path(sys.argv[1] if len(sys.argv) > 1 else "dist")):
        print(f"{path.stat().st_size:>10,}  {path}")
