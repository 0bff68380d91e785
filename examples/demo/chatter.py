"""Prints for ever."""

while True:
    print("and another thing: " * 100)
