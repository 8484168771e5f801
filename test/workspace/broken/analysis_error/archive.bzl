"""A rule whose implementation asks for a field that is not there."""

def _archive_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".tar")
    inputs = ctx.files.srcs[0].short_name
    ctx.actions.write(out, inputs)
    return [DefaultInfo(files = depset([out]))]

archive = rule(
    implementation = _archive_impl,
    attrs = {"srcs": attr.label_list(allow_files = True)},
)
