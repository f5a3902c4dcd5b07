"""A third family of tasks, as another package would add it: bathtubs with one tap and a leak."""
