-- The tables of a lake (tracedb export --to parquet=lake) for queries/lake/*.sql: ClickHouse, started beside the folder lake.
-- The settings make joins and sums give NULL where there is nothing, as the standard says, and names those of columns.
SET join_use_nulls = 1, cast_keep_nullable = 1, aggregate_functions_null_for_empty = 1, prefer_column_name_to_alias = 1, use_hive_partitioning = 1;
CREATE DATABASE lake;
CREATE VIEW lake.block_request AS SELECT * FROM file('lake/block_request/run=*/*.parquet', Parquet);
CREATE VIEW lake.call AS SELECT * FROM file('lake/call/run=*/*.parquet', Parquet);
CREATE VIEW lake.cpu_phase AS SELECT * FROM file('lake/cpu_phase/run=*/*.parquet', Parquet);
CREATE VIEW lake.cpu_sampler AS SELECT * FROM file('lake/cpu_sampler/run=*/*.parquet', Parquet);
CREATE VIEW lake.device AS SELECT * FROM file('lake/device/run=*/*.parquet', Parquet);
CREATE VIEW lake.file AS SELECT * FROM file('lake/file/run=*/*.parquet', Parquet);
CREATE VIEW lake.gpu_idle_part AS SELECT * FROM file('lake/gpu_idle_part/run=*/*.parquet', Parquet);
CREATE VIEW lake.gpu_op AS SELECT * FROM file('lake/gpu_op/run=*/*.parquet', Parquet);
CREATE VIEW lake.gpu_phase AS SELECT * FROM file('lake/gpu_phase/run=*/*.parquet', Parquet);
CREATE VIEW lake.gpu_sampler AS SELECT * FROM file('lake/gpu_sampler/run=*/*.parquet', Parquet);
CREATE VIEW lake.issue_count AS SELECT * FROM file('lake/issue_count/run=*/*.parquet', Parquet);
CREATE VIEW lake.log_run AS SELECT * FROM file('lake/log_run/run=*/*.parquet', Parquet);
CREATE VIEW lake.loss AS SELECT * FROM file('lake/loss/run=*/*.parquet', Parquet);
CREATE VIEW lake.process AS SELECT * FROM file('lake/process/run=*/*.parquet', Parquet);
CREATE VIEW lake.run AS SELECT * FROM file('lake/run/run=*/*.parquet', Parquet);
CREATE VIEW lake.sample AS SELECT * FROM file('lake/sample/run=*/*.parquet', Parquet);
CREATE VIEW lake.segment AS SELECT * FROM file('lake/segment/run=*/*.parquet', Parquet);
CREATE VIEW lake.source AS SELECT * FROM file('lake/source/run=*/*.parquet', Parquet);
CREATE VIEW lake.span AS SELECT * FROM file('lake/span/run=*/*.parquet', Parquet);
CREATE VIEW lake.track AS SELECT * FROM file('lake/track/run=*/*.parquet', Parquet);
