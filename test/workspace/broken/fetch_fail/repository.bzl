"""A repository that is an archive on a server."""

def _release_archive_impl(repository_ctx):
    repository_ctx.download_and_extract(url = repository_ctx.attr.url)

release_archive = repository_rule(
    implementation = _release_archive_impl,
    attrs = {"url": attr.string()},
)
