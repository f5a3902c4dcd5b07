"""The parts of greenhouse tasks: worlds, actions, observations, rewards, pictures."""
