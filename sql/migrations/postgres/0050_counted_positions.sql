-- How far the stream has been counted is asked at every start: a stream that does not reach that far has been lost.
CREATE INDEX seals_by_position ON seals (position);
CREATE INDEX usage_marks_by_position ON usage_marks (counted_to);
