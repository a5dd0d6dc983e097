-- Merges of large parts go column by column: row by row, with three maps in a row, they take most of what ingestion costs the
-- usage store. By default that begins at 11 columns outside the sorting key, of which there are 8 here.
ALTER TABLE usage_events MODIFY SETTING vertical_merge_algorithm_min_columns_to_activate = 1;
