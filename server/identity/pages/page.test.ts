import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Realm } from '#server/identity/realms/realm.ts'
import { readerOf } from '#server/identity/words/reader.ts'
import { html } from './html.ts'
import { contentSecurityPolicy, renderPage } from './page.ts'

const realm = (changes: Partial<Realm>): Realm => ({
  tenantId: 't',
  slug: 'northwind',
  externalId: 'ext-northwind',
  displayName: 'Northwind Mutual',
  accentColor: undefined,
  url: 'http://localhost/realms/northwind',
  ...changes,
})

const reader = (changes: Partial<Realm>) => readerOf(realm(changes), {})

const styleOf = (text: string) => /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''

test('a page shows the tenant’s name and accent', () => {
  const { text } = renderPage(reader({ accentColor: '#0f766e' }), { title: 'Sign in', body: html`<p>x</p>` })
  expect(text).toContain('<title>Sign in · Northwind Mutual</title>')
  expect(styleOf(text)).toMatch(/^:root\{--tenant-mark-light:oklch\([\d. ]+\);/)
})

test.each(['red', '#0f766', '#0f766e;}</style><script>alert(1)</script>', 'url(https://evil.example)', ''])(
  'an accent that is not a colour in a supported notation is ignored: %s',
  (accentColor) => {
    const plain = renderPage(reader({}), { title: 'x', body: html`` })
    expect(renderPage(reader({ accentColor }), { title: 'x', body: html`` })).toEqual(plain)
  },
)

test('a name is shown literally, even if it contains markup', () => {
  const displayName = `<img src=x onerror=alert(1)> & "Sons" 'n' more`
  const { text } = renderPage(reader({ displayName }), {
    title: displayName,
    body: html`<p title="${displayName}"></p>`,
  })
  expect(text).not.toContain('<img')
  expect(text).not.toContain('"Sons"')
  expect(text.match(/&lt;img src=x onerror=alert\(1\)&gt; &amp; &quot;Sons&quot; &#39;n&#39; more/g)).toHaveLength(5)
})

test('the content security policy allows only the page’s own style and script', () => {
  const { text, headers } = renderPage(reader({}), { title: 'x', body: html``, script: 'one()' })
  const sha256 = (content: string) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`
  expect(text).toContain('<script>one()</script>')
  expect(headers['content-security-policy']).toBe(
    contentSecurityPolicy({ style: styleOf(text), script: 'one()', formOrigins: [] }),
  )
  expect(headers['content-security-policy']).toContain(`script-src ${sha256('one()')};`)
  expect(headers['content-security-policy']).toContain(`style-src ${sha256(styleOf(text))};`)
})

test('the typeface is served by the realm itself, under a name derived from its bytes', () => {
  const { text, headers } = renderPage(reader({}), { title: 'x', body: html`` })
  expect(styleOf(text)).toMatch(/src:url\(\/realms\/northwind\/font-[0-9a-f]{16}\.woff2\) format\("woff2"\)/)
  expect(headers['content-security-policy']).toContain("font-src 'self'")
})
