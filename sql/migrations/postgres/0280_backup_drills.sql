-- Each rehearsal of a restore: which backup, and what came out otherwise than it is (findings; none: it passed).
CREATE TABLE backup_drills (
  drilled_at timestamptz PRIMARY KEY,
  taken_at timestamptz,
  findings jsonb NOT NULL
);
