// Splits a model id into series, version and date, and finds the newest model of a series.
import type { Model } from '../protocol/index.ts';

export interface ModelIdParts {
  /** The parts that are neither a version nor a date: `claude`, `sonnet`. */
  readonly words: readonly string[];
  readonly version: readonly number[];
  /** Empty for an alias, which the provider points at the newest dated version. */
  readonly date: string;
}

/** Parts that do not make another series: releases, prices and the regions of Bedrock. */
const IGNORED_WORDS = new Set('preview exp experimental latest beta free it us eu apac global jp au ca v'.split(' '));
const SEPARATORS = /[^a-z0-9.]+|\.(?!\d)|(?<!\d)\./;
/** `5`, `4.5`, `5p1` (Fireworks), `v4`, `4o`, `k2.6`, `qwen3.5`. Not `70b`, which is a size. */
const VERSION = /^([a-z]*)(\d{1,3}(?:[.p]\d{1,3})*)o?$/;
const NUMBER_FORMAT = /^(?:nv)?fp\d+$/;

/** Only the part after the last slash counts; before it are the maker of the model or the resource of an ARN. */
export function parseModelId(id: string): ModelIdParts {
  const words: string[] = [];
  const version: number[] = [];
  let date = '';
  for (const part of id
    .slice(id.lastIndexOf('/') + 1)
    .toLowerCase()
    .split(SEPARATORS)) {
    const [, word = part, number] = (!NUMBER_FORMAT.test(part) && VERSION.exec(part)) || [];
    if (isDatePart(part, date)) date += part;
    else {
      words.push(word);
      if (number !== undefined) version.push(...number.split(/[.p]/).map(Number));
      if (word === 'latest') version.push(Number.POSITIVE_INFINITY);
    }
  }
  return { words: words.filter((word) => word !== '' && !IGNORED_WORDS.has(word)), version, date };
}

/** `20250929`, `2512`, and the parts of `2025-04-14`, `09-2025` and `02-15`. `dateSoFar` is what precedes this part. */
function isDatePart(part: string, dateSoFar: string): boolean {
  return /^\d{4,}$/.test(part) || /^0\d$/.test(part) || (dateSoFar !== '' && /^\d\d$/.test(part));
}

/** Positive when `a` is newer. A minor version is compared without its zeros: 4.20 is 4.2. */
export function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = getVersionPart(a, i) - getVersionPart(b, i);
    // Two `latest` versions: Infinity - Infinity is NaN.
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return 0;
}

function getVersionPart(version: readonly number[], index: number): number {
  const part = version[index] ?? 0;
  return index > 0 && part >= 10 && part % 10 === 0 ? part / 10 : part;
}

/**
 * The newest model of each series, in the order of the list: one model when all are of one series. An alias is preferred to
 * dated versions. A series wins over its variants (`opus` over `opus-fast`) unless a variant is newer.
 */
export function pickNewestOfSeries(models: readonly Model[]): Model[] {
  const series = new Map<string, Candidate[]>();
  for (const model of models) {
    const parts = parseModelId(model.id);
    const key = parts.words.join(' ');
    series.set(key, [...(series.get(key) ?? []), { model, ...parts }]);
  }
  const newest = [...series.values()].map(pickNewest);
  const plain = newest.find(({ words, version }) =>
    newest.every(
      (other) => words.every((word) => other.words.includes(word)) && compareVersions(other.version, version) <= 0,
    ),
  );
  return (plain ? [plain] : newest).map(({ model }) => model);
}

export function sortNewestFirst(models: readonly Model[]): Model[] {
  return models.toSorted((a, b) => compareVersions(parseModelId(b.id).version, parseModelId(a.id).version));
}

type Candidate = ModelIdParts & { readonly model: Model };

function pickNewest(candidates: readonly Candidate[]): Candidate {
  const aliases = candidates.filter(({ date }) => date === '');
  const [newest] = [...(aliases.length > 0 ? aliases : candidates)].sort(
    (a, b) => compareVersions(b.version, a.version) || b.date.localeCompare(a.date),
  );
  return newest as Candidate;
}
