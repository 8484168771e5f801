"""COUNT genrules and a filegroup over them."""

def small_files(name, count):
    for i in range(count):
        native.genrule(
            name = "%s_%d" % (name, i),
            outs = ["%s_%d.txt" % (name, i)],
            cmd = "echo %d > $@" % i,
        )
    native.filegroup(
        name = name,
        srcs = [":%s_%d" % (name, i) for i in range(count)],
    )
