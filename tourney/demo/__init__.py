"""Demo events: invented people, dates relative to today, everything entered through the apps' own services.

Part of the composition root: like the list of addresses, it is allowed to know every app.
"""
