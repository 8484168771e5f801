def check(order)
    assert order
