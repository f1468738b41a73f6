#!/bin/sh
# setup.sh -- finds out what a target of the Makefile lacks on this machine, says so in one line, and installs it.
#
# Usage: [INSTALL=no] [CC=cc] ./setup.sh run|test|check-all|bench|examples|lint|bare...
# It asks no question. INSTALL=no, a machine without apt-get and a user who may not install get the command or the
# packages' names instead, and exit code 1.
set -u
exec </dev/null
cc=${CC:-cc}

has_program() { command -v "$1" >/dev/null 2>&1; }
# The compiler's own flags count: -I in CFLAGS may be where a library is.
has_header() { printf '#include <%s>\n' "$1" | $cc ${CFLAGS:-} -E -x c - >/dev/null 2>&1; }

# need WHAT PACKAGE PROBE...: takes down WHAT and its PACKAGE where the PROBE fails.
need() {
  what=$1 package=$2
  shift 2
  case " $packages " in *" $package "*) return ;; esac
  "$@" || { lacking=${lacking:+$lacking, }$what packages="${packages:+$packages }$package"; }
}

needs_of() {
  case $1 in
  run)
    # shellcheck disable=SC2086
    need 'a C compiler' gcc has_program $cc
    need 'the C library' libc6-dev has_header stdio.h
    case $($cc --version 2>/dev/null) in
    *clang*) need OpenMP libomp-dev has_header omp.h ;; # GCC brings its own
    esac
    need awk mawk has_program awk
    need libyaml libyaml-dev has_header yaml.h
    ;;
  test)
    needs_of run
    need CUnit libcunit1-dev has_header CUnit/CUnit.h
    need 'a C++ compiler' g++ has_program g++
    need Python python3 has_program python3
    need cmp diffutils has_program cmp
    ;;
  check-all)
    needs_of test
    need Gmsh gmsh has_program gmsh
    need "VTK's reader" python3-vtk9 /usr/bin/python3 -c 'import vtkmodules'
    need NumPy python3-numpy /usr/bin/python3 -c 'import numpy'
    need mpirun mpich has_program mpirun
    need "MPI's compiler" libmpich-dev has_program mpicc
    need valgrind valgrind has_program valgrind
    need METIS libmetis5 python3 -c 'import ctypes; ctypes.CDLL("libmetis.so.5")'
    ;;
  examples) # what docs/examples and their tests can have besides; PETSc brings another MPI
    needs_of test
    need gfortran gfortran has_program gfortran
    need pkg-config pkg-config has_program pkg-config
    need PETSc petsc-dev pkg-config --exists PETSc
    ;;
  bench) needs_of run && need Gmsh gmsh has_program gmsh && need "Gmsh's library" libgmsh-dev has_header gmshc.h ;;
  lint) for program in git clang-format clang-tidy cppcheck; do need $program $program has_program $program; done ;;
  bare)
    need git git has_program git
    need mmdebstrap mmdebstrap has_program mmdebstrap
    [ "$(id -u)" -eq 0 ] || need newuidmap uidmap has_program newuidmap
    ;;
  *) echo "setup.sh: expected run, test, check-all, bench, examples, lint or bare, found '$1'" >&2 && exit 2 ;;
  esac
}

find_lacking() {
  lacking= packages=
  for target; do needs_of "$target"; done
}

# give_up REASON: what a person has to do instead.
give_up() {
  echo "needs $lacking: $1" >&2
  exit 1
}

find_lacking "$@"
[ -n "$packages" ] || exit 0
has_program apt-get || give_up "install what Debian calls $packages, then run this again"
sudo=
[ "$(id -u)" -eq 0 ] || sudo='sudo '
by_hand="${sudo}apt-get install --no-install-recommends $packages"
[ "${INSTALL:-yes}" != no ] || give_up "$by_hand"
if [ -n "$sudo" ]; then
  has_program sudo || give_up "only root may install packages, and there is no sudo; as root: ${by_hand#sudo }"
  sudo -n true 2>/dev/null || give_up "sudo asks for a password; run this yourself: $by_hand"
  sudo='sudo -n'
fi
echo "needs $lacking: installing $packages with apt-get"
# Lists that cannot be brought up to date may still do.
update=$($sudo apt-get update -qq 2>&1)
# shellcheck disable=SC2086
install=$($sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  -o DPkg::Lock::Timeout=300 $packages 2>&1) || {
  printf '%s\n' "$update" "$install" | grep -v '^$' | tail -n 20 >&2
  give_up "apt-get could not install $packages"
}
find_lacking "$@"
[ -z "$packages" ] || give_up "apt-get has installed $packages, but '$cc' or the shell does not find it"
