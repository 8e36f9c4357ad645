// Describes all settings for front ends, from the table of the settings and the generated JSON Schema.
import { join } from 'node:path';
import { Fault, isRecord } from '../../base/index.ts';
import type { Files, SettingDescription } from '../../contracts/index.ts';
import { SETTING_KEYS } from '../../settings/index.ts';
import { SETTING_DOCS } from '../../settings/setting-docs.ts';
import { getSettingRule } from '../../settings/setting-rules.ts';
import { findPackageDirectory } from '../../support/package-directory.ts';
import { canChangeInSession } from './session-overrides.ts';

export async function describeSettings(files: Pick<Files, 'read'>): Promise<SettingDescription[]> {
  const schemas = await readSchemas(files);
  return SETTING_KEYS.map((name) => {
    const { description: _doc, default: _default, ...schema } = schemas[name] ?? {};
    const { default: value, restricts, project } = getSettingRule(name);
    const defaultField = value === undefined ? {} : { default: value };
    const session = canChangeInSession(name);
    return { name, doc: SETTING_DOCS[name], schema, ...defaultField, restricts, project, session };
  });
}

/** Generated from the same table, and part of the package. */
async function readSchemas(files: Pick<Files, 'read'>): Promise<Record<string, Record<string, unknown>>> {
  const path = join(findPackageDirectory(), 'schema/settings.json');
  const bytes = await files.read(path).catch(() => {
    throw new Fault('not_found', `${path} was not found. Reinstall Parley.`);
  });
  const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
  const properties = isRecord(parsed) && isRecord(parsed.properties) ? parsed.properties : {};
  return properties as Record<string, Record<string, unknown>>;
}
