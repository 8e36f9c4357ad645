// The fields of a schema as a table. Types that are defined elsewhere can be expanded.
import { useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { InlineCode } from './inline-code.tsx';
import { describeSchema, listInnerSchemas, type OpenApi, resolveReference, type Schema } from './openapi.ts';

interface SchemaViewProps {
  readonly api: OpenApi;
  readonly schema: Schema;
  readonly depth?: number;
}

const MAX_DEPTH = 8;

export function SchemaView({ api, schema, depth = 0 }: SchemaViewProps) {
  const { value } = resolveReference(api, schema);
  const fields = Object.entries(value.properties ?? {});
  if (fields.length === 0) return <Choices api={api} schema={value} depth={depth} />;
  return (
    <ul class="fields">
      {fields.map(([name, field]) => (
        <Field
          key={name}
          api={api}
          name={name}
          schema={field}
          isRequired={value.required?.includes(name) ?? false}
          depth={depth}
        />
      ))}
    </ul>
  );
}

function Choices({ api, schema, depth }: Required<SchemaViewProps>) {
  const inner = listInnerSchemas(schema).filter((choice) => choice !== schema);
  const description = schema.description ? <FieldDoc text={schema.description} /> : null;
  if (inner.length === 0 || depth > MAX_DEPTH) {
    return (
      <>
        <code class="type">{describeSchema(schema)}</code>
        {description}
      </>
    );
  }
  return (
    <>
      {description}
      <ul class="fields">
        {inner.map((choice, at) => (
          <Field key={`${at} ${choice.$ref}`} api={api} name="" schema={choice} isRequired={false} depth={depth} />
        ))}
      </ul>
    </>
  );
}

export function FieldDoc({ text }: { readonly text: string }) {
  return (
    <p class="field-doc">
      <InlineCode text={text} />
    </p>
  );
}

interface FieldProps extends Required<SchemaViewProps> {
  readonly name: string;
  readonly isRequired: boolean;
}

function Field({ api, name, schema, isRequired, depth }: FieldProps) {
  const [isOpen, setIsOpen] = useState(false);
  const inner = depth < MAX_DEPTH ? listInnerSchemas(schema) : [];
  const type = describeSchema(schema);
  return (
    <li>
      <div class="field-line">
        {name === '' ? null : <code class="field-name">{name}</code>}
        {inner.length > 0 ? (
          <button type="button" class="type expandable" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {type}
            <Icon name="chevronRight" size={10} class="chevron" />
          </button>
        ) : (
          <code class="type">{type}</code>
        )}
        {isRequired ? <span class="required">required</span> : null}
        {schema.default === undefined ? null : <span class="quiet">default {JSON.stringify(schema.default)}</span>}
      </div>
      {schema.description ? <FieldDoc text={schema.description} /> : null}
      {isOpen
        ? inner.map((one, at) => <SchemaView key={`${at} ${one.$ref}`} api={api} schema={one} depth={depth + 1} />)
        : null}
    </li>
  );
}
