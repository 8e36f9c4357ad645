// The reference of the API: all operations by group, with a search.
import { useEffect, useState } from 'preact/hooks';
import { ApiError, BASE_URL, readOpenApi } from '../app/http-api.ts';
import { cycleTheme, theme } from '../app/theme.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { IconButton } from '../parts/button.tsx';
import { formatCount } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { filterGroups, groupOperations, type OpenApi, type OperationGroup } from './openapi.ts';
import { OperationView } from './operation-view.tsx';

type LoadState = { readonly api?: OpenApi; readonly problem?: string };

export function ApiDocs() {
  const [{ api, problem }, setState] = useState<LoadState>({});
  const [query, setQuery] = useState('');
  useEffect(() => {
    readOpenApi().then(
      (loaded) => setState({ api: loaded as OpenApi }),
      (thrown: unknown) => setState({ problem: describeProblem(thrown) }),
    );
  }, []);
  useEffect(() => {
    // The target of the address exists only now.
    if (api && location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [api]);
  if (problem !== undefined) return <p class="docs-problem problem">{problem}</p>;
  if (!api) return <p class="docs-problem quiet">Loading…</p>;
  const groups = filterGroups(groupOperations(api), query);
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0);
  return (
    <div class="docs">
      <DocsIndex groups={groups} query={query} onQuery={setQuery} count={count} />
      <main>
        <header class="docs-head">
          <h1>{api.info.title} API</h1>
          <span class="quiet">{api.info.version}</span>
        </header>
        {api.info.description ? <Markdown text={api.info.description} /> : null}
        {groups.map((group) => (
          <Group key={group.name} api={api} group={group} />
        ))}
      </main>
    </div>
  );
}

function describeProblem(thrown: unknown): string {
  if (thrown instanceof ApiError && thrown.status === 401) return 'Not signed in. Open the start page first.';
  return `The description of the API could not be loaded: ${thrown instanceof Error ? thrown.message : thrown}`;
}

interface DocsIndexProps {
  readonly groups: readonly OperationGroup[];
  readonly query: string;
  readonly count: number;
  readonly onQuery: (query: string) => void;
}

function DocsIndex({ groups, query, count, onQuery }: DocsIndexProps) {
  return (
    <nav class="docs-index" aria-label="Operations">
      <header>
        <a class="brand" href="./">
          <span class="brand-mark" aria-hidden="true">
            <Icon name="terminal" size={14} />
          </span>
          Parley
        </a>
        <IconButton
          icon={theme.value === 'system' ? 'system' : theme.value === 'dark' ? 'moon' : 'sun'}
          label={`Theme: ${theme.value}`}
          onClick={cycleTheme}
        />
      </header>
      <input
        type="search"
        class="field"
        placeholder="Search operations"
        aria-label="Search operations"
        value={query}
        onInput={(event) => onQuery(event.currentTarget.value)}
      />
      <p class="quiet" role="status">
        {formatCount(count, 'operation')}
      </p>
      {groups.map(({ name, operations }) => (
        <section key={name}>
          <h2>{name}</h2>
          <ul>
            {operations.map(({ id, method, path }) => (
              <li key={id}>
                <a href={`#${id}`}>
                  <span class={`method ${method}`}>{method}</span> {/\/commands\/(\w+)$/.exec(path)?.[1] ?? id}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function Group({ api, group }: { readonly api: OpenApi; readonly group: OperationGroup }) {
  return (
    <section class="group">
      <h2>{group.name}</h2>
      {group.description ? <p class="quiet">{group.description}</p> : null}
      {group.operations.map((operation) => (
        <OperationView key={operation.id} api={api} operation={operation} origin={BASE_URL.href.replace(/\/$/, '')} />
      ))}
    </section>
  );
}
