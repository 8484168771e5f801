#include <cstdio>

struct Node {
  Node *next;
  int value;
};

static int last(const Node *node) {
  while (node->value != 0)
    node = node->next;
  return node->value;
}

int main() {
  Node tail = {nullptr, 2};
  Node head = {&tail, 1};
  std::printf("walking the list\n");
  std::fflush(stdout);
  return last(&head);
}
