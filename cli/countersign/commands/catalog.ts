import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { Catalog, CatalogOperation } from '#lib/schemas/catalog.ts'
import { notOfCountersign } from '../answer.ts'
import { embeddedCatalog, operationIn, operationNamed, operations } from '../catalog.ts'
import { refusedNow, unexpectedNow } from '../compare-schemas.ts'
import { exitCodes, usageError } from '../failure.ts'
import { commonFlags, flagsOf, parse } from '../flags.ts'
import { print } from '../output.ts'
import { ask } from '../request.ts'
import { openSession } from '../session.ts'
import { helpOf } from './call.ts'
import { type Command, commonUsage } from './command.ts'

export const catalogList: Command = {
  name: 'catalog list',
  summary: 'List the operations of this program',
  usage: `countersign catalog list\n${commonUsage}`,
  async run({ args, output }) {
    parse(args, commonFlags)
    print(
      output,
      operations().map(({ name, kind, permission, summary }) => ({ name, kind, permission, summary })),
    )
    return undefined
  },
}

export const catalogShow: Command = {
  name: 'catalog show',
  summary: 'Show one operation with its schemas',
  usage: `countersign catalog show <operation>\n${commonUsage}`,
  words: () => operations().map(({ name }) => name),
  async run({ args, output }) {
    const { positionals } = parse(args, commonFlags)
    const [name] = positionals
    if (name === undefined) throw usageError('Name the operation: countersign catalog show approvals.decide.')
    const operation = operationIn(positionals)?.operation ?? operationNamed(name)
    if (output.format === 'table') output.out(helpOf(operation, flagsOf(operation)))
    else print(output, operation)
    return undefined
  },
}

/** `incompatible`: a call that was valid is refused now, or its answer lacks a field that it had. */
export type Difference = {
  operation: string
  change: 'missing' | 'new' | 'incompatible' | 'compatible'
  details: string[]
}

export const catalogDiff: Command = {
  name: 'catalog diff',
  summary: 'Compare the operations of this program with the server’s',
  usage: `countersign catalog diff\n\nExit code 0 if they are the same, 5 if they differ.\n${commonUsage}`,
  async run({ args, environment, output }) {
    const session = openSession(parse(args, commonFlags).values, environment)
    const server = catalogIn(await ask(session, operationNamed('catalog.list'), {}))
    const found = differences(embeddedCatalog().operations, server.operations)
    if (output.format === 'table' && found.length === 0) output.out('The same operations.\n')
    else
      print(
        output,
        found.map(({ details, ...one }) => ({
          ...one,
          details: output.format === 'table' ? details.join('; ') : details,
        })),
      )
    return found.length === 0 && server.digest === embeddedCatalog().digest ? undefined : exitCodes.different
  },
}

/** Only so far as every version has it. */
function catalogIn(answer: JsonValue): Catalog {
  const operations = isJsonObject(answer) && Array.isArray(answer.operations) ? answer.operations : undefined
  const has = (one: JsonValue, fields: readonly string[], is: (value: JsonValue | undefined) => boolean) =>
    isJsonObject(one) && fields.every((field) => is(one[field]))
  const readable = operations?.every(
    (one) =>
      has(one, ['name', 'method', 'path'], (value) => typeof value === 'string') &&
      has(one, ['input', 'places', 'body'], isJsonObject) &&
      has(one, ['produces'], Array.isArray),
  )
  if (readable !== true) throw notOfCountersign('it is not a catalog')
  return answer as Catalog
}

const addressOf = ({ method, path }: CatalogOperation) => `${method} ${path}`

/** What changed from the operations of this program to those of the server. */
export function differences(own: readonly CatalogOperation[], server: readonly CatalogOperation[]): Difference[] {
  const theirs = new Map(server.map((operation) => [addressOf(operation), operation]))
  const ours = new Set(own.map(addressOf))
  const changed = own.flatMap((operation): Difference[] => {
    const other = theirs.get(addressOf(operation))
    if (other === undefined) return [{ operation: operation.name, change: 'missing', details: [addressOf(operation)] }]
    if (canonicalJson(operation as JsonObject) === canonicalJson(other as JsonObject)) return []
    const details = breaking(operation, other)
    return [{ operation: operation.name, change: details.length > 0 ? 'incompatible' : 'compatible', details }]
  })
  const added = server.filter((operation) => !ours.has(addressOf(operation)))
  return [
    ...changed,
    ...added.map((one): Difference => ({ operation: one.name, change: 'new', details: [addressOf(one)] })),
  ]
}

function breaking(own: CatalogOperation, other: CatalogOperation): string[] {
  const found = [
    ...(['kind', 'permission', 'permissionForOwn'] as const).flatMap((name) =>
      own[name] === other[name] ? [] : [`${name}: ${own[name]} → ${other[name]}`],
    ),
    ...refusedNow(own.input, other.input),
    ...bodyRefusedNow(own.body, other.body),
    ...Object.entries(own.places).flatMap(([name, place]) =>
      other.places[name] === undefined || other.places[name] === place
        ? []
        : [`${name}: ${place} → ${other.places[name]}`],
    ),
    ...(own.output === null || other.output === null ? [] : unexpectedNow(own.output, other.output)),
    ...own.produces.filter((type) => !other.produces.includes(type)).map((type) => `no longer answers with ${type}`),
  ]
  // The body of a route has the fields of its input.
  return [...new Set(found)]
}

/** Bodies of routes, by media type. */
const bodyRefusedNow = (own: CatalogOperation['body'], other: CatalogOperation['body']): string[] =>
  Object.entries(own).flatMap(([type, schema]) => {
    const now = other[type]
    if (now === undefined) return [`no longer accepts ${type}`]
    return schema === null || now === null ? [] : refusedNow(schema, now)
  })
