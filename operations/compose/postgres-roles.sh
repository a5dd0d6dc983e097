#!/bin/sh
# Runs once, when the data directory is made: the roles of the service, of Temporal and of the archive. None is a superuser or may make roles
# or databases; each owns its own databases and sees no other.
set -eu
role() {
  psql --set=ON_ERROR_STOP=1 --set=name="$1" --set=password="$(cat "/run/secrets/$1-postgres-password")" <<'SQL'
CREATE ROLE :"name" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD :'password';
SQL
}
database() {
  psql --set=ON_ERROR_STOP=1 --set=name="$1" --set=owner="$2" <<'SQL'
CREATE DATABASE :"name" OWNER :"owner";
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
SQL
}
role meterbook
# What serves one account runs as this role (migration 0090), which the service's own role may take but not make.
psql --set=ON_ERROR_STOP=1 <<'SQL'
CREATE ROLE meterbook_tenant NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
GRANT meterbook_tenant TO meterbook;
SQL
database meterbook meterbook
# Keeps the archive of the records (operations/backup.md): it reads the whole server, and changes nothing.
role archive
psql --command='ALTER ROLE archive REPLICATION'
echo 'host replication archive all scram-sha-256' >> "$PGDATA/pg_hba.conf"
role temporal
database temporal temporal
database temporal_visibility temporal
