"""Makes a folder that runs an agent of Python anywhere: packages, a copy of this Python, and the libraries of both.

usage: python bake.py REQUIREMENTS ENTRY FOLDER

FOLDER/run starts ENTRY, a file, with what REQUIREMENTS names. The copy is started by its own dynamic loader with its own
C library, so an image needs none that is new enough, and nothing is said in variables, which the agent's commands would
inherit. Ends with a message on stderr and exit code 1 where something is missing.
"""

import compileall
import py_compile
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

# What no agent imports, and what other programs of the host have installed.
LEFT_OUT = shutil.ignore_patterns(
    *("site-packages", "dist-packages", "__pycache__", "config-*", "ensurepip"),
    *("test", "tests", "idlelib", "tkinter", "_tkinter*", "turtledemo", "turtle.py", "pydoc_data"),
)
RUN = """#!/bin/sh
here=${0%/*}
exec "$here/python/loader" --inhibit-cache --library-path "$here/python/libraries" "$here/python/bin/python3" -I "$here/main.py" "$@"
"""


def main(requirements: Path, entry: Path, folder: Path) -> None:
    home = folder / "python"
    copy_python(home)
    install(requirements, folder / "packages")
    copy_libraries(folder, home)
    shutil.copyfile(entry, folder / "main.py")
    (folder / "run").write_text(RUN)
    (folder / "run").chmod(0o755)
    # Nobody may write beside the sources later, and copying changes the times that other compiled files are known by.
    for place in (home / "lib", folder / "packages"):
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        compileall.compile_dir(place, quiet=2, workers=0, force=True, invalidation_mode=mode)


def install(requirements: Path, to: Path) -> None:
    """Exact versions, and no program of theirs is run: wheels alone."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
    command += ["--only-binary", ":all:", "--target", str(to), "--requirement", str(requirements)]
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
        fail(f"pip of {sys.executable} can not install them")
    shutil.rmtree(to / "bin", ignore_errors=True)


def copy_python(home: Path) -> None:
    """The interpreter and its standard library, at the places that it finds by its own path."""
    prefix = Path(sys.base_prefix)
    program = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    (home / "bin").mkdir(parents=True)
    shutil.copy(program, home / "bin/python3")
    for name in ("stdlib", "platstdlib"):
        place = Path(sysconfig.get_path(name, vars={"base": str(prefix), "platbase": sys.base_exec_prefix}))
        to = home / place.relative_to(prefix)
        shutil.copytree(place, to, ignore=LEFT_OUT, dirs_exist_ok=True)


def copy_libraries(folder: Path, home: Path) -> None:
    """Every shared library that the interpreter or a package asks for and does not bring, and the loader of all."""
    libraries = home / "libraries"
    libraries.mkdir()
    programs = [home / "bin/python3", *sorted(folder.rglob("*.so")), *sorted(folder.rglob("*.so.*"))]
    for name, place in needed(programs).items():
        if place.is_relative_to(folder):
            continue
        shutil.copy(place.resolve(), home / "loader" if name.startswith("/") else libraries / name)
    if not (home / "loader").exists():
        fail(f"{sys.executable} is linked statically, or ldd does not tell of its loader")


def needed(programs: list[Path]) -> dict[str, Path]:
    """What ldd finds, by the name that it is asked for; the loader's is its path."""
    found = {}
    listing = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True).stdout
    for line in listing.splitlines():
        name, _, place = line.strip().partition(" => ")
        if not line.startswith("\t") or line.startswith("\tlinux-vdso"):
            continue
        if name.startswith("/"):
            path = name.split(" (")[0]
            found[path] = Path(path)
        elif place.startswith("/"):
            found[name] = Path(place.split(" (")[0])
    return found


def fail(why: str) -> None:
    sys.exit(why)


if __name__ == "__main__":
    main(*map(lambda name: Path(name).resolve(), sys.argv[1:4]))
