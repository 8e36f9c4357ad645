// The tables of stored sessions, as a list of migrations. A migration that was released is never changed.
import { FLEET_TABLES } from './fleet-schema.ts';
import { TOKEN_TABLES } from './token-schema.ts';

export interface Migration {
  readonly version: number;
  /** The oldest version of the program that can still use the database afterwards. It is the schema version of that program. */
  readonly oldestProgram: number;
  readonly sql: string;
}

/**
 * - `holders`: the processes that write sessions. Each renews its row; when `expires_at` has passed, its sessions can be taken.
 * - `leases`: work that one process does at a time, for example the migration of the tables of DBOS.
 * - `sessions`: one row for each session, with everything that lists show. `token` grows each time the session is taken. Writes name
 *   their token, so a process that has lost a session cannot write to it.
 * - `entries`: the lines of the logs. `position` is the offset in the log, without the header.
 * - `images`: what was cut out of long lines. `files`: artifacts and other files of the session, in parts.
 */
const FIRST = `
create table parley.holders (
  id text primary key,
  process text not null,
  expires_at timestamptz not null
);
create table parley.leases (
  name text primary key,
  owner text not null,
  expires_at timestamptz not null
);
create table parley.sessions (
  tenant text not null,
  id text not null,
  header bytea not null,
  header_key text,
  cwd text not null,
  created_ms bigint not null,
  modified_ms bigint not null,
  entry_count integer not null default 0,
  end_position bigint not null default 0,
  file_bytes bigint not null default 0,
  messages integer not null default 0,
  cost double precision not null default 0,
  interrupted boolean not null default false,
  is_run_of_node boolean not null default false,
  details bytea not null,
  details_key text,
  holder text,
  token bigint not null default 0,
  primary key (tenant, id)
);
create index sessions_by_time on parley.sessions (tenant, modified_ms desc, id);
create index sessions_by_directory on parley.sessions (tenant, cwd, modified_ms desc);
create index sessions_by_holder on parley.sessions (holder) where holder is not null;
create table parley.entries (
  tenant text not null,
  session text not null,
  position bigint not null,
  seq integer not null,
  length integer not null,
  body bytea not null,
  body_key text,
  image_hashes text[],
  primary key (tenant, session, position),
  foreign key (tenant, session) references parley.sessions (tenant, id) on update cascade on delete cascade
);
create table parley.images (
  tenant text not null,
  session text not null,
  hash text not null,
  content bytea not null,
  content_key text,
  primary key (tenant, session, hash),
  foreign key (tenant, session) references parley.sessions (tenant, id) on update cascade on delete cascade
);
create table parley.files (
  tenant text not null,
  session text not null,
  name text not null,
  part integer not null,
  hash text not null,
  size integer not null,
  modified_ms bigint not null,
  content bytea not null,
  content_key text,
  primary key (tenant, session, name, part),
  foreign key (tenant, session) references parley.sessions (tenant, id) on update cascade on delete cascade
);
do $$
declare name text;
begin
  foreach name in array array['sessions', 'entries', 'images', 'files'] loop
    execute format('alter table parley.%I enable row level security', name);
    execute format('alter table parley.%I force row level security', name);
    execute format(
      'create policy tenant on parley.%I using (tenant = current_setting(''parley.tenant'', true))', name);
  end loop;
end $$;

create function parley.enter_tenant(p_tenant text) returns void language plpgsql as $$
begin
  if coalesce(nullif(current_setting('parley.tenant', true), ''), p_tenant) <> p_tenant then
    raise exception 'this transaction belongs to another tenant' using errcode = 'insufficient_privilege';
  end if;
  perform set_config('parley.tenant', p_tenant, true);
end $$;

create function parley.append_entries(
  p_tenant text, p_session text, p_token bigint, p_end bigint, p_block bytea, p_sizes integer[], p_lengths integer[],
  p_key text, p_image_hashes text[], p_details bytea, p_messages integer, p_cost double precision, p_interrupted boolean,
  p_modified bigint, p_is_node boolean
) returns text language plpgsql as $$
declare
  v_count integer;
  v_end bigint;
  v_token bigint;
begin
  perform parley.enter_tenant(p_tenant);
  select entry_count, end_position, token into v_count, v_end, v_token
    from parley.sessions where tenant = p_tenant and id = p_session for update;
  if not found then return 'missing'; end if;
  if v_token <> p_token then return 'taken'; end if;
  if v_end <> p_end then return 'moved'; end if;
  insert into parley.entries (tenant, session, position, seq, length, body, body_key, image_hashes)
    select p_tenant, p_session,
      p_end + sum(length) over (order by n) - length,
      v_count + n,
      length,
      substring(p_block from (1 + sum(size) over (order by n) - size)::integer for size),
      p_key,
      case when p_image_hashes[n] = '' then null else string_to_array(p_image_hashes[n], ' ') end
    from unnest(p_sizes, p_lengths) with ordinality as line (size, length, position_in_block)
    cross join lateral (select line.position_in_block::integer as n) as numbered;
  update parley.sessions set
      entry_count = v_count + cardinality(p_sizes),
      end_position = p_end + (select sum(length) from unnest(p_lengths) as length),
      messages = p_messages, cost = p_cost, interrupted = p_interrupted,
      is_run_of_node = p_interrupted and p_is_node, modified_ms = p_modified,
      details = p_details, details_key = p_key
    where tenant = p_tenant and id = p_session;
  return 'appended';
end $$;

create function parley.take_session(p_tenant text, p_session text, p_holder text, p_ended text[])
returns table (taken boolean, token bigint, holder text, process text, header bytea, header_key text, end_position bigint,
  entry_count integer, messages integer, cost double precision, interrupted boolean, is_run_of_node boolean, details bytea, details_key text)
language plpgsql as $$
begin
  perform parley.enter_tenant(p_tenant);
  -- The next statement must see the registration of a process that has taken the session meanwhile.
  perform from parley.sessions as s where s.tenant = p_tenant and s.id = p_session for update;
  return query
    update parley.sessions as s set holder = p_holder, token = s.token + 1
      where s.tenant = p_tenant and s.id = p_session and (
        s.holder is null or s.holder = any(p_ended) or not exists (
          select from parley.holders as h where h.id = s.holder and h.expires_at > clock_timestamp()))
      returning true, s.token, s.holder, ''::text, s.header, s.header_key, s.end_position,
        s.entry_count, s.messages, s.cost, s.interrupted, s.is_run_of_node, s.details, s.details_key;
  if not found then
    return query
      select false, s.token, s.holder, h.process, s.header, s.header_key, s.end_position,
        s.entry_count, s.messages, s.cost, s.interrupted, s.is_run_of_node, s.details, s.details_key
      from parley.sessions as s left join parley.holders as h on h.id = s.holder
      where s.tenant = p_tenant and s.id = p_session;
  end if;
end $$;
`;

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, oldestProgram: 1, sql: FIRST },
  { version: 2, oldestProgram: 1, sql: FLEET_TABLES },
  { version: 3, oldestProgram: 1, sql: TOKEN_TABLES },
];

export const SCHEMA_VERSION = 3;
