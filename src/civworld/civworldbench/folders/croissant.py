# SPDX-License-Identifier: GPL-2.0-or-later
"""Croissant metadata of a release (mlcommons.org/croissant/1.0): its files, and the columns of each query set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from civworld.civworldbench.folders import parquet
from civworld.civworldbench.folders.provenance import file_digest

LICENSE = "GPL-2.0-or-later"
_OWN = (
    "citeAs", "column", "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes",
    "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated",
    "replace", "separator", "source", "subField", "transform",
)  # fmt: skip
"""Words of Croissant itself; the context must name them all."""
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{word: f"cr:{word}" for word in _OWN},
}


def metadata(name: str, where: Path) -> dict[str, Any]:
    """The metadata of the queries of a release.

    Args:
        name: what the dataset is called.
        where: folder of the release, with its `queries/`.
    """
    files = sorted((where / "queries").iterdir())
    fields = [*parquet.TEXTS, "turn", "schema", "cells"]
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "description": "Questions about worlds of Freeciv with targets that the engine recorded.",
        "license": f"https://spdx.org/licenses/{LICENSE}.html",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": str(path.relative_to(where)),
                "name": path.stem,
                "contentUrl": str(path.relative_to(where)),
                "encodingFormat": "application/x-parquet",
                "contentSize": f"{path.stat().st_size} B",
                "sha256": file_digest(path),
            }
            for path in files
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": path.stem,
                "name": path.stem,
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"{path.stem}/{field}",
                        "name": field,
                        "dataType": "sc:Integer" if field == "turn" else "sc:Text",
                        "source": {
                            "fileObject": {"@id": str(path.relative_to(where))},
                            "extract": {"column": field},
                        },
                    }
                    for field in fields
                ],
            }
            for path in files
        ],
    }
