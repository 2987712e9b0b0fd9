import { z } from 'zod'
import { collectCatalog } from '#server/catalog.ts'
import type { Declared, Operation } from '#server/kernel/operation.ts'

export type ListOperation = { name: string; operation: Operation<unknown, unknown>; inputs: Record<string, unknown>[] }

type Property = {
  enum?: string[]
  type?: string
  items?: Property
  format?: string
  anyOf?: Property[]
  pattern?: string
}
type Schema = { properties?: Record<string, Property>; required?: string[] }

/** Values of filters that a schema doesn't name: for each, a frequent and a rare value among the rows. */
export type Examples = (name: string, property: string) => readonly unknown[] | undefined

/** All reads in the operation catalog that accept a `limit`, with their filters alone and in pairs, for each example value. */
export function listOperations(examples: Examples): ListOperation[] {
  const found = new Map<unknown, ListOperation>()
  for (const entry of collectCatalog()) {
    const described = z.toJSONSchema(entry.operation.input, { io: 'input', unrepresentable: 'any' })
    const schema: Schema = JSON.parse(JSON.stringify(described))
    // A procedure and a route of the same operation count as one list.
    if (entry.method !== 'GET' || schema.properties?.limit === undefined || found.has(entry.operation)) continue
    if (!isOperation(entry.operation)) throw new Error(`${entry.name} is not an operation.`)
    found.set(entry.operation, {
      name: entry.name,
      operation: entry.operation,
      inputs: inputsOf(entry.name, schema, examples),
    })
  }
  return [...found.values()]
}

const isOperation = (declared: Declared): declared is Operation<unknown, unknown> => 'run' in declared

function inputsOf(
  name: string,
  { properties = {}, required = [] }: Schema,
  examples: Examples,
): Record<string, unknown>[] {
  const values = (property: string): readonly unknown[] => {
    const known = examples(name, property) ?? valuesOf(properties[property] ?? {})
    if (known.length === 0) throw new Error(`The filter ${property} of ${name} lacks an example.`)
    return known
  }
  const fixed = Object.fromEntries(required.map((property) => [property, values(property)[0]]))
  const filters = Object.keys(properties).filter((property) => property !== 'limit' && !required.includes(property))
  const alone = filters.flatMap((property) => values(property).map((value) => ({ ...fixed, [property]: value })))
  const pairs = alone.flatMap((one, index) =>
    alone
      .slice(index + 1)
      .flatMap((other) => (Object.keys(one).join() === Object.keys(other).join() ? [] : [{ ...one, ...other }])),
  )
  return [fixed, ...alone, ...pairs]
}

function valuesOf({ enum: values, type, items }: Property): readonly unknown[] {
  if (values !== undefined) return values
  if (type === 'boolean') return [true, false]
  if (type === 'array' && items !== undefined) return valuesOf(items).map((value) => [value])
  return []
}
