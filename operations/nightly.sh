#!/bin/sh
# Every night, by cron: an increment of this month's backup, then a drill of it, and of the archive where one is kept, in engines of its own, which
# are gone afterwards. Its code is the drill's: 0 where both are as what runs. These engines need as much memory as those that run.
set -eu
cd "$(dirname "$0")/.."
clear_drill() {
  docker compose --profile drill rm --stop --force drill drill-postgres drill-records drill-nats drill-clickhouse
  docker volume rm --force meterbook_drill-postgres meterbook_drill-records meterbook_drill-nats meterbook_drill-clickhouse
}
clear_drill
docker compose run --rm cli backup "/backups/$(date -u +%Y-%m)" --incremental
archive=""
if [ -n "$(docker compose --profile archive ps --quiet archive)" ]; then
  archive="--archive /backups/archive"
  # Where that fails the drill says why.
  docker compose run --rm --no-deps --user 0 --cap-add DAC_OVERRIDE --volume meterbook_drill-records:/records cli restore-records /backups/archive --into /records/18/docker || true
  docker compose --profile drill up --detach --wait drill-records || true
fi
code=0
# shellcheck disable=SC2086 # two words, or none
docker compose --profile drill run --rm drill drill /backups $archive || code=$?
clear_drill
exit "$code"
