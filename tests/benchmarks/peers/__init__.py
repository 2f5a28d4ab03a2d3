"""`make bench-peers`: other cribbage packages beside ours, each in an environment of its own.

``with_NAME.py`` runs in the environment of its peer and knows nothing of cribodds.
"""
