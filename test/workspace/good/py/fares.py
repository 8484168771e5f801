def fare(zones, child=False):
    price = 180 + 60 * (zones - 1)
    return price // 2 if child else price
