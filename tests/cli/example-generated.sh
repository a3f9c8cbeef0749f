# The shipped example is what its generator writes
python3 "$EXAMPLES/stall/generate.py" --check
