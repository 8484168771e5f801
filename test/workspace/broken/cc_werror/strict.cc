int clamp(int value, int limit) {
  int spare = limit * 2;
  return value < limit ? value : limit;
}
