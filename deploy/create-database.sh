#!/bin/sh
# Creates the role and the database when the PostgreSQL container starts for the first time.
set -eu
psql --username "$POSTGRES_USER" --set=ON_ERROR_STOP=1 --set=password="$PARLEY_DATABASE_PASSWORD" --file=/parley/database.sql
