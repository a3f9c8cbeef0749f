-- Segments of epoch 1: 2000 .. 3000 .. 5000, of which one begins before; those of epoch 2 as one.
INSERT INTO segment (start_ns, dur_ns, io_ns, block_ns, opens, reads, writes, read_bytes, write_bytes, vfs_bytes, syscall_bytes, block_read_bytes, block_write_bytes, io_wait_ns, cpu_ns) VALUES
    (1000, 1000, 0, 500, 0, 0, 0, 0, 0, 0, 0, 77, 0, 0, 0),
    (2000, 1000, 0, 600, 0, 0, 0, 0, 0, 0, 0, 4096, 0, 0, 0),
    (3000, 2000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 512, 0, 0),
    (5000, 1000, 0, 100, 0, 0, 0, 0, 0, 0, 0, 8, 8, 0, 0),
    (6000, 4000, 0, 900, 0, 0, 0, 0, 0, 0, 0, 8192, 0, 0, 0);
