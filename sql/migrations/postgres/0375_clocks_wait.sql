-- A clock that is to advance waits until few enough clocks of its account advance. It means nothing where the clock does not advance: the
-- release before, which may have done so meanwhile, leaves it as it is.
ALTER TABLE test_clocks ADD COLUMN waits boolean NOT NULL DEFAULT false;
-- The trace of the call that advances the clock, which goes on whenever the clock's turn comes.
ALTER TABLE test_clocks ADD COLUMN trace_context text;
