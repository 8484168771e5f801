const char *subject() {
  int length = "no subject";
  return length;
}
