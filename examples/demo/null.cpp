// Follows a list past its end.
#include <iostream>

struct Node {
    int value;
    Node *next;
};

int main() {
    Node last{2, nullptr}, first{1, &last};
    for (volatile Node *node = &first;; node = node->next) std::cout << node->value << std::endl;
}
