// Builds the page and the reference of the API into dist/web. No inline script or style, because the server sends a strict policy.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root,
  // Relative addresses, so that a proxy may serve the page below a path.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: `${root}../dist/web`,
    emptyOutDir: true,
    target: 'es2022',
    // Browsers with `light-dark()`, which the exported pages use too.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Inlined files would need `data:` in the policy for fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: { index: `${root}index.html`, docs: `${root}docs.html` } },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
