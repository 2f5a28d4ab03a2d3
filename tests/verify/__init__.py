"""`make verify`: why anyone should believe the numbers, claim by claim."""
