#!/bin/sh
# Makes the secrets that docker-compose.yml names, each in a file of its own; one that is there already stays.
# Keep a copy of encryption-keys apart from the backups: what it sealed can't be read without it.
set -eu
cd "$(dirname "$0")/.."
umask 077
mkdir -p secrets
random() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
keep() { [ -s "secrets/$1" ] || printf '%s\n' "$2" > "secrets/$1"; }

for name in postgres meterbook-postgres temporal-postgres archive-postgres nats clickhouse grafana; do keep "$name-password" "$(random)"; done
keep database-url "postgres://meterbook:$(cat secrets/meterbook-postgres-password)@postgres:5432/meterbook"
keep nats-url "nats://meterbook:$(cat secrets/nats-password)@nats:4222"
keep clickhouse-url "http://meterbook:$(cat secrets/clickhouse-password)@clickhouse:8123"
keep replication-url "postgres://archive:$(cat secrets/archive-postgres-password)@postgres:5432/meterbook"
# Of a drill's own engines, which have the same passwords.
keep drill-database-url "$(sed 's/@/@drill-/' secrets/database-url)"
keep drill-records-url "$(sed 's/@[^:]*/@drill-records/' secrets/database-url)"
keep drill-nats-url "$(sed 's/@/@drill-/' secrets/nats-url)"
keep drill-clickhouse-url "$(sed 's/@/@drill-/' secrets/clickhouse-url)"
keep encryption-keys "k1:$(head -c 32 /dev/urandom | base64 | tr -d '\n')"
# Containers read them as users of their own; the folder keeps everybody else of this machine out.
chmod 444 secrets/*
echo "secrets/ holds: $(ls secrets | tr '\n' ' ')"
