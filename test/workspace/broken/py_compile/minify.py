import sys


def parse(text):
    rules = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, value = line.rstrip(";").split(":")
        rules[name.strip()] = value.strip()
    return rules


def main():
    with open(sys.argv[1]) as source:
        rules = parse(source.read())
    with open(sys.argv[2], "w") as target:
        target.write(";".join("%s:%s" % pair for pair in rules.items()))


if __name__ == "__main__":
    main()
