#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a data loader of a training does: worker processes read files, unpack them and pass on what is needed.

usage: loader.py FOLDER WORKERS EPOCHS
       loader.py make FOLDER FILES      writes such files, always the same"""
import multiprocessing
import os
import random
import sys
import zlib

BATCH = 32
KIB = 64  # of a file, unpacked about twice that


def make(folder, files):
    rng = random.Random(20231115)
    words = [rng.randbytes(16) for _ in range(4096)]
    os.makedirs(folder)
    for i in range(int(files)):
        data = b''.join(rng.choice(words) + rng.randbytes(4) for _ in range(KIB * 2 * 1024 // 20))
        with open(f'{folder}/case_{i:05}.bin', 'wb') as file:
            file.write(zlib.compress(data, 1))


def load(path):
    with open(path, 'rb') as file:
        data = zlib.decompress(file.read())
    return len(data), zlib.adler32(data)


def main(folder, workers, epochs):
    paths = sorted(entry.path for entry in os.scandir(folder))
    samples = total = 0
    with multiprocessing.Pool(int(workers)) as pool:
        for epoch in range(int(epochs)):
            random.Random(epoch).shuffle(paths)
            for size, _checksum in pool.imap_unordered(load, paths, BATCH):
                samples += 1
                total += size
    print(f'{samples} samples, {total} bytes')


if __name__ == '__main__':
    if sys.argv[1] == 'make':
        make(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
