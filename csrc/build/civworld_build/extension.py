# SPDX-License-Identifier: GPL-2.0-or-later
"""The setuptools command that compiles the cffi extension."""

from __future__ import annotations

from setuptools.command.build_ext import build_ext

from civworld_build.binding import ffi


class BuildExtension(build_ext):
    """Generates the extension's C source and hands it to setuptools.

    The extension keeps to the stable part of CPython's interface, so that one file serves 3.11 and all later versions.
    """

    def finalize_options(self) -> None:
        """Fill in the one extension, then go on as usual: file names are chosen here."""
        where = self.distribution.get_command_obj("build")
        where.ensure_finalized()
        extension = ffi().distutils_extension(tmpdir=where.build_temp)
        extension.py_limited_api = True
        self.distribution.ext_modules = [extension]
        super().finalize_options()
