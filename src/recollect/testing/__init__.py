"""Public test tools: conformance tests for third-party packages, and a scripted language model."""
