-- Finds the ids that the release before made, plain hashes of 64 hex digits, so that they are put under keyed ones; a keyed id is shorter.
CREATE INDEX operations_unkeyed ON operations (created_at) WHERE length(operation_id) = 64;
