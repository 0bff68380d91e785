"""Never ends: from 0 the Collatz sequence does not reach 1."""

n = int(input())
while n != 1:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
print("reached 1")
