#!/bin/sh
# Every night, by cron: an increment of this month's backup, then a drill of it in engines of its own, which are gone afterwards. Its code is
# the drill's: 0 where the backup is as what runs. `--profile drill` engines need as much memory as those that run.
set -eu
cd "$(dirname "$0")/.."
clear_drill() {
  docker compose --profile drill rm --stop --force drill drill-postgres drill-nats drill-clickhouse
  docker volume rm --force meterbook_drill-postgres meterbook_drill-nats meterbook_drill-clickhouse
}
clear_drill
docker compose run --rm cli backup "/backups/$(date -u +%Y-%m)" --incremental
code=0
docker compose --profile drill run --rm drill || code=$?
clear_drill
exit "$code"
