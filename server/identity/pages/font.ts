import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'

// The console's typeface, for the provider's own pages: they may have another origin than the console.

const family = 'Atkinson Hyperlegible Next'
const bytes = readFileSync(
  new URL(
    '../../../node_modules/@fontsource-variable/atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-normal.woff2',
    import.meta.url,
  ),
)

/** Path below a realm. It contains the file's hash, so browsers may cache it forever. */
export const fontPath = `/font-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.woff2`

/** For the page's style; the fallback fonts are in page.css. */
export const fontFace = (realmUrl: string): string =>
  `@font-face{font-family:"${family}";font-weight:200 800;font-display:swap;src:url(${new URL(`${realmUrl}${fontPath}`).pathname}) format("woff2")}\n`

export function serveFont(res: ServerResponse): void {
  res.writeHead(200, {
    'content-type': 'font/woff2',
    'content-length': bytes.length,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })
  res.end(bytes)
}
