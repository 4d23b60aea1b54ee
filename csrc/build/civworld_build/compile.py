# SPDX-License-Identifier: GPL-2.0-or-later
"""Compiles the patched engine and csrc/ into one shared object, whole-program, with ninja."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from civworld_build import CSRC, PACKAGE, BuildError, cache_dir, say
from civworld_build.tree import copy_data, patched_tree, stamp

LIBRARY = "libcivworld_engine.so"
# where the library is loaded in every process: images hold addresses of its code and data
TEXT_BASE = "0x2c0000000000"
ARENA_BASE = "0x2d0000000000"

ENGINE_DIRS = (
    "utility", "common", "common/networking", "common/scriptcore", "common/aicore", "ai", "ai/default",
    "ai/classic", "server", "server/advisors", "server/generator", "server/savegame", "server/scripting",
    "dependencies/cvercmp", "dependencies/tolua-5.2/src/lib",
)  # fmt: skip
# engine files that csrc/ replaces (network, console, clocks) or that serve features the library does without
LEFT_OUT = {
    "utility/netfile.c", "utility/timing.c", "utility/fcbacktrace.c",
    "server/civserver.c", "server/console.c", "server/sernet.c", "server/meta.c", "server/auth.c",
    "server/fcdb.c", "server/scripting/api_fcdb_auth.c", "server/scripting/api_fcdb_base.c",
    "server/scripting/script_fcdb.c", "server/scripting/tolua_fcdb_gen.c",
}  # fmt: skip
LUA_LEFT_OUT = {"lua.c", "luac.c"}
INCLUDES = (
    *ENGINE_DIRS[:-1], "dependencies/tolua-5.2/include", "gen_headers",
)  # fmt: skip


@dataclass(frozen=True)
class Profile:
    """Compiler and linker switches of one kind of build."""

    name: str
    cflags: tuple[str, ...]
    ldflags: tuple[str, ...]


COMMON = (
    "-std=gnu11", "-fPIC", "-fvisibility=hidden", "-fno-semantic-interposition", "-fno-strict-aliasing",
    "-ffp-contract=off", "-fno-plt", "-DHAVE_CONFIG_H", "-D_GNU_SOURCE",
    f"-DCW_ARENA_BASE={ARENA_BASE}", f"-DCW_TEXT_BASE={TEXT_BASE}",
)  # fmt: skip
# for our own files; the last two are about the engine's headers
WARNINGS = (
    "-Wall", "-Wextra", "-Wmissing-prototypes", "-Werror=implicit-function-declaration",
    "-Wno-unused-parameter", "-Wno-sign-compare",
)  # fmt: skip
PROFILES = {
    "release": Profile("release", ("-O2", "-g1", "-flto"), ("-O2", "-flto={jobs}")),
    "dev": Profile("dev", ("-O1", "-g"), ()),
}


def compiler() -> str:
    """The C compiler to use; BuildError says how to get one."""
    cc = os.environ.get("CC", "cc")
    if shutil.which(shlex.split(cc)[0]) is None:
        raise BuildError(f"no C compiler ({cc}): apt-get install gcc libc6-dev zlib1g-dev, or set CC")
    probe = subprocess.run(
        [*shlex.split(cc), "-xc", "-", "-o", os.devnull, "-lz"],
        input="#include <zlib.h>\nint main(void){return zlibVersion() == 0;}\n",
        capture_output=True,
        text=True,
    )
    if probe.returncode != 0:
        raise BuildError(f"zlib's header or library is missing: apt-get install zlib1g-dev\n{probe.stderr}")
    return cc


def ninja() -> str:
    """Path of the ninja program."""
    beside = Path(sys.executable).with_name("ninja")
    found = str(beside) if beside.exists() else shutil.which("ninja")
    if not found:
        try:
            import ninja as package

            found = os.path.join(package.BIN_DIR, "ninja")
        except ImportError:
            raise BuildError("the program `ninja` is missing: pip install ninja") from None
    return found


def sources(tree: Path, own: Path) -> list[tuple[str, Path]]:
    """(object name, source) of everything that goes into the library."""
    engine = tree / "freeciv"
    found = []
    for folder in ENGINE_DIRS:
        for path in sorted((engine / folder).glob("*.c")):
            name = f"{folder}/{path.name}"
            if name not in LEFT_OUT:
                found.append((name, path))
    for path in sorted((tree / "lua" / "src").glob("*.c")):
        if path.name not in LUA_LEFT_OUT:
            found.append((f"lua/{path.name}", path))
    found += [(f"csrc/{path.relative_to(own)}", path) for path in own_files(own) if path.suffix == ".c"]
    return found


def own_files(own: Path) -> list[Path]:
    """Our own C files and headers: those of the rooms (csrc/README.md), of config/, and civworld.h."""
    rooms = (path for path in own.iterdir() if path.is_dir() and path.name not in {"build", "tests"})
    return sorted([own / "civworld.h", *(path for room in rooms for path in room.rglob("*.[ch]"))])


def common_flags(tree: Path, own: Path) -> list[str]:
    """Compiler flags of every file, in every profile. Of our headers the engine sees those in doors/ alone."""
    engine = tree / "freeciv"
    includes = [own / "config", own / "doors", tree / "lua" / "src", *(engine / d for d in INCLUDES)]
    # the last that fits holds; the first one is for the compiler's own folder, which debugging information names
    prefixes = [
        f"-ffile-prefix-map={own.parent}=.",
        *(f"-ffile-prefix-map={folder}/=" for folder in (tree, engine, own)),
    ]
    return [*COMMON, *prefixes, *(f"-I{d}" for d in includes)]


def is_own(path: Path, own: Path) -> bool:
    """Whether a file is ours and not one that wraps a file of the engine."""
    return path.is_relative_to(own) and not path.name.startswith("embed_")


def extra_flags(name: str, path: Path, own: Path) -> list[str]:
    """Compiler flags of one file besides those of all."""
    rooms = [f"-I{own}"] if path.is_relative_to(own) else []
    if is_own(path, own):
        return [*rooms, *WARNINGS]
    still = ["-include", str(own / "host" / "lua_still.h")] if name.startswith("lua/") else []
    return [*rooms, "-w", "-include", str(own / "host" / "redirect.h"), *still]


def for_shell(*words: object) -> str:
    """Words of a ninja command: quoted for the shell, whatever is in them, and dollars doubled for ninja."""
    return shlex.join(str(word) for word in words).replace("$", "$$")


def for_ninja(path: Path) -> str:
    """A path of a ninja build line; ninja itself quotes it for the shell where it says $in."""
    return re.sub(r"([$ :])", r"$\1", str(path))


def write_ninja(tree: Path, out: Path, profile: Profile, cc: str, jobs: int, own: Path) -> None:
    """Write build.ninja for the library; `own` is the folder that our own files are compiled from."""
    ldflags = [
        "-shared", "-Wl,-z,relro,-z,now", f"-Wl,-Ttext-segment={TEXT_BASE}", "-Wl,--gc-sections",
        "-Wl,--no-undefined", "-Wl,--build-id=none", "-Xlinker", f"--version-script={own / 'exports.map'}",
        *(f.format(jobs=jobs) for f in profile.ldflags),
    ]  # fmt: skip
    lines = [
        f"cflags = {for_shell(*common_flags(tree, own), *profile.cflags)}",
        "rule cc",
        f"  command = {cc} -MD -MF $out.d $cflags $extra -c $in -o $out",
        "  deps = gcc",
        "  depfile = $out.d",
        "  description = $name",
        "rule link",
        f"  command = {cc} {for_shell(*ldflags)} @$out.rsp -o $out -lm -lz",
        "  rspfile = $out.rsp",
        "  rspfile_content = $in",
        "  description = linking the whole program (about a minute)",
    ]
    objects = []
    for name, path in sources(tree, own):
        obj = f"obj/{name.removesuffix('.c')}.o"
        lines += [f"build {obj}: cc {for_ninja(path)}", f"  name = {name}"]
        lines += [f"  extra = {for_shell(*extra_flags(name, path, own))}"]
        objects.append(obj)
    lines += [f"build {LIBRARY}: link {' '.join(objects)}", f"default {LIBRARY}", ""]
    out.mkdir(parents=True, exist_ok=True)
    (out / "build.ninja").write_text("\n".join(lines), encoding="utf-8")


def mirror(target: Path) -> Path:
    """A copy of csrc/ in which a file is touched only when its text has changed.

    Checkouts that share a cache then share its object files: equal files have one path and one time there.
    """
    wanted = {path.relative_to(CSRC): path for path in (*own_files(CSRC), CSRC / "exports.map")}
    for path in [p for p in target.rglob("*") if p.is_file() and p.relative_to(target) not in wanted]:
        path.unlink()
    for name, path in wanted.items():
        copy = target / name
        if not copy.exists() or copy.read_bytes() != path.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    return target


def key(profile: Profile, cc: str) -> str:
    """Hash of everything that determines the library: sources, patches, switches, compiler."""
    h = hashlib.sha256(stamp().encode())
    for path in [*own_files(CSRC), CSRC / "exports.map", Path(__file__)]:
        h.update(os.path.relpath(path, CSRC).encode() + b"\0" + path.read_bytes())
    h.update(repr(profile).encode())
    h.update(subprocess.run([*shlex.split(cc), "--version"], capture_output=True).stdout)
    return h.hexdigest()[:24]


def build(profile_name: str | None = None) -> Path:
    """Folder with the finished library and its data; builds it unless the cache has it."""
    profile = PROFILES[profile_name or os.environ.get("CIVWORLD_BUILD_PROFILE", "release")]
    cc = compiler()
    done = cache_dir() / "engines" / f"{profile.name}-{key(profile, cc)}"
    finished = done / "build_info.json"
    if not finished.exists():
        with _alone():
            if not finished.exists():  # another build may have made it meanwhile
                _compile_into(done, profile, cc)
    return done


@contextmanager
def _alone() -> Iterator[None]:
    """Builds of one cache folder wait for one another: they share trees and object files."""
    cache_dir().mkdir(parents=True, exist_ok=True)
    with open(cache_dir() / "build.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _compile_into(done: Path, profile: Profile, cc: str) -> None:
    tree = patched_tree()
    work = cache_dir() / "objects" / f"{profile.name}-{stamp()}"
    jobs = os.cpu_count() or 1
    write_ninja(tree, work, profile, cc, jobs, mirror(work / "csrc"))
    say("compiling the engine, about two minutes on two cores")
    if subprocess.run([ninja(), "-C", str(work), f"-j{jobs}"]).returncode != 0:
        raise BuildError("the engine did not compile; the compiler's message is above")
    say("engine built")
    part = done.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    shutil.copy(work / LIBRARY, part / LIBRARY)
    copy_data(tree, part / "data")
    (part / "build_info.json").write_text(json.dumps(describe(part, profile, cc), indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(done, ignore_errors=True)
    os.replace(part, done)


def describe(folder: Path, profile: Profile, cc: str) -> dict[str, object]:
    """What a build is: its id covers the library and every data file, so equal ids run alike."""
    h = hashlib.sha256((folder / LIBRARY).read_bytes())
    for path in sorted(p for p in (folder / "data").rglob("*") if p.is_file()):
        h.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    version = subprocess.run([*shlex.split(cc), "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    return {
        "build_id": h.hexdigest()[:32],
        "engine": "freeciv 3.1.4",
        "patches": stamp(),
        "profile": profile.name,
        "compiler": version,
    }


def install(profile_name: str | None = None) -> None:
    """Copy a finished build into the source package, where wheels and editable installs take it from."""
    folder = build(profile_name)
    for former in PACKAGE.glob("_native.cpython-*.so"):
        former.unlink()  # of versions that had one for each Python; Python would take it first
    info = PACKAGE / "build_info.json"
    if info.exists() and info.read_bytes() == (folder / "build_info.json").read_bytes():
        return
    shutil.copytree(folder, PACKAGE, dirs_exist_ok=True)


if __name__ == "__main__":
    install(sys.argv[1] if len(sys.argv) > 1 else None)
