"""`python -m agbench` is the command `agbench`."""

from agbench.cli import main

if __name__ == "__main__":
    main()
