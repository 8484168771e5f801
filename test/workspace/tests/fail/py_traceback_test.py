from tests.lib.cart import total

assert total([("food", 100)]) == 107
print(total([("food", 100), ("garden", 250)]))
