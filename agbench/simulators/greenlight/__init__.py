"""The greenhouse: GreenLight's climate and tomato crop, written once in CasADi and compiled."""
