import unittest

from tests.lib.cart import tax, total


class CartTest(unittest.TestCase):
    def test_books(self):
        self.assertEqual(tax("books", 200), 14)

    def test_tools_are_rounded_up(self):
        self.assertEqual(tax("tools", 105), 20)

    def test_empty(self):
        self.assertEqual(total([]), 0)


if __name__ == "__main__":
    unittest.main()
