"""From CasADi functions to machine code: LLVM IR, its compilation, and steppers that call it."""
