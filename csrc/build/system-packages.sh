#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs the Debian packages that the build needs and this machine lacks; says which and how when it may not.
# Arguments are what is needed besides: a program, from the package of its name, PACKAGE/PROGRAM, or PACKAGE:HEADER.
set -eu

missing=""
need() { # need PACKAGE TEST...
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}

PYTHON=${PYTHON:-python3} # needs quotes: its folder may have a space
has_header() { printf '#include <%s>\nint main(void){return 0;}\n' "$1" | ${CC:-cc} -xc - -o /dev/null; }
new_enough() { "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; }
has_venv() { "$PYTHON" -c 'import venv, ensurepip'; }
has_python_header() { "$PYTHON" -c 'import os, sysconfig; exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; }

if command -v "$PYTHON" >/dev/null 2>&1 && ! new_enough; then
  echo "civworld: Python 3.11 or newer is needed, and $PYTHON is older; name one: make PYTHON=/path/to/python3" >&2
  exit 1
fi
need gcc sh -c "command -v ${CC:-cc}"
need libc6-dev has_header stdio.h
need zlib1g-dev has_header zlib.h
need patch sh -c "command -v patch"
need xz-utils sh -c "command -v xz"
need python3-venv has_venv
need python3-dev has_python_header
for wanted in "$@"; do
  case $wanted in
    *:*) need "${wanted%%:*}" has_header "${wanted#*:}" ;;
    */*) need "${wanted%%/*}" sh -c "command -v ${wanted#*/}" ;;
    *) need "$wanted" sh -c "command -v $wanted" ;;
  esac
done

[ -n "$missing" ] || exit 0
echo "civworld: installing Debian packages:$missing"
run=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null 2>&1 || {
    echo "civworld: not root and no sudo; as root run: apt-get install$missing" >&2
    exit 1
  }
  run=sudo
fi
$run apt-get update -qq
# shellcheck disable=SC2086
$run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
