// Small functions of pi-coding-agent: skill blocks, diffs, images, paths of the program.
import { join } from 'node:path';
import { createPatch, structuredPatch } from 'diff';
import { detectImageType } from '../../base/content-kind.ts';
import type { Ports } from '../../contracts/index.ts';
import { formatSkillsBlock } from '../../core/resources/skills.ts';
import { findPackageDirectory } from '../../support/package-directory.ts';
import { formatLineDiff } from '../../tools/edit-diff.ts';
import { readImageSize } from './image-size.ts';

/** Bytes of base64 that providers accept. */
const MAX_IMAGE_BYTES = 4.5 * 1024 * 1024;
const MAX_IMAGE_SIDE = 2000;
const SKILL_START = /^<skill name="([^"\n]*)" location="([^"\n]*)">\n/;
const SKILL_END = '\n</skill>';
/** The longest signature of an image type. */
const SIGNATURE_BYTES = 16;

interface ImageLimits {
  maxWidth?: number;
  maxHeight?: number;
  maxBytes?: number;
}

interface SkillInfo {
  name: string;
  description: string;
  filePath: string;
  baseDir?: string;
  disableModelInvocation?: boolean;
}

export function createAgentHelpers({ files }: Pick<Ports, 'files'>): Record<string, unknown> {
  return {
    ...imageFunctions,
    async detectSupportedImageMimeTypeFromFile(path: string) {
      return detectImageType(await files.read(path, { start: 0, length: SIGNATURE_BYTES })) ?? null;
    },
    parseSkillBlock,
    createSyntheticSourceInfo: (path: string, options: Record<string, unknown>) => ({
      path,
      scope: 'temporary',
      origin: 'top-level',
      ...options,
    }),
    generateDiffString: (before: string, after: string, contextLines?: number) =>
      formatLineDiff(structuredPatch, before, after, contextLines),
    generateUnifiedPatch: (path: string, before: string, after: string, contextLines = 4) =>
      createPatch(path, before, after, undefined, undefined, { context: contextLines }),
    formatReadLineRange,
    formatSkillsForPrompt: (skills: readonly SkillInfo[]) =>
      formatSkillsBlock(
        skills.map(({ name, description, filePath, baseDir = '', disableModelInvocation = false }) => ({
          name,
          description,
          path: filePath,
          directory: baseDir,
          isHidden: disableModelInvocation,
          level: 'path',
        })),
      ),
    getPackageDir: findPackageDirectory,
    getReadmePath: () => join(findPackageDirectory(), 'README.md'),
    getDocsPath: () => join(findPackageDirectory(), 'docs'),
    getExamplesPath: () => join(findPackageDirectory(), 'examples'),
  };
}

/** The block that `/skill:name` inserts, and the user's text after it. */
function parseSkillBlock(text: string) {
  const start = SKILL_START.exec(text);
  const end = text.lastIndexOf(SKILL_END);
  if (!start || end < start[0].length - 1) return null;
  const userMessage = text.slice(end + SKILL_END.length).trim();
  return {
    name: start[1],
    location: start[2],
    content: text.slice(start[0].length, end),
    userMessage: userMessage === '' ? undefined : userMessage,
  };
}

/** `:5-14` for the offset 5 and the limit 10. */
function formatReadLineRange(offset: unknown, limit: unknown): string {
  const toLine = (value: unknown) => (value === undefined || value === '' ? undefined : Number(value));
  const [first, count] = [toLine(offset), toLine(limit)];
  if ((first === undefined && count === undefined) || Number.isNaN(first) || Number.isNaN(count)) return '';
  const start = first ?? 1;
  return count === undefined ? `:${start}` : `:${start}-${start + count - 1}`;
}

const imageFunctions = {
  /** Images are not converted: returns the image if it is within the limits, otherwise `null`. */
  async resizeImage(bytes: Uint8Array, declaredType: string, limits: ImageLimits = {}) {
    const { maxWidth = MAX_IMAGE_SIDE, maxHeight = MAX_IMAGE_SIDE, maxBytes = MAX_IMAGE_BYTES } = limits;
    const size = readImageSize(bytes);
    const data = Buffer.from(bytes).toString('base64');
    if (!size || size.width > maxWidth || size.height > maxHeight || data.length > maxBytes) return null;
    const mimeType = detectImageType(bytes) ?? declaredType;
    return { data, mimeType, originalWidth: size.width, originalHeight: size.height, ...size, wasResized: false };
  },
  async convertToPng(data: string, mimeType: string) {
    return mimeType === 'image/png' ? { data, mimeType } : null;
  },
  formatDimensionNote(image: Record<'originalWidth' | 'originalHeight' | 'width' | 'height', number>) {
    const { originalWidth, originalHeight, width, height } = image;
    if (originalWidth === width && originalHeight === height) return undefined;
    const scale = (originalWidth / width).toFixed(2);
    return `[Image: original ${originalWidth}x${originalHeight}, displayed at ${width}x${height}. Multiply coordinates by ${scale} to map to original image.]`;
  },
};
