int unread(int total, int seen) {
  return total - sean;
}
