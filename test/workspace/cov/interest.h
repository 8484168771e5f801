#pragma once
long interest(long amount, int years);
