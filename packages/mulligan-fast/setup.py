"""The one extension, for the stable ABI: a wheel of it serves every Python from 3.11 on."""

from pathlib import Path

from setuptools import Extension, setup

CORE = Path("core")

setup(
    ext_modules=[
        Extension(
            "mulligan_fast.core",
            sources=sorted(str(each) for each in CORE.glob("*.c")),
            depends=[str(CORE / "core.h")],
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
