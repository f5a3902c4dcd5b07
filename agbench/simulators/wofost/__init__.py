"""WOFOST: crop growth by light, temperature, water and nutrients; versions 7.2, 8.1 and N-P-K."""
