"""A rule with a limit."""

def _check(width):
    if width > 4096:
        fail("width %d is over the limit of 4096" % width)

def _image_impl(ctx):
    _check(ctx.attr.width)
    return []

image = rule(
    implementation = _image_impl,
    attrs = {"width": attr.int()},
)
