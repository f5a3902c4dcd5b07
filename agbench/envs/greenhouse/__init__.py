"""What greenhouse tasks are made of: worlds, actions, observations, rewards, pictures."""
