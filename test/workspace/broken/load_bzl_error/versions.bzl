"""A macro that refuses its argument."""

def versioned_files(name, version):
    major, minor = version.split(".")
    native.filegroup(
        name = "%s_%d_%d" % (name, int(major), int(minor)),
        srcs = ["index.md"],
    )
