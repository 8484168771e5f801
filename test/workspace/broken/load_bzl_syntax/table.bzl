"""A table."""

def table(name):
    rows = [1, 2, 3
    native.filegroup(name = name)
