"""Asks for one word more than there is."""

words = input().split()
print(words[len(words)])
