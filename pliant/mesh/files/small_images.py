"""Textures on a short lead: trimesh unpacks the images of a file, and copies them, however large they are."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from pliant.errors import FileError

LARGEST = 2048  # pixels along a side of what is kept
MOST = 1 << 26  # pixels of an image that is opened at all: 8192 x 8192
_one = threading.Lock()


@contextlib.contextmanager
def small_images(file: object) -> Iterator[None]:
    """Within, images are opened no larger than they are kept; a file with one that is far larger is refused."""
    try:
        from PIL import Image
    except ImportError:
        yield
        return
    refused, mine = list[str](), threading.get_ident()

    def opened(*given: Any, **options: Any) -> Any:
        image = open_image(*given, **options)
        if threading.get_ident() != mine:
            return image
        if image.width * image.height > MOST:
            refused.append(f"{image.width} x {image.height}")
            raise ValueError("too many pixels")
        if max(image.size) > LARGEST:
            image.thumbnail((LARGEST, LARGEST))
        return image

    with _one:
        open_image, most = Image.open, Image.MAX_IMAGE_PIXELS
        Image.open, Image.MAX_IMAGE_PIXELS = opened, None
        try:
            yield
        finally:
            Image.open, Image.MAX_IMAGE_PIXELS = open_image, most
    if refused:
        raise FileError(f"{file} has a texture of {refused[0]} pixels; make it 8192 x 8192 at most, or leave it out")
