"""A rule that writes TEXT to OUT."""

def _write_impl(ctx):
    out = ctx.actions.declare_file(ctx.attr.out)
    ctx.actions.write(out, ctx.attr.text)
    return [DefaultInfo(files = depset([out]))]

write = rule(
    implementation = _write_impl,
    attrs = {
        "out": attr.string(),
        "text": attr.string(),
    },
)
