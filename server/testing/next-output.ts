import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const buildId = 'build-1'

const html = (body: string) =>
  `<!DOCTYPE html><html><head><meta charSet="utf-8"/><link rel="preload" as="script" href="/_next/static/chunks/a.js"/>` +
  `<script src="/_next/static/chunks/a.js" async=""></script></head><body>${body}` +
  `<script>(self.__next_f=self.__next_f||[]).push([0])</script><script>self.__next_f.push([1,"0:{\\"b\\":1}\\n"])</script></body></html>`

export const script = `console.log(${JSON.stringify('a'.repeat(5000))})`

/** Files as `next build` of Next 16 writes them into `.next` for these routes: path of the prerendered page → route. */
export function writeNextOutput(
  dist: string,
  routes: Record<string, string>,
  extra: { html?: string; flight?: string } = {},
) {
  const put = (path: string, content: string | object) => {
    mkdirSync(dirname(join(dist, path)), { recursive: true })
    writeFileSync(join(dist, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const all = { '/_not-found': '/_not-found', ...routes }
  const prerendered = Object.fromEntries(Object.entries(all).map(([key, srcRoute]) => [key, { srcRoute }]))
  put('BUILD_ID', buildId)
  put('prerender-manifest.json', { version: 4, routes: { ...prerendered, '/icon.svg': { srcRoute: '/icon.svg' } } })
  put('routes-manifest.json', {
    version: 3,
    basePath: '',
    headers: [],
    redirects: [{ internal: true }],
    rewrites: { beforeFiles: [], afterFiles: [], fallback: [] },
  })
  put('server/middleware-manifest.json', { middleware: {} })
  put('app-path-routes-manifest.json', {
    ...Object.fromEntries(Object.values(all).map((route) => [`${route}/page`, route])),
    '/icon.svg/route': '/icon.svg',
  })
  put('static/chunks/a.js', script)
  put('server/app/icon.svg.body', '<svg xmlns="http://www.w3.org/2000/svg"/>')
  put('server/app/icon.svg.meta', { status: 200, headers: { 'content-type': 'image/svg+xml' } })
  for (const [key, route] of Object.entries(all)) {
    put(`server/app${key}.html`, html(extra.html ?? `<h1>${key}</h1><p>route ${route}</p>`))
    put(`server/app${key}.rsc`, extra.flight ?? `0:{"b":"${buildId}","c":${JSON.stringify(key.split('/'))}}\n`)
    put(`server/app${key}.segments/_tree.segment.rsc`, `0:{"tree":"${key}"}\n`)
    put(`server/app${key}.meta`, {
      ...(key === '/_not-found' ? { status: 404 } : {}),
      headers: { 'x-nextjs-stale-time': '300', 'x-nextjs-prerender': '1', 'x-next-cache-tags': 'x' },
      segmentPaths: ['/_tree'],
    })
  }
}
