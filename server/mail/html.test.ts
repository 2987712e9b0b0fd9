import { expect, test } from 'vitest'
import { htmlOf } from './html.ts'

const base = 'https://countersign.example'

test('paragraphs and lines stay, and an address of this server is a link', () => {
  const text = `Refund for A-1\n\nAgent: A\nDecide by: noon\n\n${base}/t/x/approvals/1\n`
  expect(htmlOf(text, base, 'en')).toContain(
    `<p>Refund for A-1</p><p>Agent: A<br>Decide by: noon</p><p><a href="${base}/t/x/approvals/1">${base}/t/x/approvals/1</a></p>`,
  )
})

test.each([
  [
    'markup',
    '<img src=x onerror=alert(1)> & "quotes"',
    '<p>&lt;img src=x onerror=alert(1)&gt; &amp; &quot;quotes&quot;</p>',
  ],
  ['an address elsewhere', 'https://evil.example/t/x', '<p>https://evil.example/t/x</p>'],
  ['an address with this server’s as its user', `${base}@evil.example/`, `<p>${base}@evil.example/</p>`],
  ['an address in a sentence', `See ${base}/x`, `<p>See ${base}/x</p>`],
])('a stranger’s text stays text: %s', (_what, text, html) => {
  expect(htmlOf(text, base, 'en')).toContain(`<body style="font-family: sans-serif">${html}</body>`)
})
