-- The place in its trace of what caused an event, as a W3C traceparent; null where nothing was traced.
ALTER TABLE outbox_events ADD COLUMN trace_context text;
