import time
# --8<-- [start:brew]
def brew(minutes):
    time.sleep(60 * minutes)
# --8<-- [end:brew]
