from good.py.fares import fare

print("3 zones: %d" % fare(3))
