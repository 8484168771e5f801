RATES = {"food": 7, "books": 7, "tools": 19}


def tax(kind, price):
    return price * RATES[kind] // 100


def total(items):
    return sum(price + tax(kind, price) for kind, price in items)
