"""Clients of the judge for trainers and evaluators."""
