"""The local embedder: all-MiniLM-L6-v2 on ONNX Runtime."""
