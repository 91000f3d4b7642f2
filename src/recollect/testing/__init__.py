"""Public test tools: conformance tests for third-party engines, embedders and integrations, and a
scripted language model."""
