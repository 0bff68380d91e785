"""Counts the primes below n with a sieve."""

n = int(input())
is_prime = bytearray([1]) * n
is_prime[:2] = b"\0\0"
for number in range(2, int(n**0.5) + 1):
    if is_prime[number]:
        is_prime[number * number :: number] = bytes(len(range(number * number, n, number)))
print(sum(is_prime))
