"""`make bench` and `make bench-peers`: what everything costs. Nothing here is a test."""
