import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** Attributes and properties whose text a person reads or hears. */
const READ =
  /^(label|title|hint|error|heading|caption|placeholder|alt|aria-label|aria-description|description|consequence|word|name|what|act|advice|effect|note|unit|header|legend|busyLabel|disabledReason)$/
/** Values of such names that are not texts: codes and identifiers. */
const CODE = /^([a-z0-9][a-zA-Z0-9:_.-]*|[A-Z]{3,}[A-Z-]*)$/

type Node = { type: string; [key: string]: unknown }

/** The texts of a file that a person would read and that are not in a catalog. */
function literalTexts(file: string, source: string): string[] {
  const found: string[] = []
  const { program, errors } = parseSync(file, source, { lang: file.endsWith('x') ? 'tsx' : 'ts' })
  expect(errors, file).toEqual([])
  if (isNode(program)) visit(program, 'never')
  return found

  function visit(node: Node, read: Read): void {
    if (node.type === 'JSXText' && isText(node.value)) found.push(String(node.value).trim())
    if (read !== 'never' && node.type === 'Literal' && isText(node.value))
      if (read === 'always' || !CODE.test(String(node.value))) found.push(String(node.value))
    if (read !== 'never' && node.type === 'TemplateElement') {
      const { cooked } = node.value as { cooked: string }
      if (isText(cooked)) found.push(cooked)
    }
    for (const [key, child] of Object.entries(node)) {
      // A chosen value is read where its choice is; the condition and the arguments of a call are not.
      const inside =
        key === 'test' || node.type === 'CallExpression' || node.type === 'BinaryExpression' ? 'never' : read
      for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) visit(one, reads(node, key) ?? inside)
    }
  }
}

/** Whether a literal is shown to a person: what is drawn always is; a property called `title` or `name` may have a code. */
type Read = 'always' | 'unless-code' | 'never'

/** Undefined if it depends on what the child is part of. */
function reads(node: Node, key: string): Read | undefined {
  if (node.type === 'JSXAttribute' && key === 'value')
    return READ.test(nameOf(node.name as Node)) ? 'unless-code' : 'never'
  if (node.type === 'Property' && key === 'value') return READ.test(nameOf(node.key as Node)) ? 'unless-code' : 'never'
  if (node.type === 'JSXExpressionContainer') return undefined
  if (node.type === 'JSXElement' && key === 'children') return 'always'
  if (node.type === 'JSXElement' || node.type === 'JSXOpeningElement') return 'never'
  if (/Function/.test(node.type)) return 'never'
  return undefined
}

const nameOf = (node: Node): string => String(node.name ?? node.value ?? '')
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const isText = (value: unknown): boolean => typeof value === 'string' && /\p{L}{2}/u.test(value)

const files = ['app', 'components'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
)
const shown = files.filter(
  (file) =>
    !file.startsWith('app/v1/') &&
    !file.startsWith('components/texts/') &&
    // For tests.
    !file.endsWith('/example-request.ts'),
)

test('pages and components do not have texts outside the catalogs', () => {
  expect(shown.length).toBeGreaterThan(100)
  const texts = shown.flatMap((file) =>
    literalTexts(file, readFileSync(join(root, file), 'utf8')).map((text) => `${file}: ${text}`),
  )
  // Names that are the same in every language.
  expect(
    texts.filter(
      (text) =>
        !/: (Countersign|%s · Countersign|SHA-256|team@example\.com|https:\/\/|evidence-room-|\.zip|audit-records\.|\/scim\/v2)$/.test(
          text,
        ),
    ),
  ).toEqual([])
})

test.each([
  ['text of an element', '<p>Some text</p>', ['Some text']],
  ['a choice between texts', '<p>{a === "b" ? "One text" : "Other text"}</p>', ['One text', 'Other text']],
  ['a word that could be a code', '<p>{running ? "running" : t.none}</p>', ['running']],
  ['a label', '<Field label="Your name" />', ['Your name']],
  ['a label put together', '<Field label={`Copy ${name}`} />', ['Copy ']],
  ['a property', 'const one = { title: "Sign out" }', ['Sign out']],
  ['classes and codes', '<p className="a b" role="alert" title={t.name}>{t.text({ name: "x" })}</p>', []],
])('finds %s', (_, source, expected) => {
  expect(literalTexts('one.tsx', source)).toEqual(expected)
})
