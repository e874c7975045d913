def brew(leaf):
    return leaf

print(brew("x"))
