"""Physics: crop and greenhouse models that advance a batch of simulations. No rewards, no agents."""
