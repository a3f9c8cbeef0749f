-- The tables of a lake (tracedb export --to parquet=lake) for queries/lake/*.sql: DuckDB, started beside the folder lake.
CREATE SCHEMA lake;
CREATE VIEW lake.block_request AS SELECT * FROM read_parquet('lake/block_request/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.call AS SELECT * FROM read_parquet('lake/call/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.cpu_sampler AS SELECT * FROM read_parquet('lake/cpu_sampler/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.device AS SELECT * FROM read_parquet('lake/device/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.file AS SELECT * FROM read_parquet('lake/file/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.gpu_op AS SELECT * FROM read_parquet('lake/gpu_op/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.gpu_phase AS SELECT * FROM read_parquet('lake/gpu_phase/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.gpu_sampler AS SELECT * FROM read_parquet('lake/gpu_sampler/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.issue_count AS SELECT * FROM read_parquet('lake/issue_count/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.loss AS SELECT * FROM read_parquet('lake/loss/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.process AS SELECT * FROM read_parquet('lake/process/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.run AS SELECT * FROM read_parquet('lake/run/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.sample AS SELECT * FROM read_parquet('lake/sample/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.source AS SELECT * FROM read_parquet('lake/source/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.span AS SELECT * FROM read_parquet('lake/span/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
CREATE VIEW lake.track AS SELECT * FROM read_parquet('lake/track/run=*/*.parquet', hive_partitioning = true, hive_types = {'run': VARCHAR});
