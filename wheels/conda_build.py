"""Builds the recipe for conda-forge and runs its tests, without conda-forge: python wheels/conda_build.py [FOLDER]

Where conda-forge can be reached, `rattler-build build -r wheels/conda -c conda-forge` does it with its packages. Here
Python, what the recipe asks of it and the C compiler are packed from this machine and from the index that pip uses, as
a channel in a temporary folder: that the recipe can be read, solved, built, installed and tested is what this shows,
not that it fits what conda-forge has. The package is left in FOLDER, if one is named. For Linux; needs `packaging`,
`py-rattler` and `py-rattler-build`.
"""

import argparse
import asyncio
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import warnings
from importlib.metadata import distributions
from pathlib import Path

from packaging.requirements import Requirement

TREE = Path(__file__).resolve().parents[1]
SUBDIR = {"x86_64": "linux-64", "aarch64": "linux-aarch64"}[platform.machine()]
LIBRARY = Path(f"lib/python{sys.version_info.major}.{sys.version_info.minor}")
LEFT_OUT = shutil.ignore_patterns("site-packages", "test", "idlelib", "ensurepip", "__pycache__")


def pack(channel, name, version, files, depends=()):
    """Pack the files of a folder as a package of the channel."""
    from rattler_build import assemble_package

    (channel / SUBDIR).mkdir(parents=True, exist_ok=True)
    assemble_package(name, version, SUBDIR, "0_stand_in", channel / SUBDIR, files_dir=files, depends=list(depends),
                     compression_level=1)


def pack_python(channel, staging):
    """Pack the interpreter that runs this, without its packages and tests."""
    base = Path(sys.base_prefix)
    shutil.copytree(base / LIBRARY, staging / LIBRARY, ignore=LEFT_OUT, symlinks=True)
    include = Path(sysconfig.get_path("include", vars={"base": str(base), "installed_base": str(base)}))
    shutil.copytree(include, staging / "include" / LIBRARY.name)
    (staging / "bin").mkdir()
    shutil.copy2(Path(sys.executable).resolve(), staging / "bin" / LIBRARY.name)
    for name in ("python", "python3"):
        (staging / "bin" / name).symlink_to(LIBRARY.name)
    for shared in (base / "lib").glob("libpython*"):
        shutil.copy2(shared, staging / "lib", follow_symlinks=False)
    pack(channel, "python", platform.python_version(), staging)


def pack_packages(channel, staging, requirements):
    """Pack what pip installs for the requirements, a package for each distribution."""
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", staging / "all", *requirements],
                   check=True)
    for found in distributions(path=[str(staging / "all")]):
        name = re.sub("[-_.]+", "-", found.name).lower()
        for file in found.files:
            if not str(file).startswith(("..", "bin/")) and found.locate_file(file).exists():
                target = staging / name / LIBRARY / "site-packages" / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(found.locate_file(file), target)
        needs = [Requirement(each) for each in found.requires or ()]
        needs = [each for each in needs if each.marker is None or each.marker.evaluate({"extra": ""})]
        pack(channel, name, found.version, staging / name,
             [f"python {LIBRARY.name.removeprefix('python')}.*", *(f"{each.name.lower()} {each.specifier}".strip()
                                                                   for each in needs)])


def pack_compiler(channel, staging):
    """Pack what sets CC to this machine's compiler, and nothing for the libraries that come with it."""
    script = staging / "compiler" / "etc" / "conda" / "activate.d" / "compiler.sh"
    script.parent.mkdir(parents=True)
    script.write_text(f"export CC={shutil.which('gcc')}\n", encoding="utf-8")
    pack(channel, f"gcc_{SUBDIR}", "1", staging / "compiler")
    for name in (f"sysroot_{SUBDIR}", "libgomp"):
        (staging / name / "share" / name).mkdir(parents=True)
        (staging / name / "share" / name / "stand_in").touch()
        pack(channel, name, "1", staging / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[2])
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="where the package is left")
    options = parser.parse_args()
    from rattler.index import index_fs
    from rattler_build import build_recipes

    setup = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as temporary:
        channel, staging = Path(temporary, "channel"), Path(temporary, "staging")
        pack_python(channel, staging / "python")
        pack_packages(channel, staging / "packages",
                      ["pip", *setup["build-system"]["requires"], *setup["project"]["dependencies"]])
        pack_compiler(channel, staging)
        asyncio.run(index_fs(channel))
        output = (options.folder or Path(temporary, "output")).resolve()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # what is to replace it gives no log of the build
            build_recipes([TREE / "wheels" / "conda" / "recipe.yaml"], channel=[channel.as_uri()], output_dir=output,
                          test="native", variant_overrides={"c_compiler": ["gcc"], "c_stdlib": ["sysroot"]})
        packages = sorted(output.rglob("moeliga-*.conda"))
        if len(packages) != 1:
            raise SystemExit(f"one package was to be built, got {[str(path) for path in packages]}")
        print(f"built and tested: {packages[0].name}, {packages[0].stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
