// Draws docs/architecture.svg: which folder of src imports which. The floors are given, the arrows are read from the code.
// @ts-check
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Top to bottom: a floor leans only on those below it. */
const FLOORS = [
  { name: 'the hall', folders: [['cli', 'testing'], ['app'], ['client']] },
  {
    name: 'first floor: rooms that do not know one another',
    folders: [['transports', 'dialects', 'server', 'commands', 'core', 'llm', 'tools', 'store']],
  },
  { name: 'ground floor: words', folders: [['contracts'], ['protocol'], ['base']] },
];

const BOX = { width: 104, height: 36 };
const GAP = { x: 22, y: 44, floor: 40 };
const MARGIN = 28;
const WIDTH = MARGIN * 2 + 8 * BOX.width + 7 * GAP.x;

process.chdir(root);
const arrows = await folderArrows();
const boxes = placed();
await writeFile('docs/architecture.svg', svg());
console.error(`docs/architecture.svg: ${boxes.size} folders, ${arrows.length} arrows`);

/** @returns {Promise<{ from: string, to: string, imports: number }[]>} */
async function folderArrows() {
  const { options } = await extractConfig('./.dependency-cruiser.cjs');
  const { output } = await cruise(['src'], { ...options, includeOnly: '^src' }, undefined, {
    tsConfig: extractTsConfig('tsconfig.json'),
  });
  const { modules } = /** @type {import('dependency-cruiser').ICruiseResult} */ (output);
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [folderOf(source), folderOf(resolved)];
      if (from !== to) counts.set(`${from} ${to}`, (counts.get(`${from} ${to}`) ?? 0) + 1);
    }
  }
  return [...counts].sort().map(([pair, imports]) => {
    const [from = '', to = ''] = pair.split(' ');
    return { from, to, imports };
  });
}

/** @param {string} path */
function folderOf(path) {
  return path.split('/')[1] ?? '';
}

/** @returns {Map<string, { x: number, y: number }>} The middle of every folder's box. */
function placed() {
  /** @type {Map<string, { x: number, y: number }>} */
  const middles = new Map();
  for (const { y, folders } of rows()) {
    const width = folders.length * BOX.width + (folders.length - 1) * GAP.x;
    folders.forEach((folder, i) => {
      middles.set(folder, { x: (WIDTH - width) / 2 + i * (BOX.width + GAP.x) + BOX.width / 2, y });
    });
  }
  return middles;
}

function rows() {
  let y = MARGIN;
  return FLOORS.flatMap((floor) => {
    y += GAP.floor;
    return floor.folders.map((folders) => {
      const row = { y: y + BOX.height / 2, folders };
      y += BOX.height + GAP.y;
      return row;
    });
  });
}

function svg() {
  const height = Math.max(...[...boxes.values()].map(({ y }) => y)) + BOX.height / 2 + MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="14">
<title>Which folder of src imports which</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="context-stroke"/></marker></defs>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${FLOORS.map(floorTitle).join('\n')}
<g fill="none" stroke-width="1" opacity="0.14">
${arrows.filter(isImplied).map(arrow).join('\n')}
</g>
<g fill="none" stroke-width="1.4" opacity="0.75">
${arrows
  .filter((one) => !isImplied(one))
  .map(arrow)
  .join('\n')}
</g>
${[...boxes].map(box).join('\n')}
</svg>
`;
}

/** @param {(typeof FLOORS)[number]} floor */
function floorTitle({ name, folders }) {
  const top = (boxes.get(folders[0]?.[0] ?? '')?.y ?? 0) - BOX.height / 2 - 22;
  return `<path d="M${MARGIN} ${top - 14}H${WIDTH - MARGIN}" stroke="#ddd"/><text x="${MARGIN}" y="${top + 4}" fill="#777" font-size="12">${name}</text>`;
}

/**
 * Other arrows lead there too, by way of another folder: drawn faintly, so that the shape of the house is seen.
 * @param {{ from: string, to: string }} arrow
 */
function isImplied({ from, to }) {
  /** @type {(start: string) => boolean} */
  const leadsOn = (start) => start === to || arrows.some((next) => next.from === start && leadsOn(next.to));
  return arrows.some((first) => first.from === from && first.to !== to && leadsOn(first.to));
}

/** @param {{ from: string, to: string, imports: number }} arrow */
function arrow({ from, to, imports }) {
  const [start, end] = [boxes.get(from), boxes.get(to)];
  if (!start || !end) throw new Error(`No place in the drawing for ${from} → ${to}: add the folder to FLOORS`);
  const [y1, y2] = [start.y + BOX.height / 2, end.y - BOX.height / 2];
  // Boxes of one column in between are passed on the side.
  const aside = start.x === end.x && y2 - y1 > GAP.y ? BOX.width * 0.9 : 0;
  const bend = (y2 - y1) * 0.45;
  const path = `M${start.x} ${y1}C${start.x + aside} ${y1 + bend} ${end.x + aside} ${y2 - bend} ${end.x} ${y2}`;
  return `<path d="${path}" stroke="${colourOf(from)}" marker-end="url(#tip)"><title>${from} → ${to}: ${imports} imports</title></path>`;
}

/** @param {[string, { x: number, y: number }]} box */
function box([folder, { x, y }]) {
  const corner = `x="${x - BOX.width / 2}" y="${y - BOX.height / 2}"`;
  return `<rect ${corner} width="${BOX.width}" height="${BOX.height}" rx="6" fill="#fff" stroke="${colourOf(folder)}" stroke-width="1.5"/><text x="${x}" y="${y + 5}" text-anchor="middle">${folder}</text>`;
}

/** @param {string} folder */
function colourOf(folder) {
  const place = [...boxes.keys()].indexOf(folder);
  return `hsl(${(place * 137) % 360} 55% 42%)`;
}
