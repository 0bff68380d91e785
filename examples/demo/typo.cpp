// Does not compile: a name is misspelt.
#include <iostream>

int main() {
    int answer = 42;
    std::cout << anwser << std::endl;
}
