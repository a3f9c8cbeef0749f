-- What an import says of the files that there are.
INSERT INTO file_kind SELECT template_id, class, count(*) FROM file GROUP BY template_id, class;
INSERT INTO classed_file SELECT id, class FROM file WHERE class NOT IN ('regular', 'directory', 'unknown');
