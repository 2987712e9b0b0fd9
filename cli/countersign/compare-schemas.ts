import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { problemsOf } from './validate.ts'

type Schema = JsonObject
/** `input`: values that callers send. `answer`: values that they receive. */
type Side = 'input' | 'answer'

/** What a caller may send according to `before` that `after` refuses. Empty if every valid input remains valid. */
export const refusedNow = (before: JsonValue | undefined, after: JsonValue | undefined): string[] =>
  notIn(schemaOf(before), schemaOf(after), '', 'input')

/** What an answer may be according to `after` that a caller does not expect by `before`. New members are expected. */
export const unexpectedNow = (before: JsonValue | undefined, after: JsonValue | undefined): string[] =>
  notIn(schemaOf(after), schemaOf(before), '', 'answer')

const schemaOf = (value: JsonValue | undefined): Schema => (isJsonObject(value) ? value : {})

/** Why a value of `from` may not be one of `to`. For an input, `from` is the earlier schema; for an answer, the later one. */
function notIn(from: Schema, to: Schema, path: string, side: Side): string[] {
  if (canonicalJson(from) === canonicalJson(to)) return []
  const targets = choicesOf(to)
  return [...new Set(choicesOf(from).flatMap((choice) => choiceNotIn(choice, targets, path, side)))]
}

function choiceNotIn(choice: Schema, targets: readonly Schema[], path: string, side: Side): string[] {
  if (choice.const !== undefined && targets.some((target) => problemsOf(target, choice.const ?? null).length === 0))
    return []
  const found = targets.map((target) => plainNotIn(choice, target, path, side))
  if (found.some((reasons) => reasons.length === 0)) return []
  // The details are about the only choice that the value could have been.
  const alike = targets.flatMap((target, index) => (isAlike(choice, target) ? [found[index] ?? []] : []))
  if (alike.length === 1) return alike[0] ?? []
  return [changed(choice, path, side)]
}

const changed = (choice: Schema, path: string, side: Side) =>
  `${at(path, side)} ${side === 'input' ? 'no longer accepts' : 'may now be'} ${nameOf(choice)}`

const at = (path: string, side: Side) => (path === '' ? `the ${side}` : path)
const nameOf = ({ const: value, type }: Schema) =>
  value !== undefined ? JSON.stringify(value) : type === undefined ? 'any value' : `${type}`

/** The alternatives of a schema, each with one type or one value. Their order and form are irrelevant. */
function choicesOf(schema: Schema): Schema[] {
  const { anyOf, oneOf, type, enum: values, ...rest } = schema
  const choices = anyOf ?? oneOf
  if (Array.isArray(choices)) return choices.flatMap((choice) => choicesOf(schemaOf(choice)))
  if (Array.isArray(values)) return values.map((value) => ({ const: value }))
  if (Array.isArray(type)) return type.flatMap((one) => choicesOf({ ...rest, type: one }))
  if (type === 'boolean' && schema.const === undefined) return [{ const: true }, { const: false }]
  if (type === 'null') return [{ const: null }]
  return [schema]
}

const isType = (from: JsonValue | undefined, to: JsonValue | undefined) =>
  to === undefined || from === to || (from === 'integer' && to === 'number')

function isAlike(choice: Schema, target: Schema): boolean {
  if (target.const !== undefined || choice.const !== undefined) return false
  if (!isType(choice.type, target.type) && !isType(target.type, choice.type)) return false
  // Objects that name themselves with a constant are different ones.
  const [own, others] = [membersOf(choice), membersOf(target)]
  return Object.entries(own).every(([name, member]) => {
    const [one, other] = [schemaOf(member).const, schemaOf(others[name]).const]
    return one === undefined || other === undefined || one === other
  })
}

const membersOf = (schema: Schema): JsonObject => schemaOf(schema.properties)
const requiredOf = ({ required }: Schema): JsonValue[] => (Array.isArray(required) ? required : [])

function plainNotIn(from: Schema, to: Schema, path: string, side: Side): string[] {
  if (from.const !== undefined || to.const !== undefined)
    return from.const === to.const ? [] : [changed(from, path, side)]
  if (!isType(from.type, to.type)) return [changed(from, path, side)]
  return [
    ...formNotIn(from, to, path, side),
    ...limitsNotIn(from, to, path, side),
    ...(to.items === undefined ? [] : notIn(schemaOf(from.items), schemaOf(to.items), `${path}[]`, side)),
    ...(to.propertyNames === undefined
      ? []
      : notIn(schemaOf(from.propertyNames), schemaOf(to.propertyNames), `${path}.<name>`, side)),
    ...membersNotIn(from, to, path, side),
  ]
}

/** A pattern or format that was not required before. Two patterns are not compared: another one may be narrower. */
function formNotIn(from: Schema, to: Schema, path: string, side: Side): string[] {
  const name = (['format', 'pattern'] as const).find((key) => to[key] !== undefined && to[key] !== from[key])
  return name === undefined ? [] : [`${at(path, side)}: another ${name}`]
}

const upper = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const
const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const

function limitsNotIn(from: Schema, to: Schema, path: string, side: Side): string[] {
  const shown = (value: JsonValue | undefined) => (value === undefined ? 'none' : String(value))
  return [...upper, ...lower].flatMap((name) => {
    const [own, limit] = [from[name], to[name]]
    if (typeof limit !== 'number') return []
    const within = typeof own === 'number' && (upper.some((one) => one === name) ? own <= limit : own >= limit)
    if (within) return []
    const [before, after] = side === 'input' ? [own, limit] : [limit, own]
    return [`${at(path, side)}: ${name} ${shown(before)} → ${shown(after)}`]
  })
}

function membersNotIn(from: Schema, to: Schema, path: string, side: Side): string[] {
  const within = path === '' ? '' : `${path}.`
  const [own, others] = [membersOf(from), membersOf(to)]
  const missing = requiredOf(to)
    .filter((name) => !requiredOf(from).includes(name))
    .map(String)
  if (side === 'answer') {
    return [
      ...(isJsonObject(from.additionalProperties) && isJsonObject(to.additionalProperties)
        ? notIn(from.additionalProperties, to.additionalProperties, `${within}*`, side)
        : []),
      ...Object.entries(others).flatMap(([name, member]) => {
        if (own[name] === undefined) return [`the answer lacks ${within}${name}`]
        return [
          ...(missing.includes(name) ? [`${within}${name} may be absent from the answer`] : []),
          ...notIn(schemaOf(own[name]), schemaOf(member), `${within}${name}`, side),
        ]
      }),
    ]
  }
  return [
    ...missing.map((name) => `${within}${name} is now required`),
    ...Object.entries(own).flatMap(([name, member]) => {
      if (others[name] !== undefined) return notIn(schemaOf(member), schemaOf(others[name]), `${within}${name}`, side)
      if (to.additionalProperties === false) return [`${within}${name} is no longer accepted`]
      return notIn(schemaOf(member), schemaOf(to.additionalProperties), `${within}${name}`, side)
    }),
    ...(from.additionalProperties !== false && from.type === 'object' && to.additionalProperties !== undefined
      ? to.additionalProperties === false
        ? [`${at(path, side)} no longer accepts other members`]
        : notIn(schemaOf(from.additionalProperties), schemaOf(to.additionalProperties), `${within}*`, side)
      : []),
  ]
}
