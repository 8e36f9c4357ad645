// One operation of the API: what it does, its parameters, its replies, and an example for the shell.
import { useEffect, useState } from 'preact/hooks';
import { Code } from '../markdown/code-block.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { CopyButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { InlineCode } from './inline-code.tsx';
import {
  buildCurl,
  describeSchema,
  getJsonSchema,
  type OpenApi,
  type Operation,
  type Reply,
  resolveReference,
} from './openapi.ts';
import { FieldDoc, SchemaView } from './schema-view.tsx';

interface OperationViewProps {
  readonly api: OpenApi;
  readonly operation: Operation;
  readonly origin: string;
}

export function OperationView({ api, operation, origin }: OperationViewProps) {
  const [isOpen, setIsOpen] = useState(location.hash === `#${operation.id}`);
  useEffect(() => {
    const openTarget = () => {
      if (location.hash === `#${operation.id}`) setIsOpen(true);
    };
    addEventListener('hashchange', openTarget);
    return () => removeEventListener('hashchange', openTarget);
  }, [operation.id]);
  const { id, method, path, summary, description, requestBody } = operation;
  const access = operation['x-access'];
  const body = getJsonSchema(requestBody?.content);
  return (
    <article id={id} class={`operation ${isOpen ? 'open' : ''}`}>
      <h3>
        <button type="button" class="operation-head" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <span class={`method ${method}`}>{method.toUpperCase()}</span>
          <code>{path}</code>
          <span class="summary">
            <InlineCode text={summary ?? ''} />
          </span>
          {access === 'read' ? <span class="access">read</span> : null}
          <Icon name="chevronRight" size={12} class="chevron" />
        </button>
      </h3>
      {isOpen ? (
        <div class="operation-body">
          {description ? <Markdown text={description} /> : null}
          <Parameters api={api} operation={operation} />
          {body ? (
            <section>
              <h4>Body</h4>
              <SchemaView api={api} schema={body} />
            </section>
          ) : null}
          <Replies api={api} operation={operation} />
          <Example text={buildCurl(operation, origin)} />
        </div>
      ) : null}
    </article>
  );
}

type PartProps = Omit<OperationViewProps, 'origin'>;

function Parameters({ api, operation: { parameters = [] } }: PartProps) {
  if (parameters.length === 0) return null;
  return (
    <section>
      <h4>Parameters</h4>
      <ul class="fields">
        {parameters.map((reference) => {
          const { name, in: place, required, description, schema } = resolveReference(api, reference).value;
          return (
            <li key={`${place} ${name}`}>
              <div class="field-line">
                <code class="field-name">{name}</code>
                <code class="type">{describeSchema(schema)}</code>
                <span class="quiet">{place}</span>
                {required ? <span class="required">required</span> : null}
              </div>
              {description ? <FieldDoc text={description} /> : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Replies({ api, operation: { responses = {} } }: PartProps) {
  return (
    <section>
      <h4>Replies</h4>
      {Object.entries(responses).map(([status, reference]) => (
        <ReplyView key={status} api={api} status={status} reply={resolveReference(api, reference).value} />
      ))}
    </section>
  );
}

interface ReplyViewProps {
  readonly api: OpenApi;
  readonly status: string;
  readonly reply: Reply;
}

function ReplyView({ api, status, reply: { description, content } }: ReplyViewProps) {
  const schema = getJsonSchema(content);
  const types = Object.keys(content ?? {}).filter((type) => type !== 'application/json');
  return (
    <details class="reply" open={status.startsWith('2')}>
      <summary>
        <span class={`code-status s${status[0]}`}>{status}</span> <InlineCode text={description ?? ''} />
        {types.length > 0 ? <span class="quiet"> {types.join(', ')}</span> : null}
      </summary>
      {schema ? <SchemaView api={api} schema={schema} /> : null}
    </details>
  );
}

function Example({ text }: { readonly text: string }) {
  return (
    <section class="code-block">
      <div class="code-head">
        <span>curl</span>
        <CopyButton getText={() => text} label="Copy the curl command" />
      </div>
      <pre tabIndex={0}>
        <Code code={text} language="bash" />
      </pre>
    </section>
  );
}
