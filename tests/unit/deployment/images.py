"""Find the image references in manifests and docker-compose.yml, and check whether each one is pinned."""

import re
from collections.abc import Iterator
from typing import Any

from shared import __version__

# A prefix that no public registry can serve; see docs/operations/images.md.
OURS = "localhost/kgqa/"

_CONTAINER_LISTS = ("containers", "initContainers", "ephemeralContainers")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
# Docker's rule: the first part is a registry only if it looks like a host.
_REGISTRY = re.compile(r"localhost(:\d+)?|[^/]+\.[^/]+|[^/]+:\d+")


def container_images(manifest: Any) -> Iterator[str]:
    """Yield the image of every container in a manifest, however deeply its pod template is nested."""
    if isinstance(manifest, list):
        for item in manifest:
            yield from container_images(item)
    elif isinstance(manifest, dict):
        for key, value in manifest.items():
            if key in _CONTAINER_LISTS and isinstance(value, list):
                yield from (str(container.get("image", "")) for container in value)
            else:
                yield from container_images(value)


def repository(image: str) -> str:
    """Return an image reference without its tag and digest."""
    name = image.partition("@")[0]
    folder, slash, last = name.rpartition("/")
    return f"{folder}{slash}{last.partition(':')[0]}"


def own_name(image: str) -> str:
    """Return the name of one of this project's images, such as `kgqa/retriever`."""
    assert image.startswith(OURS), image
    return repository(image).removeprefix("localhost/")


def image_faults(image: str) -> list[str]:
    """Return the reasons why an image reference does not identify one known image."""
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    faults = []
    if not _REGISTRY.fullmatch(image.partition("/")[0]) or "/" not in image:
        faults.append(f"{image!r} names no registry")
    if digest and not _DIGEST.fullmatch(digest):
        faults.append(f"{image!r} has a malformed digest")
    if not tag and not digest:
        faults.append(f"{image!r} has neither tag nor digest")
    if tag == "latest":
        faults.append(f"{image!r} is tagged latest")
    return faults


def unpinned(images: list[str]) -> list[str]:
    """Return the faults of images; this project's images must also have the project's version."""
    assert images
    faults = [fault for image in images for fault in image_faults(image)]
    for image in images:
        if "kgqa/" in image and image != f"{repository(image)}:{__version__}":
            faults.append(f"{image!r} is not of version {__version__}")
        if "kgqa/" in image and not image.startswith(OURS):
            faults.append(f"{image!r} could be pulled from a public registry")
    return faults
