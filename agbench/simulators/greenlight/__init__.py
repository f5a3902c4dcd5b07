"""The greenhouse: GreenLight's climate and tomato crop, written once in CasADi and compiled.

References, cited in the modules by author and year:

- B. Vanthoor (2011). A model-based greenhouse design method. PhD thesis, Wageningen University.
  Chapters 8 (climate) and 9 (tomato). edepot.wur.nl/170301
- D. Katzin, S. van Mourik, F. Kempkes, E. J. van Henten (2020). GreenLight - An open source model for
  greenhouses with supplemental lighting. Biosystems Engineering 194, 61-81.
  doi 10.1016/j.biosystemseng.2020.03.010
- D. Katzin (2021). Energy saving by LED lighting in greenhouses: a process-based modelling approach.
  PhD thesis, Wageningen University. doi 10.18174/544434
- B. van Laatum, E. J. van Henten, S. Boersma (2025). GreenLight-Gym: reinforcement learning
  benchmark environment for control of greenhouse production systems.
"""
