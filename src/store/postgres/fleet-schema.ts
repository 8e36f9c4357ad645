// The tables by which the nodes of a fleet relay clients to each other.

/**
 * - `holders.kind`: only a `node` answers other nodes.
 * - `relay_channels`: open channels between two nodes, by their ids as holders.
 * - `relay_frames`: what was sent and not read yet. `seq` counts the rows of one channel to one recipient.
 *
 * The tables are not logged: after a crash of the database they are empty, and clients connect again. The functions set the tenant, so
 * that a call needs one message to the database. The last argument of `pg_notify` is the tenant: a node has a relay for each.
 */
export const FLEET_TABLES = `
alter table parley.holders
  add column kind text not null default 'process',
  add column name text,
  add column version text,
  add column started_at timestamptz not null default clock_timestamp();

create unlogged table parley.relay_channels (
  id text primary key,
  tenant text not null,
  opener text not null,
  acceptor text not null,
  opened_at timestamptz not null default clock_timestamp()
);
create index relay_channels_by_opener on parley.relay_channels (opener);
create index relay_channels_by_acceptor on parley.relay_channels (acceptor);
create unlogged table parley.relay_frames (
  tenant text not null,
  recipient text not null,
  channel text not null,
  seq bigint not null,
  body bytea not null,
  body_key text,
  primary key (recipient, channel, seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
alter table parley.relay_frames alter column body set storage external;
do $$
declare name text;
begin
  foreach name in array array['relay_channels', 'relay_frames'] loop
    execute format('alter table parley.%I enable row level security', name);
    execute format('alter table parley.%I force row level security', name);
    execute format(
      'create policy tenant on parley.%I using (tenant = current_setting(''parley.tenant'', true))', name);
  end loop;
end $$;

create function parley.is_alive(p_holder text, p_kind text default null) returns boolean language sql stable as $$
  select exists (select from parley.holders
    where id = p_holder and expires_at > clock_timestamp() and (p_kind is null or kind = p_kind))
$$;

-- False if the other node has ended, or is a process that answers no other nodes.
create function parley.relay_open(
  p_tenant text, p_channel text, p_opener text, p_acceptor text, p_body bytea, p_key text
) returns boolean language plpgsql as $$
begin
  perform parley.enter_tenant(p_tenant);
  if not parley.is_alive(p_acceptor, 'node') then return false; end if;
  -- Both are there already when the call is repeated after a failure of the connection.
  insert into parley.relay_channels (id, tenant, opener, acceptor)
    values (p_channel, p_tenant, p_opener, p_acceptor) on conflict do nothing;
  insert into parley.relay_frames (tenant, recipient, channel, seq, body, body_key)
    values (p_tenant, p_acceptor, p_channel, 1, p_body, p_key) on conflict do nothing;
  perform pg_notify('parley_relay_' || p_acceptor, p_tenant);
  return true;
end $$;

-- Returns the channels that are closed.
create function parley.relay_send(
  p_tenant text, p_channels text[], p_recipients text[], p_seqs bigint[], p_block bytea, p_sizes integer[], p_key text
) returns setof text language plpgsql as $$
begin
  perform parley.enter_tenant(p_tenant);
  insert into parley.relay_frames (tenant, recipient, channel, seq, body, body_key)
    select p_tenant, part.recipient, part.channel, part.seq, part.body, p_key
    from (
      select line.recipient, line.channel, line.seq,
        substring(p_block from (1 + sum(line.size) over (order by line.n) - line.size)::integer for line.size) as body
      from unnest(p_channels, p_recipients, p_seqs, p_sizes) with ordinality as line (channel, recipient, seq, size, n)
    ) as part
    where exists (select from parley.relay_channels as c where c.id = part.channel)
    on conflict do nothing;
  perform pg_notify('parley_relay_' || node.id, p_tenant) from (select distinct unnest(p_recipients) as id) as node;
  return query select line.channel from unnest(p_channels) as line (channel)
    where not exists (select from parley.relay_channels as c where c.id = line.channel);
end $$;

-- Deletes the frames that were read, up to a number in each channel, and returns the next ones.
create function parley.relay_receive(
  p_tenant text, p_recipient text, p_channels text[], p_seqs bigint[], p_limit integer
) returns table (channel text, seq bigint, body bytea, body_key text) language plpgsql as $$
begin
  perform parley.enter_tenant(p_tenant);
  if cardinality(p_channels) > 0 then
    delete from parley.relay_frames as f
      using unnest(p_channels, p_seqs) as done (channel, seq)
      where f.recipient = p_recipient and f.channel = done.channel and f.seq <= done.seq;
  end if;
  return query select f.channel, f.seq, f.body, f.body_key from parley.relay_frames as f
    where f.recipient = p_recipient order by f.channel, f.seq limit p_limit;
end $$;

-- The open channels of a node whose other node is alive, with the process of that node.
create function parley.relay_check(p_tenant text, p_node text)
returns table (channel text, process text) language plpgsql as $$
begin
  perform parley.enter_tenant(p_tenant);
  return query select c.id, h.process from parley.relay_channels as c
    join parley.holders as h on h.id = case when c.opener = p_node then c.acceptor else c.opener end
    where (c.opener = p_node or c.acceptor = p_node) and h.expires_at > clock_timestamp();
end $$;

create function parley.relay_remove(p_tenant text, p_channels text[]) returns void language plpgsql as $$
begin
  perform parley.enter_tenant(p_tenant);
  delete from parley.relay_channels where id = any(p_channels);
  delete from parley.relay_frames where channel = any(p_channels);
end $$;

-- Deletes the channels of nodes that have ended, and what was sent to them.
create function parley.relay_clean(p_tenant text) returns void language plpgsql as $$
begin
  perform parley.enter_tenant(p_tenant);
  delete from parley.relay_channels where not (parley.is_alive(opener) and parley.is_alive(acceptor));
  delete from parley.relay_frames where recipient in (
    select f.recipient from (select distinct recipient from parley.relay_frames) as f where not parley.is_alive(f.recipient));
end $$;

-- The process that has a session open, if it is alive.
create function parley.find_holder(p_tenant text, p_session text)
returns table (holder text, kind text, process text) language plpgsql as $$
begin
  perform parley.enter_tenant(p_tenant);
  return query select h.id, h.kind, h.process from parley.sessions as s join parley.holders as h on h.id = s.holder
    where s.tenant = p_tenant and s.id = p_session and h.expires_at > clock_timestamp();
end $$;

-- The sessions that other processes have open.
create function parley.list_held_sessions(p_tenant text, p_node text)
returns table (id text, interrupted boolean) language plpgsql as $$
begin
  perform parley.enter_tenant(p_tenant);
  return query select s.id, s.interrupted from parley.sessions as s
    where s.tenant = p_tenant and s.holder in (
      select h.id from parley.holders as h where h.id <> p_node and h.expires_at > clock_timestamp());
end $$;
`;
