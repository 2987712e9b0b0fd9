import { z } from 'zod'
import { formOf, together } from '#lib/rules/manifest/form-of.ts'
import { ManifestDocument } from '#lib/schemas/manifest.ts'

/** One member of a manifest. `path` names lists with `[]`: `spec.tools[].allow`. */
export type Key = {
  path: string
  description: string
  example: unknown
  schema: z.ZodType
}

/** Every member of a manifest, in the order of the schema. */
export function manifestKeys(schema: z.ZodType = ManifestDocument, path = ''): Key[] {
  return objectsIn(schema).flatMap(({ object, list }) => {
    const within = list ? `${path}[]` : path
    return Object.entries(object.shape as Record<string, z.ZodType>).flatMap(([name, member]) => {
      const at = within === '' ? name : `${within}.${name}`
      const { description = '', examples = [] } = (member.meta() ?? {}) as {
        description?: string
        examples?: unknown[]
      }
      return [{ path: at, description, example: examples[0], schema: member }, ...manifestKeys(member, at)]
    })
  })
}

/** The objects that a value of the schema is, or that it lists. */
function objectsIn(schema: z.ZodType): { object: z.ZodObject; list: boolean }[] {
  const { objects, elements } = formOf(schema)
  return [
    ...objects.map((object) => ({ object, list: false })),
    ...together(elements.map(formOf)).objects.map((object) => ({ object, list: true })),
  ]
}

type Json = Record<string, unknown>

/** The JSON Schema of one member, as a caller writes it. */
const jsonSchemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json

function defaultOf(schema: z.ZodType): string {
  const { default: value } = jsonSchemaOf(schema)
  const { required = 'required' } = (schema.meta() ?? {}) as { required?: string }
  if (value !== undefined) return code(value)
  return schema.safeParse(undefined).success ? '' : required
}

/** The type and the limits of a member, in words. */
function limitsOf(schema: Json): string {
  const { type, anyOf, enum: values, items, pattern, format } = schema
  if (Array.isArray(values)) return values.map((value) => code(value)).join(', ')
  if (Array.isArray(anyOf)) return anyOf.map((one) => limitsOf(one as Json)).join(', or ')
  const number = (name: string) => (typeof schema[name] === 'number' ? (schema[name] as number) : undefined)
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    const counted = (n: number) => n.toLocaleString('en')
    if (most === undefined || most === Number.MAX_SAFE_INTEGER)
      return least === undefined || least <= 0 ? '' : `, at least ${counted(least)}${unit}`
    return least === undefined ? `, up to ${counted(most)}${unit}` : `, ${counted(least)} to ${counted(most)}${unit}`
  }
  if (type === 'string') {
    if (format === 'duration') return 'duration of ISO 8601 in days, hours, minutes and seconds'
    const what = format === 'uri' ? 'http or https address' : format === 'email' ? 'e-mail address' : 'text'
    const form = typeof pattern === 'string' && format === undefined ? `, matches ${code(pattern, '')}` : ''
    return `${what}${range(undefined, number('maxLength'), ' characters')}${form}`
  }
  if (type === 'integer' || type === 'number')
    return `${type === 'integer' ? 'whole number' : 'number'}${range(number('minimum'), number('maximum'), '')}`
  if (type === 'array')
    return `list of ${plural(items as Json)}${range(number('minItems'), number('maxItems'), ' entries')}`
  if (type === 'boolean') return '`true` or `false`'
  return type === 'object' ? 'mapping' : type === 'null' ? 'empty' : 'any value'
}

const plural = (schema: Json): string =>
  limitsOf(schema)
    .replace(/^text/, 'texts')
    .replace(/^mapping.*/, 'mappings')
    .replace(/^any value/, 'mappings')

/** As YAML of one line, which JSON is, with names unquoted where YAML allows it. */
function code(value: unknown, language = 'yaml'): string {
  const text = language === 'yaml' ? inline(value) : String(value)
  // A table ends its cells with the same character.
  return `\`${text.replaceAll('|', '\\|')}\``
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, inner]) => `${inlineText(name)}: ${inline(inner)}`)
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
  }
  return typeof value === 'string' ? inlineText(value) : JSON.stringify(value)
}

/** Text that YAML would read as something else is quoted. */
const inlineText = (text: string): string =>
  /^[A-Za-z$][\w.$@/*[\]-]*( [\w-]+)*$/.test(text) &&
  !/^(true|false|null|yes|no)$/i.test(text) &&
  !/^\$\{/.test(text) &&
  !/[[\]]/.test(text)
    ? text
    : JSON.stringify(text)

/** The sections: one for each mapping that has members of its own. */
function sections(keys: readonly Key[]): Map<string, Key[]> {
  const found = new Map<string, Key[]>()
  const seen = new Set<string>()
  for (const key of keys) {
    // The forms of a step share their first members.
    if (seen.has(key.path)) continue
    seen.add(key.path)
    const parent = key.path.includes('.') ? key.path.slice(0, key.path.lastIndexOf('.')) : ''
    found.set(parent, [...(found.get(parent) ?? []), key])
  }
  return found
}

function tableOf(keys: readonly Key[]): string {
  const rows = keys.map(({ path, description, example, schema }) => {
    const name = path.slice(path.lastIndexOf('.') + 1)
    const cells = [`\`${name}\``, description, defaultOf(schema), limitsOf(jsonSchemaOf(schema)), code(example)]
    return `| ${cells.map((cell) => cell.replaceAll('\n', ' ')).join(' | ')} |`
  })
  return ['| key | meaning | default | value | example |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

export const manifestExample = `apiVersion: governance/v1
kind: Agent
metadata:
  name: refund-assistant
  version: 1.4.0
spec:
  description: Issues refunds within policy
  risk: { tier: high }
  runtime:
    steps:
      - id: order
        tool: { server: payments, name: lookup_order, arguments: { id: "\${input.orderId}" } }
      - id: ok
        wait: { input: manager_confirmation }
        when: "\${steps.order.output.amount} > 5000"
      - id: refund
        tool: { server: payments, name: issue_refund, arguments: { id: "\${input.orderId}", amount: "\${steps.order.output.amount}", currency: EUR } }
  tools:
    - mcp: { server: payments }
      allow: [lookup_order, issue_refund]
      requireApproval: [issue_refund]
  data:
    sensitive:
      - { path: $.customer.email, class: pii.email }
  inputs:
    - { name: manager_confirmation, ttl: P3D }
  limits: { timeout: PT15M, maxToolCalls: 50 }
`

/** An agent outside Countersign with tools of its own, for `policies.evaluate`, `approvals.request` and `countersign guard`. */
export const localExample = `metadata:
  name: coding-agent
  version: 1.0.0
spec:
  risk: { tier: medium }
  runtime: { observe: {} }
  tools:
    - local:
        - name: Bash
          description: Runs a shell command
          inputSchema: { type: object, properties: { command: { type: string } }, required: [command] }
        - name: Read
          annotations: { readOnlyHint: true }
      requireApproval: [Bash]
`

/** The limits of what is parsed (server/kernel/limits.ts). */
type ParserLimits = { bytes: number; values: number; depth: number; aliases: number }

/** The text of docs/manifest.md. */
export function manifestReference({ bytes, values, depth, aliases }: ParserLimits): string {
  const body = [...sections(manifestKeys())].map(
    ([parent, keys]) => `### ${parent === '' ? 'Top' : `\`${parent}\``}\n\n${tableOf(keys)}`,
  )
  return `# Manifest

<!-- Made by npm run docs:manifest from lib/schemas/manifest.ts and cli/docs/manifest-reference.ts. Don’t edit it here. -->

A manifest describes an agent: how it runs, which tools it may call, and which of its calls people approve. It is YAML 1.2 (or JSON,
which is YAML) in the field \`yaml\` of \`agents.create\`. \`agents.check\` returns the same problems and warnings without
registering anything.

\`\`\`yaml
${manifestExample}\`\`\`

An agent that runs elsewhere and has tools of its own, without an MCP server:

\`\`\`yaml
${localExample}\`\`\`

## Registration and release

Registration stores any mapping that has a name. A release (\`releases.propose\`) requires what this page calls required.

**Refused at registration**, with line and column, at most 50 problems at a time:

- text that is not YAML, has two documents, a duplicate name, an alias that leads into itself, or a number that JSON can’t represent exactly
- more than ${bytes / 1024} KiB, ${values.toLocaleString('en')} values after aliases are expanded, ${depth} levels or ${aliases} aliases
- an address with a user, a password, or the zone of an IPv6 address
- a \`when\` that is not one comparison of a reference with a literal (a number, "text", \`true\`, \`false\` or \`null\`), or that has the
  same result in every execution: \`<\` with a text, an object or a text compared with \`true\`
- a reference other than \`\${input.…}\` and \`\${steps.<id>.output.…}\`, to an unknown step, to one that runs later, or to a member
  that the output of a model step or of a wait for several inputs does not have
- two steps with one \`id\`
- a merge key (\`<<\`), which YAML 1.2 does not have
- a name or version that is written as a number and reads differently as a text, such as \`1.10\` (quote it)
- a wait for an input that is not declared, or that another step waits for ([inputs](inputs.md))
- a tool in \`requireApproval\` that \`allow\` does not list
- \`local\` tools next to \`mcp\`, declared twice, or with the runtime \`steps\` or \`chat\`

**Warnings**, which don’t prevent the registration: members that this page does not know, at any depth, values that a release will refuse,
steps whose tool is not allowed, and tools that their server does not offer now. Versions that were registered before a rule
existed keep working, and registering them again returns them.

## Keys

\`[]\` is each entry of a list. Unknown members are stored and have no effect.

${body.join('\n\n')}
`
}

/** Parses one value as its member does, to check an example. */
export const accepts = ({ schema, example }: Key): boolean => schema.safeParse(example).success
