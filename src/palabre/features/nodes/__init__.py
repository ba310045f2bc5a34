"""Kinds of nodes for graphs of jobs: one file, one kind, found by its name, in a constant `NODE`.

`core.engine.node_types.NodeType` says what such a constant holds, `core.engine.step` what its
`run` is given and returns. To add `shuffle`, write `shuffle.py` here, and its texts below
`node.shuffle`.
"""
