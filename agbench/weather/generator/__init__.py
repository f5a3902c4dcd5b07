"""A stochastic weather generator in the tradition of WGEN and LARS-WG: fit, generate, check.

Richardson and Wright 1984, WGEN: a model for generating daily weather variables, USDA-ARS-8;
Racsko, Szeidl and Semenov 1991, A serial approach to local stochastic weather models, Ecological
Modelling 57 (LARS-WG: semi-empirical distributions); Wilks and Wilby 1999, The weather generation
game, Progress in Physical Geography 23 (too little variance between years, and remedies).
"""
