"""Takes a fraction apart with sympy."""

from sympy import apart, symbols

x = symbols("x")
print(apart(1 / (x * (x + 1))))
