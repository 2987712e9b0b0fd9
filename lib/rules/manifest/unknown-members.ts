import type { z } from 'zod'
import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { formOf, together } from './form-of.ts'

export type Path = readonly (string | number)[]

/**
 * The members of a value that its schema does not know, at any depth: a misspelt `requireApproval` must not pass for one. Where a
 * schema allows any name (labels, arguments), none is unknown.
 */
export function* unknownMembers(value: JsonValue, schemas: readonly z.ZodType[], path: Path = []): Generator<Path> {
  const { objects, elements, values } = together(schemas.map(formOf))
  if (Array.isArray(value)) {
    if (elements.length > 0)
      for (const [index, inner] of value.entries()) yield* unknownMembers(inner, elements, [...path, index])
    return
  }
  if (!isJsonObject(value)) return
  for (const [key, inner] of Object.entries(value)) {
    const known = objects.flatMap(({ shape }) => (Object.hasOwn(shape, key) ? [shape[key] as z.ZodType] : []))
    const within = known.length > 0 ? known : values
    if (within.length > 0) yield* unknownMembers(inner, within, [...path, key])
    else if (objects.length > 0) yield [...path, key]
  }
}
