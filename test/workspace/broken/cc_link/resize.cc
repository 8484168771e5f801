#include "broken/cc_link/image.h"

int main() { return scale_image(640, 480, 0.5); }
