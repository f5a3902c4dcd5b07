"""The tomato crop: photosynthesis, transpiration and growth."""
