"""CC_FLAGS for genrules: none."""

def _cc_flags_supplier_impl(ctx):
    return [platform_common.TemplateVariableInfo({"CC_FLAGS": ""})]

cc_flags_supplier = rule(implementation = _cc_flags_supplier_impl)
