// Multiplies in 32 bits what needs 64.
#include <iostream>

int main() {
    unsigned a, b;
    std::cin >> a >> b;
    std::cout << a * b << std::endl;
}
