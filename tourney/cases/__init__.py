"""Holds the engines against folders of cases with known answers."""
