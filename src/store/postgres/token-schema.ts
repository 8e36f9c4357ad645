// The tables of the access tokens that all nodes of a fleet share.

/**
 * - `tenants`: the names of the tenants that have had tokens. Without row-level security: it contains nothing else.
 * - `tokens`: the SHA-256 digests of tokens. A row is visible for its tenant, and for those who have the token: its digest is in the setting
 *   `parley.token_digest` of their transaction.
 */
export const TOKEN_TABLES = `
create table parley.tenants (
  name text primary key
);
create table parley.tokens (
  tenant text not null,
  name text not null,
  access text not null check (access in ('read', 'full')),
  digest text not null unique,
  created_ms bigint not null,
  primary key (tenant, name)
);
alter table parley.tokens enable row level security;
alter table parley.tokens force row level security;
create policy tenant on parley.tokens using (tenant = current_setting('parley.tenant', true));
create policy digest on parley.tokens for select using (digest = current_setting('parley.token_digest', true));

create function parley.find_token(p_digest text)
returns table (tenant text, name text, access text) language plpgsql as $$
begin
  perform set_config('parley.token_digest', p_digest, true);
  return query select t.tenant, t.name, t.access from parley.tokens as t where t.digest = p_digest;
end $$;
`;
