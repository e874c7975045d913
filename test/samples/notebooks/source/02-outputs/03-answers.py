# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py
# ---
# SECRET_E
