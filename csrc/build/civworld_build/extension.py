# SPDX-License-Identifier: GPL-2.0-or-later
"""The setuptools command that compiles the cffi extension."""

from __future__ import annotations

from setuptools.command.build_ext import build_ext

from civworld_build.binding import ffi


class BuildExtension(build_ext):
    """Generates the extension's C source and hands it to setuptools."""

    def run(self) -> None:
        """Fill in the one extension, then build as usual."""
        self.extensions = [ffi().distutils_extension(tmpdir=self.build_temp)]
        for extension in self.extensions:
            extension._needs_stub = False
            extension.py_limited_api = True
        super().run()
