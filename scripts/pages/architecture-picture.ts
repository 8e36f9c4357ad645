// docs/architecture.svg: which module of src imports which. The layers are given here, the arrows are read from the code.
import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import ts from 'typescript';

/** Top to bottom: a layer imports only layers below it. Each inner list is one row of the picture. */
const LAYERS = [
  { name: 'composition', rows: [['cli', 'testing'], ['app']] },
  { name: 'host side', rows: [['terminal'], ['client']] },
  { name: 'configuration and extensions', rows: [['trust'], ['extensions'], ['settings']] },
  {
    name: 'independent modules: they do not import one another',
    rows: [
      ['transports', 'dialects', 'server', 'commands', 'core', 'telemetry', 'fleet'],
      ['llm', 'tools', 'store', 'mcp', 'permissions', 'sandbox', 'http'],
    ],
  },
  { name: 'foundation', rows: [['support'], ['contracts'], ['protocol'], ['base']] },
];

const BOX = { width: 104, height: 36 };
const GAP = { x: 22, y: 44, layer: 40 };
const MARGIN = 28;
const WIDTH = MARGIN * 2 + 7 * BOX.width + 6 * GAP.x;

interface Arrow {
  readonly from: string;
  readonly to: string;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

export async function architecturePicture(root: string): Promise<string> {
  const arrows = await readArrows(root);
  const centers = placeBoxes();
  const height = Math.max(...[...centers.values()].map(({ y }) => y)) + BOX.height / 2 + MARGIN;
  const implied = arrows.filter((arrow) => isImplied(arrow, arrows));
  const direct = arrows.filter((arrow) => !implied.includes(arrow));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="14">
<title>Which module of src imports which</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="context-stroke"/></marker></defs>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${LAYERS.map((layer) => renderTitle(layer, centers)).join('\n')}
<g fill="none" stroke-width="1" opacity="0.14">
${implied.map((arrow) => renderArrow(arrow, centers)).join('\n')}
</g>
<g fill="none" stroke-width="1.4" opacity="0.75">
${direct.map((arrow) => renderArrow(arrow, centers)).join('\n')}
</g>
${[...centers].map(([name, center]) => renderBox(name, center, centers)).join('\n')}
</svg>
`;
}

async function readArrows(root: string): Promise<Arrow[]> {
  const pairs = new Set<string>();
  for (const entry of await readdir(join(root, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    const from = relative(join(root, 'src'), path).split(sep).join('/');
    for (const { fileName } of ts.preProcessFile(await readFile(path, 'utf8')).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const to = posix.join(posix.dirname(from), fileName);
      if (moduleOf(from) !== moduleOf(to)) pairs.add(`${moduleOf(from)} ${moduleOf(to)}`);
    }
  }
  return [...pairs].sort().map((pair) => {
    const [from = '', to = ''] = pair.split(' ');
    return { from, to };
  });
}

function moduleOf(path: string): string {
  return path.split('/')[0] ?? '';
}

/** The centre of each module's box. */
function placeBoxes(): Map<string, Point> {
  const centers = new Map<string, Point>();
  let y = MARGIN;
  for (const { rows } of LAYERS) {
    y += GAP.layer;
    for (const row of rows) {
      const width = row.length * BOX.width + (row.length - 1) * GAP.x;
      row.forEach((name, index) => {
        const x = (WIDTH - width) / 2 + index * (BOX.width + GAP.x) + BOX.width / 2;
        centers.set(name, { x, y: y + BOX.height / 2 });
      });
      y += BOX.height + GAP.y;
    }
  }
  return centers;
}

/** An arrow that other arrows imply is drawn faintly. */
function isImplied({ from, to }: Arrow, arrows: readonly Arrow[]): boolean {
  const reaches = (start: string): boolean =>
    start === to || arrows.some((next) => next.from === start && reaches(next.to));
  return arrows.some((first) => first.from === from && first.to !== to && reaches(first.to));
}

function renderTitle({ name, rows }: (typeof LAYERS)[number], centers: ReadonlyMap<string, Point>): string {
  const top = (centers.get(rows[0]?.[0] ?? '')?.y ?? 0) - BOX.height / 2 - 22;
  return `<path d="M${MARGIN} ${top - 14}H${WIDTH - MARGIN}" stroke="#ddd"/><text x="${MARGIN}" y="${top + 4}" fill="#777" font-size="12">${name}</text>`;
}

function renderArrow({ from, to }: Arrow, centers: ReadonlyMap<string, Point>): string {
  const [start, end] = [centers.get(from), centers.get(to)];
  if (!start || !end) throw new Error(`The picture has no box for ${from} or ${to}: add it to LAYERS`);
  const [y1, y2] = [start.y + BOX.height / 2, end.y - BOX.height / 2];
  // Boxes of the same column in between are passed at the side.
  const aside = start.x === end.x && y2 - y1 > GAP.y ? BOX.width * 0.9 : 0;
  const bend = (y2 - y1) * 0.45;
  const path = `M${start.x} ${y1}C${start.x + aside} ${y1 + bend} ${end.x + aside} ${y2 - bend} ${end.x} ${y2}`;
  return `<path d="${path}" stroke="${colourOf(from, centers)}" marker-end="url(#tip)"><title>${from} → ${to}</title></path>`;
}

function renderBox(name: string, { x, y }: Point, centers: ReadonlyMap<string, Point>): string {
  const corner = `x="${x - BOX.width / 2}" y="${y - BOX.height / 2}"`;
  return `<rect ${corner} width="${BOX.width}" height="${BOX.height}" rx="6" fill="#fff" stroke="${colourOf(name, centers)}" stroke-width="1.5"/><text x="${x}" y="${y + 5}" text-anchor="middle">${name}</text>`;
}

function colourOf(name: string, centers: ReadonlyMap<string, Point>): string {
  return `hsl(${([...centers.keys()].indexOf(name) * 137) % 360} 55% 42%)`;
}
