#pragma once
int scale_image(int width, int height, double factor);
