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
    const text = node.type === 'Literal' ? node.value : node.type === 'TemplateElement' ? cookedOf(node) : undefined
    if (isText(text) && isRead(String(text), node.type === 'Literal' ? read : whole(read))) found.push(String(text))
    if (isFormatter(node)) found.push(...localesOf(node))
    for (const [key, child] of Object.entries(node))
      for (const one of Array.isArray(child) ? child : [child])
        if (isNode(one)) visit(one, reads(node, key, read) ?? read)
  }
}

/**
 * Whether a literal is shown to a person: what is drawn always is; a property called `title` or `name` may have a code. A constant, a
 * result or an argument is if it reads as (a part of) a sentence.
 */
type Read = 'always' | 'unless-code' | 'if-sentence' | 'if-part' | 'never'

function isRead(text: string, read: Read): boolean {
  switch (read) {
    case 'always':
      return true
    case 'unless-code':
      return !CODE.test(text)
    case 'if-sentence':
      return /^\p{Lu}\p{L}*[,:;]? \p{L}/u.test(text)
    case 'if-part':
      return /\p{L} (?:\p{L}|$)|^[,;]? \p{L}/u.test(text)
    case 'never':
      return false
  }
}

/** What is written next to values is never a code as a whole. */
const whole = (read: Read): Read => (read === 'unless-code' ? 'always' : read)

/** Undefined if it depends on what the child is part of. */
function reads(node: Node, key: string, read: Read): Read | undefined {
  if (key === 'test' || node.type === 'NewExpression' || node.type === 'ThrowStatement') return 'never'
  // A chosen value is read where its choice is; the condition and what is compared are not.
  if (node.type === 'BinaryExpression') return node.operator === '+' ? 'if-part' : 'never'
  if (node.type === 'CallExpression') return key === 'arguments' ? 'if-sentence' : 'never'
  if (node.type === 'VariableDeclarator' || node.type === 'ReturnStatement') return 'if-sentence'
  if (node.type === 'Property' && nameOf(node.key as Node) === 'cell') return 'always'
  if (node.type === 'JSXAttribute' && key === 'value')
    return READ.test(nameOf(node.name as Node)) ? 'unless-code' : 'never'
  if (node.type === 'Property' && key === 'value')
    return READ.test(nameOf(node.key as Node)) ? 'unless-code' : 'if-sentence'
  if (node.type === 'JSXExpressionContainer') return undefined
  if ((node.type === 'JSXElement' || node.type === 'JSXFragment') && key === 'children') return 'always'
  if (/^JSX.*Element$/.test(node.type)) return 'never'
  // What the function of a cell returns is drawn.
  if (/Function/.test(node.type)) return key !== 'body' ? 'never' : read === 'always' ? read : 'if-sentence'
  return undefined
}

/** A formatter of lib/formatters, of Intl or of a value, whose first argument is a locale. */
function isFormatter({ type, callee }: Node): boolean {
  if (type !== 'CallExpression' && type !== 'NewExpression') return false
  const { name, property, object } = callee as Node & { property?: Node; object?: Node }
  const called = String(name ?? property?.name)
  return /^((date|number|list)Format|pluralRules|toLocale(Date|Time)?String)$/.test(called) || object?.name === 'Intl'
}

/** The page has a language of its own, so none is written next to a formatter. */
const localesOf = (node: Node): string[] =>
  (node.arguments as Node[]).slice(0, 1).flatMap(({ type, value }) => (type === 'Literal' ? [String(value)] : []))

const cookedOf = (node: Node): string => (node.value as { cooked: string }).cooked
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
  // Names that are the same in every language: also a header, and checks of the verifier.
  expect(
    texts.filter(
      (text) =>
        !/: (Countersign|%s · Countersign|SHA-256|team@example\.com|https:\/\/|evidence-room-|\.zip|audit-records\.|Authorization: Bearer <token>|Newest head|Other archive|\/scim\/v2)$/.test(
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
  ['text of a fragment', '<>{name}{alone && ", alone"}</>', [', alone']],
  ['text of a cell', 'const columns = [{ cell: ({ votes }) => (votes === null ? "none" : votes) }]', ['none']],
  ['text that is put together', 'const words = (exact ? "" : "about ") + counts', ['about ']],
  ['an argument', '<p>{visible("Some text")}</p>', ['Some text']],
  ['a constant', 'const rule = "Enter a name."', ['Enter a name.']],
  ['a result', 'function whyNot() { return "Enter a name." }', ['Enter a name.']],
  ['a locale', 'const list = listFormat("en-GB").format(names)', ['en-GB']],
  ['what is compared or thrown', 'if (a === "Some text") throw new Error("Some text")', []],
  ['classes and codes', '<p className="a b" role="alert" title={t.name}>{t.text({ name: "x" })}</p>', []],
])('finds %s', (_, source, expected) => {
  expect(literalTexts('one.tsx', source)).toEqual(expected)
})
