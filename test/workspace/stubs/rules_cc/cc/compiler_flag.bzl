"""A flag for config_setting: no compiler is named."""

def _compiler_flag_impl(ctx):
    return [config_common.FeatureFlagInfo(value = "")]

compiler_flag = rule(implementation = _compiler_flag_impl)
