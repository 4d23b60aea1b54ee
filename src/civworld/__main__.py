# SPDX-License-Identifier: GPL-2.0-or-later
"""`python -m civworld`."""

import sys

from civworld.cli import main

sys.exit(main())
