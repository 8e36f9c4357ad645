// Generates the command methods of the Python clients, for threads and for asyncio.
import { allCommands } from './frames.ts';
import type { JsonSchema } from './json-schema.ts';
import { pascalCase } from './naming.ts';
import { PythonTypes, resultName } from './python-types.ts';

type Definitions = Readonly<Record<string, JsonSchema>>;

interface Parameter {
  readonly field: string;
  readonly name: string;
  readonly annotation: string;
  readonly isRequired: boolean;
}

/** The modules parley_agent/_commands.py and _async_commands.py. */
export function pythonCommands(wire: Definitions, kind: 'sync' | 'async'): string {
  const types = new PythonTypes();
  const methods = allCommands.map(({ name, doc, stability }) => {
    const about = stability ? `${doc} Experimental.` : doc;
    return method(wire, types, { name, doc: about, kind });
  });
  if (types.text()) throw new Error(`A parameter needs a named type in src/protocol:\n${types.text()}`);
  const className = kind === 'sync' ? 'Commands' : 'AsyncCommands';
  const call = `    ${kind === 'sync' ? 'def' : 'async def'} call(
        self, command: str, params: Optional[Dict[str, Any]] = None, *, timeout: Optional[float] = None
    ) -> Any:
        raise NotImplementedError
`;
  const used = [...new Set(methods.join('').match(/"[A-Z]\w+"/g) ?? [])].map((name) => name.slice(1, -1)).sort();
  return `"""Every command as a method. Generated from the declarations by \`npm run docs\`; do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, cast

from .protocol import (
${used.map((name) => `    ${name},\n`).join('')})


class ${className}:
${[call, ...methods].join('\n')}`;
}

function method(
  wire: Definitions,
  types: PythonTypes,
  { name, doc, kind }: { name: string; doc: string; kind: 'sync' | 'async' },
): string {
  const parameters = parametersOf(wire[`${pascalCase(name)}Command`] ?? {}, types, name);
  const required = parameters.filter((parameter) => parameter.isRequired);
  const optional = parameters.filter((parameter) => !parameter.isRequired);
  const signature = [
    'self',
    ...required.map(({ name, annotation }) => `${name}: ${annotation}`),
    '*',
    ...optional.map(({ name, annotation }) => `${name}: Optional[${annotation}] = None`),
    'timeout: Optional[float] = None',
  ];
  const result = resultName(wire, name);
  const fields = parameters.map(({ field, name }) => `"${field}": ${name}`).join(', ');
  const callText = `${kind === 'async' ? 'await ' : ''}self.call("${name}", {${fields}}, timeout=timeout)`;
  return `    ${kind === 'async' ? 'async def' : 'def'} ${name}(
${signature.map((part) => `        ${part},\n`).join('')}    ) -> ${result ? `"${result}"` : 'None'}:
        """${doc.replaceAll('"""', "'''")}"""
        ${result ? `return cast("${result}", ${callText})` : callText}
`;
}

function parametersOf(frame: JsonSchema, types: PythonTypes, command: string): Parameter[] {
  const fields = Object.entries(frame.properties ?? {}).filter(([field]) => field !== 'id' && field !== 'type');
  return fields.map(([field, schema]) => {
    const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (name === 'timeout' || name === 'self') throw new Error(`${command}: ${name} is reserved in the Python clients`);
    const annotation = types.annotation(schema, `${pascalCase(command)}${pascalCase(field)}`);
    return { field, name, annotation, isRequired: frame.required?.includes(field) ?? false };
  });
}
