#!/usr/bin/env bash
# Builds moeliga for aarch64 and compares it with the golden file, under emulation: tests/aarch64.sh FOLDER [TEST...]
# With names of test files it runs these too. Only FOLDER is written to; what is in it is used again.
#
# For Debian 12 on x86-64, with
#   apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
# and a python3.11 (or the one that PYTHON names) that has pip, setuptools and Cython. Debian's packages for arm64 are
# unpacked, not installed: the machine's own packages, and what apt knows of them, stay as they are.
set -euo pipefail
unset PYTHONPATH PYTHONHOME

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
python=${PYTHON:-python3.11}
mkdir -p "${1:?usage: tests/aarch64.sh FOLDER [TEST...]}"
folder=$(cd "$1" && pwd)
shift
root=$folder/root site=$folder/site

# A Python of Debian's, and the libraries that it and the wheels below load.
if [ ! -e "$root/usr/bin/python3.11" ]; then
  mkdir -p "$root" "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/debs"
  apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::lists="$folder/apt/lists"
       -o Dir::Cache="$folder/apt/cache" -o Dir::State::status=/dev/null)
  "${apt[@]}" update
  (cd "$folder/debs" && "${apt[@]}" download python3.11-minimal libpython3.11-minimal libpython3.11-stdlib \
    libpython3.11-dev libc6 libgcc-s1 libstdc++6 libgomp1 zlib1g libexpat1 libffi8 libssl3 libbz2-1.0 liblzma5 \
    libsqlite3-0 libuuid1)
  for package in "$folder"/debs/*.deb; do dpkg -x "$package" "$root"; done
fi

# The packages that moeliga needs, as their makers build them for aarch64.
if [ ! -d "$site/numpy" ]; then
  read -ra needed < <("$python" -c "
import tomllib
project = tomllib.load(open('$tree/pyproject.toml', 'rb'))['project']
print(*(requirement.replace(' ', '') for requirement in project['dependencies']), 'pytest')")
  "$python" -m pip download --quiet --dest "$folder/wheels" --only-binary=:all: --python-version 3.11 \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 "${needed[@]}"
  mkdir -p "$site"
  for wheel in "$folder"/wheels/*.whl; do "$python" -m zipfile -e "$wheel" "$site"; done
fi

# A copy of the sources, built by the cross compiler with the settings of the Python that will load the rooms.
copy=$folder/copy
rm -rf "$copy"
mkdir -p "$copy" "$folder/settings"
cp -r "$tree"/{_ext,moeliga,tests,setup.py,pyproject.toml,README.md,LICENSE} "$copy"
find "$copy" -name '*.so' -delete
cp "$root/usr/lib/python3.11/_sysconfigdata__aarch64-linux-gnu.py" "$folder/settings"
(cd "$copy" && env PYTHONPATH="$folder/settings" _PYTHON_HOST_PLATFORM=linux-aarch64 \
  _PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata__aarch64-linux-gnu \
  CFLAGS="-I$root/usr/include/python3.11 -I$root/usr/include" MOELIGA_CYTHON_DIR="$folder/cython" \
  MOELIGA_REQUIRE_OPENMP=1 "$python" setup.py -q egg_info build_ext --inplace)

emulated=(env PYTHONPATH="$copy:$site" PYTHONHOME="$root/usr" OMP_WAIT_POLICY=passive
          qemu-aarch64 -L "$root" "$root/usr/bin/python3.11")
cd "$copy"
"${emulated[@]}" -c "import platform; from moeliga._ext import evaluate; print(platform.machine(), evaluate.threads())"
"${emulated[@]}" tests/golden.py
[ $# -eq 0 ] || "${emulated[@]}" -m pytest -q -p no:cacheprovider "$@"
