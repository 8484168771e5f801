import unittest

from good.py.fares import fare


class FareTest(unittest.TestCase):
    def test_adult(self):
        self.assertEqual(fare(1), 180)

    def test_child_pays_half(self):
        self.assertEqual(fare(2, child=True), 120)


if __name__ == "__main__":
    unittest.main()
