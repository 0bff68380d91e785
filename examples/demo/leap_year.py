"""Says whether a year is a leap year; judged by several tests."""

year = int(input())
print("yes" if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else "no")
