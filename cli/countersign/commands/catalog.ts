import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { Catalog, CatalogOperation } from '#lib/schemas/catalog.ts'
import { embeddedCatalog, operationIn, operationNamed, operations } from '../catalog.ts'
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
    const server = (await ask(session, operationNamed('catalog.list'), {})) as Catalog
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
  return [
    ...(['kind', 'permission', 'permissionForOwn'] as const).flatMap((name) =>
      own[name] === other[name] ? [] : [`${name}: ${own[name]} → ${other[name]}`],
    ),
    ...narrowed(own.input, other.input, ''),
    ...lost(own.output, other.output, ''),
    ...own.produces.filter((type) => !other.produces.includes(type)).map((type) => `no longer answers with ${type}`),
  ]
}

const propertiesOf = (schema: JsonValue | undefined): JsonObject =>
  isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {}
const requiredOf = (schema: JsonValue | undefined): JsonValue[] =>
  isJsonObject(schema) && Array.isArray(schema.required) ? schema.required : []

/** Inputs that were valid and are refused now. */
function narrowed(own: JsonObject, other: JsonObject, path: string): string[] {
  const [before, after] = [propertiesOf(own), propertiesOf(other)]
  const required = requiredOf(other).filter((name) => !requiredOf(own).includes(name))
  return [
    ...required.map((name) => `${path}${name} is now required`),
    ...Object.entries(before).flatMap(([name, schema]): string[] => {
      const now = after[name]
      if (now === undefined) return [`${path}${name} is no longer accepted`]
      if (!isJsonObject(schema) || !isJsonObject(now) || canonicalJson(schema) === canonicalJson(now)) return []
      if (schema.type !== now.type) return [`${path}${name}: another type`]
      const values =
        Array.isArray(schema.enum) && Array.isArray(now.enum)
          ? schema.enum.filter((one) => ![now.enum].flat().includes(one))
          : []
      return [
        ...values.map((one) => `${path}${name} no longer accepts ${JSON.stringify(one)}`),
        ...narrowed(schema, now, `${path}${name}.`),
      ]
    }),
  ]
}

/** Fields of an answer that are no longer sent, or not always. */
function lost(own: JsonValue | undefined, other: JsonValue | undefined, path: string): string[] {
  const [before, after] = [propertiesOf(own), propertiesOf(other)]
  return Object.entries(before).flatMap(([name, schema]) => {
    if (after[name] === undefined) return [`the answer lacks ${path}${name}`]
    const optional = requiredOf(own).includes(name) && !requiredOf(other).includes(name)
    return [
      ...(optional ? [`${path}${name} may be absent from the answer`] : []),
      ...lost(schema, after[name], `${path}${name}.`),
    ]
  })
}
