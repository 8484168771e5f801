/* The least that a program can do: what bench/startup compares with. */
int main(void)
{
    return 0;
}
