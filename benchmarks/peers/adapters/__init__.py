"""One module a peer: a class `Peer` that is a `benchmarks.peers.store.Store`.

Each runs in the environment of its peer, so it imports the standard library, numpy, the peer and
`benchmarks.peers.store`, and nothing else.
"""
