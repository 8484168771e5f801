"""COUNT libraries, each including money.h."""

def users(name, count, deps):
    for i in range(count):
        native.genrule(
            name = "%s_%d_source" % (name, i),
            outs = ["%s_%d.cc" % (name, i)],
            cmd = "printf '#include \"broken/cc_fanout/money.h\"\\nlong spent_%d() { return cents(%d); }\\n' > $@" % (i, i),
        )
        native.cc_library(
            name = "%s_%d" % (name, i),
            srcs = ["%s_%d.cc" % (name, i)],
            deps = deps,
        )
