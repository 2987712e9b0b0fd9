import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { INDEX_FILE } from '#lib/console-build.ts'
import { writeNextOutput } from '#server/testing/next-output.ts'
import { packConsole } from './pack.ts'

// The outputs that the build of the console refuses. The same changes are made to a real build's output in
// server/testing/properties/routes-through-next.test.ts.

const ROUTES = { '/t/__tenant__/agents': '/t/[tenant]/agents', '/sign-in': '/sign-in' }

let dist: string
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'pack-'))
})
afterEach(() => rmSync(dist, { recursive: true }))

const pack = () => packConsole(dist, join(dist, 'public'), join(dist, 'console'))
function edit(file: string, change: (text: string) => string): void {
  writeFileSync(join(dist, file), change(readFileSync(join(dist, file), 'utf8')))
}

test('packs a known output', () => {
  writeNextOutput(dist, ROUTES)
  pack()
  expect(Object.keys(JSON.parse(readFileSync(join(dist, 'console', INDEX_FILE), 'utf8')).files)).toEqual([
    '/_next/static/chunks/a.js',
    '/icon.svg',
  ])
})

test('refuses a page that was prerendered for values other than its placeholders', () => {
  writeNextOutput(dist, { '/t/acme/agents': '/t/[tenant]/agents' })
  expect(pack).toThrow('/t/[tenant]/agents was prerendered as /t/acme/agents')
})

test('refuses a page that is rendered for each request', () => {
  writeNextOutput(dist, ROUTES)
  edit('app-path-routes-manifest.json', (text) => text.replace('{', '{"/t/[tenant]/page":"/t/[tenant]",'))
  expect(pack).toThrow('/t/[tenant] is rendered for each request')
})

test('refuses a counted text that contains a parameter, in the flight data and in the document', () => {
  const text = `${'x'.repeat(1100)} __tenant__`
  const row = `1:T${text.length.toString(16)},${text}`
  writeNextOutput(dist, ROUTES, { flight: `0:{"b":"build-1"}\n${row}2:null\n` })
  expect(pack).toThrow(/contains the parameter __tenant__/)
  writeNextOutput(dist, ROUTES, { html: `<script>self.__next_f.push([1,${JSON.stringify(row)}])</script>` })
  expect(pack).toThrow(/The flight data in The document of .* contains the parameter __tenant__/)
})

test('refuses a parameter across two inline scripts', () => {
  const half = (text: string) => `<script>self.__next_f.push([1,${JSON.stringify(text)}])</script>`
  writeNextOutput(dist, ROUTES, { html: `${half('1:"__ten')}${half('ant__"\n')}` })
  expect(pack).toThrow('has the parameter __tenant__ across two inline scripts')
})

const app = 'server/app/t/__tenant__/agents'
test.each([
  ['prerender-manifest.json', '"version":4', '"version":5', 'prerender-manifest.json has version 5, not 4'],
  ['routes-manifest.json', '"headers":[]', '"headers":[{}]', 'there are headers from next.config.mjs'],
  ['routes-manifest.json', '"internal":true', '"source":"/x"', 'there are redirects from next.config.mjs'],
  ['routes-manifest.json', '"fallback":[]', '"fallback":[{}]', 'there are rewrites'],
  ['server/middleware-manifest.json', '{}', '{"/":{}}', 'there is middleware'],
  [`${app}.meta`, 'x-nextjs-stale-time', 'x-nextjs-life', 'comes with the unknown header x-nextjs-life'],
  [`${app}.meta`, '/_tree', '/_index', 'the segment /_index of /t/__tenant__/agents is missing'],
  [`${app}.meta`, '{', '{"postponed":"x",', 'is postponed'],
  [`${app}.rsc`, 'build-1', 'build-2', 'does not name the build'],
  [`${app}.rsc`, '0:', '0;', 'has a row that does not begin with an id and a colon (byte 0)'],
  [`${app}.rsc`, '\n', '', 'has a row without an end'],
  [`${app}.html`, '<head>', '<head x>', 'does not have exactly one <head>'],
  [`${app}.html`, 'self.__next_f.push([1', 'self.__next_f.push([3', 'of the unknown kind 3'],
  [`${app}.html`, 'self.__next_f.push', 'globalThis.__next_f.push', 'in an unknown form'],
  [`${app}.html`, '<h1>', '<h1 nonce="x">', 'has a nonce or an event handler in a tag'],
  [`${app}.html`, '/_next/static/chunks/a.js', '/_next/static/b.js', 'refers to /_next/static/b.js'],
])('names a change in %s from %s to %s', (file, from, to, message) => {
  writeNextOutput(dist, ROUTES)
  edit(file, (text) => {
    expect(text).toContain(from)
    return text.replace(from, to)
  })
  expect(pack).toThrow(message)
})
