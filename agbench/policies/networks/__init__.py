"""Neural policies that need no learning library to act: MLPs of our own format and ONNX graphs."""
