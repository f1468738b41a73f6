"""A Spack recipe: var/spack/repos/.../packages/bp/package.py. Tried by reading only."""
from spack.package import *


class Bp(MakefilePackage):
    """Bounds, kernels and a library for the CEED bake-off operators."""

    version("0.2.0", url="file://bp-0.2.0.tar.gz")  # what `make dist` wrote; add its sha256
    variant("libceed", default=False, description="the libCEED backend /cpu/self/bp")
    depends_on("c", type="build")
    depends_on("gawk", type="build")
    depends_on("libyaml")
    depends_on("libceed", when="+libceed")

    def arguments(self, prefix):
        found = ["PREFIX=" + prefix]
        return found + (["CEED_DIR=" + self.spec["libceed"].prefix] if "+libceed" in self.spec else [])

    def build(self, spec, prefix):
        make("all", "lib", *self.arguments(prefix))

    def install(self, spec, prefix):
        make("install", *self.arguments(prefix))
