"""The view-model shared by every renderer: which sections and lines an inspection has, their order and their words."""
