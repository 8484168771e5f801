int ticks_until(int deadline);

int main() { return ticks_until(1); }
